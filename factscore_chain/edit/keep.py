"""Which edits are kept: no supported fact is lost, and fewer facts are left that are not supported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from factscore_chain.decompose.sameness import wording
from factscore_chain.edit.wording import content_stems, missing_stems
from factscore_chain.report import FactRecord
from factscore_chain.values import Verdict


def refusal(
    before: Sequence[FactRecord], after: Sequence[FactRecord], broken: Sequence[str], *, hedged: bool = False
) -> str | None:
    """Says why an edit is not kept; None if it is.

    What is undecided or failed counts as not supported, so an edit gains nothing by making a fact vague.

    Args:
        before: The facts of the sentence as it was.
        after: Those of the edited sentence; none if it was dropped.
        broken: Supported facts that the edited sentence no longer states.
        hedged: Whether a claim was marked as unverified: it is still one, and need not become fewer.
    """
    if broken:
        return f"it loses the supported fact {broken[0]!r}"
    if failed := [fact for fact in after if fact.verdict is Verdict.FAILED]:
        return f"it could not be verified: {failed[0].cause}"
    was, now = _unsupported(before), _unsupported(after)
    if len(now) < len(was) or (hedged and len(now) == len(was)):
        return None
    return f"it has {len(now)} facts without support, such as {now[0].text!r}, where there were {len(was)}"


def perhaps_lost(
    before: Sequence[FactRecord], after: Sequence[FactRecord], sentence: str, edited: str
) -> tuple[FactRecord, ...]:
    """The supported facts of a sentence of which its edited form has neither the like nor all the words."""
    kept = {wording(fact.text) for fact in after if fact.verdict is Verdict.SUPPORTED}
    return tuple(
        fact
        for fact in before
        if fact.verdict is Verdict.SUPPORTED
        and wording(fact.text) not in kept
        and (not edited or missing_stems(fact.text, sentence, edited))
    )


def surely_lost(fact: FactRecord, sentence: str, edited: str) -> bool:
    """Whether nobody need be asked: the sentence was dropped, or a number of the fact is gone."""
    gone = missing_stems(fact.text, sentence, edited)
    return not edited or any(any(map(str.isdigit, word)) for word in gone)


def still_unsupported(fact: FactRecord, after: Iterable[FactRecord]) -> bool:
    """Whether a fact that was to be mended stands among the unsupported ones in the same or like words."""
    words = content_stems(fact.text)
    return any(one.verdict is not Verdict.SUPPORTED and words <= content_stems(one.text) for one in after)


def _unsupported(facts: Iterable[FactRecord]) -> list[FactRecord]:
    return [fact for fact in facts if fact.verdict is not Verdict.SUPPORTED]
