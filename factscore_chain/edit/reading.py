"""Strict reading of a model's reply that should be one sentence: the sentence, or why there is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from factscore_chain.decompose.reading import is_talk
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.edit.wording import ended
from factscore_chain.language_model import FinishReason
from factscore_chain.thinking import without_thinking

Problem = Literal["empty", "refused", "truncated", "unreadable"]

DROP = "DELETE"
"""What a model answers where nothing of the sentence is left."""


@dataclass(frozen=True)
class EditReading:
    """What a reply gives: a new sentence (empty to drop it), or what is wrong with the reply."""

    text: str | None = None
    problem: Problem | None = None


_FENCED = re.compile(r"```[\w-]*\n(?P<inner>.*?)\n?```", re.DOTALL)
_TAGGED = re.compile(
    r"<(?P<tag>sentence(?:-\d+)?)>\s*(?P<inner>.*?)\s*</(?P=tag)>", re.DOTALL | re.IGNORECASE
)
_LABEL = re.compile(
    r"\W*(?:(?:sure|certainly|of course|okay|ok)\b[^:\n]{0,40})?"
    r"(?:(?:here(?:['’]s| is)|this is)\b[^:\n]{0,80}"
    r"|(?:the )?(?:edited|corrected|revised|mended|rewritten|fixed|updated|final|new)\b[^:\n]{0,40}"
    r"|sentence|answer|reply|output|revision|correction)\W{0,3}:\W{0,3}(?:\s+|$)",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\(?\W*(?:note|notes|explanation|changes?|reason|reasoning|edits?|comment)\b[^:\n]{0,30}:|"
    r"(?:i|the edit|this edit|the claim|the passages?)\b.*"
    r"\b(?:changed|removed|corrected|replaced|deleted|kept|supports?|says?|states?)\b",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "‘": "’", "'": "'", "«": "»", "„": "“", "`": "`", "**": "**", "*": "*"}
_BULLET = re.compile(r"(?:[-*•]|\d{1,2}[.)])\s+")


def read_edit(
    reply: str, sentence: str, finish_reason: FinishReason = "stop", around: tuple[str, str] = ("", "")
) -> EditReading:
    """Reads a reply that should hold the edited sentence alone.

    Thinking, fences, quotation marks, a lead-in, a remark after it, and the rest of the text on both sides
    are taken away, each only if the sentence itself has no such thing.

    Args:
        reply: The model's words.
        sentence: The sentence as it was.
        finish_reason: Why the model stopped.
        around: The text before and after the sentence, as the model was shown it.
    """
    answer, broken_off = without_thinking(reply)
    if finish_reason == "filtered":
        return EditReading(problem="refused")
    if finish_reason == "length" or broken_off:
        return EditReading(problem="truncated")
    text = _between(_unwrapped(answer, sentence), around)
    if text.strip("\"'`*[]()<>. ") == DROP:
        return EditReading("")
    if not any(map(str.isalnum, text)):
        return EditReading(problem="empty")
    if is_talk(text) and not is_talk(sentence):
        return EditReading(problem="refused")
    if "\n" not in sentence:
        if re.search(r"\n\s*\n", text):
            return EditReading(problem="unreadable")
        text = " ".join(text.split("\n"))
    return EditReading(ended(" ".join(text.split()) if "\n" not in text else text, sentence))


def _unwrapped(answer: str, sentence: str) -> str:
    for pattern in (_TAGGED, _FENCED):
        if len(found := list(pattern.finditer(answer))) == 1 and not pattern.search(sentence):
            answer = found[0]["inner"].strip()
    if (label := _LABEL.match(answer)) and not _LABEL.match(sentence):
        answer = answer[label.end() :].strip()
    answer = _without_remark(answer, sentence)
    if fenced := _FENCED.fullmatch(answer):
        answer = fenced["inner"].strip()
    if (bullet := _BULLET.match(answer)) and not _BULLET.match(sentence):
        answer = answer[bullet.end() :]
    return _unquoted(answer, sentence)


def _without_remark(answer: str, sentence: str) -> str:
    """The first paragraph, if all that follows speaks of the edit."""
    first, *rest = re.split(r"\n\s*\n|\n(?=\W*(?:note|explanation|changes?)\b)", answer, flags=re.IGNORECASE)
    if rest and _REMARK.match(rest[0].strip()) and "\n\n" not in sentence:
        return first.strip()
    return answer


def _unquoted(answer: str, sentence: str) -> str:
    for opening, closing in _QUOTES.items():
        wraps = len(answer) > 2 and answer.startswith(opening) and answer.endswith(closing)
        inner = answer[len(opening) : len(answer) - len(closing)]
        if wraps and _stands_alone(inner, opening, closing) and not sentence.startswith(opening):
            return inner.strip()
    return answer


def _stands_alone(inner: str, opening: str, closing: str) -> bool:
    """Whether the marks within are pairs of their own, rather than the partners of those around."""
    if opening not in inner and closing not in inner:
        return True
    first = inner.find(opening)
    before_first = inner[first - 1 : first]
    return first >= 0 and inner.count(closing) % 2 == 0 and (before_first.isspace() or before_first == "(")


def _between(text: str, around: tuple[str, str]) -> str:
    """The sentence alone, where the model repeated some of the text on both sides of it, or all."""
    before, after = (part.strip() for part in around)
    if text and text == f"{before} {after}".strip():
        return DROP
    for sentence in split_sentences(before):
        if text.startswith(repeated := before[sentence.span.start :]) and text != repeated:
            text = text[len(repeated) :].strip()
            break
    for sentence in reversed(split_sentences(after)):
        if text.endswith(repeated := after[: sentence.span.end]) and text != repeated:
            text = text[: len(text) - len(repeated)].strip()
            break
    return text
