"""Human facts of training topics, and the same facts said of other people, with the evidence of the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random

from factscore_chain.evals.training.verifier import sources
from factscore_chain.evals.training.verifier.pairs import TrainingPair, fold_of
from factscore_chain.evals.training.verifier.sources import Fact
from factscore_chain.evals.training.verifier.texts import under_title
from factscore_chain.verify.alignment import FEATURES, align
from factscore_chain.verify.reading import Reader
from factscore_chain.verify.selection import choose_sentences, evidence_text

_PRONOUN = re.compile(r"(He|She|His|Her)\b")
_SPECIFIC = re.compile(r"\d|\W[A-Z]")
_FOUND = FEATURES.index("all_same")
_LARGELY_FOUND = 0.8


def facts_with_evidence(data: Path, others: int, seed: int) -> list[TrainingPair]:
    """Human facts, and as many as asked for of other people's, each with the sentences that align best.

    The latter ("Ada" for "Bo" in "Bo won a medal in 1912") are not supported: facts of which nearly every
    word stands on the other page all the same are left out.
    """
    facts = [fact for fact in sources.read_facts(data) if not fact.held_out]
    pages = sources.read_pages(data)
    reader = Reader(cached_passages=4096)
    labels = [sources.SUPPORTED if fact.label == "S" else sources.NOT_SUPPORTED for fact in facts]
    human = [TrainingPair(f.text, "", label, "fs", f.topic) for f, label in zip(facts, labels, strict=True)]
    return [
        *(pair for pair, _ in _read(human, pages, reader)),
        *(
            pair
            for pair, found in _read(_of_others(facts, others, seed), pages, reader)
            if found < _LARGELY_FOUND
        ),
    ]


def _read(
    pairs: Sequence[TrainingPair], pages: dict[str, list[str]], reader: Reader
) -> list[tuple[TrainingPair, float]]:
    """The pairs with their evidence, and the share of each claim's words that stand on the page."""
    read = []
    for pair, words in zip(pairs, reader.words([pair.claim for pair in pairs]), strict=True):
        evidence = reader.evidence([pages[pair.title]])[0]
        if evidence is None:
            continue
        alignment = align(words, pair.title, evidence)
        text = evidence_text(choose_sentences(alignment, evidence), evidence, None)
        found = float(alignment.features[_FOUND])
        read.append((pair._replace(evidence=under_title(pair.title, text)), found))
    return read


def _of_others(facts: Sequence[Fact], most: int, seed: int) -> list[TrainingPair]:
    """Supported facts said of another topic of the same fold."""
    rng = Random(seed)
    topics = sorted({fact.topic for fact in facts})
    pairs: list[TrainingPair] = []
    supported = [fact for fact in facts if fact.label == "S" and _SPECIFIC.search(fact.text)]
    rng.shuffle(supported)
    for fact in supported:
        if len(pairs) == most:
            break
        other = rng.choice([t for t in topics if t != fact.topic and fold_of(t) == fold_of(fact.topic)])
        if fact.topic in fact.text or _PRONOUN.match(fact.text):
            claim = fact.text.replace(fact.topic, other)
            pairs.append(TrainingPair(claim, "", sources.NOT_SUPPORTED, "fs-other", other))
    return pairs
