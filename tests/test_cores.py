"""How many cores this process may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from factscore_chain import cores


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("max 100000", None), ("150000 100000", 2), ("50000 100000", 1), ("nonsense", None), ("", None)],
)
def test_a_quota_of_the_container_counts_in_whole_cores(
    quota: str, expected: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "cpu.max"
    file.write_text(quota, encoding="ascii")
    monkeypatch.setattr(cores, "_QUOTA", file)
    assert cores.container_cores() == expected


@pytest.mark.parametrize(("quota", "expected"), [("-1", None), ("300000", 3)])
def test_an_older_kind_of_quota_is_read_too(
    quota: str, expected: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("_OLD_QUOTA", quota), ("_OLD_PERIOD", "100000")):
        (tmp_path / name).write_text(text, encoding="ascii")
        monkeypatch.setattr(cores, name, tmp_path / name)
    monkeypatch.setattr(cores, "_QUOTA", tmp_path / "none")
    assert cores.container_cores() == expected


def test_cores_that_the_process_is_not_bound_to_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    if not hasattr(os, "sched_getaffinity"):
        pytest.skip("this system binds no process")
    monkeypatch.setattr(cores, "container_cores", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5})
    assert cores.available_cores() == 3
