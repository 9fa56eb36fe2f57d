"""Finds the one word that a passage has in the place of a wrong one, where it is no date, number or name.

Stricter than for values, since any word could be meant: the passage's sentence has every other word of the
fact, and the two words are of one kind and stand between the same neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator

from factscore_chain.decompose.words import is_content
from factscore_chain.edit.correction import Correction
from factscore_chain.edit.draft import Draft
from factscore_chain.edit.english import PASSING
from factscore_chain.edit.told import SAME_WORD, told_sentences
from factscore_chain.edit.values import Value
from factscore_chain.report import FactRecord
from factscore_chain.verify.lexicon import denies, has_digit, stem

_KINDS = frozenset({"noun", "plural", "adjective"})
_NOUNS = frozenset({"noun", "plural", "name"})


def slot(draft: Draft, fact: FactRecord, own: frozenset[int], topic: str | None) -> Correction | None:
    """The correction of a fact by a word; None unless exactly one can be meant.

    Args:
        draft: The sentence.
        fact: The fact, with the passages that its verdict rests on.
        own: Origins of the words that state this fact and no other that has to stay.
        topic: What the text is about; its words need not stand in the passage's sentence.
    """
    if not PASSING.isdisjoint(fact.text.lower().split()):
        return None
    for passage, sentence, words, match in told_sentences(fact, topic, ours=False):
        told = Draft.of(sentence)
        if denies(words.texts) != denies(told.lower):
            continue
        known = set(map(stem, told.lower))
        wrong = [
            i for i in _single(draft) if draft.tokens[i].origin in own and stem(draft.lower[i]) not in known
        ]
        if len(wrong) != 1:
            continue
        (at,) = wrong
        rest = [value for position, value in match.items() if words.stems[position] != stem(draft.lower[at])]
        if not rest or len(rest) == len(match) or min(rest) < SAME_WORD:
            continue
        said = set(map(stem, draft.lower))
        found = {
            told.lower[i]
            for i in _single(told)
            if stem(told.lower[i]) not in said and _stands_alike(draft, at, told, i)
        }
        if len(found) == 1:
            (text,) = found
            return Correction(Value("word", at, at + 1, draft.tokens[at].text), text, passage.id)
    return None


def _single(draft: Draft) -> Iterator[int]:
    """Words that are no part of a name, a date, a number or a longer term."""
    for i in range(draft.stop):
        word, tag = draft.tokens[i].text, draft.tags[i]
        if tag not in _KINDS or draft.entities[i] or not word.islower() or has_digit(word):
            continue
        if is_content(word) and not any(start <= i < end for start, end in draft.units):
            yield i


def _stands_alike(draft: Draft, at: int, told: Draft, i: int) -> bool:
    """Whether two words are of one kind and have the same neighbours."""
    if draft.tags[at] != told.tags[i]:
        return False
    ours, theirs = _right(draft, at), _right(told, i)
    if draft.tags[at] == "adjective" or ours or theirs:
        return ours == theirs != ""
    return _left(draft, at) == _left(told, i)


def _right(draft: Draft, at: int) -> str:
    """The stem of the noun right behind a word, if one is."""
    after = at + 1
    return stem(draft.lower[after]) if after < draft.stop and draft.tags[after] in _NOUNS else ""


def _left(draft: Draft, at: int) -> tuple[str, str]:
    """The word before, but for an article, and the stem of the last one that carries content."""
    before = [i for i in range(at) if draft.tags[i] != "determiner" and not draft.is_mark(i)]
    content = [stem(draft.lower[i]) for i in before if is_content(draft.tokens[i].text)]
    return (draft.lower[before[-1]] if before else "", content[-1] if content else "")
