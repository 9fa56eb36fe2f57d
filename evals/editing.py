"""How well an editor mends texts that people mended too (paper, appendix C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.edit.base import Editor, Policy
from factscore_chain.estimators import Estimator
from factscore_chain.evals import editing_metrics as metrics
from factscore_chain.evals.editing_baselines import baselines
from factscore_chain.evals.editing_cases import Case, Edited, Source, edit_cases, judge_claims, make_cases
from factscore_chain.evals.judge import OnDone
from factscore_chain.evals.revisions import Revision
from factscore_chain.score import precision
from factscore_chain.stats.bootstrap import RESAMPLES, intervals
from factscore_chain.values import Decision
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.reading import Reader

Finite = Annotated[float, Field(allow_inf_nan=False)]


class _Figures(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class EditingFigures(_Figures):
    """Shares and F1, 0 to 1; null is undefined."""

    n: int
    """Texts."""
    err_loc: Finite | None
    """Macro F1 of which words are kept and which are dropped, against people's revision."""
    err_corr: Finite | None
    """F1 of the words that are added, against people's revision."""
    sim_al: Finite | None
    """Mean similarity with people's revision: F1 of aligned word vectors."""
    unsupported_removed: Finite | None
    """Share of the unsupported facts that no longer stand as they did: removed or corrected."""
    supported_kept: Finite | None
    """Share of the words of supported facts that still stand."""


class Rescored(_Figures):
    """The texts' FActScore before and after, without length penalty, by one estimator."""

    before: Finite | None
    """Mean over the texts that have a score both before and after."""
    after: Finite | None
    mendable: int
    """Texts that had an unsupported fact."""
    rose: Finite | None
    """Share of those whose score rose; one that was emptied did not."""
    fell: Finite | None
    """Share of those whose score fell."""
    emptied: int
    """Those of which no fact is left."""


class EditingReport(EditingFigures):
    """What an editor did with a file of revisions."""

    file: str
    editor: dict[str, str]
    policy: Policy
    estimator: str
    labelled: int
    """Texts whose facts and labels came from people; the others were judged by the estimator."""
    changed: int
    """Texts that the editor changed."""
    failed: int
    """Sentences for which the editor gave no edit because something went wrong."""
    rejected: list[str]
    intervals: dict[str, tuple[Finite, Finite] | None]
    """95% percentile bootstrap interval of each figure, resampling texts."""
    baselines: dict[str, EditingFigures]
    factscore: dict[str, Rescored]
    """By the estimator, and by a second one that had no say in the edits."""

    @property
    def complete(self) -> bool:
        """Whether every row was read and every edit came about."""
        return not self.failed and not self.rejected


def evaluate_editing(
    revisions: Sequence[Revision],
    editor: Editor,
    estimator: Estimator,
    source: Source,
    *,
    second: Mapping[str, Verifier] | None = None,
    policy: Policy = Policy.AUTO,
    name: str = "editing",
    rejected: Sequence[str] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
    on_done: OnDone | None = None,
) -> EditingReport:
    """Edits every text and compares with what people made of it.

    Args:
        revisions: Texts with their revisions.
        editor: What edits.
        estimator: Judges facts that come without a label, and scores texts before and after.
        source: Finds facts and their passages.
        second: Other verifiers to score by, by name.
        policy: What the editor is to do.
        name: Name of the data set, for the report.
        rejected: Rows that could not be read, for the report.
        resamples: Samples of the bootstrap.
        seed: Of the bootstrap and of the noise.
        on_done: Called with the number of facts just verified.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    cases = make_cases(revisions, source, estimator.verifier, on_done)
    edited = edit_cases(cases, editor, policy)
    table = _table(cases, [one.text for one in edited])
    spread = intervals(
        np.arange(len(cases), dtype=np.int64),
        lambda drawn, _: metrics.figures(table[drawn]),
        resamples=resamples,
        seed=seed,
    )
    verifiers = {estimator.name: estimator.verifier, **(second or {})}
    return EditingReport(
        n=len(cases),
        **metrics.figures(table),
        file=name,
        editor=editor.identity,
        policy=policy,
        estimator=estimator.name,
        labelled=sum(one.facts is not None for one in revisions),
        changed=sum(one.text != case.revision.text for one, case in zip(edited, cases, strict=True)),
        failed=sum(one.failed for one in edited),
        rejected=list(rejected),
        intervals=spread,
        baselines={
            title: _figures(cases, [change(case.revision.text) for case in cases])
            for title, change in baselines(seed).items()
        },
        factscore=rescore(cases, edited, source, verifiers, on_done),
    )


def _figures(cases: Sequence[Case], texts: Sequence[str]) -> EditingFigures:
    return EditingFigures(n=len(cases), **metrics.figures(_table(cases, texts)))


def _table(cases: Sequence[Case], texts: Sequence[str]) -> metrics.Table:
    reader = Reader()
    edited = reader.words(list(texts))
    revised = reader.words([case.revision.revised for case in cases])
    return metrics.as_table(
        [
            metrics.count(
                case.revision.text,
                text,
                case.revision.revised,
                case.decisions,
                metrics.aligned_similarity(ours, theirs),
            )
            for case, text, ours, theirs in zip(cases, texts, edited, revised, strict=True)
        ]
    )


def rescore(
    cases: Sequence[Case],
    edited: Sequence[Edited],
    source: Source,
    verifiers: Mapping[str, Verifier],
    on_done: OnDone | None = None,
) -> dict[str, Rescored]:
    """Breaks the texts that had an unsupported fact up again, before and after, and judges them.

    Raises:
        FatalModelError: A model cannot be used at all.
    """
    chosen = [(case, one) for case, one in zip(cases, edited, strict=True) if case.has_unsupported]
    revisions = [case.revision for case, _ in chosen]
    before = source.claims([one.text for one in revisions], revisions)
    after = source.claims([one.text for _, one in chosen], revisions)
    return {
        name: compare(judge_claims(before, verifier, on_done), judge_claims(after, verifier, on_done))
        for name, verifier in verifiers.items()
    }


def compare(before: Sequence[Sequence[Decision]], after: Sequence[Sequence[Decision]]) -> Rescored:
    """Scores before and after, text by text."""
    scores = [(precision(old), precision(new)) for old, new in zip(before, after, strict=True)]
    both = [(old, new) for old, new in scores if old is not None and new is not None]
    n = len(scores)
    return Rescored(
        before=fmean(old for old, _ in both) if both else None,
        after=fmean(new for _, new in both) if both else None,
        mendable=n,
        rose=sum(new > old for old, new in both) / n if n else None,
        fell=sum(new < old for old, new in both) / n if n else None,
        emptied=sum(old is not None and new is None for old, new in scores),
    )
