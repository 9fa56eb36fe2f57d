"""A task for inspect whose outputs are scored by their facts. It needs `pip install inspect-ai`.

    inspect eval examples/inspect_scorer.py --model mockllm/model

No model is asked: the solver stands for the application under test. Its second answer is wrong on purpose.
"""

from __future__ import annotations

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from factscore_chain.evaluators.inspect import factscore

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"
ANSWERS = {
    "Kyoto": "Nintendo was founded in Kyoto in 1889.",
    "Alan Turing": "Alan Turing was born in London. He studied at Oxford.",
}


@solver
def application() -> Solver:
    """Answers as the application under test does."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        state.output = ModelOutput.from_content("application", ANSWERS[state.metadata["topic"]])
        return state

    return solve


@task
def facts() -> Task:
    """A question for each page, scored by that page."""
    return Task(
        dataset=[Sample(input=f"Tell me about {topic}.", metadata={"topic": topic}) for topic in ANSWERS],
        solver=application(),
        scorer=factscore(str(KNOWLEDGE)),
    )


def main(log_dir: str) -> EvalLog:
    """Runs the task and returns inspect's log of it."""
    return evaluate(facts(), model="mockllm/model", log_dir=log_dir, display="none")[0]


if __name__ == "__main__":
    print(main("logs").results)
