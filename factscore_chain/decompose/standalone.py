"""Facts that stand alone: a pronoun at the head gives way to the topic's name where that is plain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscore_chain.values import Sentence

_PRONOUN = re.compile(
    r"(?:(?P<subject>he|she|it)(?!\s+(?-i:[A-Z]))|(?P<possessive>his|her|its)"
    r"|(?:they|we|i(?!,)|you|their|our|my|your|this|that|these|those)(?!\s+(?-i:[A-Z])))\b(?![-’'])",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(
    r"(?:he|she|it|they|that|i|we|you)['’](?:s|d|ll|re|ve|m)\b(?!\s+(?-i:[A-Z]))", re.IGNORECASE
)
_PERSON_OF = {"he": "he", "his": "he", "she": "she", "her": "she", "it": "it", "its": "it"}
_LEADS_TO_PLACE_OR_TIME = frozenset(
    {"in", "at", "of", "the", "from", "for", "near", "to", "on", "a", "an", "as"}
)
_PERSONS = (
    "met married wife husband son daughter father mother brother sister friend partner colleague"
    " rival successor predecessor named called against defeated succeeded replaced"
)
_LEADS_TO_PERSON = frozenset(_PERSONS.split())
_NAME = re.compile(r"(?P<before>[a-z]+),?[ \"“*]+(?P<name>[A-Z][\w'’-]+(?: [A-Z][\w'’.-]*)*)")
_NAMED_SUBJECT = re.compile(
    r"[A-Z][\w'’-]*\.?(?: [A-Z][\w'’-]*\.?)+|[A-Z][\w'’-]+(?= (?:is|was|had|has|[a-z]+ed)\b)"
)
_FAR = 12
"""Sentences from the start of a text in which the topic's usual pronoun shows."""
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


def opens_with_pronoun(fact: str, sentence: str = "") -> bool:
    """Whether a fact leaves open whom or what it is about.

    Titles and names do not: "It Happened One Night is a film". "His Dark Materials" is told from "His PhD"
    by standing so in the middle of `sentence`, from which the fact was taken.
    """
    head = fact.lstrip("\"“'*_ ")
    pronoun = _PRONOUN.match(head)
    if pronoun and pronoun["possessive"]:
        first_two = " ".join(head.split()[:2])
        return first_two not in sentence[1:]
    return pronoun is not None or _CONTRACTED.match(head) is not None


def with_topic(fact: str, topic: str, sentences: Sequence[Sentence], index: int) -> str | None:
    """Puts the topic's name in place of a pronoun at the head of a fact.

    That is done where the pronoun goes back to the topic's name with nobody else named between, and, once
    a "he" or "she" did so, for the same word wherever nobody else is near.

    Args:
        fact: A fact that opens with a pronoun.
        topic: What the generation is about; a qualifier in brackets is left out.
        sentences: All sentences of the generation.
        index: The fact's own sentence.

    Returns:
        The fact with the name, or None where the pronoun may mean somebody else.
    """
    pronoun = _PRONOUN.match(fact)
    person = _person(fact)
    if pronoun is None or person is None:
        return None
    told = [sentence.text for sentence in sentences[: index + 1] if sentence.kind in {"prose", "list_item"}]
    if not (_goes_back(person, topic, told) or _is_usual(person, topic, told)):
        return None
    name = name_of(topic)
    return name + ("'s" if pronoun["possessive"] else "") + fact[pronoun.end() :]


def _person(text: str) -> str | None:
    word = re.match(r"\w+", text.lstrip("\"“'*_ "))
    return _PERSON_OF.get(word[0].lower()) if word else None


def _goes_back(person: str, topic: str, told: Sequence[str]) -> bool:
    """Follows a pronoun from the last sentence back to the topic's name or the start of the text."""
    # "It" may mean any thing that was named; "he" and "she" only a person.
    diverts = names_another if person == "it" else brings_in_another
    for position in range(len(told) - 1, -1, -1):
        text, is_own = told[position], position == len(told) - 1
        if _opens_with_name(text, topic) or (position == 0 and mentions(text, topic)):
            return not diverts(text, topic)
        if _person(text) != person or (not is_own and diverts(text, topic)):
            return False
    return True


def _is_usual(person: str, topic: str, told: Sequence[str]) -> bool:
    """Whether the pronoun was the topic's before, and nobody else is near."""
    if person == "it":
        return False
    # In its own sentence a pronoun at the head comes before any other name.
    near = told[-2:-1] if _person(told[-1]) == person else told[-2:]
    if any(brings_in_another(text, topic) for text in near):
        return False
    return any(
        _has_pronoun(text, person) and _goes_back(person, topic, told[: end + 1])
        for end, text in enumerate(told[:_FAR])
    )


def _has_pronoun(text: str, person: str) -> bool:
    return any(_PERSON_OF.get(word) == person for word in re.findall(r"\w+", text.lower()))


def brings_in_another(text: str, topic: str) -> bool:
    """Whether a text speaks of another person than the topic."""
    subject = _NAMED_SUBJECT.match(text.lstrip("\"“'*_ "))
    if subject and _person(subject[0]) is None and not _shares_word(subject[0], topic):
        return True
    return any(
        match["before"] in _LEADS_TO_PERSON and not _shares_word(match["name"], topic)
        for match in _NAME.finditer(text)
    )


def name_of(topic: str) -> str:
    """A topic as a text names it: without a qualifier in brackets."""
    return _QUALIFIER.sub("", topic)


def mentions(text: str, topic: str) -> bool:
    """Whether a text has a word of the topic's name."""
    return bool(_name_words(topic) & {word.casefold() for word in re.findall(r"\w+", text)})


def _opens_with_name(text: str, topic: str) -> bool:
    first = re.match(r"(?:[Tt]he )?([\w'’-]+)", text.lstrip("\"“'*_ "))
    return first is not None and first[1].casefold().removesuffix("'s") in _name_words(topic)


def names_another(text: str, topic: str) -> bool:
    """Whether a text names somebody or something else, places, times and "was English" aside."""
    for match in _NAME.finditer(text):
        described = match["before"] in {"is", "was"} and " " not in match["name"]
        if not (
            described or match["before"] in _LEADS_TO_PLACE_OR_TIME or _shares_word(match["name"], topic)
        ):
            return True
    return False


def _shares_word(name: str, topic: str) -> bool:
    return any(word.casefold() in _name_words(topic) for word in re.findall(r"\w+", name))


def _name_words(topic: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"\w+", _QUALIFIER.sub("", topic)) if word[0].isupper()}
