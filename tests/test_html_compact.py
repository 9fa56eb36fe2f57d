"""What a notebook shows of a report."""

from __future__ import annotations

import re

from factscore_chain.html import render_compact
from factscore_chain.html.compact import MOST_CHARACTERS, MOST_FACTS, MOST_GENERATIONS
from factscore_chain.values import Passage, Span, Verdict
from tests.reports import fact, generation, report
from tests.test_html_page import Reader, hostile


def plain(piece: str) -> str:
    return " ".join(re.sub(r"<style.*?</style>|<[^>]+>", "", piece, flags=re.DOTALL).split())


def test_a_notebook_gets_scores_and_unsupported_facts_with_their_passage() -> None:
    made = report(
        generation(fact(Verdict.NOT_SUPPORTED, "Ada flew.", reason="contradicted", evidence=("p2",)))
    )
    text = plain(made._repr_html_())
    assert "coverage 100.0%" in text
    assert "✗ Ada flew. not supported (contradicted)Ada: Ada wrote notes." in text


def test_a_generation_shows_itself_open() -> None:
    piece = generation(fact(Verdict.SUPPORTED))._repr_html_()
    assert "<details open>" in piece
    assert '<mark class="supported">Ada</mark> was born.' in piece


def test_overlapping_facts_are_marked_as_mixed_and_each_false_one_signed_where_it_ends() -> None:
    false, true = (
        fact(Verdict.NOT_SUPPORTED, "false", Span(0, 7)),
        fact(Verdict.SUPPORTED, "true", Span(4, 12)),
    )
    piece = generation(false, true)._repr_html_()
    marks = re.findall(r'<mark class="([\w ]+)">(.*?)</mark>', piece)
    assert marks == [
        ("not_supported", "Ada "),
        ("not_supported mixed", "was<sup>✗</sup>"),
        ("supported", " born"),
    ]


def test_the_sentence_shown_is_the_one_that_tells_more_than_the_title() -> None:
    page = Passage("p", "Ada Lovelace was a countess. Her birth was in London.", "Ada Lovelace")
    made = generation(fact(Verdict.NOT_SUPPORTED, "Ada Lovelace had her birth in Paris.", passages=(page,)))
    assert "Ada Lovelace: Her birth was in London." in plain(made._repr_html_())


def test_a_fact_without_a_verdict_says_why() -> None:
    text = plain(generation(fact(Verdict.FAILED, cause="The server was down."))._repr_html_())
    assert "! Ada was born. failedThe server was down." in text


def test_a_notebook_gets_no_script_and_no_markup_of_the_report() -> None:
    tags = {tag for tag, _ in Reader(hostile()._repr_html_()).elements}
    assert not {"script", "img", "iframe", "link"} & tags


def test_a_long_report_is_cut_and_says_so() -> None:
    facts = [fact(Verdict.NOT_SUPPORTED)] * (MOST_FACTS + 3)
    one = generation(*facts, text="a" * (MOST_CHARACTERS + 1))
    text = plain(render_compact(report(*[one] * (MOST_GENERATIONS + 7))))
    assert "7 more generations" in text
    assert text.count("3 more facts that are not supported.") == MOST_GENERATIONS
    assert text.count("…") == MOST_GENERATIONS
