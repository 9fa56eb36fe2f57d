"""Rules that mend the sentence boundaries of a general splitter.

Each rule answers a kind of fault that was seen; what stays ambiguous ("Henry V. Smith wrote it") is left
alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

_WINDOW = 60
"""Characters on either side that a rule may look at: keeps the work linear in the text's length."""

_CLOSERS = re.compile(r"[*_)\]}»”’\"'¹²³⁰-⁹]+(?=\s|$)")

_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[„“\"])"
    r"(?:i\.e|e\.g|cf|ca|c|Figs?|Eqs?|Vol|vs|pp|approx|Nos?|Nr|Bd|Prof|Dr|Mr|Mrs|Ms|Gen|Rev|Hon|Mt|Ft"
    r"|z\. ?B|u\. ?a|d\. ?h|z\. ?T|bzw|Mio|Mrd|geb|gest|Hl|MM?|Mmes?|Mlles?|Mgr|Sra?|Srta|Dra|Sres|EE)\.\s*$"
)
_SAINT_OR_STREET = re.compile(r"\bS(?:t|te|s|an|anta)\.\s*$")
_ORDINAL = re.compile(r"(?<!\d)\d{1,2}\.\s*$")
_AFTER_ORDINAL = re.compile(
    r"(?:Jahrhundert|Jh|Jänner|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)"
)
_ROMAN = re.compile(r"\b[IVX]+\.\s*$")
_QUESTION = re.compile(r"[?!][*_]*\s*$")
_LOWER_WORD = re.compile(r"[a-zß-öø-ÿ]+(?![\w])")
_TIGHT = re.compile(r"(?:(?<!\w)[a-zß-ÿ]{2,}|\d|[)\]”\"])[.!?]$")

_STARTERS = (
    "He|She|It|They|We|You|The|This|That|These|Those|There|His|Her|Its|Their|In|On|At|After|Before|During|When"
    "|While|Since|From|As|By|With|For|And|But|However|Later|Then|Both|Although|Today|Also|Another|Many|Some"
)
_STARTER = re.compile(rf"(?:{_STARTERS})\b")
_ACRONYM = re.compile(
    r"\b(?:in|to|from|of|at|for|across|throughout|within|into|outside)(?: the)? (?:[A-Z]\.){2,}[\"”’)]*\s+"
    r"(?=(?P<word>[A-Z][\w'’-]*),?\s+(?P<verb>[a-z]+)\b)"
)
_AFTER_ACRONYM = re.compile(rf"(?:[A-Z]\.){{2,}}[\"”’)]*\s+(?=(?:{_STARTERS})\s+[a-z\d])")
_AFTER_QUOTATION = re.compile(rf"[a-z][.!?][\"”)]\s+(?=(?:{_STARTERS})\s+[a-z\d])")
_INSTITUTIONS = frozenset(
    {
        "Air",
        "Army",
        "Attorney",
        "Billboard",
        "Capitol",
        "Census",
        "Coast",
        "Congress",
        "Constitution",
        "Court",
    }
    | {"Department", "Embassy", "Government", "House", "Marine", "Marines", "National", "Navy", "Open"}
    | {"President", "Secretary", "Senate", "State", "Supreme", "Treasury"}
)
_VERB = re.compile(
    r"(?:is|was|are|were|has|had|have|did|does|will|would|can|could|may|became|won|wrote|made|went|took|began|led"
    r"|lives|works|writes|says|plays|makes|takes|runs|becomes|remains|includes|teaches|serves|[a-z]{2,}ed)$"
)
_LETTER_NAME = re.compile(
    r"\b(?:size|vitamin|plan|type|class|grade|group|section|appendix|part|hepatitis|letter|option|exhibit|phase"
    r"|category|level|team|unit|block|drive|key|channel|schedule|route|zone)\s[A-Z]\.\s+(?=[A-Z])",
    re.IGNORECASE,
)


def mend(content: str, ends: Iterable[int]) -> list[int]:
    """Corrects the positions at which new sentences begin inside `content`."""
    moved = (_past_closers(content, end) for end in ends)
    kept = {end for end in moved if end < len(content) and not _is_false(content, end)}
    return list(_worded(content, sorted(kept | set(_missed(content)))))


def _worded(content: str, ends: list[int]) -> Iterator[int]:
    """Lets marks without a word ("...", a lone period) stay with the sentence before."""
    start = 0
    for end, following in pairwise([*ends, len(content)]):
        if any(map(str.isalnum, content[start:end])) and any(map(str.isalnum, content[end:following])):
            yield end
            start = end


def _past_closers(content: str, end: int) -> int:
    """A quotation, bracket or emphasis ends with its sentence, not at the start of the next."""
    closers = _CLOSERS.match(content, end)
    return closers.end() if closers and not content[end - 1].isspace() else end


def _is_false(content: str, end: int) -> bool:
    before, after = content[max(0, end - _WINDOW) : end], content[end : end + _WINDOW].lstrip()
    if _ABBREVIATION.search(before):
        return True
    if _ORDINAL.search(before) and _AFTER_ORDINAL.match(after):
        return True
    if _SAINT_OR_STREET.search(before) and after[:1].isupper() and not _STARTER.match(after):
        return True
    if _QUESTION.search(before) or _ROMAN.search(before):
        # The title of a work or a firm's name goes on: "Yahoo! was", "Louis XIV. was".
        return _LOWER_WORD.match(after) is not None
    return _is_inside_word(before, after, content[end : end + 1])


def _is_inside_word(before: str, after: str, following: str) -> bool:
    """No blank, and not the look of one forgotten: "U.S.", "Node.js" against "a city.It is"."""
    if before[-1:].isspace() or following.isspace() or before[-1:] not in ".?!":
        return False
    return not (_TIGHT.search(before) and re.match(r"[A-Z][a-z]*\s", after))


def _missed(content: str) -> Iterator[int]:
    for match in _ACRONYM.finditer(content):
        if match["word"] not in _INSTITUTIONS and _VERB.match(match["verb"]):
            yield match.end()
    for pattern in (_AFTER_ACRONYM, _AFTER_QUOTATION, _LETTER_NAME):
        yield from (match.end() for match in pattern.finditer(content))
