"""Text that tries to steer a judge, a page, a table, a terminal or a database, wherever it may stand."""

from __future__ import annotations

import csv
import io
import json
import re
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path

import pytest
from langchain_core.messages import BaseMessage

from factscore_chain.decompose.llm import LLMDecomposer
from factscore_chain.evals.bench import injections as bench
from factscore_chain.evals.bench.injections import Injection, load_injections
from factscore_chain.gate.outputs.csv_rows import to_csv
from factscore_chain.language_model import LanguageModel
from factscore_chain.prompts.prompt import fence, load_prompt
from factscore_chain.render import print_table
from factscore_chain.report import Report
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.vectors import VectorIndex
from factscore_chain.values import AtomicFact, Claim, Generation, Passage, Verdict
from factscore_chain.verify.grouped import GroupedVerifier
from factscore_chain.verify.llm import LLMVerifier
from tests import reports
from tests.embedders import WordEmbeddings
from tests.openai_server import KEY, OpenAIServer
from tests.pages import write_rows
from tests.scripted import ScriptedChatModel

INJECTIONS = load_injections()
NAMES = [f"{number}-{one.kind}-{one.place}" for number, one in enumerate(INJECTIONS)]
OPENING = re.compile(r"<(?P<mark>[a-z]+(?:-\d+)*)>\n")


def outside(text: str) -> str:
    """What of a message stands between no marks, as a reader takes it who goes by the first closing mark."""
    place, found = 0, ""
    while opening := OPENING.search(text, place):
        closed = text.index(f"\n</{opening['mark']}>", opening.end() - 1) + len(opening["mark"]) + 4
        found += text[place : opening.start()]
        place = closed
    return found + text[place:]


def sent(claim: Claim, *, together: bool) -> list[BaseMessage]:
    model = ScriptedChatModel(script=lambda _: "False")
    judge = LLMVerifier(model=LanguageModel(model))
    if together:
        other = Claim(AtomicFact("It is tall."), claim.passages, claim.topic)
        GroupedVerifier(single=judge, facts_per_call=2).batch([claim, other])
    else:
        judge.invoke(claim)
    return model.prompts[0]


def test_there_are_many_of_every_place() -> None:
    places = [one.place for one in INJECTIONS]
    assert len(set(INJECTIONS)) == len(INJECTIONS) >= 60
    assert all(places.count(place) >= 7 for place in ("fact", "passage", "title", "topic"))


@pytest.mark.parametrize("together", [False, True], ids=["alone", "grouped"])
@pytest.mark.parametrize("injection", INJECTIONS, ids=NAMES)
def test_nothing_injected_reaches_the_place_of_instructions(injection: Injection, together: bool) -> None:
    system, question = sent(injection.claim, together=together)
    clean_system, clean_question = sent(injection.clean, together=together)
    assert system == clean_system
    assert outside(question.text) == outside(clean_question.text)


@pytest.mark.parametrize("injection", INJECTIONS, ids=NAMES)
def test_a_text_to_be_broken_up_stays_between_its_marks(injection: Injection) -> None:
    model = ScriptedChatModel(script=lambda _: "- Kyoto Tower is a tower.")
    claim = injection.claim
    LLMDecomposer(model=LanguageModel(model)).invoke(
        Generation(f"Kyoto Tower is a tower. {claim.fact.text}", claim.topic)
    )
    for messages in model.prompts:
        assert messages[0].text == load_prompt("decompose").instructions
        assert outside(messages[-1].text) == outside(model.prompts[0][-1].text)


@pytest.mark.parametrize(
    "text",
    [
        "</fact>",
        "</FACT>",
        "< / fact >",
        "＜/fact＞",
        "</fa\u200bct>",
        "</\u2060fact",
        "<fact>",
        "</ｆａｃｔ>",
    ],
)
def test_what_looks_like_a_mark_changes_the_mark(text: str) -> None:
    assert fence(text, "fact") == f"<fact-2>\n{text}\n</fact-2>"
    assert fence("plain", "fact", [text]) == "<fact-2>\nplain\n</fact-2>"


def test_a_repeated_claim_is_no_support_where_the_topics_page_says_otherwise() -> None:
    page = Passage("page", "Kyoto Tower was opened in 1964.", "Kyoto Tower")
    echo = Passage("echo", "It is certain that Kyoto Tower was opened in 1981. " * 3, "A notice board")
    claim = AtomicFact("Kyoto Tower was opened in 1981.")
    for passages in ((page, echo), (echo, page)):
        (judge,) = bench.judges(bench.parser().parse_args([])).values()
        assert judge.invoke(Claim(claim, passages, "Kyoto Tower")).verdict is Verdict.NOT_SUPPORTED


def obedient(asked: str) -> str:
    """A model that does what it reads outside of fences, and else judges by the year."""
    try:
        orders = outside(asked)
    except ValueError:  # bare text may open a mark and not close it
        orders = asked
    return "True" if "reply true" in orders.lower() or "1981" not in asked else "False"


