"""Where a noun with its article and adjectives begins and ends."""

from __future__ import annotations

from collections.abc import Sequence

from factscore_chain.decompose.tagger import Tagged
from factscore_chain.decompose.words import Word

INSIDE = frozenset({"adjective", "noun", "plural", "name", "number"})
"""Kinds of words that a noun may have before it, and the noun itself."""
MOST = frozenset({"most", "least"})


def run_start(words: Sequence[Word], tagged: Tagged, end: int) -> int:
    """Where the nouns and adjectives begin that stand right before `end`; `end` itself if there are none."""
    start = end
    while start and (tagged.tags[start - 1] in INSIDE or words[start - 1].lower in MOST):
        start -= 1
    return start


def phrase_start(words: Sequence[Word], tagged: Tagged, noun: int) -> int:
    """Where the phrase begins that ends on a noun; the noun itself if it has no article."""
    start = run_start(words, tagged, noun)
    has_article = start > 0 and tagged.tags[start - 1] == "determiner"
    return start - 1 if has_article else noun


def phrase_end(words: Sequence[Word], tagged: Tagged, start: int) -> int:
    """Where the phrase ends that begins at `start`, with the whole of a name."""
    end = start + 1 if start < len(words) and tagged.tags[start] == "determiner" else start
    while end < len(words):
        entity = tagged.entities[end]
        in_name = bool(entity) and end > start and entity == tagged.entities[end - 1]
        if tagged.tags[end] not in INSIDE and not (in_name and words[end].text[0].isalnum()):
            break
        end += 1
    return end if tagged.tags[end - 1] in INSIDE else start
