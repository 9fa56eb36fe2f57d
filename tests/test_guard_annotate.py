"""Notes about a text, which nothing that they quote can break."""

from __future__ import annotations

import pytest

from factscore_chain.guard.annotate import MOST_NAMED, annotated, closing_fence, note, quoted
from factscore_chain.guard.outcome import failed_check, judge
from factscore_chain.guard.policy import GuardPolicy
from factscore_chain.report import FactRecord, GenerationReport
from factscore_chain.values import Reason, Verdict


def outcome_of(*facts: tuple[str, Verdict, Reason | None]):  # type: ignore[no-untyped-def]
    records = tuple(FactRecord(text=t, verdict=v, reason=r, verifier="x") for t, v, r in facts)
    return judge(GenerationReport(text="t", status="scored", facts=records).rescored(None), GuardPolicy())


def test_a_note_names_the_facts_and_says_where_the_sources_differ() -> None:
    outcome = outcome_of(
        ("It opened in 1905.", Verdict.NOT_SUPPORTED, "contradicted"),
        ("It was red.", Verdict.NOT_SUPPORTED, "no_evidence"),
        ("It was big.", Verdict.SUPPORTED, None),
    )
    assert annotated("The text.\n", outcome) == (
        "The text.\n\nNote: 2 of 3 statements in this answer are not supported by the sources:\n"
        "- “It opened in 1905.” (the sources say otherwise)\n- “It was red.”"
    )


def test_a_note_names_no_more_facts_than_a_reader_takes_in() -> None:
    outcome = outcome_of(*((f"Fact {i}.", Verdict.NOT_SUPPORTED, None) for i in range(MOST_NAMED + 3)))
    assert note(outcome).endswith("- and 3 more")


def test_a_note_says_that_a_text_could_not_be_checked_without_saying_why() -> None:
    assert "server" not in note(failed_check("the server is down", GuardPolicy()))


@pytest.mark.parametrize(
    "hostile",
    [
        "Two\nlines\r\nof it",
        'an ” end and a " too',
        "[link](javascript:x) ![image](http://x)",
        "<script>alert(1)</script>",
        "`code` and | a cell",
        "\x1b[31mred\x1b[0m \u202ereversed",
    ],
)
def test_what_a_note_quotes_cannot_break_out_of_it(hostile: str) -> None:
    shown = quoted(hostile)
    assert not set(shown) & set('\n\r"“”`[]<>|\x1b\u202e')


@pytest.mark.parametrize(
    ("text", "closing"),
    [
        ("no code", ""),
        ("```py\nx = 1\n```", ""),
        ("```py\nx = 1", "\n```"),
        ("~~~~\n```\n", "\n~~~~"),
        ("```\na\n```\n```\nb", "\n```"),
    ],
)
def test_a_code_block_that_is_left_open_is_closed_before_the_note(text: str, closing: str) -> None:
    assert closing_fence(text) == closing
