"""A reader looks at a report: opens facts, filters, searches, sorts."""

from __future__ import annotations

import pytest
from selenium.webdriver.support.select import Select

from factscore_chain.html import EditedText
from factscore_chain.records import PartRecord, RecallRecord
from factscore_chain.report import Report
from factscore_chain.values import Look, Passage, Place, Span, Verdict
from tests.browser.conftest import Show
from tests.reports import fact, generation, report

pytestmark = pytest.mark.browser

TEXT = "Ada wrote notes in Turin."


def three() -> Report:
    """Three generations, of scores 0.5, none, and 1."""
    notes = fact(Verdict.SUPPORTED, "Ada wrote notes.", Span(0, 15), probability=0.9, evidence=("p2",))
    turin = fact(Verdict.NOT_SUPPORTED, "Ada wrote in Turin.", Span(0, 24), reason="contradicted")
    return report(
        generation(notes, turin, text=TEXT, topic="Zoë", score=0.5),
        generation(text="I do not know.", topic="Bo", status="abstained"),
        generation(notes, notes, notes, text=TEXT, topic="Ada", score=1.0),
    )


def test_a_fact_opens_to_its_passages_and_those_it_rests_on_come_first(show: Show) -> None:
    page = show(three())
    page.one("#fact-1-1").click()
    assert page.one("#fact-1-1").get_attribute("aria-expanded") == "true"
    assert page.texts("#fact-1-1-detail blockquote") == ["Ada wrote notes.", "Ada was born in London."]
    assert page.texts("#fact-1-1-detail .rests .match") == ["Ada", "wrote", "notes"]
    page.one("#fact-1-1").click()
    assert page.all(".detail") == []


def test_a_fact_shows_everything_its_verdict_rests_on(show: Show) -> None:
    parts = (PartRecord(verifier="np", verdict=Verdict.NOT_SUPPORTED, cause="too rare"),)
    odd = fact(
        Verdict.UNDECIDED, span=None, verifier="both", probability=0.25, raw="Perhaps.", cause="no verdict"
    )
    asked_again = (Verdict.UNDECIDED, Verdict.FAILED)
    more = {"parts": parts, "note": "2 passages left out", "answers": asked_again}
    page = show(generation(odd.model_copy(update=more)))
    page.one("#fact-1-1").click()
    text = page.one("#fact-1-1-detail").text
    for words in (
        "undecided",
        "25.0%",
        "both",
        "Perhaps.",
        "no verdict",
        "left out",
        "too rare",
        "undecided, failed",
    ):
        assert words in text
    assert "not given in the text" in text


def test_a_fact_tells_where_it_was_looked_for_again(show: Show) -> None:
    look = Look("Ada's notes", "words", "Notes", ("p2",), Verdict.SUPPORTED)
    page = show(generation(fact(Verdict.SUPPORTED, route=(look,))))
    page.one("#fact-1-1").click()
    assert page.texts(".route li") == [
        "Ada's notes (asked by words, in Notes): 1 passage more, then supported"
    ]


def test_a_generation_says_where_it_came_from_and_what_was_asked(show: Show) -> None:
    page = show(generation(id="g7", input="Who was Ada?", place=Place("runs.jsonl", 12)))
    assert page.one(".prompt").text == "Who was Ada?"
    assert page.one(".about").text == "scored · g7 · runs.jsonl, line 12"


def test_words_of_the_text_lead_to_their_facts_the_false_one_first(show: Show) -> None:
    page = show(three())
    mark = page.one("#generation-1 mark")
    mark.click()
    assert page.focused() == "fact-1-2"
    mark.click()
    assert page.focused() == "fact-1-1"


def test_every_verdict_is_told_by_more_than_colour(show: Show) -> None:
    made = [fact(verdict, span=Span(place, place + 1)) for place, verdict in enumerate(Verdict)]
    page = show(generation(*made))
    styled = (
        "return [...document.querySelectorAll(arguments[0])].map((one) => getComputedStyle(one, arguments[1])"
    )
    styles = page.run(f"{styled}.textDecorationStyle)", ".text mark", None)
    assert styles == ["solid", "wavy", "dotted", "dashed", "double"]
    assert page.run(f"{styled}.content[1])", ".fact", "::before") == ["✓", "✗", "≠", "?", "!"]


def test_a_text_where_true_and_false_facts_overlap_is_marked_as_both(show: Show) -> None:
    page = show(three())
    marks = page.all("#generation-1 mark")
    found = [(mark.text.strip(), mark.get_attribute("data-mixed") is not None) for mark in marks]
    assert found == [("Ada wrote notes", True), ("in Turin", False)]
    assert {mark.get_attribute("data-verdict") for mark in marks} == {"not_supported"}


