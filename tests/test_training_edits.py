"""Minimal edits change what they say they change."""

from __future__ import annotations

from random import Random

import pytest

from factscore_chain.evals.training.verifier.edits import Editor, exchange, misplace, replace_everywhere

EDITOR = Editor(["He lived in Nairobi.", "She worked in Quito."])


def edits(text: str, topic: str = "") -> dict[str, str]:
    found = [EDITOR.edit(text, Random(seed), topic) for seed in range(60)]
    return {one.kind: one.text for one in found if one}


@pytest.mark.parametrize("text", ["Ada was born in 1815.", "He is a French actor.", "She married Bo in May."])
def test_an_edit_never_leaves_the_statement_as_it_was(text: str) -> None:
    assert text not in edits(text).values()


def test_a_year_becomes_another_year() -> None:
    year = edits("It opened in 1815.")["number"].removeprefix("It opened in ").rstrip(".")
    assert year.isdigit()
    assert year != "1815"


def test_the_article_follows_the_new_word() -> None:
    assert " a actor" not in " ".join(edits("She is a poet.").values())


def test_a_name_is_replaced_by_one_seen_after_the_same_word() -> None:
    assert edits("Ada lived in Lima.")["name"] in {"Ada lived in Nairobi.", "Ada lived in Quito."}


def test_the_topic_keeps_its_name() -> None:
    assert all("Lima" in text for kind, text in edits("Lima lies in Peru.", "Lima").items() if kind == "name")


def test_a_replacement_in_evidence_needs_the_whole_word() -> None:
    assert replace_everywhere("Mayor in May", "May", "June") == "Mayor in June"
    assert replace_everywhere("Mayor", "May", "June") is None


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Ada beat Bo.", "Bo beat Ada."),
        ("Bo, not Ada; Ada Bell", "Ada, not Bo; Bo Bell"),
        ("Ada beat Cleo.", None),
        ("Adam beat Bob.", None),
    ],
)
def test_parties_change_places_wherever_they_stand(text: str, changed: str | None) -> None:
    assert exchange(text, "Ada", "Bo") == changed


def test_swapped_parties_are_named_so_that_the_evidence_can_be_swapped_too() -> None:
    found = [EDITOR.edit("Ada Bell defeated Bo Cole.", Random(seed), "Ada Bell") for seed in range(60)]
    swap = next(one for one in found if one and one.kind == "argument_swap")
    assert (swap.text, swap.old, swap.new) == ("Bo Cole defeated Ada Bell.", "Ada Bell", "Bo Cole")


EVIDENCE = "In 1901 Ada Bell moved to Lima. After the war she went back to Quito in 1919."


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("She moved to Lima.", {"She moved to Quito."}),
        ("She went back in 1919.", {"She went back in 1901."}),
        ("She wrote a book.", set()),
    ],
)
def test_a_misplaced_value_stands_elsewhere_in_the_evidence(text: str, changed: set[str]) -> None:
    found = [misplace(text, EVIDENCE, Random(seed)) for seed in range(20)]
    assert {one.text for one in found if one} == changed


def test_values_named_side_by_side_are_never_misplaced() -> None:
    assert misplace("She saw Lima.", "She saw Lima and Quito.", Random(0)) is None


def test_what_the_evidence_does_not_say_is_never_misplaced() -> None:
    assert misplace("She was born in 1890.", EVIDENCE, Random(0)) is None
