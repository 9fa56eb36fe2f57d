"""The report: counts that add up, JSON without NaN, text that cannot steer a terminal or a page."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from factscore_chain.render import clean, excerpt, markdown, percent, print_table
from factscore_chain.report import Counts, GenerationReport, Report
from factscore_chain.values import SentenceFailure, Verdict
from tests.reports import OTHER, PASSAGE, fact, generation, report


def test_verdict_counts_add_up_to_the_facts() -> None:
    counts = Counts.of((generation(*map(fact, Verdict)), generation(fact(Verdict.SUPPORTED))))
    parts = (counts.supported, counts.not_supported, counts.irrelevant, counts.undecided, counts.failed)
    assert parts == (2, 1, 1, 1, 1)
    assert counts.facts == sum(parts)


def test_coverage_stands_beside_the_score() -> None:
    made = report(generation(fact(Verdict.SUPPORTED), fact(Verdict.FAILED), fact(Verdict.UNDECIDED)))
    assert made.coverage == pytest.approx(1 / 3)
    assert made.init_score == pytest.approx(1 / 3)


def test_json_reads_back_to_the_same_report() -> None:
    made = report(generation(fact(Verdict.NOT_SUPPORTED, evidence=("p2",))))
    assert Report.model_validate_json(made.to_json()) == made


def test_json_writes_what_is_undefined_as_null() -> None:
    made = json.loads(report(generation(status="abstained")).to_json())
    assert (made["score"], made["coverage"], made["num_facts_per_response"]) == (None, None, None)
    assert made["respond_ratio"] == 0.0


def test_a_fact_record_holds_its_place_and_passages() -> None:
    row = json.loads(report(generation(fact(Verdict.SUPPORTED))).to_json())["generations"][0]["facts"][0]
    assert row["span"] == [0, 3]
    assert [passage["id"] for passage in row["passages"]] == ["p1", "p2"]
    assert row["passages"][0]["origins"] == ["bm25"]


def test_the_best_passage_is_the_one_the_verdict_rests_on() -> None:
    assert fact(Verdict.NOT_SUPPORTED, evidence=("p2",)).best_passage == OTHER
    assert fact(Verdict.NOT_SUPPORTED).best_passage == PASSAGE


@pytest.mark.parametrize(
    ("made", "complete"),
    [
        (generation(fact(Verdict.NOT_SUPPORTED)), True),
        (generation(fact(Verdict.UNDECIDED)), True),
        (generation(fact(Verdict.FAILED), fact(Verdict.SUPPORTED)), False),
        (generation(status="failed", error="no page"), False),
        (generation(fact(Verdict.SUPPORTED), failures=(SentenceFailure(1, "refused"),)), False),
        (generation(status="abstained"), True),
    ],
)
def test_what_was_lost_makes_a_report_incomplete(made: GenerationReport, complete: bool) -> None:
    assert report(made).complete is complete


def test_rejected_rows_are_counted_and_make_it_incomplete() -> None:
    made = report(generation(fact(Verdict.SUPPORTED))).with_rejected(("line 2: not JSON",))
    assert (made.counts.generations, made.counts.unscored, made.complete) == (2, 1, False)


def test_the_table_names_each_unsupported_fact_with_its_passage() -> None:
    console = Console(width=100, file=io.StringIO())
    print_table(report(generation(fact(Verdict.NOT_SUPPORTED, "Ada flew.", reason="no_evidence"))), console)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert "not supported (no evidence): Ada flew." in printed
    assert "Ada: Ada was born in London." in printed


def test_markdown_escapes_what_the_text_brings() -> None:
    hostile = fact(Verdict.NOT_SUPPORTED, "![x](http://evil) <script> | a\n# b")
    printed = markdown(report(generation(hostile)))
    assert "![x]" not in printed
    assert "<script>" not in printed
    assert "\n# b" not in printed


def test_an_excerpt_is_the_sentence_nearest_to_the_fact() -> None:
    passage = "Ada was born in London. She wrote notes on the Engine. She died at 36."
    assert excerpt(passage, "Ada wrote some notes.") == "She wrote notes on the Engine."
    assert excerpt("word " * 100).endswith(" ...")


def test_control_characters_never_reach_the_terminal() -> None:
    assert clean("a\x1b[31mb\u202ec\x00\ud800") == "a\ufffd[31mb\ufffdc\ufffd\ufffd"


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "-"), (0.0, "0.0%"), (0.12345, "12.3%"), (1.0, "100.0%")]
)
def test_percent(value: float | None, shown: str) -> None:
    assert percent(value) == shown
