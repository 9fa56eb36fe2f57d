"""Text that a reasoning model thinks aloud before it answers."""

from __future__ import annotations

import re

THINKING = "think|thinking|thought|reasoning|reflection"
"""Names of the marks around such text, as alternatives of a pattern."""
_MARK = re.compile(rf"<(?P<closing>/?)(?:{THINKING})>", re.IGNORECASE)


def without_thinking(reply: str) -> tuple[str, bool]:
    """Takes the thinking out of a reply.

    Returns:
        The answer, and whether the reply broke off while the model was still thinking. A closing mark
        without an opening one ends thinking too: some servers put the opening mark into the prompt.
    """
    answer, start, depth = "", 0, 0
    for mark in _MARK.finditer(reply):
        if depth == 0:
            answer = "" if mark["closing"] else answer + reply[start : mark.start()]
        depth = max(0, depth - 1) if mark["closing"] else depth + 1
        start = mark.end()
    if depth == 0:
        answer += reply[start:]
    return answer.strip(), depth > 0
