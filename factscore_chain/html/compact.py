"""A report as a piece of HTML for a notebook: small, without script, readable where styles are stripped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factscore_chain.html.segments import cut, spans_of
from factscore_chain.html.summary import summary_of
from factscore_chain.html.template import asset, render
from factscore_chain.html.visible import visible
from factscore_chain.records import FactRecord
from factscore_chain.render import excerpt, verdict_words
from factscore_chain.report import GenerationReport, Report
from factscore_chain.values import Verdict

SIGNS = {
    Verdict.SUPPORTED.value: "✓",
    Verdict.NOT_SUPPORTED.value: "✗",
    Verdict.IRRELEVANT.value: "≠",
    Verdict.UNDECIDED.value: "?",
    Verdict.FAILED.value: "!",
}
_SEEN_FIRST = ("not_supported", "irrelevant", "failed", "undecided", "supported")
MOST_GENERATIONS = 20
MOST_FACTS = 30
"""Facts listed a generation: those that are not supported."""
MOST_CHARACTERS = 5_000
"""Characters shown of a generation's text."""


@dataclass(frozen=True)
class _Piece:
    text: str
    verdicts: tuple[str, ...]
    """Those of the facts that state it, what a reader has to see first in front."""
    signs: str
    """A sign for each fact that ends here and is not supported."""


@dataclass(frozen=True)
class _Fact:
    sign: str
    text: str
    said: str
    source: str
    passage: str


@dataclass(frozen=True)
class _Shown:
    name: str
    score: float | None
    about: str
    error: str
    pieces: tuple[_Piece, ...]
    cut: bool
    facts: tuple[_Fact, ...]
    more: str


def render_compact(report: Report | GenerationReport) -> str:
    """The scores, the text with its facts marked, and the facts that are not supported.

    Long reports are cut, and say so; `render_html` shows everything.
    """
    generations = report.generations if isinstance(report, Report) else (report,)
    left = len(generations) - MOST_GENERATIONS
    return render(
        "compact.html.j2",
        style=asset("compact.css"),
        summary=summary_of(report),
        signs=SIGNS,
        limit=MOST_FACTS,
        generations=[_shown(one) for one in generations[:MOST_GENERATIONS]],
        more=f"{left:,} more generations: write to_html() to a file to see them." if left > 0 else "",
    )


def _shown(one: GenerationReport) -> _Shown:
    listed = [fact for fact in one.facts if fact.verdict is not Verdict.SUPPORTED]
    left = len(listed) - MOST_FACTS
    return _Shown(
        name=visible(one.title or one.topic or one.id or "(no topic)"),
        score=one.score,
        about=_about(one),
        error=visible(one.error or ""),
        pieces=tuple(_pieces(one.text[:MOST_CHARACTERS], one.facts)),
        cut=len(one.text) > MOST_CHARACTERS,
        facts=tuple(map(_fact, listed[:MOST_FACTS])),
        more=f"{left:,} more facts that are not supported." if left > 0 else "",
    )


def _about(one: GenerationReport) -> str:
    counted = f", {one.tally.supported} of {len(one.facts)} facts supported" if one.facts else ""
    return one.status.replace("_", " ") + counted


def _fact(fact: FactRecord) -> _Fact:
    best = fact.best_passage if fact.cause is None else None
    return _Fact(
        sign=SIGNS[fact.verdict.value],
        text=visible(fact.text),
        said=verdict_words(fact),
        source=visible((best.title or best.id) if best else ""),
        passage=visible(excerpt(best.text, _beside(fact.text, best.title)))
        if best
        else visible(fact.cause or ""),
    )


def _beside(text: str, title: str | None) -> str:
    """The words of a fact beside those of the title, which every sentence of its page may hold."""
    names = set((title or "").casefold().split())
    return " ".join(word for word in text.split() if word.casefold() not in names)


def _pieces(text: str, facts: Sequence[FactRecord]) -> Iterator[_Piece]:
    pieces = cut(text, [spans_of(fact) for fact in facts])
    placed = [
        (fact.verdict.value, place)
        for fact, places in zip(facts, pieces.places, strict=True)
        for place in places
    ]
    open_now: Counter[str] = Counter()
    for index, piece in enumerate(pieces.texts):
        open_now.update(verdict for verdict, place in placed if place[0] == index)
        verdicts = tuple(verdict for verdict in _SEEN_FIRST if open_now[verdict])
        ending = [verdict for verdict, place in placed if place[1] == index + 1]
        open_now.subtract(ending)
        yield _Piece(
            visible(piece),
            verdicts,
            "".join(SIGNS[verdict] for verdict in ending if verdict != Verdict.SUPPORTED.value),
        )
