"""Takes facts out of a sentence: the smallest piece that states them and that it can do without."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from factscore_chain.edit.draft import Draft
from factscore_chain.edit.grammar import agrees, is_whole, repaired
from factscore_chain.edit.phrases import find_phrases
from factscore_chain.edit.piece import Piece
from factscore_chain.edit.series import Series, find_series
from factscore_chain.edit.titles import Titles, find_titles


@dataclass(frozen=True)
class Removal:
    """A sentence without some of its words."""

    draft: Draft
    name: str
    """What was taken out, with its article."""


def remove(
    draft: Draft, target: frozenset[int], needed: frozenset[int], tried: Collection[str] = ()
) -> Removal | None:
    """Takes words out of a sentence, with what cannot stand without them.

    Args:
        draft: The sentence.
        target: Origins of the words that have to go.
        needed: Origins of the words that have to stay.
        tried: Sentences that it is not to become: they were proposed, and not kept.

    Returns:
        The sentence without them; None if there is no way that leaves a sentence.
    """
    at = {token.origin: i for i, token in enumerate(draft.tokens)}
    aimed = frozenset(at[one] for one in target if one in at)
    held = frozenset(at[one] for one in needed if one in at)
    if not aimed:
        return None
    # Of pieces that say equally much the item of a series comes first: it knows about its commas.
    pieces = [*_series_pieces(draft, aimed, held), *find_phrases(draft, aimed)]
    for piece in sorted(pieces, key=lambda piece: draft.weight(piece.dropped)):
        removal = _without(draft, piece, aimed, held)
        if removal is not None and removal.draft.text not in tried:
            return removal
    return _one_by_one(draft, aimed, needed)


def _one_by_one(draft: Draft, aimed: frozenset[int], needed: frozenset[int]) -> Removal | None:
    """The same for words that stand apart: each run of them as a piece of its own, all or none."""
    runs: list[set[int]] = []
    for i in sorted(aimed):
        if runs and not draft.weight(range(max(runs[-1]) + 1, i)):
            runs[-1].add(i)
        else:
            runs.append({i})
    if len(runs) < 2:
        return None
    origins = [frozenset(draft.tokens[i].origin for i in run) for run in runs]
    done = Removal(draft, "")
    for run in origins:
        removal = remove(done.draft, frozenset(one for one in run if one is not None), needed)
        if removal is None:
            return None
        done = Removal(removal.draft, f"{done.name} and {removal.name}" if done.name else removal.name)
    return done


def _series_pieces(draft: Draft, aimed: frozenset[int], held: frozenset[int]) -> Iterator[Piece]:
    found: list[Titles | Series] = [*find_titles(draft), *find_series(draft)]
    for series in found:
        touched = {n for n, (start, end) in enumerate(series.items) if any(start <= i < end for i in aimed)}
        inside = {i for start, end in series.items for i in range(start, end)}
        if touched and aimed <= inside:
            piece = series.without(draft, touched)
            if piece is not None:
                yield piece


def _without(draft: Draft, piece: Piece, aimed: frozenset[int], held: frozenset[int]) -> Removal | None:
    """The sentence without a piece, if that is allowed and still reads as one."""
    if not aimed <= piece.dropped or held & piece.dropped or draft.splits_unit(piece.dropped):
        return None
    if not agrees(draft, piece):
        return None
    after = repaired(draft.changed(piece.dropped, piece.put), piece, draft)
    return Removal(after, piece.name) if is_whole(draft, after) else None


def merged(targets: Sequence[frozenset[int]]) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Joins sets that share members; each comes with the positions of the sets it was joined from."""
    groups: list[tuple[frozenset[int], frozenset[int]]] = []
    for position, target in enumerate(targets):
        words, members = target, frozenset({position})
        for group in [one for one in groups if one[0] & words]:
            groups.remove(group)
            words, members = words | group[0], members | group[1]
        groups.append((words, members))
    return groups
