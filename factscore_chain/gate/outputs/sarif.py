"""SARIF 2.1.0: each finding at the line of the file that the generation was read from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from factscore_chain.gate.wording import findings, name_of
from factscore_chain.report import FactRecord, GenerationReport, Report
from factscore_chain.values import Place, Verdict

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_INCOMPLETE = "incomplete"
_RULES = {
    Verdict.NOT_SUPPORTED.value: ("error", "The knowledge source does not support this fact."),
    Verdict.IRRELEVANT.value: ("warning", "This fact is not about the topic of its text."),
    Verdict.UNDECIDED.value: ("warning", "The verifier gave no verdict on this fact."),
    Verdict.FAILED.value: ("error", "The verifier could not be asked about this fact."),
    _INCOMPLETE: ("error", "This generation or row could not be scored, or not as a whole."),
}
"""Level and description of each rule, by its id."""
_PLACES = {name: place for place, name in enumerate(_RULES)}


def to_sarif(report: Report) -> str:
    """The report as a SARIF log with one run and one result for each finding."""
    run = {
        "tool": {"driver": _driver(report)},
        "columnKind": "unicodeCodePoints",
        "results": [
            *(result for number, one in enumerate(report.generations, 1) for result in _results(number, one)),
            *(_result(_INCOMPLETE, row, None) for row in report.rejected),
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _driver(report: Report) -> dict[str, Any]:
    rules = [
        {
            "id": name,
            "shortDescription": {"text": text},
            "defaultConfiguration": {"level": level},
        }
        for name, (level, text) in _RULES.items()
    ]
    version = report.manifest.versions.get("factscore-chain", "unknown")
    return {"name": "factscore-chain", "version": version, "rules": rules}


def _results(number: int, generation: GenerationReport) -> Iterator[dict[str, Any]]:
    name = name_of(number, generation)
    if not generation.complete:
        yield _result(_INCOMPLETE, f"{name}: {generation.error or 'Something was lost.'}", generation.place)
    for fact, words in findings(generation):
        result = _result(fact.verdict.value, f"{name}: {words}", generation.place)
        yield {**result, "properties": _figures(generation, fact)}


def _result(rule: str, message: str, place: Place | None) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": rule,
        "ruleIndex": _PLACES[rule],
        "level": _RULES[rule][0],
        "message": {"text": message},
    }
    if place is not None:
        region = {"startLine": place.line}
        where = {"artifactLocation": {"uri": _uri(place.file)}, "region": region}
        result["locations"] = [{"physicalLocation": where}]
    return result


def _uri(file: str) -> str:
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _figures(generation: GenerationReport, fact: FactRecord) -> dict[str, Any]:
    figures = {
        "score": generation.score,
        "coverage": generation.coverage,
        "probability": fact.probability,
        "reason": fact.reason,
    }
    return {name: value for name, value in figures.items() if value is not None}
