"""Statements of encyclopedia leads, each with the sentences around it: a wide range of subjects, all true."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from factscore_chain.decompose.embedded import decompose
from factscore_chain.decompose.tagger import load_tagger
from factscore_chain.evals.split import is_held_out
from factscore_chain.evals.training.verifier import sources
from factscore_chain.evals.training.verifier.config import LeadsConfig
from factscore_chain.evals.training.verifier.pairs import TrainingPair
from factscore_chain.evals.training.verifier.texts import sentences_of, under_title, windows
from factscore_chain.values import Generation

_AROUND = 3
_SHORTEST, _LONGEST = 5, 40
_LEAST_TEXT = 200


def read_leads(data: Path, config: LeadsConfig, seed: int) -> list[TrainingPair]:
    """Supported pairs, source "lead": sentences made to stand alone, and atomic facts of sentences.

    Args:
        data: The folder of labelled sets.
        config: How many, and which share of them are atomic facts.
        seed: Of what is drawn.
    """
    reported = {title for title in sources.read_pages(data) if is_held_out(title)}
    for rows in (sources.read_fool_me_twice(data), sources.read_wice(data)):
        reported |= {row.title for row in rows if row.held_out}
    rng = Random(seed)
    articles = [one for one in sources.read_summaries(data) if one[0] not in reported]
    rng.shuffle(articles)
    pairs: list[TrainingPair] = []
    for title, text in articles:
        sentences = windows(sentences_of(text))
        if len(text) < _LEAST_TEXT or len(sentences) < 2:
            continue
        for at in rng.sample(range(len(sentences)), min(config.of_each, len(sentences))):
            claim = _claim(sentences[at], title, rng, config.facts)
            if claim is not None:
                evidence = under_title(title, " ".join(_around(sentences, at, rng)))
                pairs.append(TrainingPair(claim, evidence, sources.SUPPORTED, "lead", title))
        if len(pairs) >= config.count:
            break
    return pairs


def _around(sentences: Sequence[str], at: int, rng: Random) -> Sequence[str]:
    first = max(0, min(at - rng.randrange(_AROUND), len(sentences) - _AROUND))
    return sentences[first : first + _AROUND]


def _claim(sentence: str, title: str, rng: Random, facts: float) -> str | None:
    if rng.random() < facts:
        found = [*_facts(sentence, title)]
        return rng.choice(found) if found else None
    whole = _SHORTEST < len(sentence.split()) <= _LONGEST
    return _standing_alone(sentence, title, rng) if whole else None


def _facts(sentence: str, title: str) -> Iterator[str]:
    for fact in decompose(Generation(sentence, title), load_tagger()).facts:
        if fact.checkable and len(fact.text.split()) >= _SHORTEST:
            yield fact.text


def _standing_alone(sentence: str, title: str, rng: Random) -> str:
    plain = re.sub(r"\s*\([^)]*\)", "", sentence)
    plain = re.sub(r"^(He|She|It|They)\b", title, plain)
    clause = re.match(r"(.{25,}?)(?:, (?:which|who|where|and|but|while|with|including|making)\b|;).*$", plain)
    return clause.group(1).rstrip(" ,;") + "." if clause and rng.random() < 0.6 else plain
