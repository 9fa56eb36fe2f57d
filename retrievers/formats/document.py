"""What a reader of a format gives: documents, other names of theirs, and what had to be left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Document:
    """A document of some format."""

    title: str
    texts: tuple[str, ...]
    """Its paragraphs or sections."""
    redirects: tuple[str, ...] = ()
    """Its other names."""


@dataclass(frozen=True)
class Redirect:
    """Another name of a document that may stand anywhere else in the same input."""

    name: str
    title: str
    """That of the document."""


@dataclass(frozen=True)
class LeftOut:
    """A part of the input that gives no document, and why."""

    problem: str


Found: TypeAlias = "Document | Redirect | LeftOut"

_HYPHENATED = re.compile(r"(?<=[^\W\d_])-\n(?=[a-z])")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def paragraphs(text: str) -> tuple[str, ...]:
    """Paragraphs of wrapped text: blank lines part them, and words that a line's end cuts are joined."""
    whole = _HYPHENATED.sub("", text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n"))
    return lines_of(_BLANK_LINE.split(whole))


def lines_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Texts on one line each, without empty ones."""
    return tuple(line for text in texts if (line := " ".join(text.split())))
