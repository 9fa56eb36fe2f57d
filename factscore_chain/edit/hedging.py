"""Marks what is not supported as unverified, in wording that stays the same from one run to the next."""

from __future__ import annotations

import re

from factscore_chain.decompose.words import is_mark
from factscore_chain.edit.draft import Draft

LEAD = "According to an unverified claim,"
"""Stands before a sentence of which nothing is supported."""
MARK = "(unverified)"
"""Stands after the words that are not supported, where others are."""
_MARKS = re.compile(rf"^{re.escape(LEAD)} | ?{re.escape(MARK)}")
_NOMINAL = frozenset({"noun", "plural", "name", "number"})


def is_marked(text: str) -> bool:
    """Whether the words of this module stand in a sentence already."""
    return text.startswith(LEAD) or MARK in text


def without_marks(text: str) -> tuple[str, list[int]]:
    """A sentence without the words of this module, and the place in `text` of each character that is left."""
    marks = {place for found in _MARKS.finditer(text) for place in range(*found.span())}
    places = [place for place in range(len(text)) if place not in marks]
    return "".join(text[place] for place in places), places


def only_marks(sentence: str, edited: str) -> bool:
    """Whether an edit did no more than mark a sentence as unverified."""
    plain, _ = without_marks(edited)
    # Behind the lead a sentence may begin small.
    same_start = plain[:1].lower() == sentence[:1].lower()
    return edited != sentence and same_start and plain[1:] == sentence[1:]


def hedge_sentence(draft: Draft) -> str:
    """The whole sentence as an unverified claim."""
    first = draft.tokens[0].text
    spelled = draft.tags[0] == "name" or draft.entities[0] not in ("", "date") or first == "I"
    spelled = spelled and draft.lower[0] not in ("the", "a", "an")
    acronym = len(first) > 1 and first.isupper()
    head = first if spelled or acronym or not first[:1].isalpha() else first[:1].lower() + first[1:]
    return f"{LEAD} {head}{draft.text[len(first) :]}"


def hedge_words(draft: Draft, target: frozenset[int]) -> Draft:
    """The sentence with a mark after the last of some words, given by their origins."""
    end = max(i for i, token in enumerate(draft.tokens) if token.origin in target) + 1
    end = next((b for a, b in draft.units if a < end < b), end)
    while end < draft.stop and draft.tags[end] in _NOMINAL and draft.tags[end - 1] in ("adjective", "noun"):
        end += 1
    return draft.changed((), {end: (MARK,)}) if end < len(draft) else _at_end(draft)


def _at_end(draft: Draft) -> Draft:
    text = draft.text
    ended = bool(text) and is_mark(text[-1])
    return Draft.of(f"{text[:-1]} {MARK}{text[-1]}" if ended else f"{text} {MARK}")
