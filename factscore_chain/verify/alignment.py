"""How well a fact's words are matched by the words of the evidence: the nonparametric check, learned.

The paper's nonparametric check (section 4.1, NP) asks how likely each token of a fact is given the
passages. Here each content word of the fact looks for its nearest word, by cosine of contextual vectors, in
every sentence of the evidence, and figures of that match are what a small trained head decides by. Every
feature compares the fact with the evidence; none describes only one of the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from factscore_chain.verify.denials import denial
from factscore_chain.verify.evidence import Evidence
from factscore_chain.verify.lexicon import content_positions, has_digit
from factscore_chain.verify.rivals import excluded
from factscore_chain.verify.words import Floats, Words, cosines

FEATURES = (
    "best_mean",
    "best_weighted",
    "best_least",
    "best_two_least",
    "best_over_half",
    "best_over_07",
    "pair_mean",
    "pair_least",
    "all_mean",
    "all_weighted",
    "all_least",
    "all_two_least",
    "all_over_07",
    "best_same",
    "pair_same",
    "all_same",
    "best_same_weighted",
    "all_same_weighted",
    "best_numbers",
    "all_numbers",
    "other_number",
    "rivals",
    "best_names",
    "best_names_least",
    "best_names_same",
    "all_names",
    "all_names_least",
    "all_names_same",
    "only_fact_denies",
    "only_evidence_denies",
    "best_sentence_cosine",
    "all_sentence_cosine",
    "neighbours_kept",
    "spread",
)
"""What the features are, in order.

