"""Sentences put in place of others, by span: every character that was not asked for stays as it is."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from factscore_chain.values import Span

_LAYOUT = re.compile(r"\W*(?:(?:\d{1,3}[.)])+|\(?[A-Za-z][.)]|\[[xX]\])?\W*")
"""What may stand beside a sentence that has its line for itself: marks of lists, quotes, tables, emphasis."""

_OPENING = re.compile(r"<(?P<name>[a-zA-Z][a-zA-Z0-9]*)\b[^<>]*(?<!/)>\s*$")
_CLOSING = re.compile(r"\s*</(?P<name>[a-zA-Z][a-zA-Z0-9]*)\s*>")
_TAG = re.compile(r"<(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>")
_NEEDED = frozenset({"td", "th", "html", "body"})
"""Elements that stay where they are empty: a row would have fewer cells than the others."""
_ITEM = re.compile(r"<(?P<end>/?)(?P<name>li|ul|ol|menu)\b", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)

_FENCE = re.compile(r"\s*(?:`{3}|~{3})")
"""Begins and ends a block: one of the two must not go without the other."""


@dataclass(frozen=True)
class Replacement:
    """A new text for a stretch of the old one; an empty one drops it."""

    span: Span
    text: str


@dataclass(frozen=True)
class Spliced:
    """A text with its replacements made."""

    text: str
    spans: tuple[Span, ...]
    """Where each replacement stands now, in their order; empty where something was dropped."""
    cuts: tuple[Replacement, ...]
    """What was really cut out, with the blanks and marks that would be left over."""

    def moved(self, span: Span) -> Span:
        """Where a stretch of the old text stands now; what was replaced within it is replaced there too."""
        return Span(span.start + self._shift(span.start), span.end + self._shift(span.end))

    def _shift(self, place: int) -> int:
        ends, shifts = self._shifts
        return shifts[bisect_right(ends, place)]

    @cached_property
    def _shifts(self) -> tuple[list[int], list[int]]:
        """The ends of the cuts, and by how much what follows so many of them has moved."""
        moved = [len(one.text) - (one.span.end - one.span.start) for one in self.cuts]
        return [one.span.end for one in self.cuts], [*accumulate(moved, initial=0)]


def splice(text: str, replacements: Sequence[Replacement]) -> Spliced:
    """Puts replacements into a text.

    A dropped sentence takes the blanks beside it along; one that had its line for itself takes the line,
    with its list mark, and one of two blank lines that would meet.

    Args:
        text: The old text.
        replacements: In order, and none over another.
    """
    cuts: list[Replacement] = []
    spans: list[Span] = []
    parts: list[str] = []
    done, length = 0, 0
    for one in _widened(text, replacements):
        start = max(one.span.start, done)
        kept = text[done:start]
        parts += [kept, one.text]
        length += len(kept)
        cuts.append(Replacement(Span(start, max(start, one.span.end)), one.text))
        spans.append(Span(length, length + len(one.text)))
        length, done = length + len(one.text), max(start, one.span.end)
    joined = "".join([*parts, text[done:]])
    if done == len(text) and not text.endswith("\n"):
        joined = joined.rstrip("\n")  # the break before a last line that is gone
    return Spliced(joined, tuple(spans), tuple(cuts))


def _widened(text: str, replacements: Sequence[Replacement]) -> list[Replacement]:
    """The replacements, those that drop something grown by what would be left over."""
    widened: list[Replacement] = []
    for index, one in enumerate(replacements):
        if one.text:
            widened.append(one)
            continue
        run = _run(text, replacements, index)
        grown = _grown(text, Span(run[0].span.start, run[-1].span.end))
        # In a run of dropped sentences each takes the gap after it, the ends what was grown.
        start = grown.start if one is run[0] else one.span.start
        end = grown.end if one is run[-1] else replacements[index + 1].span.start
        widened.append(Replacement(Span(start, end), ""))
    return widened


def _run(text: str, replacements: Sequence[Replacement], index: int) -> Sequence[Replacement]:
    first = last = index
    while first > 0 and _adjoin(text, replacements[first - 1], replacements[first]):
        first -= 1
    while last + 1 < len(replacements) and _adjoin(text, replacements[last], replacements[last + 1]):
        last += 1
    return replacements[first : last + 1]


def _adjoin(text: str, one: Replacement, other: Replacement) -> bool:
    gap = _without_mirrored_tags(text[one.span.end : other.span.start]).split("\n")
    between = all(_LAYOUT.fullmatch(line) and not _FENCE.match(line) for line in gap)
    return not one.text and not other.text and between


def _without_mirrored_tags(gap: str) -> str:
    """What stands between two sentences, without tags that end elements and begin the same ones again."""
    tags = [(found["end"], found["name"].lower()) for found in _TAG.finditer(gap)]
    names = [name for _, name in tags]
    half = len(tags) // 2
    mirrored = names == names[::-1] and [bool(end) for end, _ in tags] == [True] * half + [False] * half
    return _TAG.sub("", gap) if mirrored and _NEEDED.isdisjoint(names) else gap


def _grown(text: str, span: Span) -> Span:
    span = _with_empty_elements(text, span)
    line_start = text.rfind("\n", 0, span.start) + 1
    line_end = text.find("\n", span.end)
    line_end = len(text) if line_end < 0 else line_end
    lead, tail = text[line_start : span.start], text[span.end : line_end]
    if _is_layout(text, lead, span) and not any(map(str.isalnum, _BREAK.sub("", tail))):
        return _lines(text, Span(line_start, min(line_end + 1, len(text))))
    if tail[:1].isspace() and tail.strip():
        return Span(span.start, span.end + len(tail) - len(tail.lstrip()))
    return Span(span.start - len(lead) + len(lead.rstrip()), span.end)


def _with_empty_elements(text: str, span: Span) -> Span:
    """With the tags of elements that would be left empty."""
    while (opening := _last_tag(text, span.start)) and (closing := _CLOSING.match(text, span.end)):
        name = opening["name"].lower()
        if name != closing["name"].lower() or name in _NEEDED:
            break
        span = Span(opening.start(), closing.end())
    return span


def _last_tag(text: str, end: int) -> re.Match[str] | None:
    """The opening tag that stands right before a place."""
    start = text.rfind("<", 0, end)
    return _OPENING.match(text, start, end) if start >= 0 else None


def _is_layout(text: str, lead: str, span: Span) -> bool:
    """Whether nothing but layout stands before a sentence in its line; a list item need not be closed."""
    if _LAYOUT.fullmatch(lead):
        return True
    opening = _last_tag(lead, len(lead))
    if opening is None or opening["name"].lower() != "li" or not _LAYOUT.fullmatch(lead[: opening.start()]):
        return False
    following = _ITEM.search(text, span.end)
    return following is None or not (following["end"] and following["name"].lower() == "li")


def _lines(text: str, span: Span) -> Span:
    """Whole lines, and one of the blank lines that stand on both sides of them."""
    before, after = text[: span.start], text[span.end :]
    if not after:
        # The text goes on to end as it did, with a line break or without.
        start = len(before.rstrip("\n"))
        return Span(start, span.end - (1 if start and text.endswith("\n") else 0))
    blank_on_both_sides = after.startswith("\n") and (not before or before.endswith("\n\n"))
    return Span(span.start, span.end + 1) if blank_on_both_sides else span
