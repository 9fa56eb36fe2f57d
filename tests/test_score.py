"""The arithmetic of the score, on the published rule's values and as properties."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.errors import UsageError
from factscore_chain.score import Tally, aggregate, coverage, length_penalty, precision, tally
from factscore_chain.values import AtomicFact, Decision, Verdict

verdicts = st.lists(st.sampled_from(Verdict), max_size=30)
gammas = st.one_of(st.none(), st.floats(0, 50))


def decide(*verdicts: Verdict) -> list[Decision]:
    return [Decision(AtomicFact(f"fact {i}"), verdict, "v") for i, verdict in enumerate(verdicts)]


S, NS, IR, U, F = Verdict


@pytest.mark.parametrize(
    ("n_facts", "gamma", "penalty"),
    [
        (10, 10, 1.0),
        (11, 10, 1.0),
        (9, 10, math.exp(1 - 10 / 9)),
        (5, 10, math.exp(-1)),
        (1, 10, math.exp(-9)),
        (0, 10, 0.0),
        (1, 0, 1.0),
        (1, None, 1.0),
        (0, 0, 1.0),
        (1, 0.5, 1.0),
        (1, 1e308, 0.0),
    ],
)
def test_length_penalty(n_facts: int, gamma: float | None, penalty: float) -> None:
    assert length_penalty(n_facts, gamma) == pytest.approx(penalty, rel=1e-12)


@pytest.mark.parametrize(
    ("facts", "supported", "score", "raw"), [(10, 10, 1.0, 1.0), (5, 4, 0.2943, 0.8), (1, 1, 0.000123, 1.0)]
)
def test_few_facts_score_little_and_the_raw_share_stays_beside_it(
    facts: int, supported: int, score: float, raw: float
) -> None:
    counted = Tally("scored", facts, supported, facts)
    assert counted.score(10) == pytest.approx(score, abs=5e-5)
    assert counted.precision == raw


@pytest.mark.parametrize("gamma", [-1, -0.001, math.nan, math.inf])
def test_bad_gamma_is_refused_even_with_nothing_to_score(gamma: float) -> None:
    with pytest.raises(UsageError, match="gamma"):
        length_penalty(3, gamma)
    with pytest.raises(ValueError, match="gamma"):
        aggregate([], gamma)


def test_short_generation_with_a_false_fact() -> None:
    scores = aggregate([tally(decide(S, S, S, S, NS))])
    assert scores.score == pytest.approx(0.8 * math.exp(-1))
    assert scores.init_score == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("decided", "expected_precision", "expected_coverage"),
    [
        ([], None, None),
        ([S, S], 1.0, 1.0),
        ([S, NS, IR, NS], 0.25, 1.0),
        ([S, U, F, U], 0.25, 0.25),
        ([S, *[F] * 9], 0.1, 0.1),
        ([F, F], None, 0.0),
        ([U, F], None, 0.0),
    ],
)
def test_denominator_is_what_was_submitted(
    decided: list[Verdict], expected_precision: float | None, expected_coverage: float | None
) -> None:
    assert precision(decide(*decided)) == expected_precision
    assert coverage(decide(*decided)) == expected_coverage


def test_generation_of_which_nothing_was_decided_responded_but_has_no_score() -> None:
    scores = aggregate([tally(decide(F, F)), tally(decide(S, NS))], gamma=0)
    assert (scores.score, scores.respond_ratio, scores.num_facts_per_response) == (0.5, 1.0, 2.0)


def test_all_abstained_has_no_score() -> None:
    scores = aggregate([tally([], abstained=True)] * 3)
    assert (scores.score, scores.init_score, scores.num_facts_per_response) == (None, None, None)
    assert scores.respond_ratio == 0.0


def test_nothing_at_all_has_no_numbers() -> None:
    scores = aggregate([])
    assert (scores.score, scores.respond_ratio) == (None, None)


def test_abstentions_and_empty_ones_lower_the_respond_ratio_only() -> None:
    full = tally(decide(*[S] * 12))
    scores = aggregate([full, tally([], abstained=True), tally([]), full])
    assert (scores.score, scores.respond_ratio, scores.num_facts_per_response) == (1.0, 0.5, 12.0)


def test_abstained_generation_keeps_no_precision_even_if_facts_were_given() -> None:
    one = tally(decide(S, NS), abstained=True)
    assert (one.precision, one.score(), one.coverage) == (None, None, 1.0)


@given(st.lists(verdicts, max_size=8), gammas)
def test_scores_stay_between_0_and_1(generations: list[list[Verdict]], gamma: float | None) -> None:
    scores = aggregate((tally(decide(*each)) for each in generations), gamma)
    for value in (scores.score, scores.init_score, scores.respond_ratio):
        assert value is None or 0 <= value <= 1
    if scores.score is not None and scores.init_score is not None:
        assert scores.score <= scores.init_score


@given(verdicts, st.sampled_from([NS, IR, U, F]))
def test_a_fact_without_support_never_raises_precision(decided: list[Verdict], added: Verdict) -> None:
    before, after = precision(decide(*decided)), precision(decide(*decided, added))
    assert after is None or after <= (before or 0)


@given(st.lists(st.tuples(st.integers(1, 40), st.integers(0, 40)), max_size=20), st.randoms())
def test_order_does_not_matter(counts: list[tuple[int, int]], rng: random.Random) -> None:
    tallies = [Tally("scored", n, min(s, n), n) for n, s in counts]
    shuffled = rng.sample(tallies, len(tallies))
    assert aggregate(tallies) == aggregate(shuffled)


@given(verdicts)
def test_a_fact_is_in_the_numerator_if_and_only_if_it_is_supported(decided: list[Verdict]) -> None:
    decisions = decide(*decided)
    assert tally(decisions).supported == len([d for d in decisions if d.verdict is Verdict.SUPPORTED])
    if decided and all(verdict is S for verdict in decided):
        assert precision(decisions) == 1.0
