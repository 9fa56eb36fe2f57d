"""What promptfoo asserts with: it looks for `get_assert` in this file."""

from factscore_chain.evaluators.promptfoo import get_assert

__all__ = ["get_assert"]
