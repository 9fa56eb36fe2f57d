"""`factscore score --engine`: which arguments go together, and what is said without Ray."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from factscore_chain.cli.main import main
from factscore_chain.errors import MissingExtraError, UsageError
from factscore_chain.ray_engine import RayScoring, Workers
from factscore_chain.values import Generation
from tests.pages import PAGES, write_rows
from tests.ray_chains import make_tracing_chain


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--workers", "2"], "--engine ray"),
        (["--partition", "2"], "--engine ray"),
        (["--engine", "ray", "--max-failures", "3"], "--max-failures holds in one process"),
        (["--engine", "ray", "--strict"], "--strict holds in one process"),
        (["--engine", "ray", "--requests-per-minute", "3"], "Give --workers"),
        (["--engine", "ray", "--workers", "0"], "at least 1"),
        (["--engine", "ray", "--partition", "0"], "at least 1"),
    ],
)
def test_arguments_that_do_not_go_together_are_wrong_use(
    tmp_path: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = write_rows(tmp_path / "pages.jsonl", PAGES)
    assert main(["score", "Ada wrote notes.", "--knowledge", str(pages), *arguments]) == 2
    assert said in capsys.readouterr().err


def test_without_ray_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    chain = make_tracing_chain(tmp_path)
    with pytest.raises(MissingExtraError, match=r"factscore-chain\[ray\]"):
        RayScoring(lambda: chain, chain).score_many([Generation("Ada wrote notes.")])


def test_workers_have_to_be_some() -> None:
    with pytest.raises(UsageError, match="workers is -1"):
        Workers(-1)
