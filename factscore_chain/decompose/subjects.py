"""Whom or what a fact is about, with all the words that say which."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.noun_phrases import INSIDE, run_start
from factscore_chain.decompose.tagger import NOUNS, Part, Tagged
from factscore_chain.decompose.words import Word

_JOINED_LIST = "and or & nor both neither either , such as of"
_JOINED = frozenset(_JOINED_LIST.split())
_OWNERS = frozenset({"'s", "’s", "'", "’"})


def first_verb(tagged: Tagged, parts: Sequence[Part]) -> int | None:
    """Index of the finite verb of a predicate; None if it has none."""
    return next(
        (i for i, part in enumerate(parts) if part == "predicate" and tagged.tags[i] == "finite"), None
    )


def whole_subject(
    words: Sequence[Word], tagged: Tagged, parts: Sequence[Part], subject: list[int]
) -> list[int]:
    """A subject with the others that share its verb, or with what stands before its noun.

    "Copper, tin and zinc are metals" is about all three, "Saturn's largest moon" about no other moon.
    """
    subject = _without_manner(words, tagged, _nearest(tagged, parts, subject))
    joint = _joint_subject(words, tagged)
    if subject and joint and set(subject) <= set(joint):
        return [*joint]
    if subject and tagged.tags[subject[-1]] in NOUNS and all(tagged.tags[i] in INSIDE for i in subject):
        return _with_owner(words, tagged, subject)
    return subject


def place_before(words: Sequence[Word], tagged: Tagged, predicate: Sequence[int]) -> list[int]:
    """The place that another place right behind it says more of: "Lorain" in "in Lorain, Ohio"."""
    start = predicate[0]
    after_comma = start > 1 and words[start - 1].text == "," and tagged.entities[start] == "place"
    if not after_comma or series_goes_on(words, tagged, predicate[-1] + 1):
        return []
    begin = start - 1
    while begin and tagged.entities[begin - 1] == "place" and words[begin - 1].text != ",":
        begin -= 1
    return [*range(begin, start - 1)]


def series_goes_on(words: Sequence[Word], tagged: Tagged, at: int) -> bool:
    """Whether "and" and another place follow."""
    return (
        at + 1 < len(words) and words[at].lower in ("and", "or", "&") and tagged.entities[at + 1] == "place"
    )


def owned_before(words: Sequence[Word], tagged: Tagged, predicate: Sequence[int]) -> range:
    """What "whose" stands before, if the verb is its own: "husband" in "whose husband was"; else empty."""
    verb = next((i for i in predicate if tagged.tags[i] == "finite"), 0)
    owned = range(run_start(words, tagged, verb), verb)
    return owned if owned and owned[0] and words[owned[0] - 1].lower == "whose" else range(0)


def _nearest(tagged: Tagged, parts: Sequence[Part], subject: list[int]) -> list[int]:
    """The subject right before the last verb of a predicate, where one of those chosen stands there."""
    verbs = [i for i, part in enumerate(parts) if part == "predicate" and tagged.tags[i] == "finite"]
    end = verbs[-1] if len(verbs) > 1 else 0
    while end and tagged.tags[end - 1] == "adverb":
        end -= 1
    start = end
    while start and parts[start - 1] == "subject" and tagged.tags[start - 1] in (*INSIDE, "determiner"):
        start -= 1
    return [*range(start, end)] or subject


def _without_manner(words: Sequence[Word], tagged: Tagged, subject: list[int]) -> list[int]:
    """A subject without what says when or how it did something: "after studying law, she"."""
    if not subject:
        return subject
    first, before = tagged.tags[subject[0]], tagged.tags[max(0, subject[0] - 1)]
    if first != "preposition" and not (first == "gerund" and before == "preposition"):
        return subject
    comma = next((k for k, i in reversed(list(enumerate(subject))) if words[i].text == ","), len(subject))
    return subject[comma + 1 :]


def _joint_subject(words: Sequence[Word], tagged: Tagged) -> range | None:
    """The words before the first verb, if they are several things or people that share it."""
    verb = next((i for i, tag in enumerate(tagged.tags) if tag == "finite"), 0)
    region = range(verb)
    while region and tagged.tags[region[-1]] == "adverb":
        region = region[:-1]
    lower = [words[i].lower for i in region]
    if not {"and", "or", "nor"} & set(lower) or lower[-1] == "," or "of" in lower:
        return None
    fits = all(
        tagged.tags[i] in INSIDE or words[i].lower in _JOINED or words[i].lower == "the" for i in region
    )
    # One name may hold an "and": "Simon and Garfunkel".
    return region if fits and all(word not in ("a", "an") for word in lower) else None


def _with_owner(words: Sequence[Word], tagged: Tagged, subject: list[int]) -> list[int]:
    """A noun with whose it is: "Saturn's largest moon"."""
    noun = subject[-1]
    owner = run_start(words, tagged, noun) - 1
    if owner < 1 or words[owner].text not in _OWNERS:
        return subject
    while owner and (tagged.tags[owner - 1] in INSIDE or words[owner - 1].text in _OWNERS):
        owner -= 1
    if owner and tagged.tags[owner - 1] == "determiner":
        owner -= 1
    return [*range(owner, noun + 1)]
