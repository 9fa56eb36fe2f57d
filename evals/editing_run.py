"""Texts through the edit chain as users run it: each proposal is verified, and kept only if it helps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from factscore_chain.edit.base import Editor, Policy
from factscore_chain.edit.chain import EditChain
from factscore_chain.edit.report import EditedGeneration
from factscore_chain.edit.splice import Replacement, splice
from factscore_chain.evals.editing_cases import Case, Source, each, score
from factscore_chain.evals.editing_records import Rescored
from factscore_chain.evals.judge import OnDone
from factscore_chain.report import GenerationReport
from factscore_chain.values import Verdict
from factscore_chain.verify.base import Verifier


@dataclass(frozen=True)
class Edited:
    """What became of a text."""

    result: EditedGeneration
    report: GenerationReport
    """On the edited text: facts of sentences that stayed keep their verdicts, people's too."""

    @property
    def text(self) -> str:
        """The edited text."""
        return self.result.text

    @property
    def proposed(self) -> str:
        """The text with every proposal of the first round made, kept or not: the editor without the loop.

        What was kept with a reason is a name put in for a pronoun, and no proposal.
        """
        changes = [
            Replacement(edit.span, edit.after)
            for edit in self.result.edits
            if edit.round == 1 and edit.after is not None and not (edit.kept and edit.why)
        ]
        return splice(self.result.before, changes).text

    @property
    def failed(self) -> int:
        """Sentences for which something went wrong, and the text if it was not edited to the end.

        A text of which no fact can be decided has nothing to mend, and nothing went wrong with it.
        """
        kept = {edit.before for edit in self.result.kept}
        unanswered = {edit.before for edit in self.result.edits if edit.error is not None}
        undecided = {fact.verdict for fact in self.report.facts} == {Verdict.UNDECIDED}
        return len(unanswered - kept) + (self.result.status == "failed" and not undecided)


def edit_cases(
    cases: Sequence[Case],
    editor: Editor,
    source: Source,
    verifier: Verifier,
    policy: Policy,
    max_rounds: int | None,
    on_done: OnDone | None = None,
    second: Verifier | None = None,
) -> list[Edited]:
    """Edits every text from its verdicts on; `second` may veto what lowers its score of a text.

    Raises:
        FatalModelError: The model cannot be used at all.
    """

    async def edit(case: Case) -> Edited:
        scorer = source.chain(case.revision, verifier)
        chain = EditChain(
            scorer,
            editor=editor,
            policy=policy,
            max_rounds=max_rounds,
            second=None if second is None else source.chain(case.revision, second),
        )
        report = await chain.aedit(scorer.report((case.report,)))
        if on_done is not None:
            on_done(len(report.edits))
        return Edited(report.generations[0], report.after.generations[0])

    return each(edit, cases)


def rescore(
    cases: Sequence[Case],
    texts: Sequence[str],
    source: Source,
    verifiers: Mapping[str, Verifier],
    on_done: OnDone | None = None,
) -> dict[str, Rescored]:
    """Scores the texts that had an unsupported fact from scratch, before and after.

    Raises:
        FatalModelError: A model cannot be used at all.
    """
    chosen = [(case, text) for case, text in zip(cases, texts, strict=True) if case.has_unsupported]
    return {name: _rescored(chosen, source, verifier, on_done) for name, verifier in verifiers.items()}


def _rescored(
    chosen: Sequence[tuple[Case, str]], source: Source, verifier: Verifier, on_done: OnDone | None
) -> Rescored:
    async def both(pair: tuple[Case, str]) -> tuple[float | None, float | None]:
        case, text = pair
        chain = source.chain(case.revision, verifier)
        before = await score(chain, case.revision.text, case.revision, on_done)
        # What did not change is not asked about twice.
        same = text == case.revision.text
        after = before if same else await score(chain, text, case.revision, on_done)
        return before.score, after.score

    return compare(each(both, chosen))


def by_the_chain(cases: Sequence[Case], edited: Sequence[Edited]) -> Rescored:
    """The chain's own scores of the texts that had an unsupported fact."""
    return compare(
        [
            (case.report.score, one.report.score)
            for case, one in zip(cases, edited, strict=True)
            if case.has_unsupported
        ]
    )


def compare(scores: Sequence[tuple[float | None, float | None]]) -> Rescored:
    """Scores before and after, text by text."""
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
