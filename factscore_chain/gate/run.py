"""The gate as one function: generations in, judged report out."""

from __future__ import annotations

from factscore_chain.chain import FactScoreChain
from factscore_chain.gate.confirm import check_confirmable, confirm
from factscore_chain.gate.criteria import Criteria
from factscore_chain.gate.finished import Finished, Journal
from factscore_chain.gate.judge import judged
from factscore_chain.gate.matching import match
from factscore_chain.gate.run_record import RunRecord, RunRow
from factscore_chain.gate.scoring import OnDone, score_rows
from factscore_chain.generation_files import Rows
from factscore_chain.report import Report


def run_gate(
    chain: FactScoreChain,
    rows: Rows,
    criteria: Criteria,
    *,
    finished: Finished | None = None,
    journal: Journal | None = None,
    confirmations: int = 0,
    on_done: OnDone | None = None,
) -> Report:
    """Scores generations and judges the report, whose `gate` holds the outcome.

    Args:
        chain: Scores them. Its gamma should be that of the criteria, so that the report shows what is read.
        rows: The generations, and the rows that could not be read.
        criteria: What is required.
        finished: Generations that earlier runs scored; they are not asked again.
        journal: Keeps each generation as soon as it is scored.
        confirmations: Times that facts which decide the outcome are asked again.
        on_done: Called with the report of each generation as it is done.

    Raises:
        UsageError: The baseline is not on the same prompts, or the verifier cannot be asked again.
        FatalModelError: A model cannot be used at all.
    """
    if confirmations:
        check_confirmable(chain.scorer.verifier, confirmations)
    if criteria.baseline is not None:
        _check_comparable(rows, criteria.baseline)
    before = chain.usages
    report = score_rows(chain, rows.generations, finished=finished, journal=journal, on_done=on_done)
    report = report.with_rejected(tuple(map(str, rows.rejected)))
    if confirmations:
        report = confirm(report, chain.scorer.verifier, criteria, confirmations)
        manifest = chain.report((), chain.used_since(before)).manifest
        report = report.model_copy(update={"manifest": manifest})
    return judged(report, criteria)


def _check_comparable(rows: Rows, baseline: RunRecord) -> None:
    """Finds out before the work whether the baseline is on the same prompts."""
    asked = [RunRow(id=one.id, topic=one.topic, input=one.input, status="scored") for one in rows.generations]
    match(baseline.generations, asked, allow_new=True, allow_missing=bool(rows.rejected))
