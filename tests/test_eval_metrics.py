"""Agreement figures, each on facts whose value was worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.evals import metrics
from factscore_chain.evals.metrics import Bools, Floats
from factscore_chain.stats.bootstrap import Rows, intervals


def bools(text: str) -> Bools:
    return np.array([letter == "S" for letter in text], dtype=np.bool_)


def floats(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)


# People reject 4 of 10; the estimator rejects 3 of these 4, and 2 of the 6 supported ones.
HUMAN, MACHINE = bools("SSSSSSNNNN"), bools("SSSSNNNNNS")


def test_rejections_are_the_positive_class() -> None:
    assert metrics.precision_not_supported(HUMAN, MACHINE) == pytest.approx(3 / 5)
    assert metrics.recall_not_supported(HUMAN, MACHINE) == pytest.approx(3 / 4)
    assert metrics.f1_not_supported(HUMAN, MACHINE) == pytest.approx(2 * 3 / (4 + 5))


def test_gain_is_in_points_over_rejecting_everything() -> None:
    baseline = metrics.f1_always_not_supported(HUMAN)
    assert baseline == pytest.approx(2 * 4 / (4 + 10))
    assert metrics.gain(2 / 3, baseline) == pytest.approx(100 * (2 / 3 - 4 / 7))


def test_accuracy_balanced_accuracy_and_kappa() -> None:
    assert metrics.accuracy(HUMAN, MACHINE) == pytest.approx(0.7)
    assert metrics.balanced_accuracy(HUMAN, MACHINE) == pytest.approx((4 / 6 + 3 / 4) / 2)
    # Chance: 0.6 * 0.5 + 0.4 * 0.5 = 0.5.
    assert metrics.kappa(HUMAN, MACHINE) == pytest.approx((0.7 - 0.5) / 0.5)


@pytest.mark.parametrize(
    ("human", "scores", "expected"),
    [
        ("SSNN", (0.9, 0.8, 0.2, 0.1), 1.0),
        ("SSNN", (0.1, 0.2, 0.8, 0.9), 0.0),
        ("SSNN", (0.5, 0.5, 0.5, 0.5), 0.5),
        ("SSNN", (0.9, 0.3, 0.3, 0.1), 3.5 / 4),
        ("SNNN", (0.4, 0.6, 0.4, 0.1), 1.5 / 3),
    ],
)
def test_auc_counts_ties_as_half(human: str, scores: tuple[float, ...], expected: float) -> None:
    assert metrics.auc(bools(human), floats(*scores)) == pytest.approx(expected)


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0])), min_size=2, max_size=30)
)
def test_auc_is_the_share_of_pairs_in_order(facts: list[tuple[bool, float]]) -> None:
    good = [score for supported, score in facts if supported]
    bad = [score for supported, score in facts if not supported]
    wins = [1.0 if g > b else 0.5 if g == b else 0.0 for g in good for b in bad]
    expected = sum(wins) / len(wins) if wins else None
    found = metrics.auc(np.array([s for s, _ in facts]), floats(*(score for _, score in facts)))
    assert found == (None if expected is None else pytest.approx(expected))


def test_calibration_error_weighs_bins_by_their_facts() -> None:
    # [0.9, 1]: means 0.95 and 0.5 over 2 facts; [0.1, 0.2): 0.15 and 0 over 2.
    error = metrics.ece(bools("SNNN"), floats(0.9, 1.0, 0.1, 0.199999))
    assert error == pytest.approx((2 * 0.45 + 2 * 0.15) / 4, abs=1e-6)


def test_full_certainty_that_is_right_is_calibrated() -> None:
    assert metrics.ece(bools("SNS"), floats(1.0, 0.0, 1.0)) == 0


def test_system_score_weighs_generations_alike() -> None:
    generation = np.array([0, 0, 0, 0, 2, 2])
    assert metrics.system_score(bools("SSSNNN"), generation) == pytest.approx((3 / 4 + 0) / 2)


def test_error_rate_is_signed_points() -> None:
    assert metrics.error_rate(0.5, 0.42) == pytest.approx(-8)
    assert metrics.error_rate(None, 0.42) is None


@pytest.mark.parametrize("human", ["", "SSS", "NNN"])
def test_figures_without_two_classes_are_none_not_nan(human: str) -> None:
    supported = bools(human)
    assert metrics.auc(supported, floats(*[0.5] * len(human))) is None
    assert metrics.balanced_accuracy(supported, supported) is None
    assert metrics.kappa(supported, supported) is None


def test_nothing_rejected_by_anybody_has_no_f1() -> None:
    assert metrics.f1_not_supported(bools("SS"), bools("SS")) is None
    assert metrics.f1_not_supported(bools("SS"), bools("SN")) == 0


def test_pearson_of_a_constant_is_undefined() -> None:
    assert metrics.pearson(floats(1, 2, 3), floats(2, 4, 6)) == pytest.approx(1)
    assert metrics.pearson(floats(1, 2, 3), floats(1, 1, 1)) is None


def test_interval_of_one_cluster_is_a_point() -> None:
    values = floats(0, 1, 1, 0)
    found = intervals(np.zeros(4, dtype=np.int64), lambda rows, _: {"mean": float(values[rows].mean())})
    assert found == {"mean": (0.5, 0.5)}


def test_interval_covers_the_mean_and_widens_with_clusters() -> None:
    values = np.repeat([0.0, 1.0], 100)
    rows = np.arange(200)

    def mean(sample: Rows, draws: Rows) -> dict[str, float | None]:
        return {"mean": float(values[sample].mean())}

    alone = intervals(rows, mean, resamples=300)["mean"]
    grouped = intervals(rows // 50, mean, resamples=300)["mean"]
    assert alone is not None
    assert grouped is not None
    assert alone[0] < 0.5 < alone[1]
    assert grouped[1] - grouped[0] > 3 * (alone[1] - alone[0])


def test_intervals_repeat_with_their_seed_and_hide_what_is_mostly_undefined() -> None:
    rows = np.arange(10, dtype=np.int64)

    def figures(sample: object, draws: object) -> dict[str, float | None]:
        drawn = np.asarray(sample)
        return {"mean": float(drawn.mean()), "rare": 1.0 if drawn[0] == 3 else None}

    assert intervals(rows, figures, seed=4) == intervals(rows, figures, seed=4)
    assert intervals(rows, figures, seed=4) != intervals(rows, figures, seed=5)
    assert intervals(rows, figures)["rare"] is None


def test_a_cluster_drawn_twice_counts_as_two() -> None:
    clusters = np.array([7, 7, 3], dtype=np.int64)
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()

    def record(rows: object, draws: object) -> dict[str, float | None]:
        seen.add((tuple(np.asarray(rows).tolist()), tuple(np.asarray(draws).tolist())))
        return {}

    intervals(clusters, record, resamples=50)
    assert seen == {
        ((0, 1, 0, 1), (0, 0, 1, 1)),
        ((2, 2), (0, 1)),
        ((0, 1, 2), (0, 0, 1)),
        ((2, 0, 1), (0, 1, 1)),
    }
