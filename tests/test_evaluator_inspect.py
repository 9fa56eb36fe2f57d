"""The inspect scorer, run by inspect itself; skipped where inspect is not installed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tests.examples import load_example
from tests.judged import ADA, FALSE, REFUSED, TRUE, scorer

inspect_ai = pytest.importorskip(
    "inspect_ai", reason="inspect_ai is not installed; it is never a dependency: pip install inspect-ai"
)


# inspect leaves streams of its own open when it ends.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
NAME = "factscore"


def scores(folder: Path, *answers: str, **more: Any) -> list[Any]:
    """The scores that inspect keeps of these answers, with the mean at the end."""
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    from factscore_chain.evaluators.inspect import factscore

    @solver  # type: ignore[untyped-decorator]
    def answer() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("none", state.input_text)
            return state

        return solve

    task = inspect_ai.Task(
        dataset=[Sample(input=text, metadata={"context": [ADA]}) for text in answers],
        solver=answer(),
        scorer=factscore(scorer(), **more),
    )
    (log,) = inspect_ai.eval(task, model="mockllm/model", log_dir=str(folder), display="none")
    assert log.status == "success"
    return [*(sample.scores[NAME] for sample in log.samples), log.results.scores[0].metrics["mean"].value]


def test_inspect_scores_outputs_by_their_context(tmp_path: Path) -> None:
    *found, mean = scores(tmp_path, TRUE, f"{TRUE} {FALSE}")
    assert ([one.value for one in found], mean) == ([1.0, 0.5], 0.75)
    assert FALSE in found[1].explanation
    assert [one.metadata["passed"] for one in found] == [True, False]


def test_what_states_nothing_or_could_not_be_checked_is_kept_out_of_the_mean(tmp_path: Path) -> None:
    *found, mean = scores(tmp_path, FALSE, "I do not know.", REFUSED)
    assert [one.reason for one in found] == [None, "nothing_to_check", "scoring_failed"]
    assert math.isnan(found[1].value)
    assert mean == 0.0


def test_an_output_without_facts_can_count_as_nothing(tmp_path: Path) -> None:
    *_, mean = scores(tmp_path, TRUE, "I do not know.", on_empty="fail")
    assert mean == 0.5


def test_the_example_scores_both_answers(tmp_path: Path) -> None:
    log = load_example("inspect_scorer").main(str(tmp_path))
    right, wrong = (sample.scores[NAME].value for sample in log.samples)
    assert right == 1.0
    assert 0 < wrong < 1
