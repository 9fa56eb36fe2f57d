"""Chooses the few sentences that a reader of a fact should see."""

from __future__ import annotations

import numpy as np

from factscore_chain.verify.alignment import Alignment
from factscore_chain.verify.evidence import Evidence

SENTENCES = 2
MOST_WORDS = 80
_STANDS_ALONE = 0.15


def choose_sentences(alignment: Alignment, evidence: Evidence, most: int = SENTENCES) -> list[int]:
    """Numbers of the sentences that together match the fact best, the best first.

    The first is the best match; each further one is the one that adds most to what the chosen ones match,
    with a little weight on its own match. One that would make the text longer than `MOST_WORDS` is passed
    over.
    """
    lengths = evidence.lengths
    chosen = [alignment.best]
    words = int(lengths[alignment.best])
    matched = alignment.match[:, alignment.best]
    while len(chosen) < most:
        gain = np.maximum(alignment.match, matched[:, None]).mean(0) + _STANDS_ALONE * alignment.score
        gain[chosen] = -np.inf
        gain[words + lengths > MOST_WORDS] = -np.inf
        following = int(gain.argmax())
        if not np.isfinite(gain[following]):
            break
        chosen.append(following)
        words += int(lengths[following])
        matched = np.maximum(matched, alignment.match[:, following])
    return chosen


def evidence_text(chosen: list[int], evidence: Evidence, title: str | None) -> str:
    """The chosen sentences in reading order, under the title of their page unless they name it."""
    text = " ".join(evidence.sentences[i] for i in sorted(chosen))
    return f"{title}. {text}" if title and title.lower() not in text.lower() else text
