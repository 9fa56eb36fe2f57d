"""Cuts passages into the sentences that facts are aligned with, and into blocks that the encoder can read.

Nothing is dropped: a sentence too long for the models becomes several pieces, each at a blank where there
is one.
"""

from __future__ import annotations

from dataclasses import dataclass

from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.verify.orders import without_orders

LONGEST_SENTENCE = 400
"""Bytes of UTF-8 in one piece: about 80 English words, and few enough tokens in any script."""
LONGEST_BLOCK = 900
"""Bytes of UTF-8 that the encoder reads at once: about 200 tokens of English, below 512 in any script."""


@dataclass(frozen=True)
class Block:
    """A run of whole sentences of one passage."""

    text: str
    starts: tuple[int, ...]
    """Where each sentence begins in `text`, in characters; the first is 0."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences themselves."""
        ends = (*self.starts[1:], len(self.text))
        return tuple(self.text[a:b].strip() for a, b in zip(self.starts, ends, strict=True))


def split_passage(text: str) -> tuple[Block, ...]:
    """Splits a passage into blocks of sentences; a passage without any text gives none."""
    blocks: list[Block] = []
    current: list[str] = []
    size = 0
    for sentence in split_sentences(without_orders(text)):
        for piece in split_long(sentence.text):
            cost = _bytes(piece) + 1
            if current and size + cost > LONGEST_BLOCK:
                blocks.append(_block(current))
                current, size = [], 0
            current.append(piece)
            size += cost
    return (*blocks, _block(current)) if current else tuple(blocks)


def split_long(sentence: str) -> list[str]:
    """Cuts a sentence into pieces of at most `LONGEST_SENTENCE` bytes, at blanks where it has any."""
    pieces: list[str] = []
    rest = sentence.strip()
    while _bytes(rest) > LONGEST_SENTENCE:
        head = rest.encode("utf-8", "replace")[:LONGEST_SENTENCE].decode("utf-8", "ignore")
        blank = head.rfind(" ")
        cut = blank if blank > len(head) // 2 else len(head)
        pieces.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*pieces, rest] if rest else pieces


def _block(sentences: list[str]) -> Block:
    starts: list[int] = []
    position = 0
    for sentence in sentences:
        starts.append(position)
        position += len(sentence) + 1
    return Block(" ".join(sentences), tuple(starts))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
