"""Recall: which facts of a reference a generation states, and what that may cost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.cli.main import main
from factscore_chain.errors import UsageError
from factscore_chain.recall import Recall
from factscore_chain.report import RecallRecord, Report
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Decomposition, Generation
from tests.pages import PAGES, make_source, write_rows
from tests.scripted import ScriptedChatModel
from tests.stages import SentenceDecomposer, WordVerifier

BORN = "Ada Lovelace was born in London in 1815."
NOTES = "She wrote notes on the Analytical Engine."
TOPIC = "Ada Lovelace"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


def recall_of(source: KnowledgeSource, generation: object, **settings: object) -> RecallRecord:
    chain = FactScoreChain(
        source,
        decomposer=SentenceDecomposer(),
        verifier=WordVerifier(),
        gamma=0,
        **settings,  # type: ignore[arg-type]
    )
    record = chain.invoke(generation).generations[0].recall
    assert record is not None
    return record


def test_facts_of_the_page_are_stated_or_missing(source: KnowledgeSource) -> None:
    record = recall_of(source, {"output": BORN, "topic": "countess of lovelace"}, recall="page")
    assert (record.source, record.recall) == (TOPIC, 0.5)
    assert (record.stated, record.missing) == ((BORN,), (NOTES,))


def test_a_reference_of_its_own_comes_before_the_page(source: KnowledgeSource) -> None:
    row = {"output": BORN, "topic": TOPIC, "reference": ["Ada was born in London.", "Ada died in London."]}
    record = recall_of(source, row, recall="page")
    assert (record.source, record.recall) == ("reference", 0.5)


def test_no_recall_is_measured_unless_asked_for(source: KnowledgeSource) -> None:
    chain = FactScoreChain(source, decomposer=SentenceDecomposer(), verifier=WordVerifier())
    report = chain.score(BORN, topic=TOPIC)
    assert (report.recall, report.generations[0].recall) == (None, None)


@pytest.mark.parametrize("text", ["I don't know.", ""])
def test_who_says_nothing_states_nothing(source: KnowledgeSource, text: str) -> None:
    record = recall_of(source, {"output": text, "topic": TOPIC}, recall="page")
    assert (record.recall, record.missing) == (0.0, (BORN, NOTES))


@pytest.mark.parametrize(
    ("row", "against", "message"),
    [
        ({"output": BORN}, "page", "no topic"),
        ({"output": BORN, "topic": TOPIC}, "reference", "brings no 'reference'"),
        ({"output": BORN, "topic": "Nobody"}, "page", "No document is titled"),
        ({"output": BORN, "topic": TOPIC, "reference": "  "}, "page", "no fact was found"),
    ],
)
def test_without_a_reference_there_is_a_reason_and_no_figure(
    source: KnowledgeSource, row: dict[str, str], against: str, message: str
) -> None:
    record = recall_of(source, row, recall=against)
    assert record.recall is None
    assert message in (record.error or "")


def test_a_failing_verifier_gives_no_recall_of_zero(source: KnowledgeSource) -> None:
    record = recall_of(source, {"output": BORN, "reference": "BREAK."}, recall="reference")
    assert (record.recall, record.undecided) == (None, ("BREAK.",))
    assert "failed" in (record.error or "")


def test_trouble_with_recall_leaves_the_score_alone(source: KnowledgeSource) -> None:
    chain = FactScoreChain(
        source, decomposer=SentenceDecomposer(), verifier=WordVerifier(), gamma=0, recall="page"
    )
    report = chain.score(BORN)
    assert (report.score, report.recall) == (1.0, None)


def test_facts_looked_for_are_bounded(source: KnowledgeSource) -> None:
    row = {"output": BORN, "reference": " ".join(f"Town {i} has {i} wells." for i in range(40))}
    record = recall_of(source, row, recall="reference", max_reference_facts=6)
    assert len(record.missing) <= 6
    assert record.facts_left_out


def test_a_page_is_decomposed_once_for_all_its_generations(source: KnowledgeSource) -> None:
    seen: list[str] = []

    class Counting(SentenceDecomposer):
        async def _process(self, value: Generation, config: object) -> Decomposition:
            seen.append(value.text)
            await asyncio.sleep(0)
            return await super()._process(value, config)  # type: ignore[arg-type]

    chain = FactScoreChain(source, decomposer=Counting(), verifier=WordVerifier(), recall="page")
    chain.score_many([{"output": BORN, "topic": TOPIC}] * 6)
    assert sum("notes" in text for text in seen) == 1


def test_calls_of_a_model_are_bounded(source: KnowledgeSource) -> None:
    model = ScriptedChatModel(script=lambda text: "True" if "True or False" in text else "- Ada was here.")
    chain = FactScoreChain(source, llm=model, recall="reference", max_reference_facts=4)
    text = " ".join(f"Ada has {i} wells." for i in range(30))
    chain.score({"output": "Ada was here.", "topic": TOPIC, "reference": text})
    # The generation's own: one decomposition and one verdict. The reference's: two sentences, and its facts.
    assert len(model.prompts) <= 2 + 2 + 4


def test_an_estimate_of_the_cost_leaves_nothing_behind(source: KnowledgeSource) -> None:
    model = ScriptedChatModel(script=lambda text: "True" if "True or False" in text else "- Ada was here.")
    chain = FactScoreChain(source, llm=model, recall="reference")
    row = {"output": "Ada was here.", "topic": TOPIC, "reference": "Ada was here and there."}
    estimate = chain.estimate_cost([row])
    assert (estimate.usage.calls, model.prompts) == (4, [])
    record = chain.invoke(row).generations[0].recall
    assert record is not None
    assert record.stated == ("Ada was here.",)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"estimator": "no-context", "llm": ScriptedChatModel(script=[])}, "reads no passages"),
        ({"estimator": "self-check", "llm": ScriptedChatModel(script=[])}, "reads no passages"),
        ({"verifier": WordVerifier()}, "knowledge"),
    ],
)
def test_parts_that_cannot_measure_recall_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        FactScoreChain(recall="page", **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("settings", [{"recall": "web"}, {"recall": "page", "max_reference_facts": 0}])
def test_settings_of_recall_are_checked(source: KnowledgeSource, settings: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="Recall"):
        FactScoreChain(source, **settings)  # type: ignore[arg-type]


def test_recall_stands_alone_as_a_stage() -> None:
    stage = Recall(decomposer=SentenceDecomposer(), verifier=WordVerifier(), against="reference")
    record = stage.invoke(Generation("Ada was born in Rome.", reference="Ada was born. Ada died."))
    assert (record.recall, record.missing) == (0.5, ("Ada died.",))


def test_the_command_reads_a_reference_from_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    knowledge = write_rows(tmp_path / "pages.jsonl", PAGES)
    reference = tmp_path / "reference.txt"
    reference.write_text("Ada Lovelace was born in London. Ada Lovelace liked tea.", encoding="utf-8")
    arguments = ["score", BORN, "--topic", TOPIC, "--knowledge", str(knowledge), "--recall", str(reference)]
    assert main([*arguments, "--format", "json"]) == 0
    record = Report.model_validate_json(capsys.readouterr().out).generations[0].recall
    assert record is not None
    assert (record.source, record.missing) == ("reference", ("Ada Lovelace liked tea.",))


def test_the_command_says_that_a_reference_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", BORN, "--recall", str(tmp_path / "none.txt")]) == 2
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(("given", "code", "line"), [(0, 2, "no row has one"), (1, 0, "generation 2 (Ada")])
def test_the_command_says_which_rows_bring_no_reference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: int, code: int, line: str
) -> None:
    knowledge = write_rows(tmp_path / "pages.jsonl", PAGES)
    row = {"output": BORN, "topic": TOPIC}
    rows = write_rows(tmp_path / "in.jsonl", [{**row, "reference": BORN}] * given + [row] * 2)
    assert main(["score", str(rows), "--knowledge", str(knowledge), "--recall", "reference"]) == code
    assert line in capsys.readouterr().err
