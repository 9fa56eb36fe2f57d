"""Labelled files: both formats, every spelling of a label, bad rows named."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.evals.labeled import read_label, read_labeled, read_pairs
from factscore_chain.evals.split import is_held_out, topic_hash
from factscore_chain.values import Verdict

LABELED = Path(os.environ.get("FACTSCORE_DATA", "/nowhere")) / "factscore" / "labeled"
needs_data = pytest.mark.skipif(not LABELED.is_dir(), reason="FACTSCORE_DATA names no folder with factscore/")


def write(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def generation(topic: str, *labels: str, **keys: Any) -> dict[str, Any]:
    facts = [{"text": f"Fact {i}.", "label": label} for i, label in enumerate(labels)]
    sentence = {"text": "One.", "is-relevant": None, "model-atomic-facts": None, "human-atomic-facts": facts}
    off_topic = {"text": "Two.", "is-relevant": False, "human-atomic-facts": None}
    return {"topic": topic, "output": "One. Two.", "annotations": [sentence, off_topic], **keys}


@pytest.mark.parametrize("value", ["supported", "S", "SUPPORTS", "Supported", True, "true"])
def test_spellings_of_supported(value: Any) -> None:
    assert read_label(value) is Verdict.SUPPORTED


@pytest.mark.parametrize(
    "value", ["not_supported", "NS", "REFUTES", "not supported", False, "NOT ENOUGH INFO"]
)
def test_spellings_of_not_supported(value: Any) -> None:
    assert read_label(value) is Verdict.NOT_SUPPORTED


@pytest.mark.parametrize("value", ["", "maybe", None, 1, ["S"]])
def test_other_labels_are_refused(value: Any) -> None:
    with pytest.raises(ValueError, match="is no label"):
        read_label(value)


def test_factscore_rows(tmp_path: Path) -> None:
    silent = {"topic": "B", "output": "I do not know.", "annotations": None}
    file = read_labeled(
        write(tmp_path / "a.jsonl", generation("A", "S", "NS", "IR", cat=["rare", "Asia"]), silent)
    )
    first, second = file.generations
    assert [fact.label.value for fact in first.facts] == ["supported", "not_supported", "irrelevant"]
    assert first.categories == ("rare", "Asia")
    assert (second.answered, second.facts) == (False, ())
    assert file.needs_knowledge


def test_a_factscore_row_may_have_no_topic(tmp_path: Path) -> None:
    row = generation("Ada", "S")
    del row["topic"]
    found = read_labeled(write(tmp_path / "a.jsonl", row))
    assert (found.generations[0].topic, found.rejected) == (None, ())


@pytest.mark.parametrize("key", ["evidence", "passages"])
def test_plain_rows_bring_their_evidence(tmp_path: Path, key: str) -> None:
    path = write(
        tmp_path / "a.jsonl",
        {"claim": "It rained.", key: "Rain fell.", "label": "SUPPORTS"},
        {"claim": "It snowed.", key: ["Rain fell.", "All day."], "label": "REFUTES", "topic": "Weather"},
    )
    file = read_labeled(path)
    assert [one.evidence for one in file.generations] == [("Rain fell.",), ("Rain fell.", "All day.")]
    assert not file.needs_knowledge
    assert [row.label for row in read_pairs(path)[0]] == [Verdict.SUPPORTED, Verdict.NOT_SUPPORTED]


def test_bad_rows_are_named_and_the_rest_is_used(tmp_path: Path) -> None:
    good = {"claim": "It rained.", "evidence": [], "label": True}
    rows, rejected = read_pairs(
        write(tmp_path / "a.jsonl", good, "{", "[1]", "", {"claim": " ", "evidence": "x", "label": "S"}, good)
    )
    assert len(rows) == 2
    assert [line.split(":")[0] for line in rejected] == [
        "a.jsonl, line 2",
        "a.jsonl, line 3",
        "a.jsonl, line 5",
    ]
    assert "claim: the text is empty" in rejected[2]


def test_a_file_without_a_good_row_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"line 1: label: 'x' is no label"):
        read_pairs(write(tmp_path / "a.jsonl", {"claim": "c", "evidence": "e", "label": "x"}))
    with pytest.raises(UsageError, match="cannot be read"):
        read_labeled(tmp_path / "missing.jsonl")


def test_split_ignores_case_and_spelling_of_blanks() -> None:
    assert topic_hash("Ada  Lovelace") == topic_hash("ada_lovelace")
    names = [f"Topic {number}" for number in range(3000)]
    assert 900 < sum(map(is_held_out, names)) < 1100


@needs_data
@pytest.mark.parametrize(
    ("system", "answered", "facts"),
    [("InstructGPT", 136, 3557), ("ChatGPT", 110, 3780), ("PerplexityAI", 124, 4251)],
)
def test_published_files_are_read_whole(system: str, answered: int, facts: int) -> None:
    file = read_labeled(LABELED / f"{system}.jsonl")
    assert not file.rejected
    assert sum(one.answered for one in file.generations) == answered
    assert sum(len(one.facts) for one in file.generations) == facts
