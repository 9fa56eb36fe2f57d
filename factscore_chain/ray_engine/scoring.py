"""Scores generations on a Ray cluster, by partitions, into the report that one process would give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial

from pydantic import TypeAdapter

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.generation_scorer import unscored
from factscore_chain.language_model import Usage
from factscore_chain.ray_engine.cluster import Row, Workers
from factscore_chain.report import GenerationReport, Report
from factscore_chain.values import Generation

MakeChain = Callable[[], FactScoreChain]
OnResult = Callable[[int, GenerationReport], object]

_GENERATIONS: TypeAdapter[tuple[Generation, ...]] = TypeAdapter(tuple[Generation, ...])
_REPORTS: TypeAdapter[tuple[GenerationReport, ...]] = TypeAdapter(tuple[GenerationReport, ...])
_USAGES: TypeAdapter[tuple[Usage, ...]] = TypeAdapter(tuple[Usage, ...])


@dataclass(frozen=True)
class RayScoring:
    """Scores as `FactScoreChain.score_many` does, in the workers of a cluster.

    What is finished of a partition that is lost with its worker is scored again, unless the chain keeps the
    answers of its models. Bounds of the chain on money, failures and calls hold in each worker by itself.

    Args:
        make_chain: Makes the chain, once in each worker; it and what it holds is pickled. Each machine has to
            find there what it names: knowledge, keys, weights.
        chain: The same chain here, whose report it is.
        workers: Who does the work.
        partition: Generations that are sent to a worker together.

    Raises:
        UsageError: A partition would be empty.
    """

    make_chain: MakeChain
    chain: FactScoreChain
    workers: Workers = field(default_factory=Workers)
    partition: int = 50

    def __post_init__(self) -> None:
        if self.partition < 1:
            raise UsageError(f"partition is {self.partition}, and at least 1 generation is needed.")

    def score_many(self, generations: Sequence[Generation], *, on_result: OnResult | None = None) -> Report:
        """Scores generations.

        Args:
            generations: In the order of the report.
            on_result: Called with number and report of each generation, as soon as its partition is back.

        Raises:
            FatalModelError: A model cannot be used at all, and nothing could be scored with it.
            ClusterError: The cluster cannot be reached, or the job failed.
        """
        done: dict[int, GenerationReport] = {}
        spent = [Usage() for _ in self.chain.models]
        fatal: str | None = None
        job = self.workers.run(partial(_Scorer, self.make_chain), self._rows(generations))
        with closing(job):
            for row in job:
                spent = [
                    one + more for one, more in zip(spent, _USAGES.validate_json(row["spent"]), strict=True)
                ]
                for index, report in enumerate(_REPORTS.validate_json(row["reports"]), row["first"]):
                    done[index] = report
                    if on_result is not None:
                        on_result(index, report)
                if row["fatal"]:
                    fatal = row["fatal"]
                    break
        if fatal is not None and all(report.score is None for report in done.values()):
            raise FatalModelError(fatal)
        return self.chain.report(
            tuple(
                done[index] if index in done else _not_tried(one, fatal)
                for index, one in enumerate(generations)
            ),
            spent,
        )

    def _rows(self, generations: Sequence[Generation]) -> list[Row]:
        return [
            {
                "first": first,
                "generations": _GENERATIONS.dump_json(tuple(generations[first : first + self.partition])),
            }
            for first in range(0, len(generations), self.partition)
        ]


class _Scorer:
    """What a worker does with a partition."""

    def __init__(self, make_chain: MakeChain) -> None:
        self._chain = make_chain()

    def __call__(self, row: Row) -> Row:
        before = self._chain.usages
        reports: tuple[GenerationReport, ...] = ()
        fatal = ""
        try:
            reports = self._chain.score_many(_GENERATIONS.validate_json(row["generations"])).generations
        except FatalModelError as error:
            fatal = str(error)
        spent = [asdict(one) for one in self._chain.used_since(before)]
        return {
            "first": row["first"],
            "reports": _REPORTS.dump_json(reports),
            "spent": _USAGES.dump_json(_USAGES.validate_python(spent)),
            "fatal": fatal,
        }


def _not_tried(generation: Generation, fatal: str | None) -> GenerationReport:
    return unscored(generation, "failed", f"Not tried, since the run was stopped: {fatal or 'the job ended'}")
