"""Human labels find the facts of a report."""

from __future__ import annotations

import pytest

from factscore_chain.errors import UsageError
from factscore_chain.evals.labeled import LabeledFact, LabeledFile, LabeledGeneration
from factscore_chain.evals.report_labels import labels_for
from factscore_chain.values import Verdict
from tests.reports import fact, generation, report

YES, NO = Verdict.SUPPORTED, Verdict.NOT_SUPPORTED


def labeled(*facts: tuple[str, str, Verdict]) -> LabeledFile:
    rows = tuple(
        LabeledGeneration(line, topic, (LabeledFact(text, label),))
        for line, (topic, text, label) in enumerate(facts, 1)
    )
    return LabeledFile("labels", rows)


def test_labels_belong_to_facts_of_the_same_topic_and_text() -> None:
    made = report(
        generation(fact(YES, "Ada  was BORN."), fact(YES, "Ada flew.")),
        generation(topic="Bo", status="no_facts"),
    )
    found = labels_for(made, labeled(("ada", "Ada was born.", NO), ("Bo", "Ada flew.", YES)))
    assert found == ((NO, None), ())


def test_the_sources_own_spelling_of_a_topic_is_known_too() -> None:
    made = report(generation(fact(YES), topic="Countess Lovelace", title="Ada"))
    assert labels_for(made, labeled(("Ada", "Ada was born.", YES))) == ((YES,),)


def test_a_fact_that_people_label_both_ways_has_no_label() -> None:
    rows = labeled(("Ada", "Ada was born.", YES), ("Ada", "Ada was born.", NO), ("Ada", "Ada flew.", NO))
    assert labels_for(report(generation(fact(YES), fact(YES, "Ada flew."))), rows) == ((None, NO),)


def test_labels_of_other_facts_are_refused() -> None:
    with pytest.raises(UsageError, match="No label of labels belongs to a fact of the report"):
        labels_for(report(generation(fact(YES))), labeled(("Bo", "Ada was born.", YES)))
