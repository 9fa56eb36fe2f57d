"""Text that a reasoning model thinks aloud before it answers."""

from __future__ import annotations

import re

THINKING = "think|thinking|thought|reasoning|reflection"
"""Names of the marks around such text, as alternatives of a pattern."""
_MARK = re.compile(rf"<(?P<closing>/?)(?:{THINKING})>", re.IGNORECASE)
_LONE_CLOSING = re.compile(rf"^[ \t]*</(?:{THINKING})>", re.IGNORECASE | re.MULTILINE)


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


def thoughts(text: str) -> list[tuple[int, int]]:
    """Where a text holds thinking, with its marks: start and end of each stretch, in order.

    Thinking that never ends counts only at the head of a text, and a closing mark without an opening one only
    at the head of a line: elsewhere a text may speak of such marks.
    """
    if "</" not in text and not _MARK.match(text.lstrip()):
        return []
    found: list[tuple[int, int]] = []
    start, depth = 0, 0
    for mark in _MARK.finditer(text):
        if mark["closing"] and depth == 0:
            if not found and _LONE_CLOSING.match(text, text.rfind("\n", 0, mark.start()) + 1):
                found.append((0, mark.end()))
            continue
        if depth == 0:
            start = mark.start()
        depth += -1 if mark["closing"] else 1
        if depth == 0:
            found.append((start, mark.end()))
    if depth and not text[:start].strip():
        found.append((start, len(text)))
    return found
