"""HTML tags in a text: they are set aside, so that no name of a tag becomes a word of a fact.

A tag gives way to as many blanks, so every word keeps its place; one that begins or ends a block, to blanks
and a line break, and that of a heading or list item to the mark that plain text has for it. Only names of
HTML are tags: "List<String>" is text. What a model thinks aloud between such marks is set aside with them.
"""

from __future__ import annotations

import re

from factscore_chain.thinking import THINKING, thoughts

_INLINE_LIST = """
a abbr acronym b bdi bdo big button cite code data del dfn em font i img input ins kbd label mark q s samp
small span strike strong sub sup svg time tt u var wbr
"""
_BLOCK_LIST = """
address article aside blockquote body br caption center col colgroup dd details dialog div dl dt fieldset
figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main meta nav
noscript ol optgroup option p picture pre section select source summary table tbody td template textarea tfoot
th thead title tr ul video audio
"""
_INLINE, _BLOCK = ("|".join(one.split()) for one in (_INLINE_LIST, _BLOCK_LIST))
_ATTRIBUTES = r"""(?:\s+(?:[^<>"']|"[^"<>]*"|'[^'<>]*')*)?"""
_TAG = re.compile(
    r"<(?P<unseen>script|style)\b[^>]*>.*?</(?P=unseen)\s*>|<!--.*?-->"
    rf"|<(?P<thought>{THINKING})>.*?</(?P=thought)>"
    rf"|</?(?:(?P<block>{_BLOCK})|{_INLINE}){_ATTRIBUTES}\s*/?>",
    re.IGNORECASE | re.DOTALL,
)
_MARKS = {"li": "- ", **{f"h{level}": "# " for level in range(1, 7)}}
_EMPTY_PAIR = re.compile(rf"<(?P<name>{_INLINE})\b[^<>]*>(?P<blank>\s*)</(?P=name)\s*>", re.IGNORECASE)


def without_tags(text: str) -> str:
    """The text with blanks in the place of its tags; it is as long as before."""
    if "<" not in text:
        return text
    for start, end in thoughts(text):
        text = f"{text[:start]}{' ' * (end - start - 1)}\n{text[end:]}"
    return _TAG.sub(_blank, text)


def only_tags(text: str) -> str:
    """The tags of a text, one after the other."""
    return "".join(match[0] for match in _TAG.finditer(text)) if "<" in text else ""


def readable(text: str) -> str:
    """A stretch of text without its tags, for those who read words only."""
    return " ".join(_TAG.sub(lambda tag: " " if tag["block"] else "", text).split()) if "<" in text else text


def without_empty_pairs(text: str) -> str:
    """The text without pairs of inline tags that have nothing left between them."""
    found = 1 if "<" in text else 0
    while found:
        text, found = _EMPTY_PAIR.subn(lambda pair: pair["blank"], text)
    return text


def _blank(tag: re.Match[str]) -> str:
    # The break stands last: what follows begins its line, and is not taken for indented.
    put = ""
    if tag["block"] or tag["thought"]:
        opens = "" if tag[0].startswith("</") else (tag["block"] or "").lower()
        put = "\n" + (_MARKS.get(opens) or "")
    return " " * (len(tag[0]) - len(put)) + put
