"""The pytest plugin, run as users run it: by pytest, in a project of their own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from factscore_chain import FactScoreChain

PAGE = {
    "title": "Marie Curie",
    "text": "Marie Curie was born in Warsaw in 1867. She won the Nobel Prize in Physics in 1903.",
}
TRUE = "Marie Curie was born in Warsaw."
FALSE = "Marie Curie won the Fields Medal."
USED = "[pytest]\nfactscore_knowledge = pages.jsonl\naddopts = -p no:asyncio\n"


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Loads what the checks load: a run inside this process forgets what it loaded first, and numpy can't."""
    import langchain_openai  # noqa: F401

    pages = tmp_path_factory.mktemp("pages") / "pages.jsonl"
    pages.write_text(json.dumps(PAGE) + "\n", encoding="utf-8")
    FactScoreChain(pages).score(TRUE, topic="Marie Curie")


@pytest.fixture
def project(pipeline: None, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project with one page; its tests see no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    (pytester.path / "pages.jsonl").write_text(json.dumps(PAGE) + "\n", encoding="utf-8")
    pytester.makeini(USED)
    return pytester


def run(project: pytest.Pytester, body: str, *options: str) -> pytest.RunResult:
    """Runs one test whose body is given."""
    project.makepyfile(f"import pytest\n\n\ndef test_it(factscore):\n    {body}\n")
    return project.runpytest(*options)


def test_a_supported_text_passes(project: pytest.Pytester) -> None:
    result = run(project, f"factscore.assert_factual({TRUE!r}, topic='Marie Curie')")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["checks: 1, facts: 1, supported: 1"])


def test_a_failure_names_the_facts_and_shows_no_stack(project: pytest.Pytester) -> None:
    result = run(project, f"factscore.assert_factual({TRUE + ' ' + FALSE!r}, topic='Marie Curie')")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["Gate failed: mean score 50.0% is below 80.0%.", f"*not supported*{FALSE}*Marie Curie: *"]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*checks.py*")


def test_the_section_at_the_end_lists_what_passed_too(project: pytest.Pytester) -> None:
    body = f"factscore.assert_factual({TRUE + ' ' + FALSE!r}, topic='Marie Curie', min_score=0.5)"
    result = run(project, body)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["*= factscore =*", "*::test_it: score 50.0%, coverage 100.0%", f"   *{FALSE}*"]
    )


@pytest.mark.parametrize(
    ("decorator", "options", "body", "outcome"),
    [
        ("@pytest.mark.factscore(min_score=0.5)", [], "", "passed"),
        ("@pytest.mark.factscore(min_score=0.5)", [], ", min_score=0.6", "failed"),
        ("", ["--factscore-min-score", "0.5"], "", "passed"),
        ("@pytest.mark.factscore(min_score=0.6)", ["--factscore-min-score", "0.5"], "", "failed"),
        ("", ["-o", "factscore_min_score=0.5"], "", "passed"),
        ("", ["-o", "factscore_min_score=0.5", "--factscore-min-score", "0.6"], "", "failed"),
    ],
)
def test_what_stands_nearest_to_the_check_decides(
    project: pytest.Pytester, decorator: str, options: Sequence[str], body: str, outcome: str
) -> None:
    call = f"factscore.assert_factual({TRUE + ' ' + FALSE!r}, topic='Marie Curie'{body})"
    project.makepyfile(f"import pytest\n\n\n{decorator}\ndef test_it(factscore):\n    {call}\n")
    project.runpytest(*options).assert_outcomes(**{outcome: 1})


def test_a_marker_gives_the_topic(project: pytest.Pytester) -> None:
    project.makepyfile(
        "import pytest\n\n\n@pytest.mark.factscore(topic='Nobody')\n"
        "class TestIt:\n    @pytest.mark.factscore(topic='Marie Curie')\n    def test_it(self, factscore):\n"
        f"        assert factscore.assert_factual({TRUE!r}).topic == 'Marie Curie'\n"
    )
    project.runpytest("--strict-markers").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("marker", "said"),
    [
        ("(topc='X')", "*no setting 'topc'*"),
        ("('X')", "*takes names only*'X'*"),
    ],
)
def test_a_wrong_marker_is_an_error(project: pytest.Pytester, marker: str, said: str) -> None:
    project.makepyfile(
        f"import pytest\n\n\n@pytest.mark.factscore{marker}\ndef test_it(factscore):\n    pass\n"
    )
    result = project.runpytest()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])


def test_a_number_of_the_ini_file_that_is_none_is_an_error(project: pytest.Pytester) -> None:
    result = run(project, "pass", "-o", "factscore_min_score=high")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*factscore_min_score is 'high'*give a number*"])


