"""The report as one page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from factscore_chain.errors import UsageError
from factscore_chain.html.charts import Chart, calibration_chart, position_chart, score_chart
from factscore_chain.html.edits import EditedText
from factscore_chain.html.figures import by_position, calibration
from factscore_chain.html.labels import Labels, agrees, aligned
from factscore_chain.html.payload import embedded, evidence, overview
from factscore_chain.html.policy import content_policy
from factscore_chain.html.summary import summary_of
from factscore_chain.html.template import asset, render
from factscore_chain.html.visible import visible
from factscore_chain.records import FactRecord
from factscore_chain.report import GenerationReport, Report
from factscore_chain.values import Verdict

Edits: TypeAlias = Sequence[EditedText | None]
"""For each generation of the report its text before and after editing; None where it was not edited."""
_Judged: TypeAlias = Sequence[tuple[GenerationReport, FactRecord, Verdict | None]]

READING = ("dom.js", "model.js", "words.js", "detail.js", "rows.js", "draw.js", "facts.js", "reading.js")
"""Scripts of every page on which facts are read, in this order."""
_SCRIPTS = (*READING, "embedded.js", "view.js", "main.js")


def render_html(
    report: Report | GenerationReport,
    *,
    labels: Labels | None = None,
    edits: Edits | None = None,
    title: str | None = None,
) -> str:
    """A report, or one generation of it, as an HTML page that asks for no other file.

    Args:
        report: What is shown.
        labels: What people say of the facts: for each generation one label a fact, None where nobody
            judged. Adds a calibration plot, and marks the facts on which verifier and people differ.
        edits: For each generation its text before and after editing, None where it was not edited.
        title: Heading of the page; by default it says what is shown.

    Raises:
        UsageError: `labels` or `edits` do not fit the report.
    """
    generations = report.generations if isinstance(report, Report) else (report,)
    marked = aligned(generations, labels)
    judged = [
        (one, fact, label)
        for one, row in zip(generations, marked, strict=True)
        for fact, label in zip(one.facts, row, strict=True)
    ]
    shown = zip(generations, marked, _one_each(generations, edits), strict=True)
    style = asset("report.css")
    script = "".join(map(asset, _SCRIPTS))
    return render(
        "report.html.j2",
        title=visible(title or _title(report)),
        policy=content_policy(style, script),
        style=style,
        script=script,
        summary=summary_of(report),
        gate=report.gate if isinstance(report, Report) else None,
        charts=_charts(generations, judged),
        differing=sum(label is not None and not agrees(fact.verdict, label) for _, fact, label in judged),
        labelled=labels is not None,
        overview=embedded([overview(*each) for each in shown]),
        evidence=[embedded(evidence(one)) for one in generations],
    )


def _title(report: Report | GenerationReport) -> str:
    if isinstance(report, Report):
        return "FActScore report"
    return f"FActScore of {report.title or report.topic or report.id or 'a generation'}"


def _one_each(generations: Sequence[GenerationReport], edits: Edits | None) -> Edits:
    if edits is None:
        return (None,) * len(generations)
    if len(edits) != len(generations):
        raise UsageError(
            f"{len(edits)} edited texts were given for {len(generations)} generations. "
            "Give one a generation, None where there is none."
        )
    return edits


def _charts(generations: Sequence[GenerationReport], judged: _Judged) -> list[Chart]:
    scores = [one.score for one in generations if one.score is not None]
    places = [
        # The middle, since many facts of a sentence begin where it begins.
        ((fact.span.start + fact.span.end) / (2 * len(one.text)), fact.verdict is Verdict.SUPPORTED)
        for one, fact, _ in judged
        if fact.span is not None and one.text
    ]
    pairs = [
        (fact.probability, label is Verdict.SUPPORTED)
        for _, fact, label in judged
        if fact.probability is not None and label is not None
    ]
    made = (
        score_chart(scores) if scores else None,
        position_chart(by_position(places)) if places else None,
        calibration_chart(calibration(pairs)) if pairs else None,
    )
    return [chart for chart in made if chart is not None]
