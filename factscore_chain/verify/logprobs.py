"""The probability that a judge gives to "True", from the log-probabilities of its first verdict token."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factscore_chain.thinking import without_thinking
from factscore_chain.token_choices import TokenChoice
from factscore_chain.verify.mentions import ENGLISH, Labels

# Marks of a word's beginning in various vocabularies, and what a model may put around its answer.
_AROUND = "▁Ġ \t\r\n\"'`*_#([{<>}]).:“”‘’"
_LEAD_IN = frozenset({"", "answer", "verdict", "output", "the", "is"})


@dataclass(frozen=True)
class FirstVerdict:
    """What the first verdict token says."""

    supports: bool
    """The label that the model wrote."""
    probability: float
    """Of the supporting label against the other, 0 to 1."""


def first_verdict(tokens: Sequence[TokenChoice] | None, labels: Labels = ENGLISH) -> FirstVerdict | None:
    """Reads the first verdict token; never raises.

    Variants of a label (case, blanks, quotes) are summed. A label that is not listed among the alternatives
    is given the most that it can have: what the listed ones leave over, and no more than the least of them.

    Args:
        tokens: The reply's tokens with their alternatives; None where the backend gives none.
        labels: The words that were asked for.

    Returns:
        None if the reply does not open with a verdict, after thinking text and a lead-in.
    """
    for choice in _answer_tokens(tokens or ()):
        word = _word(choice.token)
        if word in labels.supported or word in labels.not_supported:
            share = _share(choice, labels)
            return None if share is None else FirstVerdict(word in labels.supported, share)
        if word not in _LEAD_IN:
            return None
    return None


def true_probability(tokens: Sequence[TokenChoice] | None, labels: Labels = ENGLISH) -> float | None:
    """The probability of "True" at the first verdict token, 0 to 1; None if there is none."""
    first = first_verdict(tokens, labels)
    return None if first is None else first.probability


def _answer_tokens(tokens: Sequence[TokenChoice]) -> Iterator[TokenChoice]:
    text = "".join(choice.token for choice in tokens)
    thought = len(text) - len(without_thinking(text + "|")[0]) + 1
    position = 0
    for choice in tokens:
        position += len(choice.token)
        if position > thought:
            yield choice


def _share(choice: TokenChoice, labels: Labels) -> float | None:
    listed = [(_word(token), _probability(logprob)) for token, logprob in choice.alternatives]
    supported = math.fsum(mass for word, mass in listed if word in labels.supported)
    other = math.fsum(mass for word, mass in listed if word in labels.not_supported)
    if not supported + other:
        return None
    unlisted = max(0.0, min(1 - math.fsum(mass for _, mass in listed), *(mass for _, mass in listed)))
    supported, other = supported or unlisted, other or unlisted
    return supported / (supported + other)


def _probability(logprob: float) -> float:
    return math.exp(min(logprob, 0.0)) if not math.isnan(logprob) else 0.0


def _word(token: str) -> str:
    return token.strip(_AROUND).casefold()
