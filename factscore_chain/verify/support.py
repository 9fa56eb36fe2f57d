"""Features and probability of a fact given its passages: alignment and cross-encoder, joined by the head."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path

import numpy as np

from factscore_chain.errors import UsageError
from factscore_chain.values import Claim
from factscore_chain.verify.alignment import FEATURES, Alignment, align
from factscore_chain.verify.checks import MOST_IF_OTHERWISE, limits, tells_of_another_time
from factscore_chain.verify.cross_encoder import CLASSES, CrossEncoder, Pair
from factscore_chain.verify.evidence import Evidence
from factscore_chain.verify.head import TreeHead, read_head
from factscore_chain.verify.lexicon import is_word
from factscore_chain.verify.reading import Reader
from factscore_chain.verify.renamed import names_another
from factscore_chain.verify.selection import choose_sentences, evidence_text
from factscore_chain.verify.subject import about, own_sentences, subject_of
from factscore_chain.verify.words import Floats, Words
from factscore_chain.verify.years import tells_of_another_matter

CROSS_FEATURES = ("cross_supported", "cross_contradicted")
"""Log odds of the cross-encoder: "supported" against the rest, "contradicted" against "no evidence"."""
COLUMNS = (*FEATURES, *CROSS_FEATURES)
"""What the head reads."""
SAME_MATTER = 0.5
"""Share of a fact's words matched or replaced in its best sentence from which both are about one matter.

Set on FEVER: 95 % of 200 claims with the evidence of other claims stay below 0.33, 75 % of 200 refuted claims
reach 0.53.
"""

TOKENIZER = Path(str(files("factscore_chain.models") / "encoder" / "tokenizer.json"))
"""The encoder's own: the cross-encoder grew from the same model."""
MODEL_FOLDER = Path(str(files("factscore_chain.models") / "verifier"))


@dataclass(frozen=True)
class Read:
    """A claim read: its features, and the passages that bear on it."""

    row: Floats
    """In the order of `COLUMNS`."""
    passages: tuple[int, ...]
    """Numbers of the passages of the chosen sentences, the best first."""
    limits: tuple[float, float]
    """Between what the probability must lie (see `checks.py`)."""
    free: bool = False
    """Whether it is not known whom the claim is about."""
    other_time: bool = False
    """Whether its sentences tell of another matter, of other years."""
    against: tuple[int, ...] = ()
    """Numbers of passages that plainly say otherwise than the best one, as far as reading settles it."""
    renamed: tuple[int, ...] = ()
    """Numbers of passages that say the same with another name."""

    @property
    def contradicted(self) -> bool:
        """Whether, if it is not supported, a sentence speaks of the same thing and says otherwise.

        The cross-encoder alone sees contradictions where nothing is said at all; that nearly all words of
        the fact find their like in one sentence, or another number or kind in their place, tells the two
        apart. What somebody did in other years contradicts nothing.
        """
        match = self._value("best_mean") + self._value("rivals")
        return match >= SAME_MATTER and self._value("cross_contradicted") > 0 and not self.other_time

    def _value(self, name: str) -> float:
        return float(self.row[COLUMNS.index(name)])


@dataclass(frozen=True)
class Draft:
    """A claim aligned, its sentences chosen, not yet read by the cross-encoder."""

    features: Floats
    """In the order of `FEATURES`."""
    pair: Pair
    passages: tuple[int, ...]
    most: float = 1.0
    """The highest probability that the subject's own page, and years of another matter, leave."""
    subject: str | None = None
    """Whom the fact is about, if that is known."""
    against: tuple[int, ...] = ()
    """Numbers of passages that say otherwise than the best one."""
    renamed: tuple[int, ...] = ()
    """Numbers of passages that say the same with another name."""

    @property
    def limits(self) -> tuple[float, float]:
        """Between what the probability must lie, whatever the head says."""
        least, most = limits(_named(self.features), self.pair.fact, self.pair.evidence, self.subject)
        return min(least, self.most), min(most, self.most)

    def completed(self, logits: Floats) -> Read:
        """The claim read, given the cross-encoder's logits of its pair."""
        row = np.concatenate([self.features, cross_features(logits)])
        other_time = tells_of_another_time(_named(self.features), self.pair.fact, self.pair.evidence)
        free = self.subject is None
        return Read(row, self.passages, self.limits, free, other_time, self.against, self.renamed)


