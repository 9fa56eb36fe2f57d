"""Reciprocal rank fusion: one ranking out of several (Cormack et al., SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from factscore_chain.values import Passage

RANK_CONSTANT = 60
"""The published constant: it keeps the first ranks of one list from outweighing agreement between lists."""


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[Passage]], constant: int = RANK_CONSTANT
) -> list[Passage]:
    """Fuses rankings by the sum of 1 / (constant + rank) over the rankings that hold a passage.

    Two passages are the same piece of evidence if title and text are equal; a text under two titles stays
    two. The copy that ranked best is kept, with the origins of all copies. Within one ranking only the first
    copy counts. Ties go to the better single rank, then to the earlier ranking.

    Args:
        rankings: Passages, best first; their own `rank` and `score` are not read.
        constant: Dampens the difference between neighbouring ranks.

    Returns:
        Every distinct passage once, best first, with its new rank and the fused score.
    """
    best: dict[tuple[str | None, str], tuple[int, int, Passage]] = {}
    fused: dict[tuple[str | None, str], float] = {}
    origins: dict[tuple[str | None, str], dict[str, None]] = {}
    for order, ranking in enumerate(rankings):
        for rank, (key, passage) in enumerate(_distinct(ranking).items(), start=1):
            fused[key] = fused.get(key, 0.0) + 1.0 / (constant + rank)
            origins.setdefault(key, {}).update(dict.fromkeys(passage.origins))
            if key not in best or rank < best[key][0]:
                best[key] = (rank, order, passage)
    ordered = sorted(best, key=lambda key: (-fused[key], best[key][0], best[key][1]))
    return [
        replace(best[key][2], rank=rank, score=fused[key], origins=tuple(origins[key]))
        for rank, key in enumerate(ordered, start=1)
    ]


def _distinct(ranking: Sequence[Passage]) -> dict[tuple[str | None, str], Passage]:
    found: dict[tuple[str | None, str], Passage] = {}
    for passage in ranking:
        found.setdefault((passage.title, passage.text), passage)
    return found
