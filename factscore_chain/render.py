"""A report for people: a table on a terminal, or Markdown.

Text under test may hold anything, so control characters never reach the terminal and Markdown marks are
escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from sentencex import segment

from factscore_chain.report import FactRecord, GenerationReport, Manifest, Report
from factscore_chain.values import Verdict

PASSAGE_WIDTH = 160
"""Characters of a passage that are shown beside a fact."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")
_STYLES = {
    Verdict.NOT_SUPPORTED: "red",
    Verdict.IRRELEVANT: "yellow",
    Verdict.UNDECIDED: "yellow",
    Verdict.FAILED: "magenta",
}


def print_table(report: Report, console: Console | None = None) -> None:
    """Prints the scores, then each generation's facts that are not supported, with their best passage."""
    (console or Console()).print(Group(_scores(report), *_details(report), Text(), *_summary(report)))


def markdown(report: Report) -> str:
    """The report as Markdown: summary, table of generations, unsupported facts with their best passage."""
    head = ["# FActScore", "", *(f"- {line}" for line in summary_lines(report)), ""]
    rows = ["| # | topic | score | facts | supported | status |", "|---|---|---|---|---|---|"]
    for number, one in enumerate(report.generations, 1):
        cells = (
            str(number),
            escaped(one.topic or "-"),
            percent(one.score),
            str(len(one.facts)),
            str(one.tally.supported),
            one.status,
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join([*head, *rows, *_markdown_details(report), ""])


def percent(value: float | None) -> str:
    """A share as a percentage with one decimal; "-" where there is none."""
    return "-" if value is None else f"{100 * value:.1f}%"


def summary_lines(report: Report) -> list[str]:
    """The headline: every score beside its coverage, what was counted, and what made it."""
    counts, manifest = report.counts, report.manifest
    per_response = report.num_facts_per_response
    sought = f"; {counts.sought} looked for again" if counts.sought else ""
    return [
        f"FActScore {percent(report.score)} (without length penalty {percent(report.init_score)}), "
        f"coverage {percent(report.coverage)}",
        f"respond ratio {percent(report.respond_ratio)}, "
        f"facts per response {'-' if per_response is None else f'{per_response:.1f}'}",
        *_beyond_precision(report),
        f"{counts.generations} generations: {counts.scored} scored, {counts.abstained} abstained, "
        f"{counts.no_facts} without facts, {counts.unscored} not scored",
        f"{counts.facts} facts: {counts.supported} supported, {counts.not_supported} not supported, "
        f"{counts.irrelevant} irrelevant, {counts.undecided} undecided, {counts.failed} failed{sought}",
        f"estimator {manifest.estimator}, knowledge {manifest.knowledge.get('name') or 'none'}, "
        f"gamma {manifest.gamma or 0:g}, model calls {manifest.usage.get('calls', 0)}{_spent(manifest)}",
    ]


def _spent(manifest: Manifest) -> str:
    """What was saved and what was paid, where a model came into it."""
    calls, cached = (manifest.usage.get(name, 0) for name in ("calls", "cached_answers"))
    said = f", cached answers {cached}" if cached else ""
    if not calls:
        return said
    cost = "not known" if manifest.cost is None else f"${manifest.cost:.4f}"
    return f"{said}, cost {cost}"


def _beyond_precision(report: Report) -> Iterator[str]:
    """Where figures beside precision were asked for: whether little was said, or much that adds nothing."""
    parts = []
    if report.manifest.f1_k is not None:
        parts.append(f"F1@{report.manifest.f1_k:g} {percent(report.f1_at_k)}")
    if any(one.recall for one in report.generations):
        parts.append(f"recall {percent(report.recall)}")
    if parts:
        yield ", ".join([*parts, f"without padding {percent(report.informative_score)}"])


def _scores(report: Report) -> Table:
    table = Table(title="FActScore", title_justify="left", header_style="bold")
    for name in ("#", "facts", "supported", "score"):
        table.add_column(name, justify="right")
    table.add_column("topic", overflow="fold")
    table.add_column("status")
    for number, one in enumerate(report.generations, 1):
        table.add_row(
            str(number),
            str(len(one.facts)),
            str(one.tally.supported),
            percent(one.score),
            Text(clean(one.topic or "(whole source)")),
            one.status,
        )
    return table


def _details(report: Report) -> Iterator[RenderableType]:
    for number, one in enumerate(report.generations, 1):
        if one.error is not None or _shown(one):
            yield Text(f"\n{number}. {clean(one.topic or '(whole source)')}", style="bold")
        if one.error is not None:
            yield Padding(Text(clean(one.error), style="yellow"), (0, 0, 0, 3))
        for fact in _shown(one):
            yield Padding(_fact(fact), (0, 0, 0, 3))


def _fact(fact: FactRecord) -> Text:
    line = Text.assemble((f"{verdict_words(fact)}: ", _STYLES.get(fact.verdict, "")), clean(fact.text))
    if (passage := fact.best_passage) is not None:
        found = excerpt(passage.text, fact.text)
        line.append(f"\n  {clean(passage.title or passage.id)}: {found}", style="dim")
    return line


def _summary(report: Report) -> Iterator[Text]:
    for number, line in enumerate(summary_lines(report)):
        yield Text(line, style="bold" if number == 0 else "")


def _markdown_details(report: Report) -> Iterator[str]:
    for number, one in enumerate(report.generations, 1):
        if one.error is None and not _shown(one):
            continue
        yield f"\n## {number}. {escaped(one.topic or '(whole source)')}\n"
        if one.error is not None:
            yield f"- {escaped(one.error)}"
        for fact in _shown(one):
            yield f"- **{verdict_words(fact)}**: {escaped(fact.text)}"
            if (passage := fact.best_passage) is not None:
                found = escaped(excerpt(passage.text, fact.text))
                yield f"  - {escaped(passage.title or passage.id)}: {found}"


def _shown(one: GenerationReport) -> list[FactRecord]:
    return [fact for fact in one.facts if fact.verdict is not Verdict.SUPPORTED]


def verdict_words(fact: FactRecord) -> str:
    """A verdict and its reason in words, such as "not supported (contradicted)"."""
    reason = f" ({fact.reason.replace('_', ' ')})" if fact.reason else ""
    return f"{fact.verdict.value.replace('_', ' ')}{reason}"


def excerpt(text: str, query: str = "") -> str:
    """The sentence of a passage that shares most words with the query, on one line and cut to fit."""
    wanted = _words(query)
    sentences = segment("en", clean(text)) or [""]
    best = max(sentences, key=lambda sentence: len(wanted & _words(sentence)))
    line = " ".join(best.split())
    return line if len(line) <= PASSAGE_WIDTH else f"{line[:PASSAGE_WIDTH].rstrip()} ..."


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def clean(text: str) -> str:
    """Text without the characters that could steer a terminal or reverse its writing."""
    return _CONTROL.sub("\ufffd", text)


def escaped(text: str) -> str:
    """Text on one line whose Markdown marks mean nothing."""
    return _MARKDOWN.sub(r"\\\1", " ".join(clean(text).split()))
