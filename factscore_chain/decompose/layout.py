"""List items, table rows and fragments as whole statements: layout gives them a subject, and is no content.

"- **Born**: 3 January 1892" under the topic is the statement "Tolkien was born 3 January 1892"; "The Hobbit"
under the heading "Works" is among his works. What is put in are function words and the context's own words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from factscore_chain.decompose.citations import without_citations
from factscore_chain.decompose.coreference import SPEAKERS, family_of
from factscore_chain.decompose.wording import possessive
from factscore_chain.decompose.words import split_words
from factscore_chain.values import Sentence

_MARKS = re.compile(r"\*\*|__|`|(?<!\w)[*_]|[*_](?!\w)")
_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_LINK = re.compile(r"\[(?!\^?\d{1,3}\])([^\]\n]+)\]\((?:<[^>\n]*>|[^)\s]*)(?:\s+\"[^\"\n]*\")?\)")
_KEY = re.compile(r"(?P<key>[^:|.!?]{1,40}?)\s*(?::|\s[-–—])\s+(?P<value>\S.*)$", re.DOTALL)
_PAST_KEY = re.compile(
    r"(?:born|founded|\w+ed|written|known|built|made|sung|drawn)\b(?: by| in| on| as| at)?$"
)
_PLAIN_VERB_KEY = re.compile(r"(?:died|married|served|worked|lived|moved|won|attended|graduated)\b[\w ]*$")
_LINKING = re.compile(
    r"\b(?:includes?|included|including|are|were|is|was|as|featured?|contains?|had|has|have|won|wrote)$", re.I
)
_DANGLING = re.compile(r"(?:[,\s]+(?:such as|as follows|the following|among others))+$", re.IGNORECASE)
_PARTICIPLES = (
    "born known named appointed elected nominated awarded considered regarded based located founded"
)
_BE_FIRST = frozenset(_PARTICIPLES.split())
_SIMPLE_WORDS = 16
_SERIES = re.compile(r",\s+\D|;| and | but ")
_VERBAL = frozenset({"finite", "participle", "gerund"})
_BEGINS_SUBJECT = frozenset({"name", "pronoun", "determiner"})
_DENIAL = re.compile(r"\b(?:never|not)\b")
_YEAR_HEADER = re.compile(r"(?:year|date|season|period)s?$", re.IGNORECASE)
NON_ANSWERS = frozenset(
    {"idk", "n/a", "na", "none", "unknown", "no", "yes", "ok", "okay", "sure", "tbd", "nil"}
)
"""Whole sentences that say nothing."""
_COURTESY = re.compile(
    r"(?:let me know|feel free|thanks|thank you)\b(?!.*\b(?:is|was|are|were)\b)", re.IGNORECASE
)
_SOURCES = re.compile(r"(?:sources?|references|citations|further reading|see also|links)\W*$", re.IGNORECASE)


_HEADING_QUESTIONS = frozenset(
    {"how", "why", "what", "when", "who", "whom", "whose", "where", "which", "whether"}
)


class Stated(NamedTuple):
    """A statement made of a piece of layout."""

    text: str
    checkable: bool = True

    @property
    def simple(self) -> bool:
        """Whether it is short and without a series, so that there is nothing to take apart."""
        return len(self.text.split()) <= _SIMPLE_WORDS and not _SERIES.search(self.text)


def unmarked(text: str) -> str:
    """A text without marks of emphasis and code, with the words of its links and without its images."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", _IMAGE.sub("", text))).split())


def plain_text(text: str) -> str:
    """The same without citations too."""
    return without_citations(unmarked(text))


def is_claim(text: str) -> bool:
    """Whether a text may claim something: no question, no address to the reader, not a bare "n/a"."""
    stripped = text.strip().strip("\"'”’)*_ ")
    words = [word.lower for word in split_words(stripped) if word.text[0].isalnum()]
    if not words or stripped.endswith(("?", "？", ":")) or stripped.lower().strip(".!") in NON_ANSWERS:
        return False
    if _COURTESY.match(stripped):
        return False
    speaks = words[0] in SPEAKERS - {"we", "our", "ours", "us"} or words[0] in ("please", "here", "sorry")
    return not speaks and any(map(str.isalnum, stripped))


def lists_sources(headings: Sequence[str]) -> bool:
    """Whether what stands under these headings names sources and states nothing."""
    return bool(headings) and _SOURCES.match(plain_text(headings[-1])) is not None


def is_statement(text: str, tags: Sequence[str]) -> bool:
    """Whether a heading is a sentence: "Rome was founded in 753 BC", but not "How it began".

    Args:
        text: Plain text of the heading.
        tags: The tagger's kinds of its words; none where they are not known.
    """
    words = split_words(text)
    if (
        len(tags) != len(words)
        or not words
        or words[0].lower in _HEADING_QUESTIONS
        or family_of(words[0].text)
    ):
        return False
    return any(
        tag == "finite" and word.text[0].islower() for word, tag in zip(words[1:], tags[1:], strict=True)
    )


def names_its_parts(text: str, tags: Sequence[str]) -> bool:
    """Whether a sentence goes on behind a colon: "It has two cones: Kibo and Shira", but not "Born: 1892".

    Args:
        text: Plain text of the sentence.
        tags: The tagger's kinds of its words.
    """
    pair = _KEY.match(text)
    before = len(split_words(pair["key"])) if pair else 0
    return "finite" in tags[1 : max(1, before - 1)]


