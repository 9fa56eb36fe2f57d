"""The benchmark of the guard's latency measures checks that really took place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factscore_chain.errors import FactScoreError
from factscore_chain.evals.bench import guard_latency
from factscore_chain.guard.outcome import failed_check
from factscore_chain.guard.policy import GuardPolicy

KNOWLEDGE = Path(__file__).resolve().parent.parent / "examples/knowledge.jsonl"


def test_it_prints_a_table_of_both_kinds_of_checks(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--knowledge", str(KNOWLEDGE), "--rounds", "1", "--lead", "0"]
    assert guard_latency.main(arguments) == 0
    head, _, _, *rows = capsys.readouterr().out.splitlines()
    assert "5 passages" in head
    assert [row.split("|")[1].strip() for row in rows[1:]] == [
        "the finished answer",
        "one sentence of a stream",
        "its first sentence",
    ]


def test_no_two_rounds_have_a_passage_in_common() -> None:
    case = guard_latency.read_case(KNOWLEDGE, "Marie Curie")
    rounds = [{one.text for one in case.evidence(number).context} for number in range(3)]
    assert len(case.answer.split()) >= guard_latency.WORDS
    assert not rounds[0] & rounds[1] | rounds[1] & rounds[2]


def test_a_check_that_failed_is_no_measurement() -> None:
    with pytest.raises(FactScoreError, match="down"):
        guard_latency._require(failed_check("the server is down", GuardPolicy()))


@pytest.mark.parametrize("rows", [[], [{"title": "Marie Curie", "text": "Too short."}]])
def test_a_source_that_will_not_do_is_wrong_use(rows: list[dict[str, str]], tmp_path: Path) -> None:
    path = tmp_path / "k.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert guard_latency.main(["--knowledge", str(path)]) == 2
