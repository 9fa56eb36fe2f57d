"""Facts that were asked about several times: which answer stands, and how far the answers agree."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.gate_outcome import Repeats
from factscore_chain.report import FactRecord, Report
from factscore_chain.values import Verdict


def majority(first: FactRecord, repeats: Sequence[FactRecord]) -> FactRecord:
    """The first record that says what most say, with all verdicts in it; a tie leaves the first answer."""
    every = (first, *repeats)
    lead = sum(1 if is_supported(one) else -1 for one in every)
    supported = lead > 0 if lead else is_supported(first)
    standing = next(one for one in every if is_supported(one) is supported)
    return standing.model_copy(
        update={
            "answers": tuple(one.verdict for one in every),
            "trivial": first.trivial,
            "repeats": first.repeats,
        }
    )


def repeats_in(report: Report) -> Repeats | None:
    """What came of asking again; None where nothing was."""
    asked = [fact for fact in report.facts if fact.answers]
    if not asked:
        return None
    same = [
        (answer is Verdict.SUPPORTED) is (fact.answers[0] is Verdict.SUPPORTED)
        for fact in asked
        for answer in fact.answers[1:]
    ]
    return Repeats(
        facts=len(asked),
        answers=len(same),
        agreement=sum(same) / len(same) if same else None,
        changed=sum(is_supported(fact) is not (fact.answers[0] is Verdict.SUPPORTED) for fact in asked),
    )


def is_supported(fact: FactRecord) -> bool:
    """Whether the verdict on it is that it is supported."""
    return fact.verdict is Verdict.SUPPORTED
