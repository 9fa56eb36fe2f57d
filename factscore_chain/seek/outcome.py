"""What a look changes: pure functions from a search to the search one step further."""

from __future__ import annotations

from dataclasses import replace

from factscore_chain.seek.values import Place, Query, Search
from factscore_chain.values import Claim, Decision, Look, Reason, Verdict
from factscore_chain.verify.base import is_not_applicable


def lacks_evidence(decision: Decision, reason: Reason | None) -> bool:
    """Whether a further look may help: undecided, or not supported because nothing speaks of it.

    Args:
        decision: What the verifier says.
        reason: Why it is not supported, from wherever that is known.
    """
    if decision.verdict is Verdict.NOT_SUPPORTED:
        return reason == "no_evidence"
    has_words = any(map(str.isalnum, decision.fact.text))
    return decision.verdict is Verdict.UNDECIDED and has_words and not is_not_applicable(decision)


def planned(search: Search, place: Place | None, query: Query | None) -> Search:
    """A search with its next look, or closed where that would be none, or the same as before."""
    made = {(look.title, look.query) for look in search.looks}
    if place is None or query is None or (place.title, query.text) in made:
        return replace(search, open=False, place=None, query=None, found=())
    return replace(search, place=place, query=query, found=())


def claim_with_found(search: Search) -> Claim:
    """What is to be judged after a look.

    Passages of the subject's own page join those that are known. Sentences of other pages are judged by
    themselves, and without a topic: a verifier that takes the topic's name for granted would not ask whether
    they are about it.
    """
    if search.place is not None and search.place.own:
        return replace(search.claim, passages=(*search.claim.passages, *search.found))
    return Claim(search.claim.fact, search.found)


def judged(search: Search, claim: Claim, decision: Decision, lacking: bool) -> Search:
    """A search after its look was judged: other pages can only add support, and a failed call nothing."""
    looks = (*search.looks, _look(search, decision.verdict))
    if search.place is not None and search.place.own and decision.verdict is not Verdict.FAILED:
        return replace(search, claim=claim, decision=decision, looks=looks, open=lacking)
    passages = (*search.decision.passages, *search.found)
    if decision.verdict is Verdict.SUPPORTED:
        return replace(search, decision=replace(decision, passages=passages), looks=looks, open=False)
    return replace(search, decision=replace(search.decision, passages=passages), looks=looks)


def unmoved(search: Search) -> Search:
    """A search after a look whose passages do not speak of the fact either: they are kept, the verdict stays.

    A weak model that is shown more and more passages says True in the end, whatever stands in them.
    """
    own = search.place is not None and search.place.own
    decision = replace(search.decision, passages=(*search.decision.passages, *search.found))
    looks = (*search.looks, _look(search, decision.verdict))
    return replace(
        search, claim=claim_with_found(search) if own else search.claim, decision=decision, looks=looks
    )


def in_vain(search: Search) -> Search:
    """A search after a look that brought nothing new, if there was one."""
    if search.query is None:
        return search
    return replace(search, looks=(*search.looks, _look(search, search.decision.verdict)))


def _look(search: Search, verdict: Verdict) -> Look:
    query = search.query or Query("", "")
    return Look(
        query=query.text,
        writer=query.writer,
        title=search.place.title if search.place else None,
        added=tuple(passage.id for passage in search.found),
        verdict=verdict,
    )
