"""Finds the value that a passage has in the place of a wrong one: a date, a number, a name.

A value is taken only from a sentence that says the same as the fact but for that value, and only if it is the
one value of its kind there. Everything else is left to removal: a wrong correction is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from factscore_chain.decompose.words import is_content
from factscore_chain.edit.articles import with_its_article
from factscore_chain.edit.draft import Draft
from factscore_chain.edit.english import PASSING, ROUGHLY
from factscore_chain.edit.told import SAME_WORD, by_weight, told_sentences
from factscore_chain.edit.values import UNITS, Value, find_values
from factscore_chain.report import FactRecord
from factscore_chain.verify.lexicon import content_positions, denies, stem
from factscore_chain.verify.rivals import folded
from factscore_chain.verify.words import Words

_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")
_PART = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d]+")
_CALLED = frozenset({"noun", "adjective", "name"})
_BEFORE_DATES = frozenset({"(", ",", "to", "and", "–", "-", "born", "died", "year"})


@dataclass(frozen=True)
class Correction:
    """A value of the sentence, and the one that takes its place."""

    value: Value
    text: str
    passage: str
    """Id of the passage it comes from."""


def correction(draft: Draft, fact: FactRecord, own: frozenset[int], topic: str | None) -> Correction | None:
    """The correction of a fact; None unless exactly one value can be meant.

    Args:
        draft: The sentence.
        fact: The fact, with the passages that its verdict rests on.
        own: Origins of the words that state this fact and no other that has to stay.
        topic: What the text is about; its name is no value. Without one, the title of the passages that the
            fact names takes its place.
    """
    values = [one for one in find_values(draft) if _is_own(draft, one, own)]
    if not values or _is_passing(fact.text):
        return None
    named = topic or _title_named(fact)
    ours = not topic and named is not None
    for passage, sentence, fact_words, match in told_sentences(fact, named, ours=ours):
        told = Draft.of(sentence)
        subject = named or passage.title
        wrong = [one for one in values if not _stands_in(one, told) and not _is_subject(one, subject)]
        if len(wrong) != 1 or denies(fact_words.texts) != denies(told.lower):
            continue
        (value,) = wrong
        if _names_something_else(draft, value) or not _matches(match, _rest(fact_words, value, subject)):
            continue
        found = _replacement(value, told, draft, fact, named)
        if found is None:
            return None
        value, text = with_its_article(draft, value, told, found)
        if value.kind == "number" and isinstance(found, Value):
            text = _as_roughly(draft, value, told, found)
        return Correction(value, text, passage.id)
    return None


def _title_named(fact: FactRecord) -> str | None:
    """The title of the passages that the verdict rests on, if the fact names it."""
    said = set(map(stem, _PART.findall(fact.text.lower())))
    for passages in by_weight(fact):
        title = passages[0].title or ""
        name = list(map(stem, _PART.findall(_QUALIFIER.sub("", title).lower())))
        return title if name and said.issuperset(name) else None
    return None


def _is_own(draft: Draft, value: Value, own: frozenset[int]) -> bool:
    words = [i for i in range(value.start, value.end) if is_content(draft.tokens[i].text)]
    return bool(words) and all(draft.tokens[i].origin in own for i in words)


def _is_subject(value: Value, topic: str | None) -> bool:
    """Whether a value is the name of what the text is about, which a passage about it need not repeat."""
    said = set(map(stem, _PART.findall((topic or "").lower())))
    return {stem(part) for part in _PART.findall(value.text.lower())} <= said


def _stands_in(value: Value, told: Draft) -> bool:
    return set(value.text.lower().replace(",", " ").split()) <= set(told.lower)


def _names_something_else(draft: Draft, value: Value) -> bool:
    """A year that is part of a name ("the 2020 Games"), or whoever is said to say so ("according to")."""
    before = draft.lower[max(0, value.start - 3) : value.start]
    if value.kind == "date":
        return not before or not (before[-1] in _BEFORE_DATES or draft.tags[value.start - 1] == "preposition")
    return "according" in before


def _is_passing(fact: str) -> bool:
    return not PASSING.isdisjoint(fact.lower().replace(".", " ").split())


def _rest(words: Words, value: Value, topic: str | None) -> list[int]:
    """Positions of the fact's words other than the value's."""
    said = {folded(part) for part in _PART.findall(value.text)}
    measured = {unit for unit, name in UNITS.items() if name == value.of}
    return [i for i in content_positions(words.texts, topic) if words.stems[i] not in said | measured]


def _matches(match: dict[int, float], rest: Sequence[int]) -> bool:
    return bool(rest) and float(np.min([match[i] for i in rest])) >= SAME_WORD


def _replacement(
    value: Value, told: Draft, draft: Draft, fact: FactRecord, topic: str | None
) -> Value | str | None:
    """The one value of the told sentence that can stand in the place of a wrong one; of a date, its text."""
    found = list(find_values(told))
    if value.kind == "date":
        right = {one.text for one in find_values(draft) if one.kind == "date" and _stands_in(one, told)}
        return _date(value, [one for one in found if one.kind == "date" and one.text not in right])
    years = {one.year for one in find_values(Draft.of(fact.text)) if one.year}
    if not years <= {one.year for one in found}:
        return None
    candidates = [one for one in found if one.kind == value.kind]
    if value.kind == "number":
        candidates = [one for one in candidates if one.of == value.of]
    else:
        known = f"{draft.text} {fact.text} {topic or ''}".lower().replace(".", " ")
        candidates = [one for one in candidates if not _is_known(one, set(map(stem, known.split())))]
    texts = {one.text for one in candidates}
    if len(texts) != 1 or value.text in texts:
        return None
    if value.kind != "number" and not any(_is_placed_alike(draft, value, told, one) for one in candidates):
        return None
    return candidates[0]


def _as_roughly(draft: Draft, value: Value, told: Draft, found: Value) -> str:
    """The number as exactly as the passage has it: "about 120"."""
    before, told_before = draft.lower[max(0, value.start - 1)], told.lower[max(0, found.start - 1)]
    roughly = found.start and told_before in ROUGHLY and not (value.start and before in ROUGHLY)
    return f"{told_before} {found.text}" if roughly and value.start else found.text


def _is_placed_alike(draft: Draft, value: Value, told: Draft, other: Value) -> bool:
    """Whether two names stand in the like place: "born in Paris, France" and "born in Lyon, France"."""
    same = _governors(draft, value) == _governors(told, other)
    return same and _region(draft, value) <= set(told.lower)


def _governors(draft: Draft, value: Value) -> tuple[str, str]:
    """The preposition right before a name, and the stem of the last word before it that carries content."""
    start = _title_start(draft, value)
    before = [i for i in range(start) if draft.tags[i] != "determiner" and not draft.is_mark(i)]
    preposition = draft.lower[before[-1]] if before and draft.tags[before[-1]] == "preposition" else ""
    content = [stem(draft.lower[i]) for i in before if is_content(draft.tokens[i].text)]
    return preposition, content[-1] if content else ""


def _title_start(draft: Draft, value: Value) -> int:
    """Where what somebody is called begins, if that stands before the name: "the muralist Diego Rivera"."""
    start = value.start
    while start and draft.tokens[start - 1].text.islower() and draft.tags[start - 1] in _CALLED:
        start -= 1
    titled = value.kind == "person" and 0 < start < value.start
    return start if titled and draft.lower[start - 1] in ("the", "a", "an") else value.start


def _region(draft: Draft, value: Value) -> set[str]:
    """What a place is said to be part of: "France" after "Paris,"."""
    after = value.end + 1
    apart = draft.lower[value.end : after] == (",",) and after < draft.stop
    return {draft.lower[after]} if apart and draft.entities[after] == "place" else set()


def _is_known(value: Value, known: set[str]) -> bool:
    return any(stem(part) in known for part in value.text.lower().split())


def _date(value: Value, candidates: Sequence[Value]) -> str | None:
    """The one date of the sentence, with the parts that the wrong one has."""
    dates = {(one.day, one.month, one.year): one for one in candidates if value.parts <= one.parts}
    if len(dates) != 1:
        return None
    (found,) = dates.values()
    if all(getattr(found, part) == getattr(value, part) for part in value.parts):
        return None
    return (
        found.text if found.parts == value.parts and _order(found) == _order(value) else _like(value, found)
    )


def _order(date: Value) -> bool:
    """Whether a date begins with its day."""
    return date.text[:1].isdigit()


def _like(value: Value, found: Value) -> str:
    """A date with the parts of another one, in its order: "15 August 1915" as "August 15, 1915"."""
    day, month = re.sub(r"\D", "", found.day), found.month.capitalize()
    if "day" not in value.parts:
        return f"{month} {found.year}".strip() if "month" in value.parts else found.year
    named = f"{day} {month}" if _order(value) else f"{month} {day}"
    if "year" not in value.parts:
        return named
    return f"{named} {found.year}" if _order(value) else f"{named}, {found.year}"
