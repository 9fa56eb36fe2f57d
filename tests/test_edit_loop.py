"""The loop as a graph and the chain as a Runnable: steps, checkpoints, several texts, fatal errors."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from factscore_chain import EditChain as PublicEditChain
from factscore_chain.chain import FactScoreChain
from factscore_chain.edit.chain import EditChain
from factscore_chain.edit.report import EditReport
from factscore_chain.edit.state import EditState, report_of, start
from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.report import Report
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Verdict
from tests.editing import NOTES, TOPIC, TRUE, WRONG, ListEditor, editing_model, sentence_in, word_chain
from tests.pages import make_source
from tests.scripted import ScriptedChatModel

MEND = ListEditor(edits={WRONG: TRUE})
ROW = {"output": f"{WRONG} {NOTES}", "topic": TOPIC}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


@pytest.fixture
def scorer(source: KnowledgeSource) -> FactScoreChain:
    return word_chain(source)


def _refused_key() -> Exception:
    error = RuntimeError("no")
    error.status_code = 401  # type: ignore[attr-defined]
    return error


def test_it_composes_with_the_chain_that_scores(scorer: FactScoreChain) -> None:
    report = (scorer | EditChain(scorer, editor=MEND)).invoke(ROW)
    assert report.text == f"{TRUE} {NOTES}"


def test_a_report_costs_no_second_scoring(scorer: FactScoreChain) -> None:
    scored = scorer.invoke(ROW)
    assert EditChain(scorer, editor=MEND).edit(scored).before is scored


def test_a_report_that_was_saved_can_be_edited(scorer: FactScoreChain) -> None:
    saved = Report.model_validate_json(scorer.invoke(ROW).to_json())
    assert EditChain(scorer, editor=MEND).edit(saved).text == f"{TRUE} {NOTES}"


def test_a_report_of_another_estimator_is_refused(scorer: FactScoreChain, source: KnowledgeSource) -> None:
    other = FactScoreChain(source, estimator="np")
    with pytest.raises(UsageError, match="was made with the decomposer"):
        EditChain(other, editor=MEND).edit(scorer.invoke(ROW))


def test_several_texts_come_back_in_order_and_are_told_as_they_are_done(scorer: FactScoreChain) -> None:
    texts = [{"output": f"{WRONG} {NOTES}", "topic": TOPIC}, {"output": NOTES, "topic": TOPIC}] * 4
    done: dict[int, str] = {}
    report = EditChain(scorer, editor=MEND).edit_many(texts, lambda i, one: done.update({i: one.status}))
    assert report.texts == (f"{TRUE} {NOTES}", NOTES) * 4
    assert done == {i: ("edited", "unchanged")[i % 2] for i in range(8)}


async def test_it_runs_inside_an_event_loop(scorer: FactScoreChain) -> None:
    chain = EditChain(scorer, editor=MEND)
    assert (await chain.aedit(AIMessage(WRONG + " " + NOTES), topic=TOPIC)).text == f"{TRUE} {NOTES}"
    assert chain.edit(ROW).text == (await chain.aedit_many([ROW])).text


def test_a_broken_editor_costs_only_its_round(scorer: FactScoreChain) -> None:
    rows = [{"output": f"CRACK is wrong. {NOTES}", "topic": TOPIC}, ROW]
    report = EditChain(scorer, editor=MEND).edit_many(rows)
    assert report.texts == (rows[0]["output"], f"{TRUE} {NOTES}")
    assert "ValueError" in (report.generations[0].edits[0].error or "")
    assert not report.complete


def test_a_wrong_key_raises_where_nothing_was_done(scorer: FactScoreChain) -> None:
    chain = EditChain(scorer, llm=ScriptedChatModel(script=[_refused_key()] * 9))
    with pytest.raises(FatalModelError, match="the key was refused"):
        chain.edit(ROW)


def test_a_wrong_key_keeps_what_was_done(scorer: FactScoreChain) -> None:
    model = editing_model({WRONG: TRUE, "Ada Lovelace was born in Rome.": _refused_key()})
    rome = {"output": "Ada Lovelace was born in Rome. " + NOTES, "topic": TOPIC}
    report = EditChain(scorer, llm=model).edit_many([ROW, rome, {"output": NOTES, "topic": TOPIC}])
    assert report.texts == (f"{TRUE} {NOTES}", rome["output"], NOTES)
    assert [one.status for one in report.generations][:2] == ["edited", "failed"]
    assert not report.complete


def test_an_edit_of_an_earlier_round_outlives_a_fatal_error(scorer: FactScoreChain) -> None:
    rome = "Ada Lovelace was born in Rome."

    def reply(question: str) -> Any:
        if "That was not taken" in question:
            return _refused_key()
        return TRUE if sentence_in(question) == WRONG else "HACKED"

    report = EditChain(scorer, llm=ScriptedChatModel(script=reply)).edit(f"{WRONG} {rome}", topic=TOPIC)
    assert report.text == f"{TRUE} {rome}"
    assert report.generations[0].status == "failed"


def test_a_second_chain_grades_both_texts_and_the_unchanged_once(
    scorer: FactScoreChain, source: KnowledgeSource
) -> None:
    second = FactScoreChain(source, estimator="np", gamma=None)
    report = EditChain(scorer, editor=MEND, second=second).edit_many([ROW, {"output": NOTES, "topic": TOPIC}])
    assert report.second is not None
    assert report.second.before.manifest.estimator == "np"
    assert [one.text for one in report.second.after.generations] == list(report.texts)
    assert report.second.after.generations[1] == report.second.before.generations[1]


def test_the_report_survives_json(scorer: FactScoreChain) -> None:
    report = EditChain(scorer, editor=MEND, second=scorer).edit(ROW)
    assert EditReport.model_validate(json.loads(report.to_json())) == report


def test_the_steps_of_the_loop_can_be_watched(scorer: FactScoreChain) -> None:
    graph = EditChain(scorer, editor=MEND).graph
    begin = start(scorer.invoke(ROW).generations[0])
    assert [name for step in graph.stream(begin, stream_mode="updates") for name in step] == [
        "edit",
        "decompose",
        "verify",
        "keep",
    ]


async def test_the_steps_show_among_the_events_of_the_chain(scorer: FactScoreChain) -> None:
    events = EditChain(scorer, editor=MEND).astream_events(ROW, version="v2")
    names = [event["name"] async for event in events if event["event"] == "on_chain_start"]
    assert {"score", "edit_loop", "decompose", "verify", "keep"} <= {*names}


def test_the_state_is_plain_json(scorer: FactScoreChain) -> None:
    begin = start(scorer.invoke(ROW).generations[0])
    states = list(EditChain(scorer, editor=MEND).graph.stream(begin, stream_mode="values"))
    assert json.loads(json.dumps(states)) == states
    assert report_of(cast("EditState", states[-1])).text == f"{TRUE} {NOTES}"


def test_a_loop_that_was_cut_off_is_taken_up_where_it_stopped(source: KnowledgeSource) -> None:
    saver = InMemorySaver()
    model = editing_model({WRONG: TRUE})
    broken = word_chain(source)
    scored = broken.invoke(ROW)
    chain = EditChain(broken, llm=model, checkpointer=saver)
    thread = chain.thread_id(scored.generations[0])
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    chain.graph.invoke(start(scored.generations[0]), config, interrupt_before=["verify"])
    assert len(model.prompts) == 1
    assert chain.edit(scored).text == f"{TRUE} {NOTES}"
    assert len(model.prompts) == 1


def test_a_finished_thread_starts_anew(scorer: FactScoreChain) -> None:
    chain = EditChain(scorer, editor=MEND, checkpointer=InMemorySaver())
    assert chain.edit(ROW).texts == chain.edit(ROW).texts == (f"{TRUE} {NOTES}",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"editor": MEND, "policy": "improve"}, "no policy 'improve'"),
        ({"editor": "pencil"}, "no editor 'pencil'"),
        ({"editor": "llm"}, "asks a model"),
        ({"variant": "facts"}, "asks a model"),
        ({"editor": MEND, "variant": "facts"}, "is for editing by a model"),
        ({"editor": MEND, "mend": ["supported"]}, "'supported' cannot be mended"),
        ({"editor": MEND, "mend": []}, "No verdict"),
        ({"editor": MEND, "max_rounds": 0}, "max_rounds"),
    ],
)
def test_wrong_use_is_named(scorer: FactScoreChain, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        EditChain(scorer, **options)


def test_something_else_than_a_chain_is_refused() -> None:
    with pytest.raises(UsageError, match="not str"):
        EditChain("knowledge.jsonl")  # type: ignore[arg-type]


def test_the_model_of_the_scorer_edits_unless_another_is_named(source: KnowledgeSource) -> None:
    model = ScriptedChatModel(script=[])
    chain = PublicEditChain(FactScoreChain(source, llm=model))
    assert chain.editor.models == chain.scorer.models
    assert chain.mend == (Verdict.NOT_SUPPORTED,)
