"""Whom a pronoun stands for, so that a fact can name its subject; nobody rather than a guess.

A generation is mostly about its topic: "he" is the topic as long as the text calls the topic "he". Otherwise
the last person named whose given name fits is taken, if only one can be meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

from factscore_chain.decompose.given_names import gender_of
from factscore_chain.decompose.words import Word, split_words

Family = Literal["he", "she", "it", "they"]
_Kind = Literal["plural", "thing", "he", "she", "somebody"]
_KINDS: tuple[_Kind, ...] = ("plural", "thing", "he", "she", "somebody")
"""What a name may be called: "they", "it", "he", "she", or either of the last two."""

_FAMILIES: dict[Family, str] = {
    "he": "he him his himself",
    "she": "she her hers herself",
    "it": "it its itself",
    "they": "they them their theirs themselves",
}
_FAMILY_OF: dict[str, Family] = {
    word: family for family, words in _FAMILIES.items() for word in words.split()
}
_POSSESSIVES = frozenset({"his", "her", "its", "their"})
_FIRST_AND_SECOND = (
    "i me my mine we us our ours you your yours myself ourselves yourself i'm i've we're you're"
)
SPEAKERS = frozenset(_FIRST_AND_SECOND.split()) | {"let's", "i’m", "i’ve", "we’re", "you’re", "i'd", "i'll"}
_POINTING = frozenset({"this", "that", "these", "those", "there", "here", "who", "which", "what", "such"})


@dataclass(frozen=True)
class Mention:
    """A name in the text."""

    name: str
    person: bool
    plural: bool = False
    subject: bool = False
    """Whether its sentence is about it."""


def family_of(word: str) -> Family | None:
    """Which of he, she, it, they a pronoun belongs to; None for other words."""
    return _FAMILY_OF.get(word.lower())


def is_possessive(word: str) -> bool:
    """Whether a pronoun can stand before a noun: his, her, its, their."""
    return word.lower() in _POSSESSIVES


def is_vague(subject: str) -> bool:
    """Whether a subject names nobody outside the conversation: I, you, this, there."""
    words = [word.lower for word in split_words(subject)]
    return bool(words) and (words[0] in SPEAKERS or (len(words) == 1 and words[0] in _POINTING | SPEAKERS))


@dataclass
class Referents:
    """Who has been named so far, in reading order; one object for each generation."""

    topic: str | None = None
    families: Counter[str] = field(default_factory=Counter)
    """How often the whole generation uses each family of pronouns."""
    topic_is_person: bool | None = None
    _mentions: dict[_Kind, dict[str, Mention]] = field(default_factory=lambda: {kind: {} for kind in _KINDS})
    """Names by what may stand for them, each with its last mention, in the order of these."""

    def add(self, mentions: Iterable[Mention]) -> None:
        """Takes in the names of a sentence that has been read; of things, what it is about comes last.

        "It" goes on with the subject of the sentence before, rather than with the place named after it.
        """
        for mention in sorted(mentions, key=lambda one: one.subject and not one.person):
            for names in self._mentions.values():
                names.pop(mention.name, None)
            for kind in _kinds_of(mention):
                self._mentions[kind][mention.name] = mention

    def resolve(
        self, pronoun: str, earlier: Sequence[Mention] = (), other_than: str | None = None
    ) -> str | None:
        """The name that a pronoun stands for.

        Args:
            pronoun: A pronoun of the third person.
            earlier: Names before it in its own sentence, in order.
            other_than: A name that it cannot stand for: that of its own sentence's subject.

        Returns:
            The name, or None if nobody or more than one could be meant.
        """
        family = family_of(pronoun)
        if family is None:
            return None
        if self.topic and self.topic != other_than and self._calls_topic(family):
            return self.topic
        if family == "he" or family == "she":
            return self._person(earlier, family, other_than)
        return next(self._latest("plural" if family == "they" else "thing", earlier, other_than), None)

    def _latest(self, kind: _Kind, earlier: Sequence[Mention], other_than: str | None) -> Iterator[str]:
        """Names of a kind, the last first; a text names many, and few are asked for."""
        own = (one.name for one in reversed(earlier) if kind in _kinds_of(one))
        return (name for name in chain(own, reversed(self._mentions[kind])) if not self._is(name, other_than))

    def _calls_topic(self, family: Family) -> bool:
        topic = self.topic or ""
        if family in ("he", "she"):
            if self.topic_is_person is False:
                return False
            named = gender_of(topic)
            if named and named != family and self.families[family] < self.families[named]:
                return False
            return self.families[family] >= self.families["she" if family == "he" else "he"]
        if family == "it":
            return self.topic_is_person is False
        spoken = self.families["he"] + self.families["she"]
        return not spoken and (self.topic_is_person is not False or self.families["it"] == 0)

    def _person(
        self, earlier: Sequence[Mention], family: Literal["he", "she"], other_than: str | None
    ) -> str | None:
        sure = next(self._latest(family, earlier, other_than), None)
        if sure is not None:
            return sure
        people = self._latest("somebody", earlier, other_than)
        only = next(people, None)
        return only if all(name == only for name in people) else None

    @staticmethod
    def _is(name: str, other: str | None) -> bool:
        return other is not None and (name == other or set(name.split()) <= set(other.split()))


def count_families(text: str) -> Counter[str]:
    """How often a text uses each family of pronouns."""
    found = (family_of(word) for word in re.findall(r"[A-Za-z]+", text))
    return Counter(family for family in found if family)


def find_mentions(sentence: str, words: Sequence[Word], entities: Sequence[str]) -> Iterator[Mention]:
    """Names in a sentence, from the kind of entity that each word belongs to."""
    start = 0
    while start < len(words):
        end = start + 1
        while end < len(words) and entities[end] == entities[start]:
            end += 1
        kind = entities[start]
        name = sentence[words[start].start : words[end - 1].end].strip(" \"'“”’.,;:()")
        name = re.sub(r"^(?:the|a|an) |['’]s$", "", name, flags=re.IGNORECASE)
        if kind and kind not in ("date", "group") and name[:1].isupper():
            yield Mention(name, kind == "person", plural=kind == "organisation" and name.endswith("s"))
        start = end


def _kinds_of(mention: Mention) -> Iterator[_Kind]:
    if mention.plural:
        yield "plural"
    elif not mention.person:
        yield "thing"
    if mention.person:
        yield gender_of(mention.name) or "somebody"
