"""Makes characters visible that would hide, reorder or break text on a page."""

from __future__ import annotations

import re

_LINE_END = re.compile("\r\n?|[\x85\u2028\u2029]")
# Controls, characters of no width, marks that change the writing direction, lone surrogates, and the tag
# characters with which text can be smuggled past a reader. Joiners stay: scripts and emoji need them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_PICTURES = 0x2400
_DELETE = 0x7F


def visible(text: str) -> str:
    """The text with every line end as a newline, and a picture or "[U+202E]" for each hidden character."""
    return _HIDDEN.sub(_shown, _LINE_END.sub("\n", text))


def _shown(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < ord(" "):
        return chr(_PICTURES + code)
    return "\u2421" if code == _DELETE else f"[U+{code:04X}]"
