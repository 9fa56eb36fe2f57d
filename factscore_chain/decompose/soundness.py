"""Whether the words chosen for a fact still hang together; what does not is no fact."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from factscore_chain.decompose.noun_phrases import INSIDE
from factscore_chain.decompose.phrases import is_auxiliary, verb_group
from factscore_chain.decompose.subjects import series_goes_on
from factscore_chain.decompose.tagger import Tagged
from factscore_chain.decompose.words import MODALS, Word

_QUOTES = frozenset('"“‘«')
_NAMING = frozenset(
    {"(", '"', "“", "née", "known", "called", "named", "or", "aka", "born", "nicknamed", "is", "was"}
)
_LEADS = frozenset({"preposition", "adverb", "number", "other"})
_TIMES = frozenset(
    {"year", "years", "month", "months", "day", "days", "week", "weeks", "decade", "century", "time"}
)
_NEGATIONS = frozenset({"no", "not", "never", "neither", "nobody", "none"})


def is_sound(words: Sequence[Word], tagged: Tagged, subject: Sequence[int], predicate: Sequence[int]) -> bool:
    """Whether a subject and a predicate, as indices of words in the order of reading, make a statement.

    No link without what it links ("between and"), no modal without its verb, nobody who is somebody else
    because both are named, nothing that is done by what it is done to.
    """
    return not (
        _has_loose_link(words, tagged, predicate)
        or _has_loose_modal(words, tagged, predicate)
        or _takes_for_another(words, tagged, subject, predicate)
        or _is_object(tagged, subject, predicate)
        or _is_one_of_several(words, tagged, predicate)
    )


def may_lead(words: Sequence[Word], tagged: Tagged, lead: Sequence[int]) -> bool:
    """Whether words that stand before a verb may be read after it: a time, a place, a manner."""
    first = lead[0]
    is_time = any(words[i].lower in _TIMES for i in lead) or tagged.entities[first] == "date"
    negates = any(words[i].lower in _NEGATIONS for i in lead)
    return (
        is_time or negates or (tagged.tags[first] in _LEADS and tagged.tags[lead[-1]] not in ("preposition",))
    )


def without_loose_words(words: Sequence[Word], tagged: Tagged, predicate: Sequence[int]) -> list[int]:
    """A predicate without links that have lost what they linked, and auxiliaries that have lost their verb.

    "awarded the Companion [of the] in 1999"; "has [held posts,] serving as director" becomes "serving ...".
    """
    kept = [*predicate]
    for at in range(len(kept) - 2, -1, -1):
        one, other = kept[at], kept[at + 1]
        gerund = tagged.tags[other] == "gerund" and other != one + 1
        if _is_loose(words, tagged, one, other) or (gerund and _lacks_verb(words, tagged, one, kept)):
            del kept[at]
    return kept


def _is_loose(words: Sequence[Word], tagged: Tagged, one: int, other: int) -> bool:
    """Whether a preposition or an article is followed by nothing that it may stand before."""
    tags = tagged.tags
    opens_title = words[other].text in _QUOTES or words[other].text[0].isupper()
    if other == one + 1 or tags[one] not in ("preposition", "determiner") or opens_title:
        return False
    if tags[one] == "determiner":
        return tags[other] in ("preposition", "conjunction", "participle", "finite")
    return tags[other] in ("preposition", "finite") and tags[one + 1] in (*INSIDE, "determiner")


def _lacks_verb(words: Sequence[Word], tagged: Tagged, auxiliary: int, chosen: Sequence[int]) -> bool:
    if tagged.tags[auxiliary] != "finite" or not is_auxiliary(words, tagged, auxiliary):
        return False
    group = verb_group(tagged, auxiliary)
    return bool(group) and not set(group) & set(chosen)


def _has_loose_link(words: Sequence[Word], tagged: Tagged, predicate: Sequence[int]) -> bool:
    """Whether a link stands last or before a conjunction, away from what it linked."""
    tags, last = tagged.tags, predicate[-1]
    before_joint = any(
        tags[one] in ("preposition", "determiner") and other != one + 1 and tags[other] == "conjunction"
        for one, other in pairwise(predicate)
    )
    goes_on = last + 1 < len(words) and tags[last + 1] in (*INSIDE, "determiner", "pronoun")
    return before_joint or (tags[last] in ("preposition", "conjunction") and goes_on)


def _has_loose_modal(words: Sequence[Word], tagged: Tagged, predicate: Sequence[int]) -> bool:
    return any(words[i].lower in MODALS and _lacks_verb(words, tagged, i, predicate) for i in predicate)


def _takes_for_another(
    words: Sequence[Word], tagged: Tagged, subject: Sequence[int], predicate: Sequence[int]
) -> bool:
    """Whether a copula would be put between two people's names that the sentence does not call the same."""
    if not subject or any(tagged.tags[i] == "finite" for i in predicate):
        return False
    named = [tagged.entities[i] == "person" for i in (*subject, *predicate)]
    first, second = (
        sorted((max(subject), predicate[0])) if max(subject) < predicate[0] else (predicate[-1], subject[0])
    )
    between = {words[i].lower for i in range(first + 1, second)}
    return all(named) and not between & _NAMING


def _is_object(tagged: Tagged, subject: Sequence[int], predicate: Sequence[int]) -> bool:
    """Whether the subject is what a gerund is done to: "after studying law" says nothing that law does."""
    at = predicate[0]
    after = tagged.tags[at] == "gerund" and at > 0 and tagged.tags[at - 1] == "preposition"
    return bool(subject) and after and 0 < subject[0] - at <= 2


def _is_one_of_several(words: Sequence[Word], tagged: Tagged, predicate: Sequence[int]) -> bool:
    """Whether a place is said to lie in another of its series: "by France, Spain and Portugal"."""
    start = predicate[0]
    alone = all(tagged.entities[i] == "place" for i in predicate)
    after_place = start > 1 and words[start - 1].text == "," and tagged.entities[start - 2] == "place"
    return alone and after_place and series_goes_on(words, tagged, predicate[-1] + 1)
