"""The original's module of this name: whether a response abstains."""

from __future__ import annotations

from factscore_chain.abstain import is_abstention


def is_response_abstained(generation: str, fn_type: str | None) -> bool:
    """Whether a response declines to answer.

    Args:
        generation: The response.
        fn_type: "generic" or "perplexity_ai" as published, "default" for ours; None and "none" find nothing.

    Raises:
        UsageError: There is no such detector (the original finds nothing then, and says nothing).
    """
    return fn_type not in (None, "none") and is_abstention(generation, fn_type or "none")
