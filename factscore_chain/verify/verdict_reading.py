"""Strict reading of a judge's reply: supported, not supported, or undecided with its cause.

A reply is read clause by clause. A label counts where it stands as a verdict ("True.", "Answer: False", "the
statement is not true"), not where it is an attribute ("the true king"), a question, a hedge or an echo of
what the model was shown. The last verdict wins; whatever stays open is undecided, never supported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from factscore_chain.language_model import FinishReason
from factscore_chain.thinking import without_thinking
from factscore_chain.values import Verdict
from factscore_chain.verify.mentions import ENGLISH, Labels, Mention, mentions

Cause = Literal["empty", "truncated", "refused", "hedged", "conflicting", "unreadable"]

_KEYS = (
    "verdict",
    "answer",
    "label",
    "judgment",
    "judgement",
    "result",
    "output",
    "supported",
    "is_supported",
)
_NAMES_A_VERDICT = frozenset({"answer", "verdict", "label", "output", "passage", "passages"})
_FENCE = re.compile(r"```[\w-]*\n?|~~~[\w-]*\n?")
_TAG = re.compile(r"</?[a-z][\w-]*>|<\|[\w-]+\|>", re.IGNORECASE)
"""Tags, and the marks of chat templates that some servers leave in."""
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "*": "", "`": "", "#": "", "$": ""})
_REFUSAL = re.compile(
    r"\b(?:sorry|apologi[sz]e|i (?:cannot|can't|can not|won't|will not|am (?:not able|unable)|do not|don't)|"
    r"i'm (?:not able|unable)|as an? (?:ai|language model)|unable to|not able to|"
    r"(?:im|not )possible to (?:determine|say))\b",
    re.IGNORECASE,
)
_CITED = re.compile(
    r"\[\s*(?:(?:passages?|sources?|p)\b[\s#-]*|p)?(\d{1,3}(?:\s*,\s*\d{1,3})*)\s*\]|"
    r"\bpassages?[\s-]+(\d{1,3}(?:\s*(?:,|and|&)\s*\d{1,3})*)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True)
class Reading:
    """What a reply says."""

    verdict: Verdict
    """Supported, not supported or undecided."""
    cause: Cause | None = None
    """Why it is undecided."""
    cited: tuple[int, ...] = ()
    """Numbers of the passages it names, in its order."""


def read_verdict(
    text: str,
    *,
    finish_reason: FinishReason = "stop",
    labels: Labels = ENGLISH,
    shown: Sequence[str] = (),
) -> Reading:
    """Reads a judge's reply; never raises.

    Args:
        text: The reply.
        finish_reason: Why the model stopped. A reply cut off by the token limit counts only if it is
            a bare label; a filtered one never does.
        labels: The words that were asked for.
        shown: Texts the model was shown; their lines and sentences in the reply are echoes, not verdicts.
    """
    if finish_reason == "filtered":
        return Reading(Verdict.UNDECIDED, "refused")
    answer, broken_off = without_thinking(text)
    answer = _unwrapped(_own_words(answer, shown))
    if broken_off or (finish_reason == "length" and not labels.is_bare(answer)):
        return Reading(Verdict.UNDECIDED, "truncated")
    if not any(character.isalnum() for character in answer):
        return Reading(Verdict.UNDECIDED, "unreadable" if any(map(str.isalnum, text)) else "empty")
    found = _from_json(answer)
    judged = answer if found is None else found
    verdict, cause = _decide(list(mentions(judged, labels)), alone=_is_nothing_but(judged, labels))
    if cause == "unreadable" and _REFUSAL.search(answer):
        cause = "refused"
    return Reading(verdict, cause, _cited(answer))


def _own_words(answer: str, shown: Sequence[str]) -> str:
    pieces = {piece.strip() for text in shown for piece in [*_SENTENCE_END.split(text), *text.splitlines()]}
    # Short pieces are left alone: a passage that holds the line "True" must not swallow a verdict.
    echoes = [piece for piece in pieces if len(piece.split()) > 2 and piece in answer]
    for echo in sorted(echoes, key=len, reverse=True):
        answer = answer.replace(echo, " ")
    return answer


def _unwrapped(answer: str) -> str:
    plain = _TAG.sub(" ", _FENCE.sub("\n", answer)).translate(_PLAIN)
    return re.sub(r"\\boxed\{([^{}]*)\}", r"\1", plain).strip()


def _from_json(answer: str) -> str | None:
    """The verdict's text if the reply is a JSON object, "" if that has none, None if it is no object."""
    start = answer.find("{")
    if start < 0 or any(map(str.isalnum, answer[:start].casefold().replace("json", ""))):
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(answer[start:])
    except (json.JSONDecodeError, RecursionError):
        return ""
    fields = {str(key).casefold(): item for key, item in value.items()}
    return next((str(fields[key]) for key in _KEYS if isinstance(fields.get(key), (str, bool))), "")


def _is_nothing_but(answer: str, labels: Labels) -> bool:
    """Whether no word stands between labels that could say which of them is meant."""
    said = set(re.findall(r"[^\W\d]+", answer.casefold()))
    return said <= {*labels.supported, *labels.not_supported, *_NAMES_A_VERDICT}


def _decide(found: Sequence[Mention], *, alone: bool) -> tuple[Verdict, Cause | None]:
    strong = [mention for mention in found if mention.strength == "strong"]
    if alone and len({mention.supports for mention in strong}) == 2:
        return Verdict.UNDECIDED, "conflicting"
    if strong:
        # "True, but the date is false."
        after = found[found.index(strong[-1]) + 1 :] if strong[-1].supports else ()
        taken_back = any(one.strength == "weak" and not one.supports for one in after)
        return (Verdict.UNDECIDED, "conflicting") if taken_back else _last(strong)
    weak = {mention.supports for mention in found if mention.strength == "weak"}
    hedged = any(mention.strength == "hedged" for mention in found)
    if len(weak) == 2:
        return Verdict.UNDECIDED, "conflicting"
    if not weak or (hedged and weak == {True}):
        return Verdict.UNDECIDED, "hedged" if hedged else "unreadable"
    return (Verdict.SUPPORTED if weak == {True} else Verdict.NOT_SUPPORTED), None


def _last(strong: Sequence[Mention]) -> tuple[Verdict, Cause | None]:
    last = strong[-1]
    if not last.supports:
        return Verdict.NOT_SUPPORTED, None
    # To take back an earlier "False" needs a label of its own, not a remark such as "It is true in part".
    if any(not mention.supports for mention in strong) and not last.alone:
        return Verdict.UNDECIDED, "conflicting"
    return Verdict.SUPPORTED, None


def _cited(answer: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_numbers(answer)))


def _numbers(answer: str) -> Iterator[int]:
    for match in _CITED.finditer(answer):
        yield from map(int, re.findall(r"\d+", match[1] or match[2]))
