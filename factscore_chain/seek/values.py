"""The values of a search for evidence."""

from __future__ import annotations

from dataclasses import dataclass

from factscore_chain.values import Claim, Decision, Look, Passage


@dataclass(frozen=True)
class Subject:
    """Whom or what a fact is about."""

    name: str
    """As a text writes it: the title without a qualifier in brackets."""
    title: str | None = None
    """Its own page; None where the knowledge source has none, or knows no titles."""
    alone: bool = True
    """Whether nobody else in the knowledge source bears the name, so that other pages mean this one by it."""


@dataclass(frozen=True)
class Place:
    """Where to look."""

    title: str | None = None
    """A page; None for the whole source."""
    own: bool = False
    """Whether the page is the subject's own, where every sentence may be about it."""


@dataclass(frozen=True)
class Gap:
    """A fact that lacks evidence, what was looked at, and where the next look goes."""

    claim: Claim
    subject: Subject
    place: Place
    asked: tuple[str, ...] = ()
    """Queries of the looks before."""


@dataclass(frozen=True)
class Query:
    """What to look for."""

    text: str
    writer: str
    """Who wrote it: "words", or the name of a chat model."""
    title: str | None = None
    """A page that the writer wants looked at in place of the one proposed."""


@dataclass(frozen=True)
class Search:
    """One fact under way: what is known, what was tried, what is next."""

    claim: Claim
    """With the passages of its first retrieval, and those found on the subject's own page."""
    decision: Decision
    subject: Subject | None = None
    looks: tuple[Look, ...] = ()
    open: bool = False
    """Whether it still lacks evidence."""
    place: Place | None = None
    query: Query | None = None
    found: tuple[Passage, ...] = ()
    """What the present look brought that is new."""

    @property
    def seen(self) -> frozenset[str]:
        """Ids of all passages that were judged for it."""
        known = (passage.id for passage in self.claim.passages)
        return frozenset([*known, *(id_ for look in self.looks for id_ in look.added)])
