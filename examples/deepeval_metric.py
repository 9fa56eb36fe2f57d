"""A metric for deepeval; run it with deepeval's own runner or with pytest (`pip install deepeval`):

deepeval test run examples/deepeval_metric.py
python examples/deepeval_metric.py
"""

from __future__ import annotations

from pathlib import Path

from deepeval import assert_test
from deepeval.test_case import LLMTestCase

from factscore_chain.evaluators.deepeval import FactScoreMetric

KNOWLEDGE = Path(__file__).parent / "knowledge.jsonl"


def test_the_answer_is_factual() -> None:
    """An answer about a page of the knowledge source, and about what the application retrieved itself."""
    case = LLMTestCase(
        input="Where was Nintendo founded, and what did Ada write?",
        actual_output="Nintendo was founded in Kyoto in 1889. Ada Lovelace published notes in 1843.",
        retrieval_context=["In 1843 Ada Lovelace published her notes on the Analytical Engine."],
    )
    assert_test(case, [FactScoreMetric(KNOWLEDGE, threshold=0.9)])


if __name__ == "__main__":
    test_the_answer_is_factual()
