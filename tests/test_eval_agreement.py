"""The agreement report on labels and decisions whose figures were worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from factscore_chain.evals.agreement import AgreementReport, agreement
from factscore_chain.evals.breakdowns import kind_of, position_of
from factscore_chain.evals.labeled import LabeledFact, LabeledFile, LabeledGeneration
from factscore_chain.evals.split import topic_hash, training_topics
from factscore_chain.values import Claim, Decision, Verdict
from factscore_chain.verify.base import LocalVerifier
from factscore_chain.verify.relevance import RelevanceVerifier
from tests.rag import Shelf

LABELS = {"S": Verdict.SUPPORTED, "N": Verdict.NOT_SUPPORTED, "I": Verdict.IRRELEVANT}


class Reader(LocalVerifier):
    """Decides by what a fact's own text says: "claimed true (0.9)" is supported with that probability."""

    @property
    def verifier_name(self) -> str:
        return "reader"

    @property
    def identity(self) -> dict[str, str]:
        return {"kind": "reader"}

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        return [self._decide(claim) for claim in values]

    def _decide(self, claim: Claim) -> Decision:
        words = claim.fact.text.split()
        if words[-1] == "?":
            return Decision(claim.fact, Verdict.UNDECIDED, "reader", cause="no idea")
        probability = float(words[-1])
        verdict = Verdict.SUPPORTED if probability >= 0.5 else Verdict.NOT_SUPPORTED
        return Decision(claim.fact, verdict, "reader", probability=probability)