"best" looks at the sentence that matches best, "pair" at it and the one that adds most to it, "all" at the
whole evidence. "weighted" counts rare words more; "same" is the share of words whose stem stands there;
"numbers" and "names" look at those words of the fact alone (1 if it has none). "other_number" marks a number
of the fact for which the best sentence has others; "rivals" is the share of words that it lacks and has
another number, month, unit or the like for (`rivals.py`); "only_fact_denies" and "only_evidence_denies"
compare the fact with the clause that matches it best; "neighbours_kept" is the share of adjacent words whose
matches stand near each other; "spread" is how far the matches lie apart.
"""

SETTLING = ("best_over_half", "rivals", "all_same", "only_fact_denies")
"""The features by which `checks.py` says what reading settles."""

_OVER_HALF = 0.5
_SAME_BONUS = 0.3
_NEAR = 4


@dataclass(frozen=True)
class Alignment:
    """A fact read against its evidence. Rows of the tables are content words of the fact."""

    fact: Words
    content: list[int]
    evidence: Evidence
    cosine: Floats
    """With each word of the evidence; at most 0 where that is another number, month or the like."""
    match: Floats
    """The largest cosine with a word of each sentence."""
    same: npt.NDArray[np.bool_]
    """Whether the word's stem stands in each sentence."""
    rivals: npt.NDArray[np.bool_]
    """Whether each sentence has another number, month or the like."""
    score: Floats
    """For each sentence, how well it matches the fact as a whole."""

    @cached_property
    def best(self) -> int:
        """Number of the sentence that matches best."""
        return int(self.score.argmax())

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The content words."""
        return tuple(self.fact.texts[i] for i in self.content)

    @property
    def best_words(self) -> slice:
        """The words of the best sentence."""
        return self.evidence.words_of(self.best)

    @cached_property
    def features(self) -> Floats:
        """In the order of `FEATURES`."""
        return np.array(_features(self), np.float32)

    def best_among(self, sentences: Sequence[int]) -> int:
        """Number of the sentence that matches best of some, at least one."""
        return sentences[int(self.score[sentences].argmax())]

    def settling(self, sentences: Sequence[int]) -> dict[str, float]:
        """The features `SETTLING`, as if some of the sentences, at least one, were all the evidence."""
        best = self.best_among(sentences)
        found = (
            (self.match[:, best] > _OVER_HALF).mean(),
            _share_of_rivals(self.rivals[:, best], self.same[:, best]),
            self.same[:, sentences].any(1).mean(),
            _denial(self, best)[0],
        )
        return {name: float(np.float32(value)) for name, value in zip(SETTLING, found, strict=True)}


def align(fact: Words, topic: str | None, evidence: Evidence) -> Alignment:
    """Aligns a fact with its evidence. Both must hold at least one word."""
    content = content_positions(fact.texts, topic)
    cosine = cosines(fact.vectors[content], evidence.vectors)
    rivals = excluded([fact.texts[i] for i in content], evidence.texts)
    cosine[rivals] = np.minimum(cosine[rivals], 0)
    match = np.maximum.reduceat(cosine, evidence.starts, axis=1)
    same = _same_stem(fact, content, evidence)
    score = (match.mean(0) + _SAME_BONUS * same.mean(0)).astype(np.float32)
    of_sentence = np.logical_or.reduceat(rivals, evidence.starts, axis=1)
    return Alignment(fact, content, evidence, cosine, match, same, of_sentence, score)


def _features(look: Alignment) -> list[float]:
    second = int(np.maximum(look.match, look.match[:, [look.best]]).mean(0).argmax())
    weight = look.fact.rarity[look.content] / look.fact.rarity[look.content].sum()
    return [
        *_cosine_features(look.match, look.best, second, weight),
        *_same_features(look.same, look.best, second, weight),
        *_number_and_name_features(look),
        *_sentence_features(look),
        *_order_features(look.cosine[:, look.best_words]),
    ]


def _same_stem(fact: Words, content: list[int], evidence: Evidence) -> npt.NDArray[np.bool_]:
    same = np.zeros((len(content), len(evidence.texts)), np.bool_)
    for row, position in enumerate(content):
        same[row, evidence.places.get(fact.stems[position], [])] = True
    return np.logical_or.reduceat(same, evidence.starts, axis=1)


def _two_least(values: Floats) -> float:
    return float(np.sort(values)[:2].mean())


def _cosine_features(match: Floats, best: int, second: int, weight: Floats) -> list[float]:
    one, every = match[:, best], match.max(1)
    pair = np.maximum(one, match[:, second])
    return [
        float(one.mean()),
        float(one @ weight),
        float(one.min()),
        _two_least(one),
        float((one > _OVER_HALF).mean()),
        float((one > 0.7).mean()),
        float(pair.mean()),
        float(pair.min()),
        float(every.mean()),
        float(every @ weight),
        float(every.min()),
        _two_least(every),
        float((every > 0.7).mean()),
    ]


def _same_features(same: npt.NDArray[np.bool_], best: int, second: int, weight: Floats) -> list[float]:
    one, every = same[:, best], same.any(1)
    return [
        float(one.mean()),
        float((one | same[:, second]).mean()),
        float(every.mean()),
        float(one @ weight),
        float(every @ weight),
    ]


def _number_and_name_features(look: Alignment) -> list[float]:
    texts = [look.fact.texts[i] for i in look.content]
    number = np.array([has_digit(text) for text in texts])
    name = np.array([text[:1].isupper() and i > 0 for text, i in zip(texts, look.content, strict=True)])
    stands = set(look.evidence.texts[look.best_words])
    others = {word for word in stands if has_digit(word)} - set(texts)
    lacking = any(has_digit(text) and text not in stands for text in texts)
    best, every = look.match[:, look.best], look.match.max(1)
    same, anywhere = look.same[:, look.best], np.asarray(look.same.any(1))
    return [
        _mean_of(same, number),
        _mean_of(anywhere, number),
        float(lacking and bool(others)),
        _share_of_rivals(look.rivals[:, look.best], same),
        _mean_of(best, name),
        _least_of(best, name),
        _mean_of(same, name),
        _mean_of(every, name),
        _least_of(every, name),
        _mean_of(anywhere, name),
    ]


def _share_of_rivals(rivals: npt.NDArray[np.bool_], same: npt.NDArray[np.bool_]) -> float:
    return float((rivals & ~same).mean())


def _mean_of(values: npt.NDArray[np.generic], chosen: npt.NDArray[np.bool_]) -> float:
    return float(values[chosen].astype(np.float32).mean()) if chosen.any() else 1.0


def _least_of(values: Floats, chosen: npt.NDArray[np.bool_]) -> float:
    return float(values[chosen].min()) if chosen.any() else 1.0


def _sentence_features(look: Alignment) -> list[float]:
    mean = look.fact.vectors.mean(0)
    cosine = look.evidence.sentence_vectors @ (mean / max(float(np.linalg.norm(mean)), 1e-9))
    return [*map(float, _denial(look, look.best)), float(cosine[look.best]), float(cosine.max())]


def _denial(look: Alignment, sentence: int) -> tuple[bool, bool]:
    of = look.evidence.words_of(sentence)
    return denial(look.fact.texts, look.evidence.texts[of], look.cosine[:, of])


def _order_features(cosine: Floats) -> list[float]:
    """Whether words that stand together in the fact are matched by words that stand together."""
    if len(cosine) < 2:
        return [1.0, 0.0]
    places = cosine.argmax(1)
    near = np.abs(np.diff(places)) <= _NEAR
    return [float(near.mean()), float(np.ptp(places)) / (len(places) + 5)]
