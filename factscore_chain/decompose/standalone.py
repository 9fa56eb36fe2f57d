"""Facts that stand alone: a pronoun at the head gives way to the topic's name where that is plain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factscore_chain.values import Sentence

_PRONOUN = re.compile(
    r"(?:(?P<subject>he|she|it)|(?P<possessive>his|her|its)"
    r"|they|we|i|you|their|our|my|your|this|that|these|those)\b(?![-’'])(?!\s+(?-i:[A-Z]))",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"(?:he|she|it|they|that|i|we|you)['’](?:s|d|ll|re|ve|m)\b", re.IGNORECASE)
_PERSON_OF = {"he": "he", "his": "he", "she": "she", "her": "she", "it": "it", "its": "it"}
_LEADS_TO_PLACE_OR_TIME = frozenset(
    {"in", "at", "of", "the", "from", "for", "near", "to", "on", "a", "an", "as"}
)
_NAME = re.compile(r"(?P<before>[a-z]+)[ \"“*]+(?P<name>[A-Z][\w'’-]+(?: [A-Z][\w'’.-]*)*)")
_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


def opens_with_pronoun(fact: str) -> bool:
    """Whether a fact leaves open whom or what it is about; "It Happened One Night is a film" does not."""
    head = fact.lstrip("\"“'*_ ")
    return _PRONOUN.match(head) is not None or _CONTRACTED.match(head) is not None


def with_topic(fact: str, topic: str, sentences: Sequence[Sentence], index: int) -> str | None:
    """Puts the topic's name in place of a pronoun at the head of a fact.

    Args:
        fact: A fact that opens with a pronoun.
        topic: What the generation is about; a qualifier in brackets is left out.
        sentences: All sentences of the generation.
        index: The fact's own sentence.

    Returns:
        The fact with the name, or None where the pronoun may mean somebody else.
    """
    pronoun = _PRONOUN.match(fact)
    if pronoun is None or not (pronoun["subject"] or pronoun["possessive"]):
        return None
    if not _is_about_topic(_person(fact), topic, sentences, index):
        return None
    name = _QUALIFIER.sub("", topic)
    return name + ("'s" if pronoun["possessive"] else "") + fact[pronoun.end() :]


def _person(text: str) -> str | None:
    word = re.match(r"\w+", text.lstrip("\"“'*_ "))
    return _PERSON_OF.get(word[0].lower()) if word else None


def _is_about_topic(person: str | None, topic: str, sentences: Sequence[Sentence], index: int) -> bool:
    """Follows the pronoun back from sentence to sentence, up to the topic's name or the start of the text."""
    for position in range(index, -1, -1):
        text = sentences[position].text
        if sentences[position].kind not in {"prose", "list_item"}:
            continue
        if position < index and _names_another(text, topic):
            return False
        if _opens_with_name(text, topic):
            return not _names_another(text, topic)
        if person is None or _person(text) != person:
            return False
    return True


def _opens_with_name(text: str, topic: str) -> bool:
    first = re.match(r"(?:[Tt]he )?([\w'’-]+)", text.lstrip("\"“'*_ "))
    return first is not None and first[1].casefold() in _name_words(topic)


def _names_another(text: str, topic: str) -> bool:
    """Whether a text names somebody or something else, places, times and "was English" aside."""
    for match in _NAME.finditer(text):
        words = {word.casefold() for word in re.findall(r"\w+", match["name"])}
        described = match["before"] in {"is", "was"} and len(words) == 1
        if not (described or match["before"] in _LEADS_TO_PLACE_OR_TIME or words & _name_words(topic)):
            return True
    return False


def _name_words(topic: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"\w+", _QUALIFIER.sub("", topic)) if word[0].isupper()}
