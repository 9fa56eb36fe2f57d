"""The published reading of a judge's reply. Lenient: much that is no verdict counts as supported."""

from __future__ import annotations

import string

_NO_MARKS = str.maketrans("", "", string.punctuation)
_DOUBTS = frozenset({"not", "cannot", "unknown", "information"})


def published_verdict(reply: str) -> bool:
    """Whether a reply counts as supported.

    With one of "true" and "false" in it, as parts of words too, that one decides; with both, the one whose
    first mention is later. With neither it is supported unless it has one of four words of doubt.
    """
    said = reply.lower()
    true, false = said.find("true"), said.find("false")
    if true == false == -1:
        return not _DOUBTS & set(said.translate(_NO_MARKS).split())
    return true > false
