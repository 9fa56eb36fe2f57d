"""The benchmarks of the embedded estimator's speed and of a cold start, in their shortest form."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from factscore_chain.errors import FactScoreError
from factscore_chain.evals.bench import embedded_speed, start_time

EXAMPLES = Path("examples")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    (folder / "labeled").mkdir()
    rows = EXAMPLES.joinpath("labels.jsonl").read_text(encoding="utf-8").splitlines()
    (folder / "labeled" / "Own.jsonl").write_text("\n".join(rows[:3]), encoding="utf-8")
    pages = EXAMPLES.joinpath("knowledge.jsonl").read_text(encoding="utf-8")
    (folder / "pages.jsonl").write_text(pages, encoding="utf-8")
    return folder


def test_facts_are_retrieved_for_and_decided_in_a_process_of_their_own(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_speed, "ENGINES", ("onnxruntime",))
    options = ["--data", str(data), "--system", "Own", "--threads", "1", "--facts", "2", "--json"]
    assert embedded_speed.main(options) == 0
    found = json.loads(capsys.readouterr().out)
    (row,) = found["rows"]
    assert row["cores"] == 1
    assert row["facts"] >= 2
    assert row["generations"] == 1
    assert row["facts_per_second"] > 0
    assert embedded_speed.table(found).count("\n| onnxruntime |") == 1


@pytest.mark.skipif(find_spec("sentence_transformers") is not None, reason="the engine is installed")
def test_an_engine_that_is_not_installed_is_left_out_and_named(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded_speed, "ENGINES", ("torch",))
    options = ["--data", str(data), "--system", "Own", "--threads", "1", "--json"]
    assert embedded_speed.main(options) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["rows"] == []
    assert "torch is left out" in said.err


def test_a_missing_folder_of_data_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FACTSCORE_DATA", raising=False)
    assert embedded_speed.main([]) == 2
    assert "FACTSCORE_DATA" in capsys.readouterr().err


def test_every_command_of_a_cold_start_is_timed(capsys: pytest.CaptureFixture[str]) -> None:
    assert start_time.main(["--runs", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["commands"]) == list(start_time.COMMANDS)
    assert all(one["median_ms"] > 0 for one in found["commands"].values())
    assert found["commands"][start_time.BARE]["beyond_bare_ms"] == 0
    assert start_time.table(found).count("\n| `") == len(start_time.COMMANDS)


def test_a_command_that_fails_is_no_measurement() -> None:
    with pytest.raises(FactScoreError, match="failed"):
        start_time.start(["-c", "raise SystemExit('broken')"])
