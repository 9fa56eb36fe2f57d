"""The checks of the fixture `factscore`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import pytest

from factscore_chain.errors import FactScoreError, FatalModelError, UsageError
from factscore_chain.gate import Criteria, Rows, RunRecord, judged, read_generations, read_run, run_gate
from factscore_chain.gate.criteria import OnEmpty
from factscore_chain.gate_outcome import GateOutcome
from factscore_chain.generations import AnyGeneration, as_generation, as_generations
from factscore_chain.pytest_plugin.chains import Chains
from factscore_chain.pytest_plugin.messages import failure, found_in, properties_of
from factscore_chain.pytest_plugin.settings import STRICT_OPTION, Settings
from factscore_chain.report import GenerationReport, Report

Suite: TypeAlias = str | Path | Report | Iterable[AnyGeneration]
Baseline: TypeAlias = str | Path | Report | RunRecord


class FactScoreChecks:
    """Checks that what a model wrote is supported by a knowledge source.

    A check that does not hold fails the test, and names the facts. What could not be scored, or a source that
    cannot be opened, fails it too; only where the model cannot be used at all (no key, no server) the test is
    skipped, or, with --factscore-strict, failed. What a check is not told comes from the test's marker, the
    command line or the ini file.
    """

    def __init__(
        self,
        *,
        settings: Settings,
        chains: Chains,
        strict: bool,
        properties: list[tuple[str, object]],
        found: list[dict[str, Any]],
    ) -> None:
        self._settings = settings
        self._chains = chains
        self._strict = strict
        self._properties = properties
        self._found = found

    def assert_factual(
        self,
        text: AnyGeneration,
        topic: str | None = None,
        *,
        min_score: float | None = None,
        on_empty: OnEmpty = "fail",
        confirm: int = 0,
        **settings: Any,
    ) -> GenerationReport:
        """Requires that enough of a text's facts are supported.

        Args:
            text: A text, a message, a `Generation`, or a mapping with "output".
            topic: The title that it is about; None searches the whole source.
            min_score: Least share of supported facts, 0 to 1, without length penalty.
            on_empty: What a text counts for that abstains or states no fact: "pass", "fail" or "skip"
                (which here skips the test).
            confirm: Times that a model is asked again about the facts that decide.
            settings: Others: knowledge, llm, base_url, estimator, cache, max_cost.

        Returns:
            The report of the generation.

        Raises:
            UsageError: An argument is wrong.
            KnowledgeSourceError: The knowledge source cannot be opened.
        """
        used = self._settings.with_given(
            {**settings, "topic": topic, "min_score": min_score}, "assert_factual"
        )
        rows = Rows((as_generation(text, used.topic),))
        criteria = Criteria(min_mean=used.min_score, on_empty=on_empty)
        report = self._judge(used, rows, criteria, confirm)
        (generation,) = report.generations
        if generation.complete and generation.status != "scored" and on_empty == "skip":
            pytest.skip(f"factscore: nothing to check, the text is {generation.status.replace('_', ' ')}")
        self._conclude(report)
        return generation

    def assert_suite(
        self,
        suite: Suite,
        *,
        min_mean: float | None = None,
        min_pass_rate: float | None = None,
        threshold: float | None = None,
        min_respond_ratio: float | None = None,
        baseline: Baseline | None = None,
        tolerance: float | None = None,
        significance: float | None = None,
        on_empty: OnEmpty = "skip",
        allow_incomplete: int = 0,
        confirm: int = 0,
        **settings: Any,
    ) -> Report:
        """Requires of many generations what `factscore gate` can require; `Criteria` says what each means.

        Without any requirement, the mean score must reach the test's `min_score`.

        Args:
            suite: A JSONL file or a folder of them, generations, or a report, which is only judged.
            min_mean: Least mean score over the generations.
            min_pass_rate: Least share of the generations that reach `threshold`.
            threshold: Score that a generation has to reach; without `min_pass_rate`, every one has to.
            min_respond_ratio: Least share of answers that are no abstentions.
            baseline: An earlier run on the same prompts: a file or a report.
            tolerance: How far below the baseline the mean may lie.
            significance: In its place: only a loss with a p-value below this counts.
            on_empty: What a generation counts for that abstained or states no fact: "pass", "fail", "skip".
            allow_incomplete: Generations that may be incomplete; one without a score counts as 0.
            confirm: Times that a model is asked again about the facts that decide.
            settings: Others: topic, knowledge, llm, base_url, estimator, cache, max_cost.

        Returns:
            The judged report.

        Raises:
            UsageError: An argument is wrong, or the baseline is on other prompts.
            KnowledgeSourceError: The knowledge source cannot be opened.
        """
        used = self._settings.with_given(settings, "assert_suite")
        required = (min_mean, min_pass_rate, threshold, min_respond_ratio, baseline)
        criteria = Criteria(
            min_mean=used.min_score if all(one is None for one in required) else min_mean,
            min_pass_rate=min_pass_rate,
            threshold=threshold,
            min_respond_ratio=min_respond_ratio,
            baseline=None if baseline is None else _run(baseline),
            tolerance=tolerance,
            significance=significance,
            on_empty=on_empty,
            allow_incomplete=allow_incomplete,
        )
        if isinstance(suite, Report):
            if confirm:
                raise UsageError(
                    "A ready report is only judged, so confirm would do nothing. Give generations."
                )
            report = judged(suite, criteria)
        else:
            report = self._judge(used, _rows(suite, used.topic), criteria, confirm)
        self._conclude(report)
        return report

    def _judge(self, settings: Settings, rows: Rows, criteria: Criteria, confirm: int) -> Report:
        try:
            return run_gate(self._chains.of(settings), rows, criteria, confirmations=confirm)
        except FatalModelError as error:
            self._unusable(error)
        except FactScoreError as error:
            pytest.fail(f"factscore: {error}", pytrace=False)

    def _unusable(self, error: FatalModelError) -> NoReturn:
        if self._strict:
            pytest.fail(f"factscore: {error}", pytrace=False)
        pytest.skip(f"factscore: {error} ({STRICT_OPTION} fails the test instead)")

    def _conclude(self, report: Report) -> None:
        outcome = _outcome(report)
        self._found.append(found_in(report, outcome))
        self._properties.extend(properties_of(report, outcome))
        if not outcome.passed:
            pytest.fail(failure(report, outcome), pytrace=False)


def _outcome(report: Report) -> GateOutcome:
    if report.gate is None:
        raise UsageError("The report was not judged.")
    return report.gate


def _rows(suite: str | Path | Iterable[AnyGeneration], topic: str | None) -> Rows:
    if isinstance(suite, (str, Path)):
        return read_generations(Path(suite), topic)
    generations = as_generations(list(suite))
    if not generations:
        raise UsageError("The suite holds no generation. Give a file, or at least one generation.")
    return Rows(tuple(one if one.topic else replace(one, topic=topic) for one in generations))


def _run(baseline: Baseline) -> RunRecord:
    if isinstance(baseline, RunRecord):
        return baseline
    return RunRecord.of(baseline) if isinstance(baseline, Report) else read_run(Path(baseline))
