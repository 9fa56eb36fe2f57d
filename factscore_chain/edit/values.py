"""Values in a sentence: dates, numbers with what they count, names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from factscore_chain.decompose.markup import readable
from factscore_chain.edit.draft import Draft
from factscore_chain.edit.english import MONTHS, NUMBER_WORDS, SCALES
from factscore_chain.verify.lexicon import stem

_YEAR = re.compile(r"1\d{3}|20\d{2}")
_DAY = re.compile(r"(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?")
NAMED = frozenset({"person", "place", "organisation", "work"})
_ARTICLES = frozenset({"the", "a", "an"})
_INSIDE = frozenset({"of", "for", "the", "and"})
"""Words that stand inside a name and never at its end."""
_HEAD_LIST = """
university college school academy institute conservatory museum museums library bank church abbey battle
treaty house isle gulf bay sea strait republic kingdom duchy county city province ministry department
society association order council parliament court
"""
_HEADS = frozenset(_HEAD_LIST.split())
"""Words of names that go on with what it is of."""

UNITS = {
    stem(name): names[0]
    for names in (
        ("km", "kilometre", "kilometer"),
        ("m", "metre", "meter"),
        ("cm", "centimetre", "centimeter"),
        ("kg", "kilogram", "kilogramme"),
        ("mi", "mile"),
        ("ft", "foot", "feet"),
    )
    for form in names
    for name in (form, f"{form}s")
}
"""Units of measure by the stems of their spellings."""


@dataclass(frozen=True)
class Value:
    """A value and where it stands in its draft."""

    kind: str
    """"date", "number", or the kind of thing that a name names."""
    start: int
    end: int
    text: str
    of: str = ""
    """Of a number, the stem of what it counts or measures."""
    day: str = ""
    month: str = ""
    year: str = ""

    @property
    def parts(self) -> frozenset[str]:
        """Of a date, which parts it has."""
        return frozenset(name for name in ("day", "month", "year") if getattr(self, name))


def takes_article(name: str) -> bool:
    """Whether English says "the" before a name: "the University of Chile", but "Trinity College"."""
    words = name.lower().split()
    return "of" in words and words[words.index("of") - 1] in _HEADS


def find_values(draft: Draft) -> Iterator[Value]:
    """The values of a sentence, in order; none overlaps another."""
    at = 0
    while at < draft.stop:
        value = _date(draft, at) or _name(draft, at) or _number(draft, at)
        if value is not None:
            yield value
        at = value.end if value is not None else at + 1


def _date(draft: Draft, at: int) -> Value | None:
    """12 May 1912; May 12, 1912; May 1912; 12 May; 1912."""
    i, found = at, dict.fromkeys(("day", "month", "year"), "")
    while i < draft.stop:
        word = draft.lower[i]
        part = _date_part(draft, i)
        if part is not None and not found[part]:
            found[part] = MONTHS.get(word, word)
            i += 1
            if part == "year":
                break
        elif word == "," and found["month"] and i + 1 < draft.stop and _YEAR.fullmatch(draft.lower[i + 1]):
            i += 1
        else:
            break
    while i > at and draft.lower[i - 1] == ",":
        i -= 1
    if not (found["year"] or (found["month"] and found["day"])):
        return None
    return Value("date", at, i, _text(draft, at, i), **found)


def _date_part(draft: Draft, i: int) -> str | None:
    word = draft.lower[i]
    if _YEAR.fullmatch(word):
        return "year"
    if word in MONTHS and draft.tokens[i].text[0].isupper():
        return "month"
    near = (i + 1 < len(draft) and draft.lower[i + 1] in MONTHS) or (i and draft.lower[i - 1] in MONTHS)
    return "day" if near and _DAY.fullmatch(word) else None


def _number(draft: Draft, at: int) -> Value | None:
    word = draft.lower[at]
    if not (word[0].isdigit() or word in NUMBER_WORDS):
        return None
    end = at + 1
    while end < draft.stop and (draft.lower[end] in SCALES or draft.lower[end] in NUMBER_WORDS):
        end += 1
    counted = next(
        (i for i in range(end, min(end + 4, draft.stop)) if draft.tags[i] in ("noun", "plural")), None
    )
    unit = draft.lower[end - 1] if draft.lower[end - 1] in ("%", "percent") else ""
    noun = stem(draft.lower[counted]) if counted is not None else ""
    of = "%" if unit else UNITS.get(noun, noun)
    return Value("number", at, end, _text(draft, at, end), of=of) if of else None


def _name(draft: Draft, at: int) -> Value | None:
    entity = draft.entities[at]
    if entity not in NAMED or draft.lower[at] in _ARTICLES or draft.is_mark(at):
        return None
    end = at + 1
    while (
        end < draft.stop and draft.entities[end] == entity and draft.lower[end] not in {",", "and", "or", "("}
    ):
        end += 1
    while draft.is_mark(end - 1) or draft.lower[end - 1] in ("'s", "’s") or draft.lower[end - 1] in _INSIDE:
        end -= 1
    end = _with_what_it_is_of(draft, end)
    return Value(entity, at, end, _text(draft, at, end)) if draft.tokens[at].text[0].isupper() else None


def _with_what_it_is_of(draft: Draft, end: int) -> int:
    """Past "of Chile" in "University of Chile": the tagger may call the second name one of its own."""
    head = draft.lower[end - 1] in _HEADS
    at = end + 1 + (draft.lower[end + 1 : end + 2] == ("the",))
    if (
        not head
        or draft.lower[end : end + 1] != ("of",)
        or at >= draft.stop
        or not _is_spelled_large(draft, at)
    ):
        return end
    end = at + 1
    while end < draft.stop and _is_spelled_large(draft, end):
        end += 1
    return end


def _is_spelled_large(draft: Draft, i: int) -> bool:
    return draft.tokens[i].text[0].isupper() and not draft.is_mark(i)


def _text(draft: Draft, start: int, end: int) -> str:
    return readable("".join(token.gap + token.text for token in draft.tokens[start:end]).strip())
