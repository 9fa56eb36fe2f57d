"""Undoes Penn Treebank tokens, in which some data sets come, so that text reads as people write it."""

from __future__ import annotations

import re

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_BRACKET = re.compile("|".join(_BRACKETS))
_DASH = re.compile(r" --+ ")
_BEFORE = re.compile(r"\s+(?=[.,;:!?%)\]}]|n't\b|'(?:s|re|ve|ll|d|m)\b)")
_AFTER = re.compile(r"(?<=[(\[{$£€])\s+")
_QUOTED = re.compile(r'"\s*([^"]*?)\s*"')
_PLURAL_POSSESSIVE = re.compile(r"(?<=s) '(?=\s)")


def untokenize(text: str) -> str:
    """Text without token marks: brackets, quotes and dashes restored, blanks before punctuation taken out."""
    text = _BRACKET.sub(lambda match: _BRACKETS[match.group()], text)
    text = text.replace("``", '"').replace("''", '"')
    text = _DASH.sub(" – ", text)
    text = _AFTER.sub("", _BEFORE.sub("", _PLURAL_POSSESSIVE.sub("'", text)))
    return " ".join(_QUOTED.sub(r'"\1"', text).split())
