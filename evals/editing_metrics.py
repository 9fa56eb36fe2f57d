"""Metrics of editing (paper, appendix C), as pure functions of texts.

`ErrLoc` asks whether an editor touches what people touch, `ErrCorr` whether it puts in what they put in, and
`SimAl` how near the result comes to theirs, by aligned tokens. The paper's code for them was never released,
so the definitions are those of the functions below; `SimAl` is BERTScore's F1 (`aligned_similarity`) with the
shipped encoder. Figures compare editors with each other, not with the paper's table.
Beside them stand two questions that need no revision by people: what became of the facts that are not
supported, and of the words of those that are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from factscore_chain.decompose.words import split_words
from factscore_chain.edit.stated import stated_words
from factscore_chain.evals.word_diff import diff_words, word_diff
from factscore_chain.values import Decision, Verdict
from factscore_chain.verify.words import Words

Table: TypeAlias = npt.NDArray[np.float64]
"""One row a text, one column a field of `Counts`."""

FIGURES = ("err_loc", "err_corr", "sim_al", "unsupported_removed", "supported_kept")


@dataclass(frozen=True)
class Counts:
    """What one edited text adds to the figures; all but the last are numbers of words or facts."""

    kept_by_both: int
    kept_by_editor: int
    kept_by_people: int
    dropped_by_both: int
    dropped_by_editor: int
    dropped_by_people: int
    added_by_both: int
    added_by_editor: int
    added_by_people: int
    unsupported: int
    """Facts that are not supported, as far as the text states them in words of theirs."""
    unsupported_removed: int
    """Those of which a word is gone that no supported fact needs; any word, if those are all needed."""
    supported_words: int
    """Words that a supported fact consists of."""
    supported_words_kept: int
    similarity: float


def count(before: str, after: str, revised: str, decisions: Sequence[Decision], similarity: float) -> Counts:
    """Counts for one text.

    Args:
        before: The text that was edited.
        after: What the editor made of it.
        revised: What people made of it.
        decisions: The facts of `before`, with their verdicts.
        similarity: Of `after` and `revised`, 0 to 1.
    """
    editor, people = word_diff(before, after), word_diff(before, revised)
    both = list(zip(editor.kept, people.kept, strict=True))
    facts = _fact_counts(before, after, decisions)
    return Counts(
        sum(ours and theirs for ours, theirs in both),
        sum(editor.kept),
        sum(people.kept),
        sum(not ours and not theirs for ours, theirs in both),
        len(both) - sum(editor.kept),
        len(both) - sum(people.kept),
        (editor.added & people.added).total(),
        editor.added.total(),
        people.added.total(),
        *facts,
        similarity,
    )


def _fact_counts(before: str, after: str, decisions: Sequence[Decision]) -> tuple[int, int, int, int]:
    words = split_words(before)
    stated = {
        decision.fact: stated_words(words, decision.fact.text, decision.fact.span) for decision in decisions
    }
    supported = {
        i for decision in decisions if decision.verdict is Verdict.SUPPORTED for i in stated[decision.fact]
    }
    wrong = [stated[one.fact] for one in decisions if one.verdict is Verdict.NOT_SUPPORTED]
    own = [one - supported or one for one in wrong if one]
    kept = diff_words(
        [w.text.casefold() for w in words], [w.text.casefold() for w in split_words(after)]
    ).kept
    return (
        len(own),
        sum(not all(kept[i] for i in one) for one in own),
        len(supported),
        sum(kept[i] for i in supported),
    )


def figures(table: Table) -> Mapping[str, float | None]:
    """The figures of a set of texts; None where nothing that a figure speaks of occurs.

    Words and facts are counted over all texts together, so a text weighs as much as it has of them;
    `sim_al` is a mean over texts.
    """
    total = dict(zip((field.name for field in fields(Counts)), table.sum(axis=0), strict=True))
    return {
        "err_loc": err_loc(total),
        "err_corr": f1(total["added_by_both"], total["added_by_editor"], total["added_by_people"]),
        "sim_al": total["similarity"] / len(table) if len(table) else None,
        "unsupported_removed": _share(total["unsupported_removed"], total["unsupported"]),
        "supported_kept": _share(total["supported_words_kept"], total["supported_words"]),
    }


def err_loc(total: Mapping[str, float]) -> float | None:
    """Mean of two F1: of the words that are kept and of those that are dropped, against people's choice.

    A class that neither people nor the editor have any word in is left out.
    """
    both = [
        f1(total[f"{name}_by_both"], total[f"{name}_by_editor"], total[f"{name}_by_people"])
        for name in ("kept", "dropped")
    ]
    defined = [one for one in both if one is not None]
    return sum(defined) / len(defined) if defined else None


def f1(both: float, predicted: float, gold: float) -> float | None:
    """F1 of a set of `predicted` against one of `gold`, that share `both`; None if the two are empty."""
    return 2 * both / (predicted + gold) if predicted + gold else None


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def as_table(counts: Sequence[Counts]) -> Table:
    """Counts as an array, one row each."""
    return np.array([astuple(one) for one in counts], np.float64).reshape(len(counts), len(fields(Counts)))


def aligned_similarity(one: Words, other: Words) -> float:
    """How alike two texts are by their words: BERTScore's F1 (Zhang et al. 2020, equation 1), 0 to 1.

    Each word takes its nearest in the other text by cosine of contextual vectors (never below 0); precision
    and recall are the means over either text's words. A text without a word is like none but its own kind.
    """
    if not len(one) or not len(other):
        return float(len(one) == len(other))
    cosine = np.clip(one.vectors @ other.vectors.T, 0, 1)
    precision, recall = float(cosine.max(axis=1).mean()), float(cosine.max(axis=0).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
