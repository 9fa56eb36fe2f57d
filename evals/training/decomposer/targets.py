"""What the networks are to say of a sentence: its anchors, and each fact's words by their part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from factscore_chain.decompose.tagger import INSERTIONS
from factscore_chain.decompose.words import is_content, is_mark, split_words
from factscore_chain.evals.training.decomposer.alignment import align, is_lost
from factscore_chain.evals.training.decomposer.corpus import FactRow

OUT, SUBJECT, PREDICATE = range(3)
_DROPPED = frozenset({"the", "also", "only", "later"})
_PRONOUNS = frozenset({"he", "she", "they", "it", "his", "her", "their", "its"})
_MOST_LOST = 1


class FactTarget(NamedTuple):
    """One fact as the second network sees it."""

    parts: tuple[int, ...]
    insertion: int
    of_topic: bool
    """Whether the topic is its subject."""


class AnchoredFact(NamedTuple):
    """A fact and the word that it hangs on."""

    word: int
    kind: int
    fact: FactTarget


def fact_target(row: FactRow, fact: str, predicate_at: int) -> FactTarget | None:
    """Aligns a fact; None if too much of it stands nowhere in the sentence.

    Args:
        row: The sentence it was made of.
        fact: The fact.
        predicate_at: Character position in the fact where its predicate begins.
    """
    sentence = [word.text for word in split_words(row.sentence)]
    topic = {word.lower for word in split_words(row.topic)}
    words = split_words(fact)
    positions = align([word.text for word in words], sentence, topic)
    parts = [OUT] * len(sentence)
    inserted: list[str] = []
    lost = 0
    for word, position in zip(words, positions, strict=True):
        lost += is_lost(word.text, position, topic)
        in_predicate = word.start >= predicate_at
        if position >= 0 and parts[position] == OUT:
            parts[position] = PREDICATE if in_predicate else SUBJECT
        elif position < 0 and in_predicate and PREDICATE not in parts and not is_content(word.text):
            inserted.append(word.lower)
    if lost > _MOST_LOST or PREDICATE not in parts:
        return None
    subject = {word.lower for word in words if word.start < predicate_at and not is_mark(word.text)}
    of_topic = bool(subject) and subject <= topic | _PRONOUNS | {"the"}
    return FactTarget(tuple(parts), insertion_class(inserted), of_topic)


def insertion_class(words: Sequence[str]) -> int:
    """The member of `INSERTIONS` that comes nearest to the function words between subject and predicate."""
    wanted = " ".join("a" if word == "an" else word for word in words if word not in _DROPPED)
    if wanted in INSERTIONS:
        return INSERTIONS.index(wanted)
    longest_first = sorted(filter(None, INSERTIONS), key=len, reverse=True)
    near = next((one for one in longest_first if wanted.startswith(one)), "")
    return INSERTIONS.index(near)


def anchored(words: Sequence[str], facts: Sequence[FactTarget]) -> list[AnchoredFact]:
    """Gives each distinct fact a word of its own: the one that the fewest other facts have.

    A fact hangs on its predicate (kind 1), unless that is shared ("The Hobbit is a book", where all the books
    are called "books"): then on its subject (kind 2).
    """
    counts = Counter(i for fact in facts for i, part in enumerate(fact.parts) if part != OUT)
    taken: set[tuple[int, int]] = set()
    found: list[AnchoredFact] = []
    by_size = sorted(facts, key=lambda fact: (not fact.of_topic, sum(map(bool, fact.parts))))
    seen: set[tuple[int, ...]] = set()
    for fact in by_size:
        if fact.parts in seen:
            continue
        seen.add(fact.parts)
        for option in _options(words, fact, counts):
            if option not in taken:
                taken.add(option)
                found.append(AnchoredFact(*option, fact))
                break
    return found


def _options(words: Sequence[str], fact: FactTarget, counts: Counter[int]) -> list[tuple[int, int]]:
    content = [i for i, part in enumerate(fact.parts) if part != OUT and is_content(words[i])]
    predicate = [i for i in content if fact.parts[i] == PREDICATE]
    predicate.sort(key=lambda i: (counts[i], -i))
    subject = [(i, 2) for i in content if fact.parts[i] == SUBJECT][-1:]
    by_predicate = [(i, 1) for i in predicate]
    if fact.of_topic:
        return by_predicate
    unshared = bool(predicate) and counts[predicate[0]] == 1
    return by_predicate + subject if unshared else subject + by_predicate
