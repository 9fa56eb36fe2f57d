"""Series of words that stand side by side: "an actor, director, and producer", "wrote it and sang it"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from factscore_chain.edit.draft import Draft
from factscore_chain.edit.english import BE, OWNERS, RELATIVE
from factscore_chain.edit.piece import Piece

_CONJUNCTIONS = frozenset({"and", "or", "&"})
_QUOTES = frozenset('"“«')
_NOMINAL = frozenset({"noun", "plural", "name", "adjective", "number", "gerund"})
_PAIRED = frozenset({"both", "either", "neither", "between", "not"})
_VERBAL = frozenset({"finite", "infinitive", "participle", "gerund", "to"})
_AFTER_ITEMS = RELATIVE | {"and", "but", "or", "while", "although", "though"}
_LEFT_BOUNDS = RELATIVE | {"while"}
_EITHER_LIST = (
    "made held built sent put set kept left taught won found brought led sold told paid cut met lost"
)
_EITHER = frozenset(_EITHER_LIST.split())
"""Verbs that look the same in the past and after "was"."""


@dataclass(frozen=True)
class Series:
    """Items that a conjunction joins, in order."""

    items: tuple[tuple[int, int], ...]
    """First token and the one after the last."""
    conjunction: str
    oxford: bool
    """Whether a comma stands before the conjunction."""
    sure_head: bool
    """Whether it is clear where the first item begins."""

    def without(self, draft: Draft, gone: Collection[int]) -> Piece | None:
        """What to drop and to put in so that some items go; None if none would be left."""
        left = [item for i, item in enumerate(self.items) if i not in gone]
        if not left or (0 in gone and not self.sure_head):
            return None
        first, last = self.items[0][0], self.items[-1][1]
        if len(self.items) - 1 in gone and _has_more(draft, self.items[-1]):
            return None
        kept = {i for start, end in left for i in range(start, end)}
        dropped = set(range(first, last)) - kept
        put = dict(self._marks(left))
        if len(left) == 1 and first and draft.lower[first - 1] in _PAIRED:
            dropped.add(first - 1)
        subject = len(left) == 1 and "finite" not in draft.tags[first:last]
        return Piece(frozenset(dropped), put, "an item of a series", single=subject)

    def _marks(self, left: Sequence[tuple[int, int]]) -> Iterator[tuple[int, tuple[str, ...]]]:
        for position in range(1, len(left)):
            final = position == len(left) - 1
            comma = not final or (self.oxford and len(left) > 2)
            yield left[position][0], ((",",) if comma else ()) + ((self.conjunction,) if final else ())


def find_series(draft: Draft) -> Iterator[Series]:
    """The series of a sentence, each conjunction's in the readings that are plausible, short items first."""
    for at in range(1, draft.stop - 1):
        if draft.lower[at] in _CONJUNCTIONS and not _is_within_unit(draft, at):
            for end in dict.fromkeys(_ends(draft, at + 1)):
                series = _series(draft, at, end)
                if series is not None:
                    yield series


def _is_within_unit(draft: Draft, at: int) -> bool:
    return any(start < at < end - 1 for start, end in draft.units)


def _ends(draft: Draft, start: int) -> Iterator[int]:
    """Where an item that begins at `start` may end: after its noun, or where something else goes on."""
    kind = _kind(draft, start)
    if kind == "quotation":
        yield from (draft.after_note(end) for begin, end in draft.units if begin == start)
    if kind in ("determiner", "nominal"):
        end = start + 1
        while end < draft.stop and _is_nominal(draft, end):
            end += 1
        yield draft.after_note(end)
    for end in range(start + 1, draft.stop):
        if draft.lower[end] in {";", ")"}:
            yield end
            return
        if draft.lower[end] in {","} | _CONJUNCTIONS and not _is_within_unit(draft, end):
            if kind not in _VERBAL:
                yield end
                return
            if _goes_on(draft, end + 1, kind):
                yield end
    yield draft.stop


def _goes_on(draft: Draft, i: int, kind: str) -> bool:
    """Whether what follows a comma or conjunction is no part of the verb's item before it."""
    return (
        _is_alike(draft, i, kind) or draft.lower[i] in _AFTER_ITEMS or draft.tags[i] in ("gerund", "finite")
    )


def _kind(draft: Draft, i: int) -> str:
    """What sort of item begins at a token."""
    if draft.tokens[i].text in _QUOTES:
        return "quotation"
    tag = draft.tags[i]
    if tag == "adverb" and i + 1 < draft.stop:
        tag = draft.tags[i + 1]
    if tag == "determiner" or draft.lower[i] in OWNERS:
        return "determiner"
    if tag in _NOMINAL:
        return "gerund" if tag == "gerund" else "nominal"
    if draft.lower[i] == "to":
        return "to"
    return tag


def _is_alike(draft: Draft, i: int, kind: str) -> bool:
    """Whether an item of a kind may begin at a token; verbs in the present look like infinitives."""
    found = _kind(draft, i)
    return found == kind or (kind == "infinitive" and found == "finite")


