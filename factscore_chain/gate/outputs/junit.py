"""JUnit XML, as Jenkins, GitLab and others read it.

A test suite a generation, with one test case and the figures as properties; before them a suite with one
case for each requirement. It keeps to what the schemas of Ant and of Jenkins have in common, which give
properties to suites only. It is red exactly where the gate is closed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from factscore_chain.gate.wording import (
    findings,
    name_of,
    outcome_lines,
    score_line,
    standing,
    verdict_line,
)
from factscore_chain.gate_outcome import GateOutcome
from factscore_chain.report import GenerationReport, Report

_ILLEGAL = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 does not allow, not even escaped."""
_GATE = "factscore.gate"


@dataclass(frozen=True)
class _Case:
    """A test case: what became of it (the name of a JUnit element, or None if all is well), and the words."""

    name: str
    classname: str
    element: str | None = None
    message: str = ""
    details: str = ""


@dataclass(frozen=True)
class _Suite:
    name: str
    cases: tuple[_Case, ...]
    properties: Mapping[str, str] = field(default_factory=dict)
    output: str = ""


def to_junit(report: Report) -> str:
    """The report as JUnit XML."""
    suites = [
        *([] if report.gate is None else [_gate_suite(report, report.gate)]),
        *(_suite(number, one, report.gate) for number, one in enumerate(report.generations, 1)),
    ]
    timestamp = report.manifest.created[:19]  # the schema wants UTC without saying so
    root = ET.Element("testsuites")
    for number, suite in enumerate(suites):
        root.append(_suite_element(number, suite, timestamp))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _gate_suite(report: Report, outcome: GateOutcome) -> _Suite:
    cases = [
        _Case(check.name, _GATE, None if check.passed else "failure", check.text) for check in outcome.checks
    ]
    if outcome.result == "incomplete":
        lost = "\n".join(report.rejected)
        cases.append(_Case("completeness", _GATE, "error", verdict_line(outcome), lost))
    figures = {
        "score": outcome.score,
        "coverage": report.coverage,
        "respond_ratio": report.respond_ratio,
        "facts_per_response": report.num_facts_per_response,
        "pass_rate": outcome.pass_rate,
        "threshold": outcome.threshold,
        "estimator": report.manifest.estimator,
        "knowledge": report.manifest.knowledge.get("name"),
    }
    return _Suite(_GATE, tuple(cases), _properties(figures), "\n".join(outcome_lines(report)))


def _suite(number: int, generation: GenerationReport, outcome: GateOutcome | None) -> _Suite:
    file = "generations" if generation.place is None else generation.place.file
    name = name_of(number, generation)
    details = "\n".join(words for _, words in findings(generation))
    element = {"passed": None, "failed": "failure", "incomplete": "error", "skipped": "skipped"}
    case = _Case(name, file, element[standing(number, generation, outcome)], score_line(generation), details)
    figures = {
        "score": generation.score,
        "coverage": generation.coverage,
        "facts": len(generation.facts),
        "supported": generation.tally.supported,
        "line": None if generation.place is None else generation.place.line,
    }
    return _Suite(name, (case,), _properties(figures), "" if case.element else details)


def _properties(figures: Mapping[str, float | str | None]) -> dict[str, str]:
    return {
        name: f"{value:.4f}" if isinstance(value, float) else str(value)
        for name, value in figures.items()
        if value is not None
    }


def _suite_element(number: int, suite: _Suite, timestamp: str) -> ET.Element:
    kinds = [case.element for case in suite.cases]
    element = ET.Element(
        "testsuite",
        {
            "id": str(number),
            "name": _line(suite.name),
            "package": _GATE,
            "timestamp": timestamp,
            "hostname": "localhost",
            "tests": str(len(suite.cases)),
            "failures": str(kinds.count("failure")),
            "errors": str(kinds.count("error")),
            "skipped": str(kinds.count("skipped")),
            "time": "0",
        },
    )
    properties = ET.SubElement(element, "properties")
    for name, value in suite.properties.items():
        ET.SubElement(properties, "property", {"name": name, "value": _legal(value)})
    element.extend(map(_case_element, suite.cases))
    ET.SubElement(element, "system-out").text = _legal(suite.output)
    ET.SubElement(element, "system-err")
    return element


def _case_element(case: _Case) -> ET.Element:
    element = ET.Element(
        "testcase", {"name": _line(case.name), "classname": _line(case.classname), "time": "0"}
    )
    if case.element is not None:
        result = ET.SubElement(element, case.element, {"type": "factscore", "message": _legal(case.message)})
        result.text = _legal(case.details)
    return element


def _line(text: str) -> str:
    return " ".join(_legal(text).split())


def _legal(text: str) -> str:
    return _ILLEGAL.sub("\ufffd", text)
