"""Whose page a sentence stands on: what another page says of somebody else supports nothing.

Without a topic, passages come from every page of the knowledge source. "Emmy Noether won the Nobel Prize in
Chemistry" then finds all its words on the page of Marie Curie. So where a page's title stands in the fact,
that page may say what it likes, and sentences of other pages count only if they name it.
"""

from __future__ import annotations

import re

from factscore_chain.values import Claim
from factscore_chain.verify.evidence import Evidence

_QUALIFIER = re.compile(r"\s*\([^)]*\)\s*$")
_WORD = re.compile(r"\w+")


def subject_of(claim: Claim) -> str | None:
    """The topic or, without one, the title of a passage that stands first in the fact; None if there is none.

    A title's qualifier in brackets may be missing: "Mercury" stands for "Mercury (planet)".
    """
    if claim.topic is not None:
        return claim.topic
    text = claim.fact.text.casefold()
    found = []
    for title in {plain(passage.title) for passage in claim.passages if passage.title}:
        match = re.search(rf"(?<!\w){re.escape(title.casefold())}(?!\w)", text) if title else None
        if match:
            found.append((match.start(), -len(title), title))
    return min(found)[2] if found else None


def plain(title: str) -> str:
    """A title without its qualifier."""
    return _QUALIFIER.sub("", title.replace("_", " ")).strip()


def about(evidence: Evidence, claim: Claim, subject: str | None) -> Evidence:
    """The sentences that may speak of the subject; all of them if no passage is known to be of its page.

    A sentence of another page names the subject if it holds the last word of its name.
    """
    own = [passage.title is not None and _same(passage.title, subject) for passage in claim.passages]
    if subject is None or not any(own):
        return evidence
    name = _words(plain(subject))[-1:]
    kept = [
        number
        for number, passage in enumerate(evidence.passage_of)
        if own[passage] or name[0] in _words(evidence.sentences[number])
    ]
    return evidence.only(kept) if kept else evidence


def own_sentences(evidence: Evidence, claim: Claim, subject: str | None) -> list[int]:
    """Numbers of the sentences on the subject's own page."""
    own = [passage.title is not None and _same(passage.title, subject) for passage in claim.passages]
    return [number for number, passage in enumerate(evidence.passage_of) if own[passage]]


def _same(title: str, subject: str | None) -> bool:
    return subject is not None and _words(plain(title)) == _words(plain(subject)) != []


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