class Support:
    """Reads claims and gives probabilities; every model is loaded at its first use."""

    def __init__(self, folder: Path = MODEL_FOLDER, reader: Reader | None = None) -> None:
        self.reader = reader or Reader()
        self.cross_encoder = CrossEncoder(folder / "cross_encoder.onnx", TOKENIZER)
        self._folder = folder

    @cached_property
    def head(self) -> TreeHead:
        """The trained head.

        Raises:
            UsageError: It reads other features than these, in number or order.
        """
        path = self._folder / "head.json"
        head = read_head(path)
        if head.features not in (COLUMNS, FEATURES):
            raise UsageError(
                f"{path} was trained on other features than this version computes. Install the package anew."
            )
        return head

    def read(self, claims: Sequence[Claim]) -> list[Read | None]:
        """Reads claims; None where the fact or its passages hold no word."""
        drafts = self.align(claims)
        logits = iter(self._logits([draft.pair for draft in drafts if draft]))
        return [draft.completed(next(logits)) if draft else None for draft in drafts]

    def _logits(self, pairs: Sequence[Pair]) -> Floats:
        if set(self.head.features).isdisjoint(CROSS_FEATURES):
            return np.zeros((len(pairs), len(CLASSES)), np.float32)
        return self.cross_encoder.logits(pairs)

    def align(self, claims: Sequence[Claim]) -> list[Draft | None]:
        """The first half of `read`: what needs no cross-encoder."""
        facts = self.reader.words([claim.fact.text for claim in claims])
        evidence = self.reader.evidence([[p.text for p in claim.passages] for claim in claims])
        return [
            _draft(claim, fact, found) for claim, fact, found in zip(claims, facts, evidence, strict=True)
        ]

    def probabilities(self, reads: Sequence[Read]) -> list[float]:
        """Calibrated probabilities of being supported."""
        if not reads:
            return []
        free = np.array([read.free for read in reads])
        found = self.head.probability(np.stack([read.row for read in reads]), free)
        least, most = np.array([read.limits for read in reads]).T
        return [float(p) for p in np.clip(found, least, most)]


def _draft(claim: Claim, fact: Words, evidence: Evidence | None) -> Draft | None:
    if evidence is None or not any(map(is_word, fact.texts)):
        return None
    subject = subject_of(claim)
    evidence = about(evidence, claim, subject)
    alignment = align(fact, subject, evidence)
    chosen = choose_sentences(alignment, evidence)
    numbers = tuple(dict.fromkeys(int(evidence.passage_of[i]) for i in chosen))
    title = claim.passages[numbers[0]].title or claim.topic
    text = evidence_text(chosen, evidence, title)
    most = _most_by_own_page(claim, alignment, subject)
    if tells_of_another_matter(alignment):
        most = min(most, MOST_IF_OTHERWISE)
    against = _saying_otherwise(claim, alignment, subject)
    renamed = _with_another_name(claim, alignment)
    return Draft(alignment.features, Pair(text, claim.fact.text), numbers, most, subject, against, renamed)


def _saying_otherwise(claim: Claim, alignment: Alignment, subject: str | None) -> tuple[int, ...]:
    """Passages beside that of the best sentence which, read alone, hold the fact down."""
    return tuple(
        number
        for number, sentences in _other_passages(alignment)
        if _most_by(sentences, claim, alignment, subject) < 1
    )


def _with_another_name(claim: Claim, alignment: Alignment) -> tuple[int, ...]:
    """Passages beside that of the best sentence that have another name in its place."""
    told = alignment.evidence.sentences
    return tuple(
        number
        for number, sentences in _other_passages(alignment)
        if any(names_another(claim.fact.text, told[sentence]) for sentence in sentences)
    )


def _other_passages(alignment: Alignment) -> Iterator[tuple[int, list[int]]]:
    """The passages beside that of the best sentence, with their sentences."""
    passage_of = alignment.evidence.passage_of
    for number in sorted(set(passage_of.tolist()) - {int(passage_of[alignment.best])}):
        yield number, np.flatnonzero(passage_of == number).tolist()


def _most_by_own_page(claim: Claim, alignment: Alignment, subject: str | None) -> float:
    """What another page repeats is no support where the subject's own page plainly says otherwise."""
    own = own_sentences(alignment.evidence, claim, subject)
    return 1.0 if not own or alignment.best in own else _most_by(own, claim, alignment, subject)


def _most_by(sentences: list[int], claim: Claim, alignment: Alignment, subject: str | None) -> float:
    """The highest probability that some of the sentences leave, read without the others."""
    told = alignment.evidence.sentences[alignment.best_among(sentences)]
    return limits(alignment.settling(sentences), claim.fact.text, told, subject)[1]


def _named(features: Floats) -> dict[str, float]:
    return {name: float(value) for name, value in zip(FEATURES, features, strict=False)}


def cross_features(logits: Floats) -> Floats:
    """`CROSS_FEATURES` from the logits of one pair."""
    supported, contradicted, nothing = (float(value) for value in logits)
    return np.array([supported - np.logaddexp(contradicted, nothing), contradicted - nothing], np.float32)
