"""How well an editor, inside the edit chain, mends texts that people mended too (paper, appendix C)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from factscore_chain.edit.base import Editor, Policy
from factscore_chain.edit.editors import rounds_for
from factscore_chain.estimators import Estimator
from factscore_chain.evals import editing_metrics as metrics
from factscore_chain.evals.editing_baselines import baselines
from factscore_chain.evals.editing_cases import Case, Source, make_cases
from factscore_chain.evals.editing_records import (
    FROM_SCRATCH,
    EditingFigures,
    EditingReport,
    EditingReports,
)
from factscore_chain.evals.editing_run import by_the_chain, edit_cases, rescore
from factscore_chain.evals.judge import OnDone
from factscore_chain.evals.revisions import Revision
from factscore_chain.stats.bootstrap import RESAMPLES, intervals
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.reading import Reader


def evaluate_editing(
    revisions: Sequence[Revision],
    editors: Mapping[str, Editor],
    estimator: Estimator,
    source: Source,
    *,
    second: Mapping[str, Verifier] | None = None,
    veto: Estimator | None = None,
    policy: Policy = Policy.AUTO,
    max_rounds: int | None = None,
    name: str = "editing",
    rejected: Sequence[str] = (),
    resamples: int = RESAMPLES,
    seed: int = 0,
    on_done: OnDone | None = None,
) -> EditingReports:
    """Edits every text with an `EditChain` for each editor, and compares with what people made of it.

    Where the row brings labels by people, they say which facts are to be mended; elsewhere the estimator
    does. What an edit made of a sentence is always verified by the estimator.

    Args:
        revisions: Texts with their revisions.
        editors: What proposes edits, by name; all start from the same verdicts.
        estimator: Judges facts that come without a label, verifies edits, and scores texts before and after.
        source: Finds facts and their passages.
        second: Other verifiers to score by, by name.
        veto: A second estimator without whose consent no edit is kept; None leaves the first one alone.
        policy: What the editor is to do.
        max_rounds: Rounds of the chain at most; None for what suits the editor.
        name: Name of the data set, for the report.
        rejected: Rows that could not be read, for the report.
        resamples: Samples of the bootstrap.
        seed: Of the bootstrap and of the noise.
        on_done: Called with the number of facts or edits just done.

    Raises:
        FatalModelError: The model cannot be used at all.
    """
    cases = make_cases(revisions, source, estimator.verifier, on_done)
    originals = [case.revision.text for case in cases]
    plain = {
        title: _figures(cases, list(map(change, originals))) for title, change in baselines(seed).items()
    }
    verifiers = {f"{estimator.name}{FROM_SCRATCH}": estimator.verifier, **(second or {})}
    reports: dict[str, EditingReport] = {}
    for title, editor in editors.items():
        edited = edit_cases(
            cases,
            editor,
            source,
            estimator.verifier,
            policy,
            max_rounds,
            on_done,
            veto.verifier if veto else None,
        )
        texts = [one.text for one in edited]
        table = _table(cases, texts)
        results = [one.result for one in edited]
        reports[title] = EditingReport(
            n=len(cases),
            **metrics.figures(table),
            file=name,
            editor=editor.identity,
            policy=policy,
            max_rounds=rounds_for(editor) if max_rounds is None else max_rounds,
            estimator=estimator.name,
            veto=veto.name if veto else None,
            labelled=sum(one.facts is not None for one in revisions),
            changed=sum(text != before for text, before in zip(texts, originals, strict=True)),
            proposed=sum(edit.after is not None for one in results for edit in one.edits),
            kept=sum(len(one.kept) for one in results),
            failed=sum(one.failed for one in edited),
            rejected=list(rejected),
            intervals=_intervals(table, resamples, seed),
            proposals=_figures(cases, [one.proposed for one in edited]),
            baselines=plain,
            factscore={
                estimator.name: by_the_chain(cases, edited),
                **rescore(cases, texts, source, verifiers, on_done),
            },
        )
    return EditingReports(n=len(cases), editors=reports)


def _intervals(table: metrics.Table, resamples: int, seed: int) -> dict[str, tuple[float, float] | None]:
    return intervals(
        np.arange(len(table), dtype=np.int64),
        lambda drawn, _: metrics.figures(table[drawn]),
        resamples=resamples,
        seed=seed,
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