def _is_nominal(draft: Draft, i: int) -> bool:
    return (draft.tags[i] in _NOMINAL and draft.tags[i] != "gerund") or draft.lower[i] in ("'s", "’s", "-")


def _series(draft: Draft, at: int, end: int) -> Series | None:
    kind = _kind(draft, at + 1)
    if kind in ("pronoun", "conjunction", "other"):
        return None
    oxford = draft.lower[at - 1] == ","
    before = at - 1 if oxford else at
    items = [(at + 1, end)]
    if kind in ("determiner", "nominal") and _opens_clause(draft, at):
        return None
    while (comma := _comma_before(draft, before, kind)) is not None:
        items.insert(0, (comma + 1, before))
        before = comma
    head = _head(draft, before, kind)
    if head is None or head >= before:
        return None
    if (
        draft.tags[at + 1] == "adverb"
        and head
        and draft.lower[head - 1] in ("first", "initially", "formerly")
    ):
        head -= 1  # "first in Oslo and later in Bergen"
    sure = _is_sure(draft, head, kind) and not _shares_auxiliary(draft, head, at + 1)
    sure = sure and not (oxford and len(items) == 1 and _is_in_relative(draft, head))
    return Series(((head, before), *items), draft.tokens[at].text, oxford, sure)


def _has_more(draft: Draft, item: tuple[int, int]) -> bool:
    """Whether more is said of an item behind it: "and the Prado in Madrid", "and Emma, a novel"."""
    end = item[1]
    if end >= draft.stop or not draft.entities[end - 1]:
        return False
    after = draft.tags[end + 1 : end + 2] if draft.lower[end] == "," else ()
    return draft.tags[end] == "preposition" or after in (("determiner",), ("noun",), ("name",))


def _is_named_the(draft: Draft, i: int) -> bool:
    return i > 0 and draft.tokens[i].text == "The"


def _opens_clause(draft: Draft, at: int) -> bool:
    """Whether a clause of its own follows a conjunction: "is a singer and his records sell"."""
    clause_end = next((i for i in range(at + 1, draft.stop) if draft.lower[i] in {",", ";", "("}), draft.stop)
    verb = next((i for i in range(at + 1, clause_end) if draft.tags[i] == "finite"), None)
    return (
        verb is not None
        and "finite" in draft.tags[:at]
        and not any(draft.lower[i] in _LEFT_BOUNDS | _CONJUNCTIONS for i in range(at + 1, verb))
    )


def _comma_before(draft: Draft, before: int, kind: str) -> int | None:
    """The comma that separates the item that ends at `before` from one of the same kind before it."""
    simple = kind in ("determiner", "nominal", "quotation")
    depth = 0
    for i in range(before - 1, 0, -1):
        depth += (draft.lower[i] == ")") - (draft.lower[i] == "(")
        if depth:
            continue
        if draft.lower[i] == ";" or (simple and draft.lower[i] in _CONJUNCTIONS):
            return None
        if draft.lower[i] == "," and not _is_within_unit(draft, i):
            if before - i > 1 and _is_alike(draft, i + 1, kind):
                return i
            if simple:
                return None
    return None


def _head(draft: Draft, before: int, kind: str) -> int | None:
    """Where the first item begins: the nearest word of the same kind as begins the others."""
    noted = draft.before_note(before)
    if kind == "nominal":
        start = noted
        while start and (_is_nominal(draft, start - 1) or _is_named_the(draft, start - 1)):
            start -= 1
        # "a Dutch astronomer and clockmaker": where they come from belongs to both.
        while start < noted - 1 and draft.entities[start] == "group" and draft.tags[start] == "adjective":
            start += 1
        return start
    if kind == "quotation":
        return next((start for start, end in draft.units if end == noted), None)
    for i in range(before - 1, -1, -1):
        if draft.lower[i] in {";", "("} | _LEFT_BOUNDS or (draft.lower[i] == "," and kind != "finite"):
            return i + 1 if _is_alike(draft, i + 1, kind) else None
        if _is_alike(draft, i, kind) and draft.tags[i] != "adverb":
            return i
    return None


def _is_sure(draft: Draft, start: int, kind: str) -> bool:
    """Whether no word before the head could begin the first item as well."""
    if kind in ("nominal", "quotation"):
        return True
    for i in range(start - 1, -1, -1):
        if draft.lower[i] in {",", ";", "("} | _LEFT_BOUNDS or draft.tags[i] == "finite":
            return draft.tags[i] != kind
        if _kind(draft, i) == kind:
            return False
    return True


def _shares_auxiliary(draft: Draft, head: int, verb: int) -> bool:
    """Whether the second verb may need the first one's "was": "was named and made a knight"."""
    if draft.lower[head] not in BE | {"has", "have", "had"}:
        return False
    word = draft.lower[verb + (draft.tags[verb] == "adverb")]
    return word.endswith("ed") or word in _EITHER


def _is_in_relative(draft: Draft, head: int) -> bool:
    """Whether the first item stands in a relative clause, so that what follows a comma may not."""
    return any(draft.lower[i] in _LEFT_BOUNDS for i in range(max(0, head - 4), head))
