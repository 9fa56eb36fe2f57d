"""What measuring an editor gives, as data."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from factscore_chain.edit.base import Policy

Finite = Annotated[float, Field(allow_inf_nan=False)]

FROM_SCRATCH = " from scratch"
"""Follows the estimator's name where it scored both texts anew, every sentence of them."""


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
    """The FActScore before and after of the texts that had an unsupported fact, without length penalty."""

    before: Finite | None
    """Mean over the texts that have a score both before and after."""
    after: Finite | None
    mendable: int
    """Texts that had an unsupported fact."""
    rose: Finite | None
    """Share of those whose score rose; one that has none any more did not."""
    fell: Finite | None
    """Share of those whose score fell."""
    emptied: int
    """Those that have no score any more: no fact is left, or none that can be decided."""


class EditingReport(EditingFigures):
    """What an edit chain made of a file of revisions."""

    file: str
    editor: dict[str, str]
    policy: Policy
    max_rounds: int
    estimator: str
    veto: str | None = None
    """A second estimator that had a say in the edits, so that its scores below are no independent grade."""
    labelled: int
    """Texts whose facts and labels came from people; the others were judged by the estimator."""
    changed: int
    """Texts that came out changed."""
    proposed: int
    """Edits that the editor proposed, in all rounds."""
    kept: int
    """Those that made their text better."""
    failed: int
    """Sentences for which the editor gave no edit, and texts that were not edited to the end, because
    something went wrong."""
    rejected: list[str]
    intervals: dict[str, tuple[Finite, Finite] | None]
    """95% percentile bootstrap interval of each figure, resampling texts."""
    proposals: EditingFigures
    """The same figures of the editor alone: every proposal of the first round made, none verified."""
    baselines: dict[str, EditingFigures]
    factscore: dict[str, Rescored]
    """By the chain's own reports before and after, under the estimator's name; by the estimator from scratch;
    and by a second one, also from scratch, that had no say in the edits unless it is `veto`."""

    @property
    def complete(self) -> bool:
        """Whether every row was read and every edit came about."""
        return not self.failed and not self.rejected


class EditingReports(_Figures):
    """Several editors on the same texts, from the same verdicts."""

    n: int
    editors: dict[str, EditingReport]

    @property
    def complete(self) -> bool:
        """Whether that holds of each."""
        return all(one.complete for one in self.editors.values())
