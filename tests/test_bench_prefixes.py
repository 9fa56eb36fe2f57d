"""The benchmark of prefixes counts what is shared from the beginning, and calls by sets of passages."""

from __future__ import annotations

import pytest

from factscore_chain.evals.bench.prefixes import ORDERS, calls, main, read_anew
from factscore_chain.values import AtomicFact, Claim, Passage
from factscore_chain.verify.passage_budget import passage_tokens

PASSAGES = {name: Passage(name, f"Text of {name}, all of one length.") for name in "abcd"}
EACH = passage_tokens(PASSAGES["a"])


def claims(*sets: str) -> list[Claim]:
    return [Claim(AtomicFact("F."), tuple(PASSAGES[name] for name in names), "T") for names in sets]


@pytest.mark.parametrize(
    ("sets", "order", "fresh"),
    [
        (("ab", "ab", "ab"), "best first", 2),
        (("ab", "ba"), "best first", 4),
        (("ab", "ba"), "by id", 2),
        (("abc", "abd", "cd"), "by id", 3 + 1 + 2),
        (("ab", "", "ab"), "by id", 2),
    ],
)
def test_only_what_stands_behind_the_shared_beginning_is_read_anew(
    sets: tuple[str, ...], order: str, fresh: int
) -> None:
    every, anew = read_anew(claims(*sets), ORDERS[order])
    assert (every, anew) == (EACH * sum(map(len, sets)), EACH * fresh)


@pytest.mark.parametrize(("most", "needed"), [(1, 5), (2, 3), (5, 2)])
def test_facts_of_one_set_share_calls(most: int, needed: int) -> None:
    assert calls(claims("ab", "ba", "ab", "cd", "cd"), most) == needed


def test_a_missing_file_is_said_in_a_line(tmp_path: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--data", str(tmp_path)]) == 2
    assert "pages.jsonl" in capsys.readouterr().err
