"""Compares two runs on the same prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import fmean

from factscore_chain.gate.criteria import value_of
from factscore_chain.gate.matching import match
from factscore_chain.gate.run_record import RunRecord
from factscore_chain.gate_outcome import Comparison, Side
from factscore_chain.report import Manifest
from factscore_chain.score import Tally
from factscore_chain.stats.paired import difference, smallest_p

DEFAULT_SIGNIFICANCE = 0.05

_RANKINGS = "rankings transfer between estimators, absolute scores differ by 8 to 15 points"


def compare(
    first: RunRecord,
    second: RunRecord,
    *,
    value: Callable[[Tally], float | None] = value_of,
    significance: float = DEFAULT_SIGNIFICANCE,
    allow_new: bool = False,
    allow_missing: bool = False,
    seed: int = 0,
) -> Comparison:
    """Compares two runs generation by generation.

    Args:
        first: The run that is compared with.
        second: The run that is compared.
        value: What a generation counts for; pairs in which one counts for nothing are left out.
        significance: Level that the smallest detectable difference is about.
        allow_new: Whether the second run may have generations that the first has not.
        allow_missing: Whether it may lack some of the first's.
        seed: Of the random numbers.

    Raises:
        UsageError: The runs are not on the same prompts.
    """
    matching = match(first.generations, second.generations, allow_new=allow_new, allow_missing=allow_missing)
    pairs = [
        (value(first.generations[before].tally), value(second.generations[after].tally))
        for before, after in matching.pairs
    ]
    both = [(before, after) for before, after in pairs if before is not None and after is not None]
    firsts, seconds = [before for before, _ in both], [after for _, after in both]
    gap = difference(firsts, seconds, significance=significance, seed=seed)
    return Comparison(
        first=_side(first, firsts),
        second=_side(second, seconds),
        matched_by=matching.by,
        pairs=len(both),
        unpaired=len(pairs) - len(both) + matching.left_out,
        difference=None if gap is None else gap.mean,
        interval=None if gap is None else gap.interval,
        p_value=None if gap is None else gap.p_value,
        detectable=None if gap is None else gap.detectable,
        significance=significance,
        warnings=(
            *_other_makers(first.manifest, second.manifest),
            *_no_longer_scored(pairs),
            *_too_few(len(both), significance),
        ),
    )


def _side(run: RunRecord, values: list[float]) -> Side:
    scores = run.scores
    return Side(
        name=run.manifest.estimator,
        score=fmean(values) if values else None,
        respond_ratio=scores.respond_ratio,
        facts_per_response=scores.num_facts_per_response,
    )


def _no_longer_scored(pairs: list[tuple[float | None, float | None]]) -> Iterator[str]:
    lost = sum(before is not None and after is None for before, after in pairs)
    if lost:
        yield f"{lost} generations with a score in the first run have none in the second, and are left out."


def _too_few(pairs: int, significance: float) -> Iterator[str]:
    if smallest_p(pairs) >= significance:
        yield (
            f"With {pairs} pairs no difference can reach a p-value under {significance:g}: "
            f"the least that {pairs} can give is {smallest_p(pairs):.3g}."
        )


def _other_makers(first: Manifest, second: Manifest) -> Iterator[str]:
    parts = [name for name in _MAKERS if _MAKERS[name](first) != _MAKERS[name](second)]
    if parts:
        makers = f"{_named(first)}; {_named(second)}"
        yield f"The two runs differ in their {', '.join(parts)} ({makers}): {_RANKINGS}."
    if _knowledge(first) != _knowledge(second):
        yield (
            f"The two runs read different knowledge sources ({first.knowledge.get('name')}; "
            f"{second.knowledge.get('name')}), so a fact may be supported in one and not in the other."
        )


_MAKERS: dict[str, Callable[[Manifest], object]] = {
    "estimator": lambda made: made.estimator,
    "decomposer": lambda made: made.decomposer,
    "verifier": lambda made: made.verifier,
    "retriever": lambda made: made.retriever,
    "abstention rule": lambda made: made.abstain,
    "version": lambda made: made.versions.get("factscore-chain"),
}


def _named(manifest: Manifest) -> str:
    return f"{manifest.estimator} {manifest.versions.get('factscore-chain', '')}".strip()


def _knowledge(manifest: Manifest) -> str | None:
    return manifest.knowledge.get("content_hash") or manifest.knowledge.get("name")
