"""Pointers to sources within a text: "[1]", "(Source: document 2)", "【3†source】". They state nothing.

What stands in a pointer is numbers, names of kinds of sources, names of files and addresses; anything else in
brackets belongs to the text.
"""

from __future__ import annotations

import re

KINDS = (
    r"(?:contexts?|sources?|documents?|docs?|documentation|passages?|paragraphs?|texts?|information|evidence"
    r"|results?|excerpts?|snippets?|chunks?|articles?|reports?|files?|pages?|sections?|knowledge(?: base)?"
    r"|data(?:base)?|references?|materials?|records?|citations?)"
)
"""What models call the texts that they were given."""
_NUMBERS = r"#?\[?\d{1,3}\]?(?:(?:\s*(?:,|and|&|[-–—])\s*(?:and\s+)?)#?\[?\d{1,3}\]?)*"
NUMBERED = rf"(?:{KINDS}\s*(?:no\.?\s*|number\s+)?{_NUMBERS}|\[\d{{1,3}}\](?:(?:,|\s+and)?\s*\[\d{{1,3}}\])*)"
"""One or more given texts by their numbers: "document 2", "Sources 1 and 3", "[1]"."""
_FILE = r"[\w./\\-]+\.(?:pdf|docx?|txt|md|html?|csv|json|xlsx?|pptx?)\b"
_ADDRESS = r"(?:https?://|www\.)[^\s\])]+"
_PLACE = r"(?:pp?\.?|pages?|lines?|sections?|§|ch(?:apter|\.)?)\s*\d+(?:\s*[-–—]\s*\d+)?"
_ITEM = rf"(?:{KINDS}\s*)?(?:{_NUMBERS}|{_FILE}|{_ADDRESS}|{_PLACE}|\^\d+)|(?:the\s+)?(?:\w+\s+)?{KINDS}"
_LABEL = (
    r"(?:(?:see|cf\.?|ref|src|source|sources|reference|references|citation|citations|from|via|per)\b[:.]?\s*)"
)
_POINTER = rf"{_LABEL}?(?:{_ITEM})(?:\s*[,;&]?\s*(?:and\s+)?(?:{_ITEM}))*"
# Blanks are looked at from the first of them only: a text may hold a very long run.
_CITATION = re.compile(
    r"(?<!\s)\s*(?:"
    r"(?:\[\^?\d{1,3}\](?:\([^)\s]*\))?)+|\[citation needed\]"
    rf"|\[\s*{_POINTER}\s*\]"
    rf"|\(\s*(?!\d+\s*\)){_POINTER}\s*\)"
    r"|(?<=[^\W\d_])\s+\(\d{1,2}(?:,\s*\d{1,2})*\)(?=\s*(?:[.,;!?]|$))"
    r"|【[^】]{1,40}】|\[\[[\d, ]+\]\](?:\([^)\s]*\))?"
    r")",
    re.IGNORECASE,
)
_POINTS = re.compile(rf"\W*{_LABEL}?(?:{_POINTER})\W*$", re.IGNORECASE)
_NUMBER = re.compile(r"[^\w\[\](]*\d[\d\s.,:–—-]*\W*$")
"""A sentence that is a number may be an answer."""
_LABELLED = re.compile(
    r"\W*(?:(?:sources?|references?|citations?|quelle|fuente|source\(s\))\s*:|(?:cited|taken) from\b"
    r"|(?:please\s+)?(?:see|visit|click|read more|learn more|find (?:out )?more|for (?:more|further)\b)\b)",
    re.IGNORECASE,
)


def without_citations(text: str) -> str:
    """A text without the pointers to sources in it; blanks before them go too."""
    return _CITATION.sub("", text)


def is_pointer(text: str) -> bool:
    """Whether a sentence holds nothing but pointers to sources: "(Source: document 1)"."""
    if not any(map(str.isalnum, text)):
        return False
    if _NUMBER.match(text):
        return False
    return _POINTS.match(text) is not None or not any(map(str.isalnum, without_citations(text)))


def is_labelled(text: str) -> bool:
    """Whether a sentence announces where something is from or can be read; a claim may still follow."""
    return _LABELLED.match(text) is not None
