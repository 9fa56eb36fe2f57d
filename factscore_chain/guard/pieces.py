"""A text that arrives bit by bit, cut into sentences as soon as each is certain to have ended."""

from __future__ import annotations

import re
from dataclasses import dataclass

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.values import SentenceKind, Span

LOOK_AHEAD = 24
"""Characters after a sentence from which it is certain to have ended; two whole words are enough too."""

_ENDING = re.compile(r"[.!?:;…。！？\n]")
_CLOSERS = 3
"""Quotation marks and brackets that may stand between an end and the place where it is certain."""
_TWO_WORDS = re.compile(r"\s*\S+\s+\S+\s")
_RULE = r"[ \t|]*\n[ \t]*[-=|:][-=|: \t]*"
_HALF_RULE = re.compile(rf"{_RULE}\Z")
_WHOLE_RULE = re.compile(rf"{_RULE}(?=\n|\Z)")


@dataclass(frozen=True)
class Piece:
    """A sentence with what stands before it; all pieces of a text together are the text."""

    lead: str
    """White space and marks of layout before the sentence."""
    text: str
    """The sentence; empty where the text ends in layout."""
    span: Span
    """Where the sentence stands in the whole text."""
    kind: SentenceKind = "prose"

    @property
    def original(self) -> str:
        """The stretch of the text that the piece is."""
        return self.lead + self.text


class PieceBuffer:
    """Takes a text bit by bit and gives its sentences, each once, in order."""

    def __init__(self) -> None:
        self.text = ""
        """All that has come so far."""
        self._half = ""
        self._given = 0
        self._looked = 0

    def add(self, bit: str) -> list[Piece]:
        """Takes the next bit; gives the sentences that are certain to have ended since."""
        bit = self._half + bit
        self._half = bit[-1:] if "\ud800" <= bit[-1:] <= "\udbff" else ""
        self.text += _joined(bit.removesuffix(self._half))
        ends = [match.end() for match in _ENDING.finditer(self.text, self._looked)]
        # Splitting is worth its time only where something has ended, and enough has come after it.
        if not ends or not self._sure(ends[0]):
            return []
        self._looked = next((end - 1 for end in ends if not self._sure(end + _CLOSERS)), len(self.text))
        return self._pieces(last=False)

    def finish(self) -> list[Piece]:
        """The rest, when nothing more comes."""
        self.text += _joined(self._half)
        pieces = self._pieces(last=True)
        if self._given < len(self.text):
            end = Span(len(self.text), len(self.text))
            pieces.append(Piece(self.text[self._given :], "", end))
            self._given = len(self.text)
        return pieces

    def _pieces(self, *, last: bool) -> list[Piece]:
        found: list[Piece] = []
        for sentence in split_sentences(self.text):
            start, end = max(sentence.span.start, self._given), sentence.span.end
            if end <= self._given:
                continue
            if not last and not self._sure(end):
                break
            lead = self.text[self._given : start]
            found.append(Piece(lead, self.text[start:end], Span(start, end), sentence.kind))
            self._given = end
        return found

    def _sure(self, end: int) -> bool:
        """Whether enough has come after a place to know that a sentence ended there."""
        if _HALF_RULE.match(self.text, end):
            return False  # the line below may yet make it a title, or the head of a table
        return len(self.text) - end >= LOOK_AHEAD or bool(_TWO_WORDS.match(self.text, end))


def with_rule(text: str, end: int) -> int:
    """The end of the rule right under a line that ends at `end`, which says what that line is; else `end`."""
    rule = _WHOLE_RULE.match(text, end)
    return end if rule is None else rule.end()


def _joined(text: str) -> str:
    """The text with halves of characters joined, since servers cut anywhere; lone ones are replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
