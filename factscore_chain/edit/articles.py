"""The article of a name that takes the place of another: "at Harvard", "at the University of Chile"."""

from __future__ import annotations

from dataclasses import replace

from factscore_chain.edit.draft import Draft
from factscore_chain.edit.values import NAMED, Value, takes_article

_MODIFIED = frozenset({"noun", "plural", "adjective"})
_FREE = frozenset({"preposition", "finite", "participle", "gerund", "infinitive", "conjunction", "adverb"})
"""Kinds of words after which a name stands with an article of its own or without one."""


def with_its_article(draft: Draft, value: Value, told: Draft, found: Value | str) -> tuple[Value, str]:
    """The stretch of the sentence to replace, and what comes there, "the" with the name that has it.

    The passage says whether a name has it; where that is no sentence of English, how names are built.

    Args:
        draft: The sentence.
        value: What is wrong in it.
        told: The passage's sentence.
        found: What takes its place: a value of that sentence, or text.
    """
    text = found if isinstance(found, str) else found.text
    if isinstance(found, str) or found.kind not in NAMED or _modifies(draft, value):
        return value, text
    wants = takes_article(text) or (_has_article(told, found) and not _modifies(told, found))
    has = _has_article(draft, value)
    if wants and not has and (value.start == 0 or draft.tags[value.start - 1] in _FREE):
        return value, f"{'The' if value.start == 0 else 'the'} {text}"
    if has and not wants and value.start > 1:
        return replace(value, start=value.start - 1), text
    return value, text


def _has_article(draft: Draft, value: Value) -> bool:
    return value.start > 0 and draft.lower[value.start - 1] == "the"


def _modifies(draft: Draft, value: Value) -> bool:
    """Whether the name belongs to a noun after it: "the London concert"."""
    return value.end < draft.stop and draft.tags[value.end] in _MODIFIED
