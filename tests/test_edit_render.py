"""The report of edits for people: Markdown, and a page for a browser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from factscore_chain.chain import FactScoreChain
from factscore_chain.edit.chain import EditChain
from factscore_chain.edit.report import EditReport
from factscore_chain.report import FactRecord
from factscore_chain.retrievers.knowledge import KnowledgeSource
from tests.editing import NOTES, TOPIC, TRUE, WRONG, ListEditor, word_chain
from tests.pages import make_source
from tests.stages import SentenceDecomposer, WordVerifier

HOSTILE = "Ada Lovelace <script>alert(1)</script> & *wrote* | \u202e novels."


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def report(source: KnowledgeSource) -> EditReport:
    scorer = word_chain(source)
    editor = ListEditor(edits={WRONG: TRUE, HOSTILE: "Ada Lovelace wrote hymns in Rome."})
    text = f"{WRONG} {NOTES}\n\n{HOSTILE}"
    return EditChain(scorer, editor=editor, second=scorer).edit(text, topic=TOPIC)


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.unbalanced: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)


def test_markdown_strikes_out_and_puts_in(report: EditReport) -> None:
    assert "Ada Lovelace was born in ~~Paris~~**London**." in report.to_markdown()


def test_every_score_stands_beside_its_coverage_and_estimator(report: EditReport) -> None:
    text = report.to_markdown()
    assert "- FActScore 33.3% → 66.7%" in text
    assert "- second opinion: FActScore 33.3% → 66.7%" in text
    assert text.count("coverage 100.0% → 100.0%, estimator custom") == 2


def test_markdown_says_why_an_edit_was_not_kept(report: EditReport) -> None:
    text = report.to_markdown()
    assert "not kept: no passage has 'Rome'" in text
    assert "  - proposed: Ada Lovelace wrote hymns in Rome." in text
    assert "- still **not supported**" in text


def test_text_means_nothing_to_markdown(report: EditReport) -> None:
    assert "<script>" not in report.to_markdown()
    assert "*wrote*" not in report.to_markdown()


def test_text_means_nothing_to_the_page(report: EditReport) -> None:
    page = report.to_html()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "\u202e" not in page


def test_the_page_is_whole_and_needs_no_other_file(report: EditReport) -> None:
    tags = _Tags()
    tags.feed(report.to_html())
    assert (tags.open, tags.unbalanced) == ([], [])
    assert re.findall(r"(?:src|href)=|url\(|@import", report.to_html()) == []


def test_the_page_shows_both_versions_side_by_side(report: EditReport) -> None:
    before, after = re.findall(r'<p class="text"[^>]*>(.*?)</p>', report.to_html(), re.DOTALL)
    assert "born in <del>Paris</del>." in before
    assert "born in <ins>London</ins>." in after


def test_the_diff_applies_to_lines_without_an_end(source: KnowledgeSource) -> None:
    edited = EditChain(word_chain(source), editor=ListEditor(edits={WRONG: TRUE})).edit(
        f"{NOTES}\n{WRONG}", topic=TOPIC
    )
    end = "\\ No newline at end of file"
    assert edited.diff.splitlines()[2:] == ["@@ -1,2 +1,2 @@", f" {NOTES}", f"-{WRONG}", end, f"+{TRUE}", end]


def test_a_record_gives_its_decision_back(report: EditReport) -> None:
    for fact in report.before.facts:
        assert FactRecord.of(fact.decision) == fact


def test_the_summary_leads_with_what_rose_and_not_with_the_penalised_score(source: KnowledgeSource) -> None:
    scorer = FactScoreChain(source, decomposer=SentenceDecomposer(), verifier=WordVerifier(), gamma=10)
    report = EditChain(scorer, editor=ListEditor(edits={WRONG: TRUE})).edit(f"{WRONG} {NOTES}", topic=TOPIC)
    head = report.to_markdown().splitlines()[2]
    assert head.startswith(
        "- FActScore 50.0% → 100.0% (up 50.0 points), with length penalty (gamma 10) 0.9% → "
    )
    assert "50.0% → 100.0%" in report.to_html().split("<h2", 1)[1]
