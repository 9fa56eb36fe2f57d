"""The benchmarks of registering and searching, in their short form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.evals.bench import published_registration, register, search
from factscore_chain.evals.bench.corpus import Corpus
from factscore_chain.retrievers.knowledge import KnowledgeSource
from tests.pages import PAGES, write_rows


def test_searches_are_timed_at_each_size_and_found_exact(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--sizes", "150", "600", "--queries", "6", "--folder", str(tmp_path)]
    assert search.main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["top_5_overlap_with_exhaustive"] for one in found["sources"]] == [1.0, 1.0]
    assert found["sources"][0]["passages"] < found["sources"][1]["passages"]
    assert set(found) >= {"machine", "growth_whole_source_by_median", "growth_topic_by_processor_median"}
    assert search.table(found).count("100.0%") == 2


def test_growth_is_the_slope_between_logarithms() -> None:
    assert search.growth([100, 10_000], [1.0, 10.0]) == 0.5
    assert search.growth([100], [1.0]) is None


def test_the_same_seed_makes_the_same_documents() -> None:
    made = [list(Corpus(seed).documents(40)) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    assert sum(len(one["text"]) for one in made[0]) == 40


def test_registration_is_measured_by_each_number_of_processes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_rows(tmp_path / "rows.jsonl", PAGES)
    assert register.main(["--jsonl", str(path), "--workers", "1", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["registrations"]
    assert [(one["way"], one["passages"]) for one in found] == [("1 workers", 4), ("2 workers", 4)]


class _Letters:
    """A tokenizer with an id a letter, and RoBERTa's markers."""

    bos_token_id, eos_token_id = 0, 2

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": [0, *(ord(letter) for letter in text), 2]}

    def decode(self, ids: list[int]) -> str:
        return "".join({0: "<s>", 2: "</s>"}.get(number, chr(number)) for number in ids)


def test_the_published_way_packs_256_ids_and_reads_as_a_database_of_the_original(tmp_path: Path) -> None:
    rows: list[Any] = [{"title": "Long", "text": ["a" * 300, "b" * 10]}, {"title": "Short", "text": "c"}]
    path = write_rows(tmp_path / "rows.jsonl", rows)
    assert published_registration.register(path, tmp_path / "original.db", _Letters()) == 3
    with KnowledgeSource(tmp_path / "original.db") as source:
        assert [p.text for p in source.passages("Long")] == ["a" * 255, f"{'a' * 45}\n{'b' * 10}"]