@pytest.mark.parametrize(("options", "outcome"), [([], "skipped"), (["--factscore-strict"], "failed")])
def test_a_model_without_a_key_skips_unless_strict(
    project: pytest.Pytester, options: list[str], outcome: str
) -> None:
    body = f"factscore.assert_factual({TRUE!r}, topic='Marie Curie', llm='openai:gpt-4o-mini')"
    result = run(project, body, "-rs", *options)
    result.assert_outcomes(**{outcome: 1})
    result.stdout.fnmatch_lines(["*factscore: The model 'openai:gpt-4o-mini' cannot be set up*"])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("llm='nosuch:x'", "factscore: The model 'nosuch:x' cannot be set up*"),
        ("knowledge='nowhere.jsonl'", "factscore: There is no knowledge source at 'nowhere.jsonl'*"),
    ],
)
def test_a_mistake_in_a_setting_fails_in_one_line(project: pytest.Pytester, given: str, said: str) -> None:
    result = run(project, f"factscore.assert_factual({TRUE!r}, topic='Marie Curie', {given})")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*checks.py*")


def test_what_could_not_be_scored_fails(project: pytest.Pytester) -> None:
    result = run(project, f"factscore.assert_factual({TRUE!r}, topic='Pierre Curie', min_score=0)")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Gate incomplete: *", "*No document is titled 'Pierre Curie'*"])


@pytest.mark.parametrize(
    ("on_empty", "outcome"), [("fail", "failed"), ("pass", "passed"), ("skip", "skipped")]
)
def test_on_empty_says_what_an_abstention_is(project: pytest.Pytester, on_empty: str, outcome: str) -> None:
    text = "I'm sorry, I don't have any information about her."
    result = run(project, f"factscore.assert_factual({text!r}, topic='Marie Curie', on_empty={on_empty!r})")
    result.assert_outcomes(**{outcome: 1})


def test_a_suite_is_judged_as_a_whole(project: pytest.Pytester) -> None:
    rows = [{"topic": "Marie Curie", "output": text, "id": text} for text in (TRUE, FALSE)]
    (project.path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = run(project, "factscore.assert_suite('rows.jsonl', min_mean=0.5, min_pass_rate=0.6)")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["Gate failed: share of generations at 80.0% or more 50.0% is below 60.0%.", f"2. {FALSE}*line 2*"]
    )


def test_a_suite_may_be_no_worse_than_its_baseline(project: pytest.Pytester) -> None:
    result = run(
        project,
        f"before = factscore.assert_suite([{{'topic': 'Marie Curie', 'output': {TRUE!r}, 'id': '1'}}])\n"
        f"    after = [{{'topic': 'Marie Curie', 'output': {FALSE!r}, 'id': '1'}}]\n"
        "    factscore.assert_suite(after, baseline=before, tolerance=0.02)",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["Gate failed: mean -100.0 points against the baseline*"])


def test_a_suite_that_requires_nothing_must_reach_the_least_score(project: pytest.Pytester) -> None:
    body = f"factscore.assert_suite([{{'topic': 'Marie Curie', 'output': {FALSE!r}}}])"
    run(project, body).assert_outcomes(failed=1)
    run(project, body, "--factscore-min-score", "0").assert_outcomes(passed=1)


@pytest.mark.parametrize("options", [[], ["-n", "2"]])
def test_junit_has_the_figures_also_from_other_processes(
    project: pytest.Pytester, options: list[str]
) -> None:
    body = f"factscore.assert_factual({TRUE + ' ' + FALSE!r}, topic='Marie Curie', min_score=0.5)"
    result = run(project, body, "--junit-xml", "junit.xml", *options)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines([f"   *{FALSE}*"])
    found = {
        one.get("name"): one.get("value") for one in ET.parse(project.path / "junit.xml").iter("property")
    }
    assert (found["factscore"], found["factscore_coverage"], found["factscore_facts"]) == ("0.5", "1.0", "2")


def test_a_run_that_checks_nothing_says_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it():\n    pass\n")
    result = pytester.runpytest("-p", "no:asyncio")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*factscore =*")


def test_the_plugin_loads_nothing_of_the_pipeline() -> None:
    code = (
        "import sys, pytest\n"
        "before = set(sys.modules)\n"
        "import factscore_chain.pytest_plugin.hooks\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))\n"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["factscore_chain"]


def test_no_option_has_a_generic_name(pytester: pytest.Pytester) -> None:
    listed = pytester.runpytest("-p", "no:asyncio", "--help").stdout.str()
    group = listed.partition("factuality:\n")[2].partition("\n\n")[0]
    options = [word for line in group.splitlines() for word in line.split()[:1] if word.startswith("-")]
    assert options
    assert all(option.startswith("--factscore-") for option in options)


def test_control_characters_of_a_text_do_not_reach_the_terminal(project: pytest.Pytester) -> None:
    result = run(
        project, f"factscore.assert_factual({FALSE[:-1] + chr(27) + '[31m.'!r}, topic='Marie Curie')"
    )
    result.assert_outcomes(failed=1)
    assert "\x1b[31m" not in result.stdout.str()
    assert Path(project.path / "pages.jsonl").exists()
