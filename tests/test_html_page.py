"""The page as text: whole, closed to the world outside, and safe whatever the report holds."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.gate_outcome import Check, GateOutcome
from factscore_chain.html import EditedText, render_html
from factscore_chain.records import RecallRecord
from factscore_chain.report import Report
from factscore_chain.values import (
    AtomicFact,
    Decision,
    DroppedFact,
    Look,
    Passage,
    Place,
    SentenceFailure,
    Span,
    Verdict,
)
from tests.reports import fact, generation, report

ATTACK = "</script><!--<script>alert(1)</script><img src=x onerror=alert(2)>\u2028\u202e\x00&lt;"


class Reader(HTMLParser):
    """Collects what a browser would see: elements with their attributes, and the text of each."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._key = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._key = dict(attrs).get("id") or tag

    def handle_data(self, data: str) -> None:
        self.texts[self._key] = self.texts.get(self._key, "") + data

    def data(self, name: str) -> Any:
        return json.loads(self.texts[name])


def plain(page: str) -> str:
    """The words of a page without its script, style and marks."""
    return " ".join(re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL).split())


def hostile() -> Report:
    passage = Passage(ATTACK, ATTACK, ATTACK, rank=1, origins=(ATTACK,))
    bad = fact(
        Verdict.FAILED,
        ATTACK,
        Span(2, 9),
        verifier=ATTACK,
        passages=(passage,),
        evidence=(ATTACK,),
        raw=ATTACK,
        cause=ATTACK,
        note=ATTACK,
        route=(Look(ATTACK, ATTACK, ATTACK, (), Verdict.FAILED),),
        parts=(Decision(AtomicFact(ATTACK), Verdict.FAILED, ATTACK, raw=ATTACK, cause=ATTACK),),
    )
    whole = generation(
        bad,
        text=ATTACK,
        topic=ATTACK,
        title=ATTACK,
        id=ATTACK,
        input=ATTACK,
        place=Place(ATTACK, 1),
        recall=RecallRecord(source=ATTACK, recall=0.0, missing=(ATTACK,), undecided=(ATTACK,)),
        error=ATTACK,
        failures=(SentenceFailure(0, ATTACK, ATTACK),),
        dropped=(DroppedFact(ATTACK, 0, ATTACK),),
    )
    return report(whole).with_rejected((ATTACK,))


def test_nothing_in_a_report_can_become_markup() -> None:
    edited = EditedText.of(ATTACK, ATTACK + "<b>")
    page = render_html(hostile(), title=ATTACK, edits=[edited])
    harmless = render_html(report(generation(fact(Verdict.FAILED))), edits=[EditedText.of("a", "b")])
    tags = [tag for tag, _ in Reader(page).elements]
    assert set(tags) <= {tag for tag, _ in Reader(harmless).elements} | {"ul", "li"}
    assert tags.count("script") == 3
    assert "<img" not in page
    assert "\u202e" not in page
    assert "\x00" not in page


def test_the_data_of_a_hostile_report_reads_back() -> None:
    page = Reader(render_html(hostile()))
    (one,) = page.data("overview")
    assert "".join(one["pieces"]).startswith("</script><!--<script>alert(1)")
    assert page.data("evidence-1")["passages"][0]["text"].endswith("[U+202E]␀&lt;")