def item_statement(
    text: str, tags: Sequence[str], subject: str | None, headings: Sequence[str]
) -> Stated | None:
    """A list item or fragment as a statement; None if it is one already.

    Args:
        text: Plain text of the item.
        tags: The tagger's kinds of its words.
        subject: Whom it is about: the topic, or the heading that names one.
        headings: Titles and lead-in lines above it, outermost first.
    """
    pair = _KEY.match(text)
    if pair:
        return _pair_statement(pair["key"].strip(), pair["value"].strip(), subject)
    if not tags or _is_clause(text, subject):
        return None
    if tags[0] in _VERBAL and _names_its_subject(text, tags):
        return None
    if tags[0] in _VERBAL:
        return _verb_statement(text, tags[0], subject)
    return None if "finite" in tags else _noun_statement(text, tags, subject, headings)


def _names_its_subject(text: str, tags: Sequence[str]) -> bool:
    """Whether a subject and a verb follow what a text opens with: "Founded in 1636, Harvard is ..."."""
    words = split_words(text)
    return any(
        word.text == "," and tags[at + 1] in _BEGINS_SUBJECT and "finite" in tags[at + 2 :]
        for at, word in enumerate(words[: len(tags) - 2])
    )


def _is_clause(text: str, subject: str | None) -> bool:
    """Whether a text has a subject of its own and denies something of it: "He never married"."""
    denial = _DENIAL.search(text)
    if denial is None or not denial.start():
        return False
    before = text[: denial.start()].strip()
    return family_of(before) is not None or before.casefold() == (subject or "").casefold()


def row_statements(row: Sentence, subject: str | None) -> list[Stated]:
    """The cells of a table row, each as a statement about the row's name."""
    cells = [plain_text(cell) for cell in row.text.strip().strip("|").split("|")]
    header = row.headings[-1] if row.headings and "|" in row.headings[-1] else ""
    names = [plain_text(name) for name in header.strip().strip("|").split("|")] if header else []
    if len(cells) == 2 and len(names) != 2:
        return [_pair_statement(cells[0], cells[1], subject) or Stated(f"{cells[0]} is {cells[1]}")]
    if len(names) != len(cells):
        return [Stated(", ".join(filter(None, cells)), checkable=False)]
    named = next((i for i, cell in enumerate(cells) if cell and not cell[0].isdigit()), 0)
    if len(cells) == 1:
        return [Stated(f"{cells[0]} is among the {names[0]}")]
    if cells[named][:1].isdigit() and _YEAR_HEADER.match(names[named]) and subject:
        return [
            Stated(f"{possessive(subject)} {_lower_first(name)} in {cells[named]} was {cell}")
            for name, cell in zip(names, cells, strict=True)
            if cell and cell != cells[named]
        ]
    return [
        Stated(f"{possessive(cells[named])} {_lower_first(name)} is {cell}")
        for i, (name, cell) in enumerate(zip(names, cells, strict=True))
        if i != named and name and cell.strip("-–— ")
    ]


def context_subject(topic: str | None, headings: Sequence[str]) -> str | None:
    """Whom layout is about: the topic, else the outermost heading that reads like a name."""
    if topic:
        return topic
    for heading in headings:
        words = heading.split()
        if (
            "|" not in heading
            and len(words) > 1
            and all(word[0].isupper() or word in _SMALL for word in words)
        ):
            return heading
    return None


_SMALL = frozenset({"of", "the", "and", "de", "van", "von", "da", "di", "in", "on", "for", "a"})


def _pair_statement(key: str, value: str, subject: str | None) -> Stated | None:
    first = split_words(value)[0].lower if split_words(value) else ""
    if family_of(first) and value.endswith((".", "!")):
        return Stated(value)
    if first in ("a", "an", "the") and key[:1].isupper():
        return Stated(f"{key} is {value}")
    if not subject:
        return Stated(f"{key} is {value}", checkable=False)
    lower = key.lower()
    if _PLAIN_VERB_KEY.match(lower):
        return Stated(f"{subject} {lower} {value}")
    if _PAST_KEY.match(lower):
        return Stated(f"{subject} was {lower} {value}")
    verb = "are" if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) else "is"
    return Stated(f"{possessive(subject)} {_lower_first(key)} {verb} {value}")


def _verb_statement(text: str, tag: str, subject: str | None) -> Stated:
    lowered = _lower_first(text)
    first = lowered.split()[0].lower()
    be = "was " if first in _BE_FIRST or tag == "gerund" else ""
    return Stated(f"{subject} {be}{lowered}") if subject else Stated(text, checkable=False)


def _noun_statement(
    text: str, tags: Sequence[str], subject: str | None, headings: Sequence[str]
) -> Stated | None:
    lead_in = plain_text(headings[-1]) if headings else ""
    bare = text.rstrip(" .;,")
    if len(lead_in.split()) > 2:
        stem = _DANGLING.sub("", lead_in)
        joint = " " if _LINKING.search(stem) else ", among them "
        return Stated(f"{stem}{joint}{bare}")
    if lead_in and subject and lead_in != subject and lead_in.lower().endswith("s"):
        return Stated(f"{bare} is among {possessive(subject)} {_lower_first(lead_in)}")
    if subject is None:
        return None
    if subject[0].islower():
        return Stated(f"The {subject} is {bare}.")
    if tags[0] in ("noun", "determiner", "adjective", "plural"):
        return Stated(f"{subject} is {_lower_first(bare)}")
    return Stated(f"{subject}: {bare}", checkable=False)


def _lower_first(text: str) -> str:
    keep = text[:2].isupper() or text[:1].isdigit() or text in ("I",)
    return text if keep else text[:1].lower() + text[1:]
