"""What the fuzzer does to each parser, on the inputs it begins with and on any bytes."""

from __future__ import annotations

import importlib.util

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factscore_chain.evals.bench import fuzz
from factscore_chain.verify import verdict_reading

QUICK = ("verdicts", "facts", "sentences", "rows", "caches")


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_what_the_fuzzer_begins_with_is_taken(target: str) -> None:
    assert fuzz.SEEDS[target]
    for seed in fuzz.SEEDS[target]:
        fuzz.TARGETS[target](seed)


@pytest.mark.parametrize("target", QUICK)
@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_taken_or_refused_in_our_words(target: str, data: bytes) -> None:
    fuzz.TARGETS[target](data)


@pytest.mark.parametrize("target", QUICK)
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_pieces_of_what_is_expected_are_taken_too(target: str, data: st.DataObject) -> None:
    pieces = [seed[i : i + 5] for seed in fuzz.SEEDS[target] for i in range(0, len(seed), 5)]
    chosen = data.draw(st.lists(st.sampled_from([*pieces, b"\x0b", b"\n", b"\xff", b"```"]), max_size=12))
    fuzz.TARGETS[target](b"".join(chosen))


def test_a_broken_parser_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict_reading, "read_verdict", lambda text: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        fuzz.TARGETS["verdicts"](b"True")


@pytest.mark.skipif(importlib.util.find_spec("atheris") is not None, reason="atheris is installed here")
def test_without_its_extra_the_extra_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.main(["--seconds", "1"]) == 2
    assert "factscore-chain[fuzz]" in capsys.readouterr().err
