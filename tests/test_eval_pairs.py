"""Claim and evidence rows, and the published formats that turn into them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.evals.convert import convert, main
from factscore_chain.evals.labeled import PairRow
from factscore_chain.evals.pairs import evaluate_pairs
from factscore_chain.evals.untokenize import untokenize
from factscore_chain.retrievers.documents import evidence_passages
from tests.test_eval_agreement import Reader


def row(number: object, label: str) -> PairRow:
    return PairRow.model_validate({"claim": f"claim {number}", "evidence": "Some text.", "label": label})


def test_figures_of_four_rows() -> None:
    rows = [row(0.9, "supported"), row(0.3, "supported"), row(0.4, "not_supported"), row("?", "irrelevant")]
    found = evaluate_pairs(rows, Reader(), resamples=20)
    assert (found.n, found.supported, found.undecided) == (4, 2, 1)
    assert found.accuracy == found.balanced_accuracy == 0.75
    assert found.f1_not_supported == pytest.approx(2 * 2 / (2 + 3))
    # The undecided row scores 0: below both supported ones, as 0.4 is below one of them.
    assert found.auc == 0.75
    assert {"accuracy", "balanced_accuracy", "auc", "f1_not_supported", "ece"} <= found.intervals.keys()


def test_short_evidence_texts_share_a_passage_and_long_ones_are_cut() -> None:
    (one,) = evidence_passages(["First sentence.", "Second sentence."])
    assert one.text == "First sentence.\nSecond sentence."
    long = evidence_passages([" ".join(f"Sentence number {i} says little." for i in range(200))])
    assert len(long) > 3
    assert [passage.rank for passage in long] == list(range(1, len(long) + 1))
    assert evidence_passages([]) == ()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("wice", {"claim": "c", "evidence": ["a.", "b."], "label": "partially_supported"}, ("a.\nb.", False)),
        ("wice", {"claim": "c", "evidence": ["a."], "label": "supported"}, ("a.", True)),
        (
            "fool-me-twice",
            {"text": "c", "label": "SUPPORTS", "gold_evidence": [{"section_header": "", "text": "a."}]},
            ("a.", True),
        ),
        (
            "fool-me-twice-retrieved",
            {"text": "c", "label": "REFUTES", "gold_evidence": [], "retrieved_evidence": [{"text": "b."}]},
            ("b.", False),
        ),
        (
            "fever-symmetric",
            {"claim": "c", "evidence_sentence": "a .", "gold_label": "SUPPORTS"},
            ("a.", True),
        ),
        ("factcheck-gpt", {"claim": "c", "evidence": "a.", "stance": "partially-support"}, ("a.", False)),
        ("factcheck-gpt", {"claim": "c", "evidence": "a.", "stance": "completely-support"}, ("a.", True)),
    ],
)
def test_published_rows(name: str, value: dict[str, Any], expected: tuple[str, bool]) -> None:
    (found,) = convert(name, json.dumps(value))
    evidence, supported = expected
    assert found == {
        "claim": "c",
        "evidence": evidence,
        "label": "supported" if supported else "not_supported",
    }


def test_a_biography_gives_a_row_for_each_sentence() -> None:
    value = {
        "wiki_bio_text": "t",
        "main_sentences": ["a", "b"],
        "annotation": ["accurate", "minor_inaccurate"],
        "main_passage": "a b",
    }
    assert [found["label"] for found in convert("wikibio", json.dumps([value]))] == [
        "supported",
        "not_supported",
    ]


def test_a_row_of_another_format_is_named() -> None:
    good = {"claim": "c", "evidence": "e", "stance": "refute"}
    text = "\n".join(map(json.dumps, (good, {**good, "stance": "unsure"})))
    with pytest.raises(UsageError, match=r"Row 2 is not of the format 'factcheck-gpt': stance"):
        convert("factcheck-gpt", text)


def test_conversion_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps({"claim": "c", "evidence": ["e"], "label": "supported"}))
    assert main(["wice", str(tmp_path / "in.jsonl"), str(tmp_path / "out.jsonl")]) == 0
    assert capsys.readouterr().out == "1 rows, 1 supported\n"
    assert json.loads((tmp_path / "out.jsonl").read_text())["claim"] == "c"
    assert main(["wice", str(tmp_path / "missing"), str(tmp_path / "out.jsonl")]) == 2


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("It ended -LRB- in 1990 -RRB- .", "It ended (in 1990)."),
        ("She said `` yes '' , twice .", 'She said "yes", twice.'),
        ("The band 's album was n't sold", "The band's album wasn't sold"),
        ("The parents ' house", "The parents' house"),
        ("Plain text, as it is.", "Plain text, as it is."),
    ],
)
def test_token_marks_are_undone(tokens: str, text: str) -> None:
    assert untokenize(tokens) == text
