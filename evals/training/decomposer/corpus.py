"""The sentences and facts that the tagger learns from; never those of a held-out topic."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.words import is_content, split_words
from factscore_chain.evals.labeled import read_annotated
from factscore_chain.evals.split import is_held_out

SYSTEMS = ("InstructGPT", "ChatGPT", "PerplexityAI")
_JOINED = re.compile(r"(?<=\.)\s+-\s+")
"""Some annotated lines hold two facts."""
_PROMPT = "Question: Tell me a bio of "
_LEAST_OVERLAP = 0.8


class FactRow(NamedTuple):
    """A sentence and its facts."""

    topic: str
    sentence: str
    facts: tuple[str, ...]


def human_rows(labeled: Path) -> Iterator[FactRow]:
    """Sentences of training topics with the facts that people made of them."""
    for system in SYSTEMS:
        rows, _ = read_annotated(labeled / f"{system}.jsonl")
        for row in rows:
            if row.topic is None or is_held_out(row.topic):
                continue
            for one in row.annotations or ():
                facts = [part.strip(" -") for fact in one.facts or () for part in _JOINED.split(fact.text)]
                if one.text.strip() and facts:
                    yield FactRow(row.topic, one.text, tuple(facts))


def machine_rows(outputs: Path, predictions: Path) -> Iterator[FactRow]:
    """Sentences of other training topics with the facts that a chat model made of them.

    The published predictions list a generation's facts without their sentences; order and shared words
    give them back. Sentences whose facts share too few words are left out.
    """
    texts = {row["topic"]: row["output"] for row in _read(outputs)}
    for row in _read(predictions):
        topic = row["prompt"].removeprefix(_PROMPT).strip().removesuffix(".")
        if topic not in texts or is_held_out(topic) or not row["facts"]:
            continue
        sentences = [one.text for one in split_sentences(texts[topic]) if one.kind == "prose"]
        yield from _regrouped(topic, sentences, row["facts"])


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _regrouped(topic: str, sentences: Sequence[str], facts: Sequence[str]) -> Iterator[FactRow]:
    if not sentences:
        return
    name = _content(topic)
    words = [_content(sentence) - name for sentence in sentences]
    overlap = [[_share(_content(fact) - name, one) for one in words] for fact in facts]
    grouped: dict[int, list[int]] = {}
    for fact, sentence in enumerate(best_path(overlap)):
        grouped.setdefault(sentence, []).append(fact)
    for sentence, members in grouped.items():
        if sum(overlap[fact][sentence] for fact in members) / len(members) >= _LEAST_OVERLAP:
            yield FactRow(topic, sentences[sentence], tuple(facts[fact] for fact in members))


def best_path(scores: Sequence[Sequence[float]]) -> list[int]:
    """The column of each row that gives the largest sum without ever going back to an earlier column."""
    totals = [list(scores[0])]
    came_from: list[list[int]] = []
    for row in scores[1:]:
        best = 0
        origin = []
        for column in range(len(row)):
            if totals[-1][column] >= totals[-1][best]:
                best = column
            origin.append(best)
        came_from.append(origin)
        totals.append([totals[-1][origin[column]] + score for column, score in enumerate(row)])
    path = [max(range(len(totals[-1])), key=totals[-1].__getitem__)]
    for origin in reversed(came_from):
        path.append(origin[path[-1]])
    return path[::-1]


def _content(text: str) -> set[str]:
    return {word.lower for word in split_words(text) if is_content(word.text)}


def _share(part: set[str], whole: set[str]) -> float:
    return len(part & whole) / len(part) if part else 0.5
