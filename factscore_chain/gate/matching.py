"""Which generations of two runs answer the same prompt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from factscore_chain.errors import UsageError
from factscore_chain.gate.run_record import RunRow, refuse_repeated_ids

_NAMED = 3
"""Unmatched generations that an error names."""


@dataclass(frozen=True)
class Matching:
    """Pairs of places in the first and the second run, in the second's order."""

    pairs: tuple[tuple[int, int], ...]
    by: str
    left_out: int = 0
    """Generations that have no counterpart in the other run."""


def match(
    first: Sequence[RunRow],
    second: Sequence[RunRow],
    *,
    allow_new: bool = False,
    allow_missing: bool = False,
) -> Matching:
    """Pairs the generations of two runs: by id, else by topic and prompt, else by their order.

    Generations that share a topic and prompt are paired in their order.

    Args:
        first: The run that is compared with.
        second: The run that is compared.
        allow_new: Whether the second run may have generations that the first has not.
        allow_missing: Whether it may lack some of the first's.

    Raises:
        UsageError: The runs are not on the same prompts, or an id stands twice in one of them.
    """
    rows = (*first, *second)
    if rows and all(row.id is not None for row in rows):
        refuse_repeated_ids(first)
        refuse_repeated_ids(second)
        return _by_key(first, second, _ids, "id", (allow_missing, allow_new))
    if rows and all(row.topic or row.input for row in rows):
        name = "topic and input" if any(row.input for row in rows) else "topic"
        return _by_key(first, second, _occurrences, name, (allow_missing, allow_new))
    if len(first) != len(second):
        raise UsageError(
            f"The runs have {len(first)} and {len(second)} generations, and not all have an 'id', a 'topic' "
            "or an 'input' that would tell which belong together. Add one of these to the rows."
        )
    return Matching(tuple((place, place) for place in range(len(first))), "order")


def _by_key(
    first: Sequence[RunRow],
    second: Sequence[RunRow],
    keys_of: Callable[[Sequence[RunRow]], list[Hashable]],
    by: str,
    allowed: tuple[bool, bool],
) -> Matching:
    keys = keys_of(second)
    places = {key: place for place, key in enumerate(keys_of(first))}
    known = set(keys)
    missing = [place for key, place in places.items() if key not in known]
    new = [place for place, key in enumerate(keys) if key not in places]
    allow_missing, allow_new = allowed
    if (missing and not allow_missing) or (new and not allow_new):
        raise UsageError(
            f"The runs are not on the same prompts, matched by {by}: "
            f"{_named(first, missing)} only in the first, {_named(second, new)} only in the second. "
            "Compare runs on the same file, or accept a new baseline."
        )
    pairs = tuple((places[key], place) for place, key in enumerate(keys) if key in places)
    return Matching(pairs, by, len(missing) + len(new))


def _ids(rows: Sequence[RunRow]) -> list[Hashable]:
    return [row.id for row in rows]


def _occurrences(rows: Sequence[RunRow]) -> list[Hashable]:
    """Topic, prompt, and which of those with the same two it is."""
    seen: Counter[Hashable] = Counter()
    keys: list[Hashable] = []
    for row in rows:
        key = ((row.topic or "").casefold().replace("_", " "), row.input)
        seen[key] += 1
        keys.append((*key, seen[key]))
    return keys


def _named(rows: Sequence[RunRow], places: Sequence[int]) -> str:
    if not places:
        return "none"
    shown = (rows[place] for place in places[:_NAMED])
    names = ", ".join(repr(row.id or row.topic or row.input) for row in shown)
    return f"{names}{', ...' if len(places) > _NAMED else ''} ({len(places)})"
