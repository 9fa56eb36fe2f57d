"""What was scored once is not asked again, and what was lost is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.gate.finished import Journal, content_key, finished_in
from factscore_chain.gate.scoring import score_rows
from factscore_chain.values import Generation, Place
from tests.gates import manifest, report
from tests.pages import make_source
from tests.scripted import ScriptedChatModel

TEXTS = ("Ada Lovelace was born in London.", "Ada Lovelace wrote notes.", "Ada Lovelace wrote letters.")
GENERATIONS = tuple(
    Generation(text, "Ada Lovelace", facts=(text,), place=Place("rows.jsonl", n))
    for n, text in enumerate(TEXTS, 1)
)


@pytest.fixture
def model() -> ScriptedChatModel:
    return ScriptedChatModel(script=lambda _: "True")


@pytest.fixture
def chain(tmp_path: Path, model: ScriptedChatModel) -> FactScoreChain:
    return FactScoreChain(make_source(tmp_path), llm=model, gamma=None)


def test_what_an_interrupted_run_left_is_not_asked_again(
    tmp_path: Path, chain: FactScoreChain, model: ScriptedChatModel
) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    score_rows(chain, GENERATIONS[:2], journal=journal)
    again = score_rows(chain, GENERATIONS, finished=journal.read(), journal=journal)
    assert len(model.prompts) == len(GENERATIONS)
    assert [one.text for one in again.generations] == list(TEXTS)
    assert len(journal.read()) == len(GENERATIONS)


def test_everything_finished_asks_nothing(chain: FactScoreChain, model: ScriptedChatModel) -> None:
    first = score_rows(chain, GENERATIONS)
    asked = len(model.prompts)
    again = score_rows(chain, GENERATIONS, finished=finished_in(first))
    assert len(model.prompts) == asked
    assert again.generations == first.generations
    assert (again.manifest.usage["calls"], first.manifest.usage["calls"]) == (0, 3)


def test_finished_generations_take_the_name_and_place_they_have_now(chain: FactScoreChain) -> None:
    first = score_rows(chain, GENERATIONS)
    moved = replace(GENERATIONS[0], id="new", input="Who?", place=Place("other.jsonl", 9))
    (again,) = score_rows(chain, [moved], finished=finished_in(first)).generations
    assert (again.id, again.input, again.place) == ("new", "Who?", Place("other.jsonl", 9))


def test_progress_counts_finished_generations_too(chain: FactScoreChain) -> None:
    first = score_rows(chain, GENERATIONS[:1])
    done: list[str] = []
    score_rows(chain, GENERATIONS, finished=finished_in(first), on_done=lambda one: done.append(one.text))
    assert sorted(done) == sorted(TEXTS)


def test_only_what_is_complete_is_finished() -> None:
    assert [one.tally.supported for one in finished_in(report("SS", "!", "SF", "-")).values()] == [2, 0]


def test_a_lost_generation_is_not_kept(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    for key, one in zip("abc", report("SS", "!", "SF").generations, strict=True):
        journal.add(key, one)
    assert list(journal.read()) == ["a"]


@pytest.mark.parametrize("torn", [b'{"key": "c", "gener', b"\xff\xfe", b"null", b"[1]"])
def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path, torn: bytes) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.add("a", report("SN").generations[0])
    journal.path.write_bytes(journal.path.read_bytes() + torn)
    journal.add("b", report("S").generations[0])
    assert list(journal.read()) == ["a", "b"]


def test_what_was_added_last_stands(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    for one in report("SN", "SS").generations:
        journal.add("a", one)
    assert journal.read()["a"].tally.supported == 2


def test_text_of_any_script_comes_back(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    one = report("S").generations[0].model_copy(update={"text": "Łódź \u2028 東京 🗼"})
    journal.add("a", one)
    assert journal.read() == {"a": one}


def test_a_journal_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    journal = Journal.beside(tmp_path / "report.json")
    assert journal.path.name == ".report.json.unfinished.jsonl"
    assert journal.read() == {}
    journal.remove()


def test_a_journal_that_cannot_be_read_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        Journal(tmp_path).read()


@pytest.mark.parametrize(
    "change",
    [
        {"verifier": {"kind": "other"}},
        {"decomposer": {"kind": "other"}},
        {"retriever": {"kind": "bm25", "k": "9"}},
        {"knowledge": {"name": "pages", "content_hash": "def"}},
        {"abstain": "none"},
        {"versions": {"factscore-chain": "9"}},
    ],
)
def test_what_could_change_a_verdict_changes_the_key(change: dict[str, object]) -> None:
    one = Generation("Ada was born.", "Ada")
    assert content_key(one, manifest(**change)) != content_key(one, manifest())


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (Generation("Ada was born.", "Ada", id="7", input="Who?", place=Place("a", 1)), True),
        (Generation("Ada was born.", "Ada", facts=("Ada was born.",)), False),
        (Generation("Ada was born.", None), False),
        (Generation("Ada was born!", "Ada"), False),
    ],
)
def test_the_key_is_of_the_content(other: Generation, same: bool) -> None:
    key = content_key(Generation("Ada was born.", "Ada"), manifest())
    assert (content_key(other, manifest()) == key) is same
