"""A text before and after editing, as the report shows it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

_TOKEN = re.compile(r"\s+|\w+|[^\w\s]")


class Change(NamedTuple):
    """A piece of text that editing kept, took out or put in."""

    kind: Literal["same", "removed", "added"]
    text: str


@dataclass(frozen=True)
class EditedText:
    """A generation before and after editing."""

    changes: tuple[Change, ...]
    """In reading order; "same" and "removed" make the text before, "same" and "added" the text after."""
    score_before: float | None = None
    """Score of the text before, 0 to 1."""
    score_after: float | None = None
    """Score of the text after, 0 to 1."""
    reasons: tuple[str, ...] = ()
    """What was done and why, one line each."""

    @classmethod
    def of(
        cls,
        before: str,
        after: str,
        score_before: float | None = None,
        score_after: float | None = None,
        reasons: tuple[str, ...] = (),
    ) -> EditedText:
        """Finds the changes between two texts, word by word."""
        return cls(word_changes(before, after), score_before, score_after, reasons)


def word_changes(before: str, after: str) -> tuple[Change, ...]:
    """The changes that lead from one text to another, in whole words."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    changes = []
    for kind, i, j, k, m in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind == "equal":
            changes.append(Change("same", "".join(old[i:j])))
        else:
            changes += [Change("removed", "".join(old[i:j])), Change("added", "".join(new[k:m]))]
    return tuple(change for change in changes if change.text)
