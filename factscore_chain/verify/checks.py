"""What reading settles, whatever the models think: a number replaced, a denial on one side or on both.

Such facts are rare in the labels that the head is fitted on, so it learns little from them. On training
topics people support about one in three of those that are held down here; none made by an edit is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from factscore_chain.verify.denials import clauses
from factscore_chain.verify.lexicon import NEGATIONS, STOPWORDS, denies
from factscore_chain.verify.rivals import folded, is_kinship

MOST_IF_OTHERWISE = 0.3
"""The highest probability where the evidence says otherwise."""
LEAST_IF_RESTATED = 0.7
"""The lowest where both deny the same."""
_WORD = re.compile(r"\d+(?:[.,]\d+)*|\w+|[^\w\s]")
_YEAR = re.compile(r"\b1\d{3}\b|\b20\d{2}\b")
_ROUGHLY = frozenset(
    {"about", "almost", "approximately", "around", "fewer", "least", "less", "more", "most", "nearly"}
    | {"over", "roughly", "some", "than", "under", "up"}
)
_ENDS = frozenset(".!?")
_REACH = 3
_ONCE = frozenset({"born", "died"})
_YEAR = re.compile(r"1\d{3}|20\d{2}")
_MONTHS = frozenset(
    {"january", "february", "march", "april", "may", "june", "july", "august", "september", "october"}
    | {"november", "december"}
)
_EXACT = 1e-4


def limits(
    features: Mapping[str, float], fact: str, evidence: str, subject: str | None = None
) -> tuple[float, float]:
    """Between what a fact's probability must lie.

    Args:
        features: Those of its alignment, by name.
        fact: The fact.
        evidence: The sentences that match it best.
        subject: Whom it is about, if that is known.
    """
    words, told = _WORD.findall(fact), _WORD.findall(evidence)
    denied = _denied(words, told, subject)
    if denies(words) and (denied or _excludes(words, told)):
        return LEAST_IF_RESTATED, 1.0
    if denied or features["only_fact_denies"] or _replaced(words, told, features):
        return 0.0, MOST_IF_OTHERWISE
    return 0.0, 1.0


def tells_of_another_time(features: Mapping[str, float], fact: str, evidence: str) -> bool:
    """Whether the evidence has other years than the fact, and more than the year is another.

    "A partner at A in 2019" and "an adviser of B since 2025" are both true of one person; "born in 1966" and
    "born in 1967" are not. The arguments are those of `limits`.
    """
    asked, told = (set(_YEAR.findall(text)) for text in (fact, evidence))
    return bool(asked and told) and asked.isdisjoint(told) and not _alike(features)


def _alike(features: Mapping[str, float]) -> bool:
    """Whether every word finds its like in the best sentence, or another of its kind."""
    return features["best_over_half"] + features["rivals"] >= 1 - _EXACT


def _replaced(words: Sequence[str], told: Sequence[str], features: Mapping[str, float]) -> bool:
    """Whether a number, month or unit stands nowhere, and the best sentence has another one and all the rest.

    "More than 50" is no contradiction to 53, nor "his mother" to "her son".
    """
    missing = 1 - features["all_same"]
    if not 0 < features["rivals"] <= missing + _EXACT or not _alike(features):
        return False
    lower, said = ({word.lower() for word in one} for one in (words, told))
    return not lower & _ROUGHLY - said and not any(map(is_kinship, lower))


def _denied(words: Sequence[str], told: Sequence[str], subject: str | None) -> bool:
    """Whether a clause denies, by "not" or "never", what the fact states or denies, word for word.

    Of the subject's name the clause may have a pronoun; then it must deny just that, and nothing narrower.
    """
    if not any(_is_denial(told, place) for place in range(len(told))):
        return False
    asked = {
        folded(word)
        for word in words
        if word[0].isalnum() and word.lower() not in STOPWORDS and word.lower() not in NEGATIONS
    }
    said = asked - {folded(word) for word in _WORD.findall(subject or "")}
    marked = ["," if word in _ENDS else word for word in told]
    return any(
        (len(asked) > 1 and _denies_all(marked[part], asked)) or (said and _denies_just(marked[part], said))
        for part in clauses(marked)
    )


def _denies_all(clause: Sequence[str], asked: set[str]) -> bool:
    return any(
        asked <= set(after) and not asked.isdisjoint(after[:_REACH]) for after in _after_denials(clause)
    )


def _denies_just(clause: Sequence[str], said: set[str]) -> bool:
    """Whether what a denial reaches, to the end of its clause, is what is said of the subject."""
    for after in _after_denials(clause):
        content = {word for word in after if word.isalnum() and word not in STOPWORDS}
        if content == said:
            return True
    return False


def _after_denials(clause: Sequence[str]) -> Iterator[list[str]]:
    for place in range(len(clause)):
        if _is_denial(clause, place):
            yield [folded(one) for one in clause[place + 1 :]]


def _is_denial(words: Sequence[str], place: int) -> bool:
    word = words[place]
    return word.lower() in {"not", "never"} or (word == "t" and place > 0 and words[place - 1] in "'’")


def _excludes(words: Sequence[str], told: Sequence[str]) -> bool:
    """Whether a fact denies a place or year of birth or death, and the evidence has another one.

    Nobody is born twice: "born in Warsaw" says "not born in Paris". Of most other things it says nothing.
    """
    lower = [word.lower() for word in words]
    event = next((word for word in lower if word in _ONCE), None)
    denial = next((place for place, word in enumerate(lower) if word in NEGATIONS), None)
    if event is None or denial is None:
        return False
    denied, said = _values_in(words[denial:]), {word.lower() for word in told}
    marked = ["," if word in _ENDS else word for word in told]
    parts = [marked[part] for part in clauses(marked)]
    return any(
        event in map(str.lower, part) and not denies(part) and _other_value(denied, _values_in(part), said)
        for part in parts
    )


def _values_in(words: Sequence[str]) -> dict[str, set[str]]:
    """Years, and names that follow "in", by kind."""
    found: dict[str, set[str]] = {"year": set(), "place": set()}
    for before, word in pairwise(words):
        if _YEAR.fullmatch(word):
            found["year"].add(word)
        elif before.lower() in {"in", "at"} and word[:1].isupper() and word.lower() not in _MONTHS:
            found["place"].add(word.lower())
    return found


def _other_value(denied: Mapping[str, set[str]], said: Mapping[str, set[str]], told: set[str]) -> bool:
    """Whether every value that is denied stands nowhere in the evidence, and the like of it does."""
    kinds = [kind for kind, values in denied.items() if values]
    return bool(kinds) and all(said[kind] and denied[kind].isdisjoint(told) for kind in kinds)
