"""Readers of the labelled sets, and which of their rows are kept for reporting.

Every set that is both trained and reported on is divided by `is_held_out` of its title (of its claim where a
row has no title), so that one page never stands on both sides.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factscore_chain.evals.split import is_held_out, topic_hash
from factscore_chain.evals.training.verifier.texts import undo_treebank

SUPPORTED, CONTRADICTED, NO_EVIDENCE, NOT_SUPPORTED = range(4)
"""Labels of a pair; the last is for rows where people did not say which of the two before it."""

_FEVER_ONE_IN = 13
"""Share of FEVER that the head is fitted on: about 1,000 claims."""

SYSTEMS = ("InstructGPT", "ChatGPT", "PerplexityAI")


@dataclass(frozen=True)
class Fact:
    """A human fact of the FActScore release whose topic has a page."""

    system: str
    topic: str
    text: str
    label: str
    """S, NS or IR."""

    @property
    def held_out(self) -> bool:
        """Whether it is kept for reporting."""
        return is_held_out(self.topic)


@dataclass(frozen=True)
class Row:
    """A claim with its evidence."""

    claim: str
    evidence: tuple[str, ...]
    """Sentences or passages, as the set gives them."""
    label: int
    title: str = ""
    held_out: bool = False
    gold: tuple[str, ...] = ()
    """The sentences that decide, where the set names them."""
    for_head: bool = False
    """Whether the cross-encoder must not learn from it, since the head is fitted on it."""


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSONL file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def read_pages(data: Path) -> dict[str, list[str]]:
    """Passages of each topic's page."""
    return {row["title"]: list(row["text"]) for row in read_lines(data / "factscore/pages.jsonl")}


def read_facts(data: Path) -> list[Fact]:
    """All human facts whose topic has a page, of the three systems."""
    pages = read_pages(data)
    return [
        Fact(system, row["topic"], fact["text"].strip(), fact["label"])
        for system in SYSTEMS
        for row in read_lines(data / f"factscore/labeled/{system}.jsonl")
        if row["topic"] in pages
        for annotation in row["annotations"] or []
        for fact in annotation.get("human-atomic-facts") or []
    ]


def read_symmetric(data: Path) -> list[Row]:
    """FEVER symmetric: reported on, never trained on."""
    return [
        Row(
            undo_treebank(row["claim"]),
            (undo_treebank(row["evidence"]),),
            SUPPORTED if row["label"] == "SUPPORTS" else CONTRADICTED,
            held_out=True,
        )
        for row in read_lines(data / "fever_symmetric/fever_symmetric_dev.jsonl")
    ]


def read_fever(data: Path) -> list[Row]:
    """FEVER claims with gold evidence, without those that FEVER symmetric also holds."""
    reported = {row.claim.casefold() for row in read_symmetric(data)}
    claims, evidence, labels = (
        (data / f"fever_pairs/fever_dev.{kind}.txt").read_text(encoding="utf-8").splitlines()
        for kind in ("claim", "evidence", "label")
    )
    rows = []
    for claim, text, label in zip(claims, evidence, labels, strict=True):
        plain = undo_treebank(claim)
        if plain.casefold() not in reported:
            verdict = SUPPORTED if label == "entailment" else CONTRADICTED
            for_head = int(topic_hash(plain), 16) % _FEVER_ONE_IN == 0
            rows.append(Row(plain, (undo_treebank(text),), verdict, for_head=for_head))
    return rows


def read_fool_me_twice(data: Path) -> list[Row]:
    """Claims written to fool people; `evidence` holds all sentences given, `gold` those that decide."""
    return [
        Row(
            row["text"],
            tuple(one["text"] for one in row["retrieved_evidence"]),
            SUPPORTED if row["label"] == "SUPPORTS" else CONTRADICTED,
            row["wikipedia_page"],
            _second_half(row["wikipedia_page"]),
            tuple(one["text"] for one in row["gold_evidence"]),
        )
        for row in read_lines(data / "fool_me_twice/dev.jsonl")
    ]


def read_wice(data: Path) -> list[Row]:
    """Wikipedia claims against whole cited articles; supported against the rest."""
    rows = []
    for row in read_lines(data / "wice/claim_dev.jsonl"):
        supported = row["label"] == "supported"
        gold = [" ".join(row["evidence"][i] for i in sorted(group)) for group in row["supporting_sentences"]]
        title = row["meta"]["claim_title"]
        rows.append(
            Row(
                row["claim"],
                tuple(row["evidence"]),
                SUPPORTED if supported else NOT_SUPPORTED,
                title,
                _second_half(title),
                tuple(gold) if supported else (),
            )
        )
    return rows


_STANCES = {
    "completely-support": SUPPORTED,
    "refute": CONTRADICTED,
    "irrelevant": NO_EVIDENCE,
    "partially-support": NOT_SUPPORTED,
}


def read_factcheck(data: Path) -> list[Row]:
    """Claims of ChatGPT answers with web evidence and its stance."""
    return [
        Row(
            row["claim"],
            (row["evidence"],),
            _STANCES[row["stance"]],
            held_out=_second_half(row["claim"]),
        )
        for row in read_lines(data / "factcheck_gpt/subtask3_claim_evidence_stance.jsonl")
    ]


def read_wikibio(data: Path) -> list[Row]:
    """Sentences of GPT-3 biographies against the true text: reported on, never trained on."""
    biographies = json.loads((data / "wikibio/wikibio_gpt3.json").read_text(encoding="utf-8"))
    return [
        Row(
            sentence,
            (row["wiki_bio_text"],),
            SUPPORTED if label == "accurate" else NOT_SUPPORTED,
            held_out=True,
        )
        for row in biographies
        for sentence, label in zip(row["main_sentences"], row["annotation"], strict=False)
    ]


@dataclass(frozen=True)
class Summary:
    """A faithful summary of an article and a minimally edited, unfaithful one."""

    article: str
    faithful: str
    edited: str
    held_out: bool


def read_bump(data: Path) -> list[Summary]:
    """BUMP's pairs of summaries."""
    rows = json.loads((data / "bump/task2_dataset.json").read_text(encoding="utf-8"))
    return [
        Summary(
            row["article"],
            row["reference_summary"],
            row["edited_summary"],
            _second_half(str(row["article_id"])),
        )
        for row in rows
    ]


def read_summaries(data: Path) -> list[tuple[str, str]]:
    """Title and lead of encyclopedia articles."""
    with gzip.open(data / "vital_articles/summaries_en-us.json.gz", "rt", encoding="utf-8") as file:
        rows = json.load(file)
    rows = list(rows.values()) if isinstance(rows, dict) else rows
    return [(row["title"], row.get("extract") or "") for row in rows]


def _second_half(key: str) -> bool:
    from hashlib import sha256

    return int(sha256(key.encode()).hexdigest(), 16) % 2 == 0
