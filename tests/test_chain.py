"""The chain: what goes in, what comes out, and what a failure costs."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableConfig, RunnableLambda, RunnablePassthrough

from factscore_chain.chain import GENERATION_DONE, FactScoreChain
from factscore_chain.edit.chain import EditChain
from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.language_model import LanguageModel
from factscore_chain.report import GenerationReport, Report
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Decomposition, Generation, Verdict
from tests.pages import make_source
from tests.scripted import ScriptedChatModel
from tests.stages import SentenceDecomposer, WordVerifier

TRUE = "Ada Lovelace was born in London."
FALSE = "Ada Lovelace was born in Paris."


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


def chain(knowledge: KnowledgeSource | BaseRetriever, gamma: float | None = None) -> FactScoreChain:
    return FactScoreChain(knowledge, decomposer=SentenceDecomposer(), verifier=WordVerifier(), gamma=gamma)


def test_score_is_the_share_of_supported_facts(source: KnowledgeSource) -> None:
    report = chain(source).score(f"{TRUE} {FALSE}", topic="Ada Lovelace")
    assert report.score == 0.5
    assert [fact.text for fact in report.unsupported] == [FALSE]


def test_gamma_penalises_few_facts(source: KnowledgeSource) -> None:
    report = chain(source, gamma=10).score(TRUE, topic="Ada Lovelace")
    assert report.init_score == 1.0
    assert report.score == pytest.approx(0.0001234, abs=1e-7)


@pytest.mark.parametrize(
    "given",
    [
        Generation(TRUE, "Ada Lovelace"),
        {"output": TRUE, "topic": "Ada Lovelace"},
        AIMessage(TRUE),
        TRUE,
        [{"output": TRUE, "topic": "Ada Lovelace", "cat": ["rare"]}],
    ],
)
def test_takes_whatever_holds_a_generation(source: KnowledgeSource, given: object) -> None:
    assert chain(source).invoke(given).score == 1.0


@pytest.mark.parametrize("given", [3, {"topic": "x"}, {"output": 3}, [None], {"output": "x", "facts": [" "]}])
def test_refuses_what_holds_none(source: KnowledgeSource, given: object) -> None:
    with pytest.raises(UsageError, match="generation"):
        chain(source).invoke(given)


def test_facts_that_are_given_are_not_decomposed(source: KnowledgeSource) -> None:
    report = chain(source).score(Generation("KEY", "Ada Lovelace", facts=(TRUE, FALSE)))
    assert [fact.verdict for fact in report.facts] == [Verdict.SUPPORTED, Verdict.NOT_SUPPORTED]


def test_facts_have_their_place_in_the_text(source: KnowledgeSource) -> None:
    text = f"{TRUE}  {FALSE}"
    spans = [fact.span for fact in chain(source).score(text, topic="Ada Lovelace").facts]
    assert [text[span.start : span.end] for span in spans if span] == [TRUE, FALSE]


def test_a_topic_narrows_the_evidence(source: KnowledgeSource) -> None:
    report = chain(source).score(TRUE, topic="charles_babbage")
    assert report.generations[0].title == "Charles Babbage"
    assert {passage.title for passage in report.facts[0].passages} == {"Charles Babbage"}


def test_facts_are_made_with_the_sources_own_title(source: KnowledgeSource) -> None:
    seen: list[str | None] = []

    class Spy(SentenceDecomposer):
        async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
            seen.append(value.topic)
            return await super()._process(value, config)

    FactScoreChain(source, decomposer=Spy(), verifier=WordVerifier()).score(TRUE, topic="ADA_LOVELACE")
    assert seen == ["Ada Lovelace"]


@pytest.mark.parametrize("topic", ["", "  "])
def test_an_empty_topic_is_none(source: KnowledgeSource, topic: str) -> None:
    assert chain(source).score(TRUE, topic=topic).score == 1.0


def test_without_a_topic_each_fact_finds_its_own_page(source: KnowledgeSource) -> None:
    report = chain(source).score(f"{TRUE} Charles Babbage was an English mathematician.")
    assert [fact.best_passage.title for fact in report.facts if fact.best_passage] == [
        "Ada Lovelace",
        "Charles Babbage",
    ]
    assert report.score == 1.0


@pytest.mark.parametrize(("topic", "message"), [("Alan Turing", "titled"), ("Mercury", "ambiguous")])
def test_an_unknown_topic_costs_only_its_own_generation(
    source: KnowledgeSource, topic: str, message: str
) -> None:
    rows = [{"topic": name, "output": TRUE} for name in ("Ada Lovelace", topic, "Countess of Lovelace")]
    report = chain(source).score_many(rows)
    assert [one.status for one in report.generations] == ["scored", "failed", "scored"]
    assert message in (report.generations[1].error or "")
    assert (report.score, report.complete) == (1.0, False)


def test_an_abstention_is_left_out_of_the_mean(source: KnowledgeSource) -> None:
    report = chain(source).score_many([Generation(TRUE, "Ada Lovelace"), "I don't know."])
    assert (report.score, report.respond_ratio, report.counts.abstained) == (1.0, 0.5, 1)


def test_all_abstained_has_no_score(source: KnowledgeSource) -> None:
    report = chain(source).score_many(["I'm sorry, I have no information about this person.", "n/a"])
    assert (report.score, report.respond_ratio, report.num_facts_per_response) == (None, 0.0, None)


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_empty_text_has_no_facts(source: KnowledgeSource, text: str) -> None:
    (one,) = chain(source).score(text).generations
    assert (one.status, one.score) == ("no_facts", None)


@pytest.mark.parametrize("text", ["IDK", "I don't know.", "n/a", "...", "", "  \n", "🙂"])
def test_what_says_nothing_is_no_answer_and_nobody_is_asked_about_it(
    source: KnowledgeSource, text: str
) -> None:
    model = ScriptedChatModel(script=lambda asked: "True")
    (one,) = FactScoreChain(source, llm=model).score(text, topic="Ada Lovelace").generations
    assert (one.status in {"abstained", "no_facts"}, one.score, model.prompts) == (True, None, [])


@pytest.mark.parametrize("text", ["", "I'm sorry, I have no information about this person."])
def test_every_way_in_agrees_on_what_an_empty_answer_is(source: KnowledgeSource, text: str) -> None:
    made = chain(source)
    editor = EditChain(made, llm=ScriptedChatModel(script=[])).edit(text, topic="Ada Lovelace")
    reports = [made.score(text, "Ada Lovelace"), made.score_many([text]), *made.batch([text]), editor.before]
    assert len({(one.generations[0].status, one.score, one.respond_ratio) for one in reports}) == 1


def test_the_one_model_that_was_named_does_all_the_asking(
    source: KnowledgeSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("langchain.chat_models.init_chat_model", None)
    model = ScriptedChatModel(script=lambda asked: f"- {TRUE}" if "<statement" not in asked else "True")
    report = FactScoreChain(source, llm=model).score(TRUE, topic="Ada Lovelace")
    assert (report.init_score, report.manifest.usage["calls"]) == (1.0, len(model.prompts))
    assert report.manifest.decomposer["settings"] == report.manifest.verifier["settings"]


def test_a_sentence_that_failed_is_listed_and_the_others_are_scored(source: KnowledgeSource) -> None:
    (one,) = chain(source).score(f"{TRUE} REFUSE this. {FALSE}", topic="Ada Lovelace").generations
    assert [fact.text for fact in one.facts] == [TRUE, FALSE]
    assert [failure.sentence for failure in one.failures] == [1]
    assert (one.init_score, one.complete) == (0.5, False)


def test_only_failed_sentences_are_no_clean_zero(source: KnowledgeSource) -> None:
    (one,) = chain(source).score("REFUSE this.", topic="Ada Lovelace").generations
    assert (one.status, one.score) == ("failed", None)


def test_a_verifier_that_breaks_never_raises_a_score(source: KnowledgeSource) -> None:
    report = chain(source).score(f"{TRUE} BREAK.", topic="Ada Lovelace")
    assert (report.score, report.counts.failed, report.coverage) == (None, 2, 0.0)


def test_a_key_that_is_refused_stops_at_once(source: KnowledgeSource) -> None:
    with pytest.raises(FatalModelError, match="key was refused"):
        chain(source).score("KEY")


def test_a_key_that_is_refused_later_keeps_what_was_scored(source: KnowledgeSource) -> None:
    report = chain(source).score_many([Generation(TRUE, "Ada Lovelace"), "KEY", *["KEY"] * 8])
    assert [one.status for one in report.generations] == ["scored", *["failed"] * 9]
    assert "Not tried" in (report.generations[-1].error or "")


def test_async_gives_what_sync_gives(source: KnowledgeSource) -> None:
    made = chain(source)
    sync, later = made.score(FALSE, "Ada Lovelace"), asyncio.run(made.ascore(FALSE, "Ada Lovelace"))
    assert sync.generations == later.generations


def test_whoever_forgets_to_await_gets_no_report(source: KnowledgeSource) -> None:
    made = chain(source)
    forgotten = made.ascore(TRUE, topic="Ada Lovelace")
    assert not hasattr(forgotten, "score")
    assert asyncio.run(forgotten).score == 1.0
    assert isinstance(made.score(TRUE, topic="Ada Lovelace"), Report)


@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_report_is_the_same_in_each_run_and_whatever_is_asked_at_once(
    source: KnowledgeSource, concurrency: int
) -> None:
    def reply(asked: str) -> str:
        return "False" if "Paris" in asked else "True"

    def run(at_once: int) -> str:
        model = ScriptedChatModel(script=reply, delay=0.001, number=0)
        scorer = FactScoreChain(
            source,
            llm=LanguageModel(model, concurrency=at_once),
            decomposer=SentenceDecomposer(),
        )
        report = scorer.score_many(
            [Generation(f"{TRUE} {FALSE}", "Ada Lovelace", id=str(n)) for n in range(6)]
        )
        manifest = report.manifest.model_copy(update={"created": ""})
        return report.model_copy(update={"manifest": manifest}).to_json()

    assert len({run(concurrency) for _ in range(3)} | {run(4)}) == 1


def test_batch_gives_what_single_calls_give(source: KnowledgeSource) -> None:
    texts = [TRUE, FALSE, "I don't know."]
    made = chain(source)
    assert [r.generations for r in made.batch(list(texts))] == [made.invoke(t).generations for t in texts]


async def test_sync_call_works_inside_a_running_loop(source: KnowledgeSource) -> None:
    assert chain(source).score(TRUE, "Ada Lovelace").score == 1.0


def test_sync_call_works_in_a_worker_thread(source: KnowledgeSource) -> None:
    scores: list[float | None] = []
    worker = threading.Thread(target=lambda: scores.append(chain(source).score(TRUE, "Ada Lovelace").score))
    worker.start()
    worker.join(timeout=60)
    assert scores == [1.0]


def test_results_are_handed_out_as_they_finish(source: KnowledgeSource) -> None:
    seen: dict[int, GenerationReport] = {}
    report = chain(source).score_many([TRUE, FALSE], on_result=seen.__setitem__)
    assert tuple(seen[index] for index in (0, 1)) == report.generations


@pytest.mark.parametrize("progress", [True, False])
def test_a_bar_is_shown_where_it_is_asked_for(
    source: KnowledgeSource, capsys: pytest.CaptureFixture[str], progress: bool
) -> None:
    seen: list[int] = []
    chain(source).score_many([TRUE, FALSE], lambda index, report: seen.append(index), progress=progress)
    assert ("2/2" in capsys.readouterr().err) is progress
    assert sorted(seen) == [0, 1]


async def test_progress_is_a_custom_event(source: KnowledgeSource) -> None:
    events = [event async for event in chain(source).astream_events(TRUE, version="v2")]
    done = [event for event in events if event["event"] == "on_custom_event"]
    assert [event["name"] for event in done] == [GENERATION_DONE]
    assert {"decompose", "retrieve", "verify"} <= {event["name"] for event in events}


def test_composes_with_other_runnables(source: KnowledgeSource) -> None:
    answer: RunnableLambda[str, dict[str, str]] = RunnableLambda(lambda q: {"question": q, "output": TRUE})
    result = (answer | RunnablePassthrough.assign(factuality=chain(source))).invoke("Who was Ada?")
    assert result["question"] == "Who was Ada?"
    assert isinstance(result["factuality"], Report)


def test_any_langchain_retriever_can_give_the_evidence() -> None:
    report = chain(_Fixed(documents=[Document(TRUE, metadata={"source": "notes"})])).score(TRUE, topic="Ada")
    assert report.score == 1.0
    assert report.facts[0].passages[0].title == "notes"
    assert report.manifest.knowledge["name"] == "_Fixed"


def test_a_retriever_that_breaks_costs_its_generation_and_tells_nothing_of_the_text() -> None:
    (one,) = chain(_Broken()).score(TRUE).generations
    assert (one.status, one.score) == ("failed", None)
    assert "ConnectionError" in (one.error or "")
    assert "Lovelace" not in (one.error or "")


def test_the_manifest_names_what_made_the_report(source: KnowledgeSource) -> None:
    manifest = chain(source).score(TRUE).manifest
    assert manifest.knowledge == {
        "name": "pages",
        "content_hash": source.content_hash,
        "built": source.built,
    }
    assert (manifest.estimator, manifest.verifier, manifest.cost) == ("custom", {"kind": "words"}, 0.0)
    assert manifest.versions["factscore-chain"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimator": "magic"}, "no estimator 'magic'"),
        ({"estimator": "retrieval+llm"}, "asks a model"),
        ({"llm": 3}, "int is no model"),
        ({"llm": "nobody:nothing"}, "nobody:nothing"),
        ({"gamma": -1}, "gamma"),
        ({"k": 0}, "Retrieval: k: .*greater than or equal to 1"),
        ({"abstain": "maybe"}, "maybe"),
        ({"knowledge": None}, "knowledge"),
    ],
)
def test_a_wrong_argument_is_named(source: KnowledgeSource, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        FactScoreChain(**{"knowledge": source, **options})  # type: ignore[arg-type]


def test_two_sources_in_one_process_stay_apart(source: KnowledgeSource, tmp_path: Path) -> None:
    other = KnowledgeSource.build(_one_page(tmp_path), tmp_path / "other.db")
    assert chain(other).score("Grace Hopper wrote a compiler.").score == 1.0
    assert chain(source).score("Grace Hopper wrote a compiler.").score == 0.0


def _one_page(folder: Path) -> Path:
    path = folder / "other.jsonl"
    path.write_text('{"title": "Grace Hopper", "text": "Grace Hopper wrote a compiler."}\n', encoding="utf-8")
    return path


class _Fixed(BaseRetriever):
    documents: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: object) -> list[Document]:
        return self.documents


class _Broken(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: object) -> list[Document]:
        raise ConnectionError(f"no route while asking for {query}")
