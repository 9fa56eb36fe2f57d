"""The embedded editor: no model server, no network, and nothing added that the passages do not have.

It takes unsupported facts out of a sentence by the words that state them, marks them as unverified, or puts
the passages' value in the place of a wrong one. It touches no word that a fact needs which has to stay; what
it cannot mend that way it leaves, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from factscore_chain.edit.base import EditRequest, LocalEditor, Policy, SentenceEdit
from factscore_chain.edit.mending import Mending, begin, closed, corrected, freed, hedged

VERSION = "1"


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
    edits = _edits(request)
    first = next(edits)
    for edit in [first, *edits] if tried else [first]:
        if edit.text is None or edit.text not in tried:
            return edit
    left = tuple(replace(one, action="left", why="no other edit was found") for one in first.actions)
    return SentenceEdit(None, left)


def _edits(request: EditRequest) -> Iterator[SentenceEdit]:
    """Edits to try in turn: all at once, then without corrections, one fact alone, larger pieces."""
    yield _edit(request, request.mend)
    if request.policy is Policy.AUTO:
        yield _edit(request, request.mend, correcting=False)
    if len(request.mend) > 1:
        for index in request.mend:
            yield _edit(request, (index,))
    tried = frozenset(attempt.text for attempt in request.attempts)
    for chosen in (request.mend, *((index,) for index in request.mend if len(request.mend) > 1)):
        yield _edit(request, chosen, correcting=False, tried=tried)


def _edit(
    request: EditRequest,
    chosen: Sequence[int],
    *,
    correcting: bool = True,
    tried: frozenset[str] = frozenset(),
) -> SentenceEdit:
    mending = begin(request, chosen, tried)
    return _mended(mending, request.policy, correcting=correcting).edit


def _mended(mending: Mending, policy: Policy, *, correcting: bool) -> Mending:
    if policy is Policy.HEDGE:
        return hedged(mending)
    if policy is Policy.CORRECT:
        return closed(corrected(mending), "no passage has one value in the place of the wrong one")
    return freed(corrected(mending) if policy is Policy.AUTO and correcting else mending)
