"""Names that a dropped sentence would take along: the next one says "She", and nobody could tell who.

The name takes the place of the pronoun, where the facts of the next sentence say whom it means; where they
do not, the sentence is not dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factscore_chain.decompose.coreference import family_of, is_possessive
from factscore_chain.decompose.wording import possessive
from factscore_chain.edit.draft import Draft
from factscore_chain.edit.english import BE
from factscore_chain.edit.located import LocatedText
from factscore_chain.edit.state import Proposal
from factscore_chain.edit.values import NAMED, find_values
from factscore_chain.report import FactRecord
from factscore_chain.values import Span, Verdict

_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_PEOPLE = frozenset({"person"})
_THINGS = NAMED - _PEOPLE
_KINDS = {
    **dict.fromkeys(("he", "him", "his", "she", "her", "hers"), _PEOPLE),
    **dict.fromkeys(("it", "its"), _THINGS),
    "there": frozenset({"place"}),
}
_OWNED = frozenset({"noun", "plural", "adjective", "name", "gerund", "number"})


@dataclass(frozen=True)
class Naming:
    """A name in the place of a pronoun."""

    sentence: int
    """Index of the sentence in the text as it was."""
    span: Span
    """The pronoun, in the sentence as it is kept."""
    text: str

    def applied(self, sentence: str) -> str:
        """The sentence with the name."""
        return f"{sentence[: self.span.start]}{self.text}{sentence[self.span.end :]}"


@dataclass(frozen=True)
class _Gap:
    """What was dropped in a row, and what it stood between."""

    dropped: tuple[int, ...]
    last: str
    """The sentence before it, as it is kept; empty where there is none."""
    before: str
    """All that is kept before it."""
    names: str
    """The dropped sentences."""
    following: int
    sentence: str
    """The sentence after it, as it is kept."""
    facts: tuple[FactRecord, ...]


def namings(text: LocatedText, kept: Sequence[Proposal]) -> tuple[Naming, ...]:
    """The names to put in the place of pronouns once some edits are made."""
    return tuple(one for gap in _gaps(text, kept) if isinstance(one := _naming(gap, text.topic), Naming))


def unnamed(text: LocatedText, kept: Sequence[Proposal]) -> dict[int, str]:
    """For sentences that cannot be dropped because nobody could tell whom the next one means: the reason."""
    return {
        index: f"the next sentence would not tell whom or what its {found!r} means"
        for gap in _gaps(text, kept)
        if isinstance(found := _naming(gap, text.topic), str)
        for index in gap.dropped
    }


def _gaps(text: LocatedText, kept: Sequence[Proposal]) -> Iterator[_Gap]:
    edits = {one.sentence: one for one in kept if one.text is not None}
    now = [edits[i].text or "" if i in edits else one.sentence.text for i, one in enumerate(text.sentences)]
    run: list[int] = []
    for i, (sentence, stated) in enumerate(zip(now, text.sentences, strict=True)):
        if not sentence:
            run.append(i)
            continue
        if run:
            before = [one for one in now[: run[0]] if one]
            yield _Gap(
                tuple(run),
                before[-1] if before else "",
                " ".join(before),
                " ".join(text.sentences[k].sentence.text for k in run),
                i,
                sentence,
                edits[i].facts if i in edits else stated.facts,
            )
        run = []


def _naming(gap: _Gap, topic: str | None) -> Naming | str | None:
    """The name for the next sentence's pronoun; the pronoun if none can be told; None if nothing is lost."""
    draft = Draft.of(gap.sentence)
    at = _first_pronoun(draft)
    if at is None:
        return None
    pronoun = draft.tokens[at].text
    meant = _meant(gap, topic, pronoun.lower())
    if len(meant) != 1:
        return pronoun if meant or _loses_somebody(gap, topic, pronoun) else None
    before = "".join(token.gap + token.text for token in draft.tokens[:at]) + draft.tokens[at].gap
    span = Span(len(before), len(before) + len(pronoun))
    return Naming(gap.following, span, _spelled(draft, at, meant[0]))


def _first_pronoun(draft: Draft) -> int | None:
    """The first pronoun before which nothing stands that it could mean; "there" only where it is a place."""
    named: set[str] = set()
    for i, word in enumerate(draft.lower[: draft.stop]):
        named |= {draft.entities[i]} & NAMED
        exists = draft.lower[i + 1 : i + 2] and draft.lower[i + 1] in BE
        if word == "there" and i and not exists and "place" not in named:
            return i
        if family_of(word) is not None and not named:
            return i
    return None


def _meant(gap: _Gap, topic: str | None, pronoun: str) -> list[str]:
    """Names that only the dropped sentences have and that the facts of the next one speak of."""
    told = " ".join(fact.text for fact in gap.facts)
    found = []
    if (name := _topic_in(gap.names, topic)) is not None:
        lost = not _holds(gap.before, plain := _plain(topic)) and _holds(told, plain)
        found += [name] if lost and pronoun != "there" and not _holds(gap.sentence, plain) else []
    for value in find_values(Draft.of(gap.names)):
        if value.kind not in _KINDS.get(pronoun, NAMED) or _holds(_plain(topic), value.text):
            continue
        said = not _holds(gap.before, value.text) if pronoun == "there" else _holds(told, value.text)
        if said and not _holds(gap.sentence, value.text) and not _holds(gap.last, value.text):
            found.append(value.text)
    return [one for one in dict.fromkeys(found) if not any(one != b and _holds(b, one) for b in found)]


def _topic_in(text: str, topic: str | None) -> str | None:
    """The topic as a text spells it, with its article; its own name where the text has a part of it."""
    name = _plain(topic)
    if not name:
        return None
    if found := re.search(rf"(?:\bthe )?(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE):
        return found[0]
    people = [one for one in find_values(Draft.of(text)) if one.kind == "person" and _holds(name, one.text)]
    return name if people else None


def _loses_somebody(gap: _Gap, topic: str | None, pronoun: str) -> bool:
    """Whether a person is named nowhere else, while nothing says whom the next sentence means."""
    family = family_of(pronoun)
    if family is None or family == "it":
        return False
    told = " ".join(fact.text for fact in gap.facts if fact.verdict is not Verdict.UNDECIDED)
    known = [one.text for one in find_values(Draft.of(gap.before)) if one.kind == "person"]
    if any(_holds(told, name) for name in [*known, _plain(topic)] if name):
        return False
    named = [one.text for one in find_values(Draft.of(gap.names)) if one.kind == "person"]
    return any(not _holds(_plain(topic), one) and not _holds(gap.before, one) for one in named)


def _plain(topic: str | None) -> str:
    return _QUALIFIER.sub("", topic or "").replace("_", " ").strip()


def _holds(text: str, name: str) -> bool:
    return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _spelled(draft: Draft, at: int, name: str) -> str:
    """The name as it stands in the place of a pronoun: "her notes", "there" and "She" differ."""
    word, following = draft.lower[at], draft.tags[at + 1] if at + 1 < len(draft) else ""
    if word == "there":
        return name if draft.tags[at - 1] == "preposition" else f"in {name}"
    if is_possessive(word) and (word != "her" or following in _OWNED):
        name = possessive(name)
    small = re.sub(r"^The\b", "the", name)
    return name[:1].upper() + name[1:] if draft.tokens[at].text[:1].isupper() else small
