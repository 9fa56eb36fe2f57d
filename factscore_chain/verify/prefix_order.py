"""An order of passages and of calls in which prompts share as long a beginning as they can.

Servers keep what they have read of a prompt and reuse it for the next one that begins alike; hosted ones
charge less for it. So what is constant comes first and the fact last, passages stand in an order that does
not depend on the fact, and calls with the same passages follow one another.

By id, since that follows from a passage's content: the same passages give the same prompt in whatever batch
they come, and the answer cache knows it again. `evals/bench/prefixes.py` measures what it saves.
"""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.values import Claim, Passage


def stable(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """The passages in the order in which a prompt shows them, whatever their ranks."""
    return tuple(sorted(passages, key=lambda passage: passage.id))


def call_order(claims: Sequence[Claim]) -> list[int]:
    """Numbers of the claims, those with the same passages together, those with the most in common near."""
    return sorted(range(len(claims)), key=lambda i: passage_set(claims[i]))


def passage_set(claim: Claim) -> tuple[str, ...]:
    """What is equal for claims whose prompts share all but the fact: topic and passages."""
    return (claim.topic or "", *sorted(passage.id for passage in claim.passages))
