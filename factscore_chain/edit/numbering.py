"""Numbered lists that have lost an item: the numbers after it move up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from factscore_chain.edit.splice import Replacement, Spliced
from factscore_chain.values import Span

_NUMBER = re.compile(r"^(?P<lead>[ \t]*)(?P<number>\d{1,3})(?P<mark>[.)])(?=[ \t])", re.MULTILINE)


def renumbered(whole: str, new: Spliced, sentences: Sequence[Span]) -> list[Replacement]:
    """The numbers to change in a text of which some sentences were dropped.

    A list is numbered lines that count up by one; only one that has lost an item changes, and no number that
    belongs to a sentence.

    Args:
        whole: The text as it was.
        new: The same with its replacements made.
        sentences: Places of its sentences in `whole`.

    Returns:
        Replacements in the text of `new`, in order.
    """
    changes: list[Replacement] = []
    for items in _lists(whole):
        gone = 0
        for item in items:
            place = Span(item.start("number"), item.end("number"))
            if any(cut.span.start <= place.start and place.end <= cut.span.end for cut in new.cuts):
                gone += 1
            elif gone and not any(one.start <= place.start < one.end for one in sentences):
                changes.append(Replacement(new.moved(place), str(int(item["number"]) - gone)))
    return sorted(changes, key=lambda one: one.span.start)


def _lists(text: str) -> list[list[re.Match[str]]]:
    """The numbered lists of a text: items of one indent that follow each other."""
    by_layout: dict[tuple[str, str], list[re.Match[str]]] = {}
    for found in _NUMBER.finditer(text):
        by_layout.setdefault((found["lead"], found["mark"]), []).append(found)
    lists: list[list[re.Match[str]]] = []
    for items in by_layout.values():
        lists.append(items[:1])
        for one, other in pairwise(items):
            if int(other["number"]) == int(one["number"]) + 1:
                lists[-1].append(other)
            else:
                lists.append([other])
    return lists
