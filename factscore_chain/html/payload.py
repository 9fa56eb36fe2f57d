"""What the page's script gets to know: the report as plain data that can stand inside a page.

The facts of all generations come first and together, for filtering and searching. What a fact rests on comes
apart, generation by generation, and is read only when somebody opens one of its facts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from factscore_chain.html.edits import EditedText
from factscore_chain.html.segments import Places, cut, spans_of
from factscore_chain.html.visible import visible
from factscore_chain.records import FactRecord, PartRecord, RecallRecord
from factscore_chain.report import GenerationReport
from factscore_chain.values import Look, Passage, Verdict

_ESCAPES = str.maketrans({char: f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"})


def embedded(data: Any) -> str:
    """Data as JSON that neither ends nor opens anything inside a script element."""
    return orjson.dumps(data).decode().translate(_ESCAPES)


def overview(
    one: GenerationReport, labels: Sequence[Verdict | None], edited: EditedText | None
) -> dict[str, Any]:
    """A generation with its text in pieces and its facts, without what they rest on."""
    pieces = cut(one.text, [spans_of(fact) for fact in one.facts])
    return {
        "id": _text(one.id),
        "topic": _text(one.topic),
        "title": _text(one.title),
        "input": _text(one.input),
        "line": one.place and visible(f"{one.place.file}, line {one.place.line}"),
        "status": one.status,
        "error": _text(one.error),
        "score": one.score,
        "precision": one.init_score,
        "coverage": one.coverage,
        "pieces": [visible(piece) for piece in pieces.texts],
        "facts": [
            _fact(fact, places, label)
            for fact, places, label in zip(one.facts, pieces.places, labels, strict=True)
        ],
        "failures": [{"cause": visible(each.cause), "raw": _text(each.raw)} for each in one.failures],
        "dropped": [{"text": visible(each.text), "cause": visible(each.cause)} for each in one.dropped],
        "edit": edited and _edit(edited),
        "recall": one.recall and _recall(one.recall),
    }


def evidence(one: GenerationReport) -> dict[str, Any]:
    """What the facts of a generation rest on; a passage that several share is kept once."""
    kept: dict[tuple[str, str | None, str], int] = {}
    facts = [
        {
            "passages": [_retrieved(passage, fact, kept) for passage in fact.passages],
            "raw": _text(fact.raw),
            "cause": _text(fact.cause),
            "note": _text(fact.note),
            "parts": [_part(part) for part in fact.parts],
            "answers": [verdict.value for verdict in fact.answers],
            "route": [_look(look) for look in fact.route],
        }
        for fact in one.facts
    ]
    passages = [
        {"id": visible(name), "title": _text(title), "text": visible(text)} for name, title, text in kept
    ]
    return {"passages": passages, "facts": facts}


def _fact(fact: FactRecord, places: Places, label: Verdict | None) -> dict[str, Any]:
    return {
        "text": visible(fact.text),
        "verdict": fact.verdict.value,
        "reason": fact.reason,
        "probability": fact.probability,
        "verifier": visible(fact.verifier),
        "places": places,
        "label": label and label.value,
        "trivial": fact.trivial,
        "repeats": fact.repeats,
    }


def _recall(recall: RecallRecord) -> dict[str, Any]:
    return {
        "source": visible(recall.source),
        "value": recall.recall,
        "stated": len(recall.stated),
        "missing": [visible(fact) for fact in recall.missing],
        "undecided": [visible(fact) for fact in recall.undecided],
        "partial": recall.facts_left_out,
        "error": _text(recall.error),
    }


def _edit(edited: EditedText) -> dict[str, Any]:
    return {
        "changes": [(change.kind, visible(change.text)) for change in edited.changes],
        "before": edited.score_before,
        "after": edited.score_after,
        "reasons": [visible(reason) for reason in edited.reasons],
    }


def _retrieved(
    passage: Passage, fact: FactRecord, kept: dict[tuple[str, str | None, str], int]
) -> dict[str, Any]:
    key = (passage.id, passage.title, passage.text)
    return {
        "index": kept.setdefault(key, len(kept)),
        "rank": passage.rank,
        "score": passage.score,
        "origins": [visible(origin) for origin in passage.origins],
        "rests": passage.id in fact.evidence,
    }


def _look(look: Look) -> dict[str, Any]:
    return {
        "query": visible(look.query),
        "writer": visible(look.writer),
        "title": _text(look.title),
        "added": len(look.added),
        "verdict": look.verdict.value,
    }


def _part(part: PartRecord) -> dict[str, Any]:
    return {
        "verifier": visible(part.verifier),
        "verdict": part.verdict.value,
        "probability": part.probability,
        "raw": _text(part.raw),
        "cause": _text(part.cause),
    }


def _text(text: str | None) -> str | None:
    return None if text is None else visible(text)
