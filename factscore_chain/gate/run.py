"""The gate as one function: generations in, judged report out."""

from __future__ import annotations

from dataclasses import asdict

from factscore_chain.chain import FactScoreChain
from factscore_chain.gate.confirm import confirm
from factscore_chain.gate.criteria import Criteria
from factscore_chain.gate.finished import Finished, Journal
from factscore_chain.gate.judge import judged
from factscore_chain.gate.scoring import OnDone, score_rows
from factscore_chain.gate_outcome import Repeats
from factscore_chain.generation_files import Rows
from factscore_chain.language_model import Usage
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
        UsageError: The baseline is not on the same prompts.
        FatalModelError: A model cannot be used at all.
    """
    report = score_rows(chain, rows.generations, finished=finished, journal=journal, on_done=on_done)
    report = report.with_rejected(tuple(map(str, rows.rejected)))
    repeats: Repeats | None = None
    if confirmations:
        before = chain.usage
        report, repeats = confirm(report, chain.scorer.verifier, criteria, confirmations)
        report = _with_usage(report, chain.usage - before)
    return judged(report, criteria, repeats=repeats)


def _with_usage(report: Report, more: Usage) -> Report:
    usage = {name: report.manifest.usage.get(name, 0) + count for name, count in asdict(more).items()}
    return report.model_copy(update={"manifest": report.manifest.model_copy(update={"usage": usage})})
