"""The charts as places on a drawing of fixed size; `charts.html.j2` draws them.

Every chart has a title, a sentence that says what it shows, and its numbers as a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from factscore_chain.html.figures import BINS, Calibration, Share, expected_error, histogram
from factscore_chain.render import percent

WIDTH, HEIGHT = 320, 190
LEFT, RIGHT, TOP, BOTTOM = 36, 8, 10, 36
_GAP = 2
_LARGEST_DOT, _SMALLEST_DOT = 9.0, 2.5


@dataclass(frozen=True)
class Mark:
    """A bar or a dot with its interval; lengths in the drawing's own units."""

    x: float
    y: float
    width: float = 0.0
    height: float = 0.0
    radius: float = 0.0
    low: float | None = None
    high: float | None = None
    label: str = ""
    """What a pointer resting on it reads."""


@dataclass(frozen=True)
class Chart:
    """One chart, ready to be drawn."""

    key: str
    """Name of the chart, for ids and styles."""
    title: str
    description: str
    x_title: str
    y_title: str
    y_ticks: tuple[tuple[float, str], ...]
    """Height on the drawing, and what stands there."""
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    bars: tuple[Mark, ...] = ()
    dots: tuple[Mark, ...] = ()
    diagonal: bool = False


def score_chart(scores: Sequence[float]) -> Chart:
    """How many generations have which score."""
    counts = histogram(scores)
    most = max(counts)
    bars = tuple(
        _bar(i / BINS, (i + 1) / BINS, count / most, f"{_range(i / BINS, (i + 1) / BINS)}: {count}")
        for i, count in enumerate(counts)
    )
    return Chart(
        key="scores",
        title="Scores",
        description=f"Number of generations by score, of {len(scores)} that have one.",
        x_title="score of a generation",
        y_title="generations",
        y_ticks=tuple((_y(tick / most), str(tick)) for tick in sorted({0, most // 2, most})),
        columns=("score", "generations"),
        rows=tuple((_range(i / BINS, (i + 1) / BINS), str(count)) for i, count in enumerate(counts)),
        bars=bars,
    )


def position_chart(shares: Sequence[Share]) -> Chart:
    """How much is supported along the text."""
    facts = sum(share.count for share in shares)
    return Chart(
        key="position",
        title="Support along the text",
        description=f"Share of facts supported by their place in the text, of {facts} facts that have one; "
        "lines are 95% intervals.",
        x_title="place in the text, from start to end",
        y_title="facts supported",
        y_ticks=_PERCENT_TICKS,
        columns=("place", "facts", "supported", "95% interval"),
        rows=tuple(
            (_range(share.start, share.end), str(share.count), percent(share.value), _interval(share))
            for share in shares
        ),
        bars=tuple(
            _bar(share.start, share.end, share.value, _said(share), share.interval)
            for share in shares
            if share.value is not None
        ),
    )


def calibration_chart(bins: Sequence[Calibration]) -> Chart:
    """How much of what is called probable people call supported."""
    facts = sum(one.share.count for one in bins)
    return Chart(
        key="calibration",
        title="Calibration",
        description=f"Share of facts that people call supported, by the verifier's probability, of {facts} "
        f"facts with both; expected calibration error {percent(expected_error(bins))}.",
        x_title="probability of being supported",
        y_title="people: supported",
        y_ticks=_PERCENT_TICKS,
        columns=("probability", "facts", "mean probability", "people: supported", "95% interval"),
        rows=tuple(
            (
                _range(one.share.start, one.share.end),
                str(one.share.count),
                percent(one.probability),
                percent(one.share.value),
                _interval(one.share),
            )
            for one in bins
        ),
        dots=_dots(bins),
        diagonal=True,
    )


def _dots(bins: Sequence[Calibration]) -> tuple[Mark, ...]:
    most = max(one.share.count for one in bins)
    return tuple(
        Mark(
            x=_x(one.probability),
            y=_y(one.share.value),
            # The area of a dot, not its radius, is what the eye takes for a number.
            radius=max(_SMALLEST_DOT, _LARGEST_DOT * (one.share.count / most) ** 0.5),
            low=_y(one.share.interval[0]),
            high=_y(one.share.interval[1]),
            label=_said(one.share),
        )
        for one in bins
        if one.probability is not None and one.share.value is not None and one.share.interval is not None
    )


def _bar(
    start: float, end: float, value: float, label: str, interval: tuple[float, float] | None = None
) -> Mark:
    return Mark(
        x=_x(start) + _GAP / 2,
        y=_y(value),
        width=_x(end) - _x(start) - _GAP,
        height=_y(0) - _y(value),
        low=interval and _y(interval[0]),
        high=interval and _y(interval[1]),
        label=label,
    )


def _x(value: float) -> float:
    return round(LEFT + value * (WIDTH - LEFT - RIGHT), 2)


def _y(value: float) -> float:
    return round(TOP + (1 - value) * (HEIGHT - TOP - BOTTOM), 2)


_PERCENT_TICKS = tuple((_y(tick), f"{tick:.0%}") for tick in (0.0, 0.5, 1.0))
X_TICKS = tuple((_x(tick), f"{tick:.0%}") for tick in (0.0, 0.5, 1.0))
"""Every chart runs from 0 to 100%."""


def _range(start: float, end: float) -> str:
    return f"{start:.0%} to {end:.0%}"


def _interval(share: Share) -> str:
    return "-" if share.interval is None else f"{share.interval[0]:.1%} to {share.interval[1]:.1%}"


def _said(share: Share) -> str:
    where = _range(share.start, share.end)
    return f"{where}: {percent(share.value)} of {share.count} facts ({_interval(share)})"
