"""What an edit did about each fact, read off the two wordings: for editors that give only a new sentence."""

from __future__ import annotations

from factscore_chain.edit.base import Action, EditRequest, FactAction, Policy
from factscore_chain.edit.wording import content_stems, is_hedged, missing_stems
from factscore_chain.report import FactRecord

_WHY: dict[Action, str] = {
    "corrected": "the sentence has something else in its place",
    "removed": "the sentence no longer states it",
    "hedged": "the sentence marks it as unverified",
    "left": "the sentence still states it",
}


def read_actions(request: EditRequest, text: str) -> tuple[FactAction, ...]:
    """Says what became of each fact to mend in the new sentence, with the passages of what was added."""
    return tuple(_action(request, index, text) for index in request.mend)


def _action(request: EditRequest, index: int, text: str) -> FactAction:
    fact, sentence = request.facts[index], request.sentence.text
    added = content_stems(text) - content_stems(request.generation.text)
    action = _kind(request, fact, text, bool(added))
    used = _sources(fact, added) if action == "corrected" else ()
    return FactAction(index, action, f"{_WHY[action]}{'' if text != sentence else ', unchanged'}", used)


def _kind(request: EditRequest, fact: FactRecord, text: str, adds: bool) -> Action:
    sentence = request.sentence.text
    if not missing_stems(fact.text, sentence, text):
        hedged = request.policy is Policy.HEDGE or (is_hedged(text) and not is_hedged(sentence))
        return "hedged" if hedged and text != sentence else "left"
    return "corrected" if adds and request.policy is not Policy.REMOVE else "removed"


def _sources(fact: FactRecord, added: frozenset[str]) -> tuple[str, ...]:
    """Passages that have words which the sentence has gained, those with the most first."""
    counts = {passage.id: len(added & content_stems(passage.text)) for passage in fact.passages}
    return tuple(sorted((name for name, count in counts.items() if count), key=lambda n: -counts[n])[:2])