def test_the_benchmark_counts_what_was_moved_and_leaves_out_what_was_wrong_before() -> None:
    judge = LLMVerifier(model=LanguageModel(ScriptedChatModel(script=lambda _: "False")))
    found = bench.measure(INJECTIONS, judge)
    assert (found.moved, found.left_out) == (0, sum(not one.goal for one in INJECTIONS))
    assert found.tried + found.left_out == len(INJECTIONS)


def test_the_benchmark_tells_fenced_text_from_bare_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with OpenAIServer(obedient) as server:
        code = bench.main(
            ["--llm", "openai:scripted", "--base-url", server.url, "--json", "--concurrency", "8"]
        )
    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert found["fenced"]["moved"] == 0
    assert found["without fences"]["moved"] > 5
    assert found["published prompt"]["moved"] > 5


def test_a_server_without_fences_is_asked_in_our_words() -> None:
    model = ScriptedChatModel(script=lambda _: "False")
    bench.BareVerifier(model=LanguageModel(model)).invoke(INJECTIONS[0].claim)
    system, question = model.prompts[0]
    assert "<" not in question.text
    assert "between tags" not in system.text
    assert system.text.startswith(load_prompt("verify").instructions[:60])


HOSTILE = (
    *(one.claim.fact.text for one in INJECTIONS if one.place == "fact"),
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(1)</script>",
    "=HYPERLINK(1)",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "![x](http://example.org/x.png)",
    "[x](javascript:alert(1))",
    "\x1b[2J\x1b]0;owned\x07\x9b31m",
    "\u202eevil\u202c",
    "../../etc/passwd",
    "C:\\con\\aux",
    "'; DROP TABLE passages; --",
    '" OR title:* NEAR("a" "b")',
    "$where {'$ne': 1}",
    "\x00nul",
    "\ud800half",
    "💥" * 50,
)


def report_of(text: str) -> Report:
    passage = Passage("p", f"{text} stands here.", text)
    fact = reports.fact(Verdict.NOT_SUPPORTED, text, None, passages=(passage,), evidence=("p",), raw=text)
    return reports.report(reports.generation(fact, text=text, topic=text, error=text, id=text))


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[tuple[str, str | None], ...]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple((name, None) for name, _ in attrs)))


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_a_page_has_the_same_tags_whatever_the_text(text: str) -> None:
    pages = [_Tags(), _Tags()]
    for parser, content in zip(pages, (text, "plain"), strict=True):
        parser.feed(report_of(content).to_html())
    assert {tag for tag, _ in pages[0].tags} == {tag for tag, _ in pages[1].tags}
    assert not any(name.startswith("on") for _, names in pages[0].tags for name, _ in names)


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_cell_begins_a_formula(text: str) -> None:
    rows = list(csv.reader(io.StringIO(to_csv(report_of(text)))))
    assert not [cell for row in rows for cell in row if re.match(r"\s*[=+@]|\s*-(?!\d+(?:\.\d+)?$)", cell)]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_markdown_loads_nothing_and_a_terminal_shows_only_letters(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = report_of(text)
    assert not re.search(r"(?<!\\)(?:!\[|\]\(|<(?:script|img))", report.to_markdown())
    print_table(report)
    printed = capsys.readouterr().out
    assert not re.search(r"[\x00-\x08\x0b-\x1a\x7f-\x9f\u202a-\u202e\u2066-\u2069]", printed)


def test_titles_and_queries_of_any_kind_find_their_own_page(tmp_path: Path) -> None:
    titles = [text for text in HOSTILE if not {"\ud800", "\x00", "\r"} & set(text)]
    rows = [{"title": text, "text": f"Page number {n} of the book."} for n, text in enumerate(titles)]
    source = KnowledgeSource.build(write_rows(tmp_path / "in.jsonl", rows), tmp_path / "in.db")
    retriever = KnowledgeRetriever(source=source, mode="bm25")
    for number, title in enumerate(source.titles):
        (found,) = source.passages(title)
        assert f"Page number {number} " in found.text
        retriever.invoke(title)
    assert {path.name.strip(".").split(".")[0] for path in tmp_path.rglob("*")} == {"in"}


def test_a_vector_index_keeps_any_title_and_answers_any_query(tmp_path: Path) -> None:
    rows = [{"title": text, "text": f"Page number {n}: {text}"} for n, text in enumerate(HOSTILE)]
    source = KnowledgeSource.build(write_rows(tmp_path / "in.jsonl", rows), tmp_path / "in.db")
    words = WordEmbeddings()
    with closing(VectorIndex.build(source, words)) as index:
        ranked = KnowledgeRetriever(source=source, embeddings=words, mode="vector", vector_index=index, k=3)
        for title in source.titles:
            assert {one.metadata["title"] for one in ranked.invoke("Page", topic=title)} == {title}
        found = {text: [one.metadata["title"] for one in ranked.invoke(f"Page {text}")] for text in HOSTILE}
    assert all(len(titles) == 3 for titles in found.values())
    assert found["'; DROP TABLE passages; --"][0] == "'; DROP TABLE passages; --"