def test_resting_on_a_fact_lights_its_place(show: Show) -> None:
    page = show(three())
    page.run("document.querySelector('#fact-1-1').focus()")
    assert page.texts("mark.lit") == ["Ada wrote notes"]


def test_the_filter_leaves_the_facts_of_a_verdict_and_their_marks(show: Show) -> None:
    page = show(three())
    page.one('#filter [data-verdict="not_supported"]').click()
    assert page.texts(".claim") == ["Ada wrote in Turin."]
    assert page.texts("mark") == ["Ada wrote notes", "in Turin"]
    assert page.one("#shown").text == "1 fact in 1 generation shown."
    page.one('#filter [data-verdict="all"]').click()
    assert len(page.all("article")) == 3


def test_a_filter_that_leaves_nothing_can_be_undone(show: Show) -> None:
    page = show(three())
    page.one("#search").send_keys("Ouagadougou")
    page.wait_for_text("#shown", "0 facts in 0 generations")
    assert "Nothing matches" in page.one("#generations").text
    page.one("#search").clear()
    page.one("#search").send_keys(" ")
    page.wait_for_text("#shown", "5 facts in 3 generations")


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("zoe", "2 facts in 1 generation"),
        ("WROTE IN", "1 fact in 1 generation"),
        ("notes in turin", "5 facts in 2 generations"),
        ("do not know", "0 facts in 1 generation"),
    ],
)
def test_search_looks_at_topics_facts_and_text_without_case_and_accents(
    show: Show, query: str, shown: str
) -> None:
    page = show(three())
    page.one("#search").send_keys(query)
    page.wait_for_text("#shown", shown)


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("file", "Zoë Bo Ada"),
        ("score-up", "Zoë Ada Bo"),
        ("score-down", "Ada Zoë Bo"),
        ("facts-down", "Ada Zoë Bo"),
        ("facts-up", "Bo Zoë Ada"),
        ("topic", "Ada Bo Zoë"),
        ("status", "Bo Zoë Ada"),
    ],
)
def test_generations_are_sorted_and_those_without_a_score_come_last(
    show: Show, order: str, names: str
) -> None:
    page = show(three())
    Select(page.one("#order")).select_by_value(order)
    assert page.texts("h3 bdi") == names.split()


def test_facts_on_which_people_differ_can_be_filtered(show: Show) -> None:
    supported = [Verdict.SUPPORTED, Verdict.SUPPORTED]
    page = show(three(), labels=[supported, None, [None, None, Verdict.IRRELEVANT]])
    page.one('#filter [data-verdict="differing"]').click()
    assert page.texts(".differs") == ["people: supported", "people: irrelevant"]


def test_an_edited_text_shows_what_went_and_what_came(show: Show) -> None:
    edited = EditedText.of(TEXT, "Ada wrote notes in London.", 0.5, 1.0, ("The passage says London.",))
    page = show(three(), edits=[edited, None, None])
    assert page.one(".edit summary").text == "Edited: 50.0% before, 100.0% after"
    assert (page.texts("del"), page.texts("ins")) == (["Turin"], ["London"])
    assert page.texts(".edit li") == ["The passage says London."]


def test_recall_names_what_is_missing(show: Show) -> None:
    recall = RecallRecord(source="Ada Lovelace", recall=0.5, stated=("a",), missing=("Ada died in 1852.",))
    page = show(generation(recall=recall))
    assert page.texts(".lines summary") == ["Recall 50.0%: 1 of 2 facts of Ada Lovelace stated"]
    assert page.texts(".lines li") == ["Not stated: Ada died in 1852."]


def test_an_address_leads_to_its_fact(show: Show) -> None:
    page = show(three(), fragment="#fact-3-2")
    assert page.focused() == "fact-3-2"
    assert len(page.all("#fact-3-2-detail")) == 1


def test_an_address_of_no_fact_shows_the_report_as_ever(show: Show) -> None:
    assert len(show(three(), fragment="#fact-9-9").all("article")) == 3


def test_words_without_spaces_between_them_are_matched_too(show: Show) -> None:
    passage = Passage("p", "東京は日本の首都である。", "東京")
    page = show(generation(fact(Verdict.SUPPORTED, "東京は日本にある。", passages=(passage,))))
    page.one("#fact-1-1").click()
    assert {"東京", "日本"} <= set(page.texts(".match"))
