"""A second estimator in the loop: what it scores lower is not kept, and it is asked no more than needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from factscore_chain.chain import FactScoreChain
from factscore_chain.edit.chain import EditChain
from factscore_chain.edit.report import EditReport
from factscore_chain.edit.state import start
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import Claim, Decision, Verdict
from tests.editing import NOTES, TOPIC, TRUE, WRONG, ListEditor, editing_model, word_chain
from tests.pages import make_source
from tests.stages import SentenceDecomposer, WordVerifier

ROME = "Ada Lovelace was born in Rome."
"""Supported by the second estimator."""
OSLO = "Ada Lovelace was born in Oslo."
"""Supported by neither, and left by the editor."""
BORN = "Ada Lovelace was born in London in 1815."
"""Supported by the first estimator."""


class OtherVerifier(WordVerifier):
    """Supports Rome and no year, cannot judge what is "BROKEN", and remembers what it was asked."""

    asked: list[str]

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        self.asked.extend(claim.fact.text for claim in values)
        return super()._compute(values)

    def _decide(self, claim: Claim) -> Decision:
        text, verdict = claim.fact.text, super()._decide(claim).verdict
        if "BROKEN" in text:
            return Decision(claim.fact, Verdict.FAILED, "other", cause="no answer")
        if any(map(str.isdigit, text)):
            verdict = Verdict.NOT_SUPPORTED
        return Decision(claim.fact, Verdict.SUPPORTED if "Rome" in text else verdict, "other")


class SureOfAll(WordVerifier):
    """Gives each decision the same probability."""

    probability: float

    def _decide(self, claim: Claim) -> Decision:
        return replace(super()._decide(claim), probability=self.probability)


class SureOfRome(OtherVerifier):
    """Supports Rome with seven in ten."""

    def _decide(self, claim: Claim) -> Decision:
        return replace(super()._decide(claim), probability=0.7)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeSource:
    return make_source(tmp_path_factory.mktemp("source"))


@pytest.fixture
def other(source: KnowledgeSource) -> FactScoreChain:
    verifier = OtherVerifier(asked=[])
    return FactScoreChain(source, decomposer=SentenceDecomposer(), verifier=verifier, gamma=None)


def edited(
    source: KnowledgeSource, other: FactScoreChain, text: str, edits: dict[str, str], **options: object
) -> EditReport:
    chain = EditChain(word_chain(source), editor=ListEditor(edits=edits), second=other, **options)  # type: ignore[arg-type]
    return chain.edit(text, topic=TOPIC)


def scores(report: EditReport) -> tuple[float | None, float | None]:
    assert report.second is not None
    return report.second.before.init_score, report.second.after.init_score


def asked_of(chain: FactScoreChain) -> list[str]:
    verifier = chain.scorer.verifier
    assert isinstance(verifier, OtherVerifier)
    return verifier.asked


def test_an_edit_that_takes_away_what_the_second_supports_is_not_kept(
    source: KnowledgeSource, other: FactScoreChain
) -> None:
    report = edited(source, other, f"{ROME} {OSLO}", {ROME: ""}, max_rounds=1)
    assert report.text == f"{ROME} {OSLO}"
    assert report.edits[0].why == f"the second estimator supports {ROME!r}, which it takes away"
    assert scores(report) == (0.5, 0.5)


@pytest.mark.parametrize(("probability", "left"), [(0.1, OSLO), (0.4, f"{ROME} {OSLO}")])
def test_the_second_has_no_veto_where_the_first_is_surer(
    source: KnowledgeSource, probability: float, left: str
) -> None:
    first, second = (
        FactScoreChain(source, decomposer=SentenceDecomposer(), verifier=one, gamma=None)
        for one in (SureOfAll(probability=probability), SureOfRome(asked=[]))
    )
    chain = EditChain(first, editor=ListEditor(edits={ROME: ""}), second=second, max_rounds=1)
    assert chain.edit(f"{ROME} {OSLO}", topic=TOPIC).text == left


def test_without_a_veto_the_second_only_grades(source: KnowledgeSource, other: FactScoreChain) -> None:
    report = edited(source, other, f"{ROME} {OSLO}", {ROME: ""}, veto=False)
    assert report.text == OSLO
    assert scores(report) == (0.5, 0.0)


def test_of_several_edits_only_that_goes_which_lowers_the_score(
    source: KnowledgeSource, other: FactScoreChain
) -> None:
    report = edited(source, other, f"{ROME} {WRONG} {OSLO} {NOTES}", {ROME: "", WRONG: BORN})
    assert report.text == f"{ROME} {BORN} {OSLO} {NOTES}"
    assert scores(report) == (0.5, 0.5)


def test_what_one_edit_costs_another_may_bring_in(source: KnowledgeSource, other: FactScoreChain) -> None:
    report = edited(source, other, f"{ROME} {WRONG} {OSLO} {NOTES}", {ROME: "", WRONG: TRUE})
    assert report.text == f"{TRUE} {OSLO} {NOTES}"
    assert scores(report) == (0.5, 2 / 3)


def test_an_edit_without_which_nothing_could_be_decided_is_not_kept(
    source: KnowledgeSource, other: FactScoreChain
) -> None:
    report = edited(source, other, f"{WRONG} BROKEN one.", {WRONG: ""}, max_rounds=1)
    assert report.text == f"{WRONG} BROKEN one."
    assert "gives the text no score with it" in (report.edits[0].why or "")


def test_the_second_is_asked_about_no_fact_twice(source: KnowledgeSource, other: FactScoreChain) -> None:
    edited(source, other, f"{ROME} {WRONG} {OSLO} {NOTES}", {ROME: "", WRONG: BORN})
    assert sorted(asked_of(other)) == sorted([ROME, WRONG, OSLO, NOTES, BORN])


def test_the_second_is_not_asked_about_versions_that_the_first_refuses(
    source: KnowledgeSource, other: FactScoreChain
) -> None:
    text = f"{WRONG} {NOTES}"
    edited(source, other, text, {WRONG: "Ada Lovelace was born in Paris in 1815."}, policy="correct")
    assert asked_of(other) == [WRONG, NOTES]


def test_an_edit_that_the_second_cannot_judge_is_not_kept(
    source: KnowledgeSource, other: FactScoreChain
) -> None:
    report = edited(source, other, f"{WRONG} {NOTES}", {WRONG: "Ada Lovelace was not BROKEN in London."})
    assert report.text == f"{WRONG} {NOTES}"


def test_a_text_that_the_second_cannot_score_is_edited_as_without_it(
    source: KnowledgeSource, other: FactScoreChain
) -> None:
    report = edited(source, other, "BROKEN one. BROKEN two.", {"BROKEN one.": ""})
    assert report.text == "BROKEN two."
    assert scores(report) == (None, None)


def test_a_marked_claim_is_not_voted_on(source: KnowledgeSource, other: FactScoreChain) -> None:
    hedged = "Ada Lovelace was reportedly born in Paris."
    model = editing_model({WRONG: hedged})
    chain = EditChain(word_chain(source), llm=model, second=other, policy="hedge")
    report = chain.edit(f"{WRONG} {NOTES}", topic=TOPIC)
    assert report.text == f"{hedged} {NOTES}"


def test_the_second_opinion_survives_an_interruption(source: KnowledgeSource, other: FactScoreChain) -> None:
    saver = InMemorySaver()
    options = {"second": other, "checkpointer": saver}
    chain = EditChain(word_chain(source), editor=ListEditor(edits={ROME: ""}), **options)  # type: ignore[arg-type]
    first = chain.edit(f"{ROME} {OSLO}", topic=TOPIC)
    assert chain.edit(f"{ROME} {OSLO}", topic=TOPIC).text == first.text == f"{ROME} {OSLO}"


def test_the_loop_remembers_what_the_second_said(source: KnowledgeSource, other: FactScoreChain) -> None:
    chain = EditChain(word_chain(source), editor=ListEditor(edits={WRONG: TRUE}), second=other)
    scored = chain.scorer.score(f"{WRONG} {NOTES}", topic=TOPIC)
    state = chain.graph.invoke(start(scored.generations[0]))
    assert [state["second"][one]["init_score"] for one in ("before", "after")] == [0.5, 1.0]
