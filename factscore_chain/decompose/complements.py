"""What a noun is the noun of, and what singles it out, goes into a fact with the noun.

"Osaka is the capital of Japan" is no fact about "the capital", nor about what is "of Japan"; and who owned
"the first car of the town" may have owned many of its cars.
"""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.noun_phrases import INSIDE, MOST, phrase_end, phrase_start
from factscore_chain.decompose.tagger import NOUNS, Part, Tagged
from factscore_chain.decompose.words import Word

_BE = frozenset({"is", "was", "are", "were", "be", "been", "became", "becomes", "become"})
_SINGLING_OUT_LIST = (
    "first second third fourth fifth sixth seventh eighth ninth tenth last latest only sole final next"
    " previous current most least best worst main"
)
_SINGLING_OUT = frozenset(_SINGLING_OUT_LIST.split())


def keep_complements(words: Sequence[Word], tagged: Tagged, parts: list[Part]) -> None:
    """Makes "the NOUN of NAME" whole of which a part is chosen, in place, and its superlative with it."""
    for at in range(1, len(words) - 1):
        if words[at].lower == "of" and tagged.tags[at - 1] in NOUNS:
            _join(words, tagged, parts, at)
    for at in range(1, len(words)):
        if tagged.tags[at] in NOUNS:
            _single_out(words, tagged, parts, at)


def _join(words: Sequence[Word], tagged: Tagged, parts: list[Part], at: int) -> None:
    """Brings a noun and what follows its "of" together, where one of the two is chosen."""
    start, end = phrase_start(words, tagged, at - 1), phrase_end(words, tagged, at + 1)
    head, chosen = parts[at - 1], {parts[i] for i in range(at + 1, end)} - {"out"}
    if head == "out" and parts[at] != "out" and chosen == {parts[at]}:
        parts[start], parts[at - 1] = parts[at], parts[at]
    elif head != "out" and parts[at] == "out" and _is_the_one(words, tagged, start, at, end):
        parts[at:end] = [head] * (end - at)


def _is_the_one(words: Sequence[Word], tagged: Tagged, start: int, at: int, end: int) -> bool:
    """Whether a phrase says who somebody is: "is the capital of Japan"; no series follows its "of"."""
    follows = words[end].lower if end < len(words) else ""
    return (
        at + 1 < end
        and start > 0
        and words[start].lower == "the"
        and words[start - 1].lower in _BE
        and tagged.tags[at - 1] == "noun"
        and follows not in ("and", "or", "&")
    )


def _single_out(words: Sequence[Word], tagged: Tagged, parts: list[Part], noun: int) -> None:
    """Takes in "first", "only" or "largest" before a chosen noun, and the noun behind a chosen one."""
    start = phrase_start(words, tagged, noun)
    if words[start].lower != "the":
        return
    singled = [i for i in range(start + 1, noun) if _singles_out(words, tagged, i)]
    chosen = [parts[i] for i in singled if parts[i] != "out"]
    if parts[noun] == "out" and chosen and _ends(tagged, noun):
        parts[noun] = chosen[-1]
    for i in singled if parts[noun] != "out" else ():
        if parts[i] == "out":
            parts[i] = parts[noun]
            if words[i].lower in MOST:
                parts[i + 1] = parts[noun]
    if singled and parts[noun] != "out" and _ends(tagged, noun):
        _join_infinitive(words, tagged, parts, start, noun)


def _join_infinitive(words: Sequence[Word], tagged: Tagged, parts: list[Part], start: int, noun: int) -> None:
    """Goes on to what somebody was the first to do; many were first at something."""
    verb = noun + 2
    if verb < len(words) and words[noun + 1].lower == "to" and tagged.tags[verb] == "infinitive":
        end = max(phrase_end(words, tagged, verb + 1), verb + 1)
        parts[start:end] = [parts[noun]] * (end - start)


def _ends(tagged: Tagged, noun: int) -> bool:
    """Whether a noun is the last of its phrase."""
    return noun + 1 >= len(tagged.tags) or tagged.tags[noun + 1] not in INSIDE


def _singles_out(words: Sequence[Word], tagged: Tagged, i: int) -> bool:
    lower = words[i].lower
    return lower in _SINGLING_OUT or (tagged.tags[i] == "adjective" and lower.endswith("est"))
