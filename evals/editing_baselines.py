"""What an editor has to be better than: doing nothing, dropping everything, and random changes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from factscore_chain.decompose.words import is_mark, split_words

NOISE_SHARE = 0.25
"""Share of the words that noise changes, as the paper's baseline changes words at random (appendix C)."""


def copy(text: str) -> str:
    """Leaves the text as it is."""
    return text


def remove_all(text: str) -> str:
    """Leaves nothing of the text."""
    return ""


def noise(text: str, seed: int = 0) -> str:
    """Drops some words and puts others of the same text in the place of as many.

    The same text and seed give the same noise.
    """
    words = [word for word in split_words(text) if not is_mark(word.text)]
    chance = random.Random(f"{seed} {text}")
    parts, at = [], 0
    for word in words:
        if chance.random() < NOISE_SHARE:
            other = chance.choice(words).text if chance.random() < 0.5 else ""
            parts += [text[at : word.start], other]
            at = word.end
    return "".join([*parts, text[at:]])


def baselines(seed: int = 0) -> Mapping[str, Callable[[str], str]]:
    """The baselines by name."""
    return {"copy": copy, "remove_all": remove_all, "noise": lambda text: noise(text, seed)}
