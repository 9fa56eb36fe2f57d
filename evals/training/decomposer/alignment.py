"""Which words of its sentence a human fact was made of.

People reword little: nearly all words of a fact stand in its sentence. A cheapest path through the fact's
words finds them, preferring neighbours, so that "in" is the "in" before "Oslo".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from factscore_chain.decompose.words import is_content, is_mark

_PRONOUNS = frozenset({"he", "she", "they", "him", "her", "them", "his", "hers", "their", "it", "its"})
_POSSESSIVES = frozenset({"his", "her", "its", "their"})
_ENDINGS = ("ingly", "edly", "ing", "ied", "ies", "ed", "es", "s")

_SKIP_CONTENT = 5.0
_SKIP_OTHER = 1.3
_OTHER_FORM = 0.6
_TOPIC_FOR_PRONOUN = 0.8
_USED_TWICE = 1.5
_LOOSE_FUNCTION_WORD = 0.8
"""For "in" without the word that follows it: a preposition goes with its noun, not with the verb before."""
_FAR_ARTICLE = 1.6
_ARTICLE_REACH = 3
_ARTICLES = frozenset({"a", "an", "the"})


class _Path(NamedTuple):
    cost: float
    positions: tuple[int, ...]


def align(fact: Sequence[str], sentence: Sequence[str], topic: Collection[str]) -> tuple[int, ...]:
    """Finds the words of a fact in its sentence.

    Args:
        fact: Words of the fact.
        sentence: Words of the sentence.
        topic: Words of the topic's name in lower case; a pronoun may stand for them and they for it.

    Returns:
        For each word of the fact its position in the sentence, or -1.
    """
    paths = {-1: _Path(0.0, ())}
    for word in fact:
        places = _places(word, sentence, topic)
        paths = _extend(paths, word, places, sentence)
    return min(paths.values()).positions


def _extend(
    paths: dict[int, _Path], word: str, places: dict[int, float], sentence: Sequence[str]
) -> dict[int, _Path]:
    skip = (_SKIP_CONTENT if is_content(word) else _SKIP_OTHER) if places else 0.0
    extended: dict[int, _Path] = {}
    for last, path in paths.items():
        _keep(extended, last, _Path(path.cost + skip, (*path.positions, -1)))
        for place, penalty in places.items():
            cost = path.cost + penalty + _jump(last, place)
            if 0 <= last != place - 1 and not is_content(sentence[last]):
                far = sentence[last].lower() in _ARTICLES and not last < place <= last + _ARTICLE_REACH
                cost += _FAR_ARTICLE if far else _LOOSE_FUNCTION_WORD
            if place in path.positions:
                cost += _USED_TWICE
            _keep(extended, place, _Path(cost, (*path.positions, place)))
    return extended


def _keep(paths: dict[int, _Path], last: int, path: _Path) -> None:
    if last not in paths or path.cost < paths[last].cost:
        paths[last] = path


def _jump(last: int, place: int) -> float:
    if last < 0:
        return 0.0
    if place == last + 1:
        return -0.3
    if place == last:
        return 2.0
    return 0.2 + 0.02 * (place - last) if place > last else 0.7 + 0.03 * (last - place)


def _places(word: str, sentence: Sequence[str], topic: Collection[str]) -> dict[int, float]:
    lower = word.lower()
    same = {i: 0.0 for i, other in enumerate(sentence) if other.lower() == lower}
    if same:
        return same
    if lower in _PRONOUNS:
        owns = lower in _POSSESSIVES
        return {
            i: _TOPIC_FOR_PRONOUN
            for i, other in enumerate(sentence)
            if (other.lower() in topic and is_content(other))
            or (other.lower() in _PRONOUNS and (other.lower() in _POSSESSIVES) == owns)
        }
    if lower in topic and is_content(word):
        return {i: _TOPIC_FOR_PRONOUN for i, other in enumerate(sentence) if other.lower() in _PRONOUNS}
    if not is_content(word):
        return {}
    return {
        i: _OTHER_FORM for i, other in enumerate(sentence) if is_content(other) and stem(other) == stem(word)
    }


def stem(word: str) -> str:
    """A word without its commonest English endings, for telling forms of one word."""
    lower = word.lower()
    for ending in _ENDINGS:
        if lower.endswith(ending) and len(lower) - len(ending) >= 3:
            lower = lower[: -len(ending)]
            break
    lower = lower[:-1] if len(lower) > 3 and lower[-1] == lower[-2] else lower
    return lower[:-1] if len(lower) > 3 and lower[-1] in "ey" else lower


def is_lost(word: str, position: int, topic: Collection[str]) -> bool:
    """Whether a word of a fact that carries information stands neither in the sentence nor in the topic."""
    return position < 0 and not is_mark(word) and is_content(word) and word.lower() not in topic
