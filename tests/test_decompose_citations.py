"""Pointers to sources state nothing, and what is said to stand in the given texts is the claim."""

from __future__ import annotations

import pytest

from factscore_chain.decompose.embedded import EmbeddedDecomposer
from factscore_chain.values import Generation

CLAIM = "Nintendo was founded in 1905."


def _facts(text: str) -> list[tuple[str, bool]]:
    return [(fact.text, fact.checkable) for fact in EmbeddedDecomposer().invoke(Generation(text)).facts]


@pytest.mark.parametrize(
    "text",
    [
        "Nintendo was founded in 1905 [1].",
        "[1] Nintendo was founded in 1905.",
        "Nintendo was founded in 1905 [1, 2].",
        "Nintendo was founded in 1905 [Document 1].",
        "Nintendo was founded in 1905 (Source: document 1).",
        "Nintendo was founded in 1905. (Source: document 1)",
        "Nintendo was founded in 1905 (see documents 1 and 3).",
        "Nintendo was founded in 1905 (history.pdf, p. 4).",
        "Nintendo was founded in 1905 (https://example.org/nintendo).",
        "Nintendo was founded in 1905【3†source】.",
        "Nintendo was founded in 1905 [1](https://example.org/nintendo).",
        '[Nintendo](https://example.org/nintendo) was founded in [1905](/years "The year").',
        "![A card](card.png) Nintendo was founded in 1905.",
        "Source: document 1\n\nNintendo was founded in 1905.",
        "Nintendo was founded in 1905.\n\nSources: [1], [2]",
        "Nintendo was founded in 1905.\n\nSources: The Kyoto Times, 4 May 1999",
        "Nintendo was founded in 1905. See https://example.org/nintendo for more.",
        "Nintendo was founded in 1905.\n\nSources:\n- Document 1: A history of games\n- Kyoto Times (1999)",
    ],
)
def test_a_pointer_to_a_source_states_nothing(text: str) -> None:
    assert _facts(text) == [(CLAIM, True)]


@pytest.mark.parametrize(
    "text",
    [
        "The document says Nintendo was founded in 1905.",
        "The provided report clearly states that Nintendo was founded in 1905.",
        "Document 2 states that Nintendo was founded in 1905.",
        "[2] says that Nintendo was founded in 1905.",
        "[1] and [3] confirm that Nintendo was founded in 1905.",
        "As stated in document 2, Nintendo was founded in 1905.",
        "According to document [3], Nintendo was founded in 1905.",
        "According to the context Nintendo was founded in 1905.",
        "Per the sources, Nintendo was founded in 1905.",
        "In the provided context, Nintendo was founded in 1905.",
        "It is stated in the documents that Nintendo was founded in 1905.",
        "Nintendo was founded in 1905, according to the document.",
        "Nintendo was founded in 1905 (according to document 3).",
        "Source: Nintendo was founded in 1905.",
    ],
)
def test_what_a_given_text_is_said_to_say_is_the_claim(text: str) -> None:
    assert _facts(text) == [(CLAIM, True)]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Nintendo (founded in 1905) is a company.", "Nintendo was founded in 1905."),
        ("The document was written by Ann Lee.", "The document was written by Ann Lee."),
        ("Nintendo has an office in Kyoto (2).", "Nintendo has an office in Kyoto."),
        ("1905.", "1905."),
        ("Sources:\n\n- Nintendo was founded in 1905.", CLAIM),
    ],
)
def test_what_only_looks_like_a_pointer_stays(text: str, kept: str) -> None:
    assert kept in [fact for fact, _ in _facts(text)]
