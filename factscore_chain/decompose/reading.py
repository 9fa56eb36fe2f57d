"""Strict reading of a model's list of facts: whole items, or a named problem, never a guess."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.language_model import FinishReason
from factscore_chain.thinking import without_thinking

Problem = Literal["refused", "truncated", "unreadable"]


@dataclass(frozen=True)
class Reading:
    """What a reply says: facts, none on purpose, or what is wrong with it."""

    facts: tuple[str, ...] = ()
    problem: Problem | None = None
    """Beside "truncated", `facts` holds the items that were complete."""


_NONE = re.compile(r"\W*(?:none|no facts|n/a|\[\s*\])\W*", re.IGNORECASE)
_NUMBER = r"\(?\d{1,3}[.)]|\(?[a-z][.)]|(?:fact|claim|statement)\s+\d{1,3}\s*[:.)]"
_SIGN = r"[-*+•◦▪‣●○∙·–—]+"
_BULLET = re.compile(
    rf"\s*(?:(?:{_SIGN}|{_NUMBER})(?:\s+|$)|[•◦▪‣●○∙]|[-–—](?=[^\W\d_]))(?:{_SIGN}\s+)*(?:\[[ xX]\]\s+)?",
    re.IGNORECASE,
)
_RUN_ON_BULLET = re.compile(r"(?<=[.!?])\s+[-*•–]\s+(?=[A-Z\"“])")
_FENCE_LINE = re.compile(r"\s*(?:```|~~~)[\w+-]*\s*")
_CITATION = re.compile(r"\s*\[\d{1,3}\](?=\W|$)")
_WRAPPED = re.compile(r"(\*\*|__|[*_`\"“])(?P<inner>.+?)(?:\1|”)")

_REFUSAL = re.compile(
    r"(?:(?:i['’]?m|i am)\s+(?:really |very |so |truly )?sorry\b.*"
    r"\b(?:i (?:am|can|could|do|don|must|will|won)|unable|cannot|can['’]?t|won['’]?t)\b"
    r"|(?:sorry|unfortunately|apologies|i apologi[sz]e)\b,?.*"
    r"\bi(?:['’]m)?\s+(?:am |can|won|will not|must|do not|don)"
    r"|i\s*(?:can(?:not|['’]?t| not)|won['’]?t|will not|must decline|am (?:not able|unable)|do not|don['’]t)"
    r"\b"
    r"|i['’]m (?:not able|unable|not comfortable)\b"
    r"|as an? (?:ai|artificial intelligence|language model|assistant)\b)",
    re.IGNORECASE | re.DOTALL,
)
_REMARK = re.compile(
    r"(?:(?:this|the(?: given| provided| above)?) (?:sentence|text|statement|passage|phrase|word|fragment)"
    r" (?:does not|doesn['’]t|do not|has no|contains|provides|states|mentions|expresses|consists"
    r"|is (?:an?|not))\b"
    r"|(?:there (?:are|is)|it (?:contains|has)) no (?:\w+ ){0,3}(?:facts?|claims?|information)\b"
    r"|no (?:\w+ ){0,3}(?:facts?|claims?)\b(?! checking))",
    re.IGNORECASE,
)


def read_facts(reply: str, finish_reason: FinishReason = "stop") -> Reading:
    """Reads a reply that should list facts: bullets of any style, plain lines, or JSON; "NONE" for none.

    Thinking text, lead-in lines, remarks after the list, and empty bullets are left out. A refusal or a
    remark about the sentence is never a fact.
    """
    answer, broken_off = without_thinking(reply)
    truncated = finish_reason == "length" or broken_off
    if finish_reason == "filtered":
        return Reading(problem="refused")
    if _NONE.fullmatch(answer):
        return Reading()
    items = _json_items(answer)
    if items is None and _looks_like_json(answer):
        return Reading(problem="truncated" if truncated else "unreadable")
    return _reading(list(_line_items(answer)) if items is None else items, truncated, items is None)


def _reading(items: list[str], truncated: bool, may_be_cut: bool) -> Reading:
    if truncated and may_be_cut:
        items = items[:-1]
    cleaned = [clean for item in items if (clean := _clean(item))]
    facts = tuple(item for item in cleaned if not is_talk(item))
    if truncated and may_be_cut:
        return Reading(facts, "truncated")
    if facts:
        return Reading(facts)
    if cleaned:
        only_none = all(_NONE.fullmatch(item) for item in cleaned)
        return Reading(problem=None if only_none else "refused")
    return Reading(problem=None if items == [] and not may_be_cut else "unreadable")


def is_talk(item: str) -> bool:
    """Whether the model speaks of itself or of the sentence instead of stating a fact."""
    return any(pattern.match(item) for pattern in (_NONE, _REFUSAL, _REMARK))


def _looks_like_json(answer: str) -> bool:
    return re.match(r"(?:```(?:json)?\s*)?[\[{]\s*[\"\]}{\[]", answer, re.IGNORECASE) is not None


def _json_items(answer: str) -> list[str] | None:
    """Items of the first well-formed JSON list of strings, or object with such a list under "facts"."""
    decoder = json.JSONDecoder()
    for start in re.finditer(r"(?m)^\s*(?:```(?:json)?\s*)?(?=[\[{])|:\s*(?=\{)", answer):
        try:
            value, _ = decoder.raw_decode(answer, start.end())
        except (ValueError, RecursionError):
            continue
        return _strings(value)
    return None


def _strings(value: Any) -> list[str] | None:
    items = value.get("facts") if isinstance(value, dict) else value
    if isinstance(items, list) and all(isinstance(item, str) for item in items):
        return items
    return None


def _line_items(answer: str) -> Iterator[str]:
    lines = [line for line in answer.splitlines() if line.strip() and not _FENCE_LINE.fullmatch(line)]
    bulleted = [index for index, line in enumerate(lines) if _BULLET.match(line)]
    if bulleted:
        yield from _bulleted_items(lines[bulleted[0] :], bulleted[-1] - bulleted[0])
    else:
        for line in lines:
            if not _is_lead_in(line):
                yield from (sentence.text for sentence in split_sentences(line.strip()))


def _bulleted_items(lines: list[str], last: int) -> Iterator[str]:
    item = ""
    for index, line in enumerate(lines):
        if bullet := _BULLET.match(line):
            yield from _RUN_ON_BULLET.split(item)
            item = line[bullet.end() :]
        elif line[:1].isspace() or line.strip()[:1].islower():
            item = f"{item} {line.strip()}"
        elif index < last and not _is_lead_in(line):
            yield from _RUN_ON_BULLET.split(item)
            item = line
    yield from _RUN_ON_BULLET.split(item)


def _is_lead_in(line: str) -> bool:
    return re.sub(r"[*_]+", "", line).rstrip().endswith((":", "："))


def _clean(item: str) -> str:
    """Takes citations, emphasis around the whole and doubled blanks away; "" if no word is left."""
    text = " ".join(_CITATION.sub("", item).split())
    if (wrapped := _WRAPPED.fullmatch(text)) and wrapped[1] not in wrapped["inner"]:
        text = wrapped["inner"].strip()
    return text if any(map(str.isalnum, text)) else ""
