"""Series of quoted titles that have their commas inside: "Emma," "Persuasion," and "Sanditon."."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from factscore_chain.edit.draft import Draft
from factscore_chain.edit.piece import Piece

_CONJUNCTIONS = frozenset({"and", "or", "&"})
_QUOTES = frozenset('"“«')
_INNER = frozenset({",", "."})


@dataclass(frozen=True)
class Titles:
    """Titles in a row."""

    items: tuple[tuple[int, int], ...]
    """The quotation marks and what stands between them."""
    conjunction: str

    def without(self, draft: Draft, gone: Collection[int]) -> Piece | None:
        """What to drop and to put in so that some titles go; None if none would be left."""
        left = [item for i, item in enumerate(self.items) if i not in gone]
        if not left:
            return None
        inside = {end - 2 for _, end in self.items if draft.lower[end - 2] in _INNER}
        kept = {i for start, end in left for i in range(start, end)} - inside
        put: dict[int, tuple[str, ...]] = {}
        for position, (start, end) in enumerate(left):
            last = position == len(left) - 1
            closing = self.items[-1][1] - 2
            mark = draft.lower[closing] if last and closing in inside else ""
            mark = "," if not last and len(left) > 2 else mark
            if mark:
                put[end - 1] = (mark,)
            if last and len(left) > 1:
                put[start] = (self.conjunction,)
        return Piece(frozenset(range(self.items[0][0], self.items[-1][1])) - kept, put, "a title of a series")


def find_titles(draft: Draft) -> Iterator[Titles]:
    """Runs of two or more quoted titles with nothing but commas and a conjunction in between."""
    run: list[tuple[int, int]] = []
    for start, end in sorted(unit for unit in draft.units if draft.tokens[unit[0]].text in _QUOTES):
        between = draft.lower[run[-1][1] : start] if run else ()
        if run and not set(between) <= {","} | _CONJUNCTIONS:
            yield from _titles(draft, run)
            run = []
        run.append((start, end))
    yield from _titles(draft, run)


def _titles(draft: Draft, run: Sequence[tuple[int, int]]) -> Iterator[Titles]:
    inner = [draft.lower[end - 2] in _INNER for _, end in run]
    if len(run) > 1 and any(inner):
        between = draft.lower[run[-2][1] : run[-1][0]]
        joined = next((word for word in between if word in _CONJUNCTIONS), "and")
        yield Titles(tuple(run), joined)