def test_the_policy_allows_only_this_style_and_this_script() -> None:
    page = render_html(report(generation(fact(Verdict.SUPPORTED))))
    policy = next(
        attributes["content"] or ""
        for tag, attributes in Reader(page).elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'; ")
    for kind, tag in (("style", "style"), ("script", 'script type="module"')):
        (text,) = re.findall(rf"<{tag}>(.*?)</{kind}>", page, re.DOTALL)
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_the_page_names_no_other_file() -> None:
    elements = Reader(render_html(report(generation(fact(Verdict.SUPPORTED))))).elements
    links = [attributes.get("src") or attributes.get("href") for _, attributes in elements]
    assert [link for link in links if link and not link.startswith("#")] == []
    assert {"link", "img", "iframe", "base"} & {tag for tag, _ in elements} == set()


def test_a_passage_that_facts_share_is_kept_once() -> None:
    page = Reader(render_html(report(generation(*[fact(Verdict.SUPPORTED, evidence=("p2",))] * 3))))
    data = page.data("evidence-1")
    assert [passage["id"] for passage in data["passages"]] == ["p1", "p2"]
    assert [(one["index"], one["rests"]) for one in data["facts"][2]["passages"]] == [(0, False), (1, True)]


def test_places_hold_for_characters_that_scripts_count_twice() -> None:
    made = generation(fact(Verdict.SUPPORTED, "Ada", Span(3, 6)), text="🧮 \u00e9Ada")
    (one,) = Reader(render_html(made)).data("overview")
    assert one["pieces"] == ["🧮 é", "Ada"]
    assert one["facts"][0]["places"] == [[1, 2]]


def test_scores_coverage_counts_and_manifest_are_shown_without_script() -> None:
    made = report(
        generation(fact(Verdict.SUPPORTED), fact(Verdict.UNDECIDED)), generation(status="abstained")
    )
    text = plain(render_html(made))
    for words in ("coverage 50.0%", "1 of 2 facts decided", "respond ratio 50.0%", "facts per response 2.0"):
        assert words in text
    assert "Counted as not supported: 1 fact without a verdict." in text
    assert "Without a score: 1 generation that abstained." in text
    assert "estimator test" in text


def test_rejected_rows_are_not_taken_for_silence() -> None:
    made = report(generation(fact(Verdict.SUPPORTED)), generation(status="abstained"))
    text = plain(render_html(made.with_rejected(("row 3: not JSON",))))
    assert "respond ratio 50.0% 1 of 2 generations answered" in text
    assert "Rejected row: row 3: not JSON" in text


def test_figures_beside_precision_are_shown_where_they_were_asked_for() -> None:
    recall = RecallRecord(source="Ada", recall=0.25)
    made = report(generation(fact(Verdict.SUPPORTED), recall=recall))
    asked = made.model_copy(update={"manifest": made.manifest.model_copy(update={"f1_k": 10.0})})
    text = plain(render_html(asked))
    assert f"F1@10 {made.f1_at_k:.1%} of a full answer of 10 supported facts" in text
    assert "recall 25.0% of the facts of a reference stated" in text


def test_what_a_gate_said_stands_before_the_charts() -> None:
    check = Check(name="mean", passed=False, text="60.0% is below 70.0%")
    said = {"reads": "score", "score": 0.6, "interval": (0.5, 0.7), "pass_rate": None, "threshold": 0.5}
    gate = GateOutcome(result="failed", below=(), incomplete=0, checks=(check,), **said)
    text = plain(render_html(report().model_copy(update={"gate": gate})))
    assert "Gate failed score 60.0%, 95% interval 50.0% to 70.0% mean failed: 60.0% is below 70.0%" in text


def test_a_report_of_nothing_is_a_page_without_charts() -> None:
    page = render_html(report())
    assert "<figure" not in page
    assert Reader(page).data("overview") == []


def test_every_chart_has_a_title_a_description_and_a_table() -> None:
    made = report(generation(fact(Verdict.SUPPORTED, probability=0.9), score=1.0))
    page = render_html(made, labels=[[Verdict.SUPPORTED]])
    assert re.findall(r'<figure class="chart" id="chart-(\w+)"', page) == [
        "scores",
        "position",
        "calibration",
    ]
    for tag in ("<title id=", "<desc id=", "<table>"):
        assert page.count(tag) == 3


def test_without_labels_there_is_no_calibration_plot() -> None:
    assert "chart-calibration" not in render_html(
        report(generation(fact(Verdict.SUPPORTED, probability=0.9)))
    )


def test_labels_say_on_which_facts_people_differ() -> None:
    made = report(generation(fact(Verdict.SUPPORTED), fact(Verdict.SUPPORTED)))
    page = render_html(made, labels=[[Verdict.SUPPORTED, Verdict.NOT_SUPPORTED]])
    assert "differs from people <span>1</span>" in page
    assert [one["label"] for one in Reader(page).data("overview")[0]["facts"]] == [
        "supported",
        "not_supported",
    ]


def test_edits_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="1 edited texts were given for 0 generations"):
        render_html(report(), edits=[None])


def test_an_edited_text_comes_with_its_scores() -> None:
    edited = EditedText.of("Ada was born.", "Ada lived.", score_before=0.5, score_after=1.0)
    (one,) = Reader(render_html(generation(), edits=[edited])).data("overview")
    assert (one["edit"]["before"], one["edit"]["after"]) == (0.5, 1.0)
    assert ["removed", "was born"] in one["edit"]["changes"]


def test_a_report_and_a_generation_make_their_own_pages() -> None:
    made = report(generation(fact(Verdict.SUPPORTED), title="Ada Lovelace"))
    assert made.to_html() == render_html(made)
    assert "<title>FActScore of Ada Lovelace</title>" in made.generations[0].to_html()