class Silent(BaseRetriever):
    """Finds the query itself."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [Document(query)]


def generation(line: int, labels: str, *numbers: object, **keys: Any) -> LabeledGeneration:
    facts = tuple(
        LabeledFact(f"fact {number}", LABELS[label]) for label, number in zip(labels, numbers, strict=True)
    )
    return LabeledGeneration(line, keys.pop("topic", f"topic {line}"), facts, **keys)


def report(*generations: LabeledGeneration, **keys: Any) -> AgreementReport:
    file = LabeledFile("system", generations)
    return agreement(file, Reader(), Silent(), **{"topics": "all", "resamples": 50, **keys})


def test_paper_convention_counts_irrelevant_as_not_supported() -> None:
    found = report(generation(1, "SSNI", 0.9, 0.2, 0.1, 0.8), generation(2, "SN", 0.7, 0.3))
    # Rejected by people: 3; by us: 3; by both: 2.
    assert (found.n_facts, found.n_generations) == (6, 2)
    assert found.f1_not_supported == pytest.approx(2 * 2 / 6)
    assert found.f1_always_not_supported == pytest.approx(2 * 3 / 9)
    assert found.balanced_accuracy == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert found.auc == pytest.approx((3 + 1 + 2) / 9)
    assert (found.human_score, found.estimated_score) == (0.5, 0.5)
    assert found.error_rate == 0


def test_without_irrelevant_facts() -> None:
    found = report(
        generation(1, "SSNI", 0.9, 0.2, 0.1, 0.8), generation(2, "SN", 0.7, 0.3)
    ).without_irrelevant
    assert found.n_facts == 5
    assert found.f1_not_supported == pytest.approx(2 * 2 / 5)
    assert found.human_score == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found.error_rate == pytest.approx(100 * ((1 / 3 + 1 / 2) / 2 - (2 / 3 + 1 / 2) / 2))


def test_irrelevant_facts_are_compared_with_those_that_people_call_so() -> None:
    labels = [("I", "Nagpur lies far off 0.1"), ("N", "Old Oslo lies far off 0.2"), ("I", "She sang 0.3")]
    facts = tuple(LabeledFact(text, LABELS[label]) for label, text in labels)
    file = LabeledFile("system", (LabeledGeneration(1, "Ada Brook", facts),))
    page = Shelf(documents=[Document("Ada Brook was born.")])
    told = agreement(file, RelevanceVerifier(verifier=Reader()), page, topics="all", resamples=5).irrelevant
    assert (told.human, told.estimated, told.precision, told.recall) == (2, 1, 0.0, 0.0)


def test_undecided_counts_as_not_supported_and_is_reported() -> None:
    found = report(generation(1, "SN", "?", "?"))
    assert (found.undecided, found.estimated_score) == (2, 0)
    assert found.f1_not_supported == pytest.approx(2 / 3)
    assert found.ece is None


def test_a_verifier_that_breaks_costs_its_facts_and_completeness() -> None:
    found = report(generation(1, "SN", 0.9, "not-a-number"))
    assert found.failed == 2  # one batch, one computation
    assert not found.complete


def test_respond_ratio_and_generations_without_facts() -> None:
    found = report(generation(1, "SN", 0.9, 0.1), generation(2, "", answered=False), generation(3, ""))
    assert found.respond_ratio == pytest.approx(2 / 3)
    assert (found.n_generations, found.human_score) == (1, 0.5)


def test_every_figure_has_an_interval_around_it() -> None:
    labels = ("SSNN", "SSSN", "INNS")
    found = report(*(generation(i, labels[i % 3], 0.9, 0.1 * (i % 7), 0.2, 0.7) for i in range(40)))
    for name, interval in found.intervals.items():
        assert interval is not None
        assert interval[0] <= getattr(found, name) <= interval[1]
        assert interval[0] < interval[1]
    wanted = ("f1_not_supported", "balanced_accuracy", "auc", "error_rate", "human_score", "estimated_score")
    assert {*wanted, "kappa", "ece"} <= found.intervals.keys()


def test_nothing_to_judge_gives_nulls() -> None:
    found = report(generation(1, "", answered=False))
    assert (found.n_facts, found.f1_not_supported, found.human_score, found.auc) == (0, None, None, None)
    assert json.loads(found.model_dump_json())["without_irrelevant"]["kappa"] is None


def test_topics_that_models_were_fitted_on_are_left_out_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("factscore_chain.evals.split.training_topics", lambda: {topic_hash("Seen")})
    rows = (generation(1, "S", 0.9, topic="Seen"), generation(2, "N", 0.1, topic="New"))
    assert (report(*rows, topics=None).n_facts, report(*rows, topics=None).topics_left_out) == (1, 1)
    assert report(*rows, topics=None).human_score == 0
    assert report(*rows, topics="train").human_score == 1
    assert report(*rows, topics="all").n_facts == 2


def test_shipped_training_topics_are_none_of_the_held_out() -> None:
    hashes = training_topics()
    assert len(hashes) > 50
    assert all(int(one, 16) % 3 for one in hashes)


def test_breakdowns() -> None:
    rows = (
        generation(1, "SSN", 0.9, 0.9, 0.1, categories=("rare", "Asia/Pacific")),
        generation(2, "NNN", 0.9, 0.9, 0.1, categories=("very rare", "Asia/Pacific")),
    )
    found = report(*rows)
    assert list(found.by_position) == ["first", "middle", "last"]
    assert found.by_position["last"].f1_not_supported == 1
    assert list(found.by_rarity) == ["very rare", "rare"]
    assert found.by_rarity["very rare"].estimated_supported == pytest.approx(2 / 3)
    assert found.by_kind["number"].n_facts == 6
    assert found.per_generation.mean_absolute_error == pytest.approx(100 * (0 + 2 / 3) / 2)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Ada Lovelace was born in 1815.", "number"),
        ("Ada Lovelace had three children.", "number"),
        ("Ada Lovelace was born in December.", "number"),
        ("Ada Lovelace worked with Charles Babbage.", "name"),
        ("The work of Ada Lovelace's mother was known.", "other"),
        ("Ada Lovelace was a mathematician.", "other"),
    ],
)
def test_kind_of_fact(text: str, kind: str) -> None:
    assert kind_of(text, "Ada Lovelace") == kind


def test_position_needs_enough_facts_to_mean_something() -> None:
    assert [position_of(i, 6) for i in range(6)] == ["first"] * 2 + ["middle"] * 2 + ["last"] * 2
    assert position_of(0, 2) is None


def test_topic_without_a_document_is_counted_and_left_out(tmp_path: Path) -> None:
    from factscore_chain.retrievers.ensemble import KnowledgeRetriever
    from factscore_chain.retrievers.knowledge import KnowledgeSource

    pages = tmp_path / "pages.jsonl"
    pages.write_text(json.dumps({"title": "Known", "text": "fact 0.9 is on this page"}) + "\n")
    retriever = KnowledgeRetriever(source=KnowledgeSource.build(pages, tmp_path / "a.db"), mode="bm25")
    rows = (generation(1, "S", 0.9, topic="Known"), generation(2, "NN", 0.9, 0.9, topic="Unknown person"))
    found = agreement(LabeledFile("system", rows), Reader(), retriever, topics="all", resamples=10)
    assert (found.topics_not_found, found.facts_not_judged, found.n_facts) == (1, 2, 1)
    assert found.human_score == 1
