"""The embedded editor: no model server, no network, and nothing added that the passages do not have.

It takes unsupported facts out of a sentence by the words that state them, marks them as unverified, or puts
the passages' value in the place of a wrong one. It touches no word that a fact needs which has to stay; what
it cannot mend that way it leaves, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from factscore_chain.edit.base import EditRequest, LocalEditor, Policy, SentenceEdit
from factscore_chain.edit.mending import HELD, Mending, begin, closed, corrected, freed, hedged
from factscore_chain.values import Verdict

VERSION = "2"


class EmbeddedEditor(LocalEditor):
    """Mends by rules over the tagger's reading of a sentence and the encoder's alignment with passages."""

    @property
    def editor_name(self) -> str:
        """Name that goes into reports."""
        return "embedded"

    @property
    def identity(self) -> dict[str, str]:
        """The kind of editor and its version."""
        return {"kind": "embedded", "version": VERSION}

    def _compute(self, values: Sequence[EditRequest]) -> list[SentenceEdit]:
        return [edit_sentence(one) for one in values]


def edit_sentence(request: EditRequest) -> SentenceEdit:
    """Mends one sentence; what was proposed before and not kept is not proposed again."""
    tried = {attempt.text for attempt in request.attempts}
    first: SentenceEdit | None = None
    for edit in _edits(request):
        first = first or edit
        if edit.text is not None and edit.text not in tried:
            return edit
    actions = () if first is None else first.actions
    if not tried:
        return SentenceEdit(None, actions)
    left = tuple(replace(one, action="left", why="no other edit was found") for one in actions)
    return SentenceEdit(None, left)


def _edits(request: EditRequest) -> Iterator[SentenceEdit]:
    """Edits to try in turn: all at once, without corrections, less of each fact, one alone, larger pieces.

    Last come pieces that take along what nobody could decide, where what is wrong cannot go without it.
    """
    yield _edit(request, request.mend)
    if request.policy not in {Policy.AUTO, Policy.REMOVE}:
        return
    if request.policy is Policy.AUTO:
        yield _edit(request, request.mend, correcting=False)
    yield _mended(begin(request, request.mend, precise=True), request.policy, correcting=False).edit
    alone = [(index,) for index in request.mend] if len(request.mend) > 1 else []
    for one in alone:
        yield _edit(request, one)
    tried = frozenset(attempt.text for attempt in request.attempts)
    for held in (HELD, HELD - {Verdict.UNDECIDED}):
        for chosen in (request.mend, *alone):
            yield _mended(begin(request, chosen, tried, held), Policy.REMOVE, correcting=False).edit


def _edit(request: EditRequest, chosen: Sequence[int], *, correcting: bool = True) -> SentenceEdit:
    return _mended(begin(request, chosen), request.policy, correcting=correcting).edit


def _mended(mending: Mending, policy: Policy, *, correcting: bool) -> Mending:
    if policy is Policy.HEDGE:
        return hedged(mending)
    if policy is Policy.CORRECT:
        return closed(corrected(mending), "no passage has one value in the place of the wrong one")
    return freed(corrected(mending) if policy is Policy.AUTO and correcting else mending)
