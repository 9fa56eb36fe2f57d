"""Bare roles at the head of a fact ("The actor ...", "The film's ...") give way to the name they stand for.

Alone such a fact names nobody. Whom it means is taken from the text before it: the one name that is said to
be such a thing, with nothing else named since, or the topic. Otherwise it is not checkable.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import inf

from factscore_chain.decompose.standalone import brings_in_another, mentions, name_of, names_another
from factscore_chain.values import AtomicFact, Sentence

_PEOPLE = """
actor actress activist architect artist athlete author ballerina biologist botanist boxer chemist coach
comedian composer conductor cricketer cyclist dancer designer diplomat director doctor drummer economist
engineer entrepreneur explorer filmmaker footballer golfer guitarist historian inventor journalist judge
lawyer mathematician musician novelist painter philosopher photographer physician physicist pianist pilot
player playwright poet politician priest producer professor programmer psychologist rapper scholar scientist
screenwriter sculptor singer soldier songwriter sprinter statesman striker surgeon swimmer teacher wrestler
writer
"""
_THINGS = """
airline airport album band bank bay book brand bridge building canal castle cathedral channel choir church
city club college company corporation country county district film firm foundation game glacier group
hospital hotel island journal label lake language magazine mountain movie museum newspaper novel opera
orchestra organisation organization painting park party peninsula play poem province restaurant river school
series ship show single song stadium store studio team temple theatre tournament tower town trilogy
university valley village volcano website
"""
_PERSONS = frozenset(_PEOPLE.split())
_ROLE = "|".join(sorted(_PERSONS | frozenset(_THINGS.split())))
_TELLS_WHICH = (
    "of|in|at|for|by|from|with|on|to|around|near|beside|between|behind|along|about|inside|outside|under|over"
    "|who|whose|whom|that|which|where|called|named|known|titled"
)
_BARE = re.compile(
    rf"The (?:[a-z-]+ )?(?P<role>{_ROLE})(?P<own>['’]s)?"
    rf"(?! (?:{_TELLS_WHICH})\b)"
    r"(?! (?:is|was|are|were) (?:the )?[\"“*_]*[A-Z])"
    r"(?= [^A-Z\W])"
)
"""Nothing follows that tells which one: no name, no "of ..." or "that ...", no "was NAME"."""
_OPEN = re.compile(r"(?:The (?:former|latter)|Both|Neither|Either)\b(?! (?:[A-Z]|of [A-Z]|the [A-Z]))")
_PERSONAL = re.compile(r"\b(?:he|she|his|her)\b", re.IGNORECASE)
_OPEN_SO_FAR = ""
"""What stands for a role of which nothing has been said: no name is empty."""
_CAPITALISED = r"[A-Z][\w'’.-]*(?: (?:(?:of|the|and|de|van|von) )?[A-Z][\w'’.-]*)*"


def opens_with_role(fact: str) -> bool:
    """Whether a fact leaves open which one it is about, by a bare role or a word such as "the latter"."""
    return _BARE.match(fact) is not None or _OPEN.match(fact) is not None


def with_names(fact: AtomicFact, topic: str | None, sentences: Sequence[Sentence]) -> AtomicFact:
    """`RoleNames.with_name` for a single fact."""
    return RoleNames(topic, sentences).with_name(fact)


class RoleNames:
    """Whom or what the roles of one generation stand for; every sentence is read once for each role.

    Args:
        topic: What the generation is about; a qualifier in brackets is left out.
        sentences: All its sentences.
    """

    def __init__(self, topic: str | None, sentences: Sequence[Sentence]) -> None:
        self._topic = topic
        self._sentences = sentences
        self._read: dict[str, list[str | None]] = {}

    def with_name(self, fact: AtomicFact) -> AtomicFact:
        """A fact with a name in place of the role that it opens with, or marked as not checkable.

        One that opens otherwise is given back as it is.
        """
        if fact.sentence is None or not opens_with_role(fact.text):
            return fact
        bare = _BARE.match(fact.text)
        name = self._referent(bare["role"], fact.sentence) if bare else None
        if bare is not None and name is None and self._needs_no_name(bare["role"], fact.sentence):
            return fact
        if bare is None or name is None:
            return replace(fact, checkable=False)
        if name in fact.text:
            return fact
        return replace(fact, text=f"{name}{bare['own'] or ''}{fact.text[bare.end() :]}")

    def _needs_no_name(self, role: str, number: int) -> bool:
        """Whether the text begins with the role, or the sentence brings it in itself: "a tall tower"."""
        own = self._sentences[number].text
        brought_in = re.search(rf"\b(?:an?|his|her|its|their) [^.;,]*?\b{role}\b", own)
        return brought_in is not None or (self._topic is None and not number)

    def _referent(self, role: str, number: int) -> str | None:
        """What the last sentence before says that says who or what is in that role, or names another."""
        topic = self._topic
        if topic and re.search(rf"\b{role}\b", topic, re.IGNORECASE):
            return name_of(topic)
        known = self._read.setdefault(role, [_OPEN_SO_FAR])
        for sentence in self._sentences[len(known) - 1 : number]:
            told = self._told(role, sentence)
            known.append(known[-1] if told == _OPEN_SO_FAR else told)
        if known[number] != _OPEN_SO_FAR:
            return known[number]
        is_person = number > self._first_pronoun
        return name_of(topic) if topic and is_person is (role in _PERSONS) else None

    def _told(self, role: str, sentence: Sentence) -> str | None:
        """The one name that a sentence gives the role; None if it leaves open whose it is."""
        names = _described(role, self._topic, sentence.text)
        if names:
            return names.pop() if len(names) == 1 else None
        diverts = brings_in_another if role in _PERSONS else names_another
        another = sentence.kind != "heading" and diverts(sentence.text, self._topic or "")
        return None if another else _OPEN_SO_FAR

    @cached_property
    def _first_pronoun(self) -> float:
        """Number of the first sentence that calls somebody "he" or "she"."""
        found = (number for number, one in enumerate(self._sentences) if _PERSONAL.search(one.text))
        return next(found, inf)


def _described(role: str, topic: str | None, text: str) -> set[str]:
    """Names that a sentence says to be in a role: "X is a young actor", "the actor X", "the X Foundation"."""
    is_one = r"(?:is|was|became|remains) (?:an?|the)"
    patterns = (
        rf"(?P<name>{_CAPITALISED})(?: \([^()]*\))?,? {is_one} [^.;]*?\b{role}\b",
        rf"\b{role}s?,? [\"“*_]*(?P<name>{_CAPITALISED})",
        rf"\b(?P<name>(?:[A-Z][\w'’.-]* )+{role.capitalize()})\b",
    )
    found = [match["name"] for pattern in patterns for match in re.finditer(pattern, text)]
    return {
        name_of(topic) if topic and (name in {"He", "She", "It"} or mentions(name, topic)) else name
        for name in (re.sub(r"^(?:The|In|At|On) (?=[A-Z])|[.’']+$", "", name) for name in found)
        if topic or name not in {"He", "She", "It", "They"}
    }
