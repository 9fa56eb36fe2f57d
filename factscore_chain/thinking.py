"""Text that a reasoning model thinks aloud before it answers."""

from __future__ import annotations

import re

_TAGS = r"(?:think|thinking|thought|reasoning|reflection)"
_CLOSED = re.compile(rf"<({_TAGS})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_UP_TO_CLOSE = re.compile(rf"\A.*</{_TAGS}>", re.DOTALL | re.IGNORECASE)
_FROM_OPEN = re.compile(rf"<{_TAGS}>.*\Z", re.DOTALL | re.IGNORECASE)


def without_thinking(reply: str) -> tuple[str, bool]:
    """Takes the thinking out of a reply.

    Returns:
        The answer, and whether the reply broke off while the model was still thinking. A closing mark
        without an opening one counts too: some servers put the opening mark into the prompt.
    """
    rest = _UP_TO_CLOSE.sub("", _CLOSED.sub("", reply))
    answer, cut = _FROM_OPEN.subn("", rest)
    return answer.strip(), bool(cut)
