"""Where a text has no topic, the page that its fact names says what the fact is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factscore_chain.edit.base import EditRequest, Policy
from factscore_chain.edit.embedded import edit_sentence
from factscore_chain.values import Passage
from tests.edits import request

KAHLO = (
    "Frida Kahlo was a Mexican painter who made her own face the main subject of her art. "
    "On 21 August 1929 she married the muralist Diego Rivera."
)
CURIE = "In July 1895 she married Pierre Curie, who taught physics."


def _asked(text: str, wrong: str, *pages: tuple[str, str]) -> EditRequest:
    """A request without a topic; each page is a title with its text, and the verdict rests on the first."""
    asked = request(text, [wrong], passages=[page for _, page in pages], policy=Policy.CORRECT)
    (fact,) = asked.facts
    titled = tuple(
        Passage(one.id, one.text, title) for one, (title, _) in zip(fact.passages, pages, strict=True)
    )
    fact = fact.model_copy(update={"passages": titled, "evidence": (titled[0].id,)})
    return replace(asked, facts=(fact,))


@pytest.mark.parametrize(
    ("text", "wrong", "pages", "expected"),
    [
        (
            "Frida Kahlo married Pablo Picasso in 1929.",
            "Frida Kahlo married Pablo Picasso.",
            (("Frida Kahlo", KAHLO), ("Marie Curie", CURIE)),
            "Frida Kahlo married Diego Rivera in 1929.",
        ),
        (
            "The Mill Bridge was built from 1887 to 1895.",
            "The Mill Bridge was built from 1887 to 1895.",
            (("Mill Bridge (Oslo)", "It was built from 1887 to 1889 as the entrance to the fair of 1889."),),
            "The Mill Bridge was built from 1887 to 1889.",
        ),
    ],
)
def test_a_value_comes_from_the_page_that_the_fact_names(
    text: str, wrong: str, pages: tuple[tuple[str, str], ...], expected: str
) -> None:
    assert edit_sentence(_asked(text, wrong, *pages)).text == expected


def test_a_page_about_somebody_else_gives_no_value() -> None:
    text = "Frida Kahlo married Pablo Picasso in 1895."
    wrong = "Frida Kahlo married Pablo Picasso in 1895."
    pages = (("Frida Kahlo", "Frida Kahlo was a Mexican painter."), ("Marie Curie", CURIE))
    assert edit_sentence(_asked(text, wrong, *pages)).text is None


def test_one_correction_mends_every_fact_that_has_the_wrong_value() -> None:
    text = "Frida Kahlo married Pablo Picasso in 1929."
    wrong = ["Frida Kahlo married Pablo Picasso.", text]
    edit = edit_sentence(request(text, wrong, passages=[KAHLO], topic="Frida Kahlo"))
    assert edit.text == "Frida Kahlo married Diego Rivera in 1929."
    assert [action.action for action in edit.actions] == ["corrected", "corrected"]
