"""Which group a fact belongs to: where it stands, how well known its topic is, what kind of fact it is."""

from __future__ import annotations

import re
from typing import Literal

from factscore_chain.evals.labeled import LabeledGeneration

Kind = Literal["number", "name", "other"]

_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|million"
    r"|billion|first|second|third|twice|January|February|March|April|May|June|July|August|September|October"
    r"|November|December)\b"
)
_WORD = re.compile(r"\w[\w'’.-]*")
_FEWEST_FACTS = 3
_ORDER = (
    *("first", "middle", "last"),
    *("very rare", "rare", "medium", "freq", "very freq"),
    *("number", "name", "other"),
)


def kind_of(text: str, topic: str | None) -> Kind:
    """The kind of a fact, from its text alone.

    "number" if it has a digit, a number in words or a month; else "name" if it has a capitalised word that
    neither opens it nor belongs to the topic's name; else "other".
    """
    if _NUMBER.search(text):
        return "number"
    known = {word.casefold() for word in _WORD.findall(topic or "")}
    words = _WORD.findall(text)[1:]
    # A possessive of the topic's name is the topic's name.
    names = (re.sub(r"['’]s$|[.]$", "", word) for word in words if word[0].isupper())
    return "name" if any(name.casefold() not in known and name != "I" for name in names) else "other"


def position_of(index: int, facts: int) -> str | None:
    """The third of the generation that a fact stands in; None where there are too few facts to tell."""
    return None if facts < _FEWEST_FACTS else ("first", "middle", "last")[3 * index // facts]


def rarity_of(generation: LabeledGeneration) -> str | None:
    """How often the topic is read about, as FActScore's `cat` has it."""
    return generation.categories[0] if generation.categories else None


def region_of(generation: LabeledGeneration) -> str | None:
    """The region that the topic belongs to, as FActScore's `cat` has it."""
    return generation.categories[1] if len(generation.categories) > 1 else None


def reading_order(group: str) -> tuple[int, str]:
    """Sorts groups as people read them; groups of other data sets come last, by name."""
    return (_ORDER.index(group) if group in _ORDER else len(_ORDER), group)
