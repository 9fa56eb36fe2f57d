"""Cutting documents into passages of at most 256 tokens (paper, section 4.1), at sentence ends."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from factscore_chain.errors import UsageError
from factscore_chain.retrievers.word_table import encode, token_counts

if TYPE_CHECKING:
    from tokenizers import Encoding

MAX_TOKENS = 256
"""Tokens of a passage, counted by the shipped encoder's tokenizer with its two markers."""

_MARKERS = 2
_LEAST = 16
"""Less would cut most sentences to pieces."""
_CHARS_PER_TOKEN = 16
"""Prose has about five; a longer average is encoded data, which the tokenizer counts as a single unknown."""
_WINDOW = 20_000
"""Characters looked at in one go: keeps memory flat whatever the length of a paragraph."""


@dataclass(frozen=True)
class _Piece:
    """A stretch of a paragraph that is not cut further, with its cost in tokens."""

    start: int
    end: int
    cost: int


def cut(texts: Sequence[str], max_tokens: int = MAX_TOKENS) -> list[str]:
    """Cuts one document into passages.

    Neighbouring short paragraphs share a passage, joined by a line break. A paragraph that is too long gets
    passages of its own, of about equal size, that end where sentences end; a sentence that is too long by
    itself is cut between words. Joined by blanks the passages give the document back up to white space.

    Args:
        texts: The document's paragraphs or sections; line breaks inside them separate paragraphs too.
        max_tokens: Most tokens of a passage, counting the tokenizer's two markers.
    """
    return cut_many([texts], max_tokens)[0]


def cut_many(documents: Sequence[Sequence[str]], max_tokens: int = MAX_TOKENS) -> list[list[str]]:
    """Cuts several documents into passages, tokenizing them together.

    Raises:
        UsageError: max_tokens leaves no room for text.
    """
    if max_tokens < _LEAST:
        raise UsageError(f"max_tokens must be at least {_LEAST}, not {max_tokens}.")
    limit = max_tokens - _MARKERS
    paragraphs = [[part for text in document for part in _paragraphs(text)] for document in documents]
    counts = iter(token_counts([part for document in paragraphs for part in document]))
    return [_pack([(part, next(counts)) for part in document], limit) for document in paragraphs]


def _paragraphs(text: str) -> Iterator[str]:
    for line in text.splitlines():
        part = line.strip()
        while len(part) > _WINDOW:
            end = _window_end(part)
            yield part[:end].strip()
            part = part[end:].strip()
        if part:
            yield part


def _window_end(part: str) -> int:
    for mark in (". ", " ", "。"):
        end = part.rfind(mark, _WINDOW // 2, _WINDOW)
        if end != -1:
            return end + 1
    return _WINDOW


def _pack(paragraphs: Sequence[tuple[str, int]], limit: int) -> list[str]:
    passages: list[str] = []
    together: list[str] = []
    used = 0
    for text, count in paragraphs:
        cost = _cost(count, len(text))
        if together and used + cost > limit:
            passages.append("\n".join(together))
            together, used = [], 0
        if cost > limit:
            passages.extend(_cut_paragraph(text, limit))
        else:
            together.append(text)
            used += cost
    if together:
        passages.append("\n".join(together))
    return passages


def _cut_paragraph(text: str, limit: int) -> list[str]:
    pieces = _sentence_pieces(text, limit) or list(_pieces(text, encode(text), limit))
    total = sum(piece.cost for piece in pieces)
    # Equal shares, since a last passage of a few words would be found by nothing.
    share = -(-total // -(-total // limit))
    passages: list[str] = []
    start = used = 0
    for piece in pieces:
        if used and (used >= share or used + piece.cost > limit):
            passages.append(text[start : piece.start].strip())
            start, used = piece.start, 0
        used += piece.cost
    passages.append(text[start:].strip())
    return [passage for passage in passages if passage]


def _sentence_pieces(text: str, limit: int) -> list[_Piece] | None:
    """The sentences of a paragraph; None if one is too long, or two are not parted by a blank."""
    ends = _sentence_ends(text)
    if not all(text[end - 1].isspace() for end in ends[:-1]):
        return None
    bounds = list(pairwise([0, *ends]))
    counts = token_counts([text[start:end] for start, end in bounds])
    pieces = [
        _Piece(start, end, _cost(count, end - start))
        for (start, end), count in zip(bounds, counts, strict=True)
        if count
    ]
    return None if any(piece.cost > limit for piece in pieces) else pieces


def _pieces(text: str, encoding: Encoding, limit: int) -> Iterator[_Piece]:
    starts = [start for start, _ in encoding.offsets]
    first = 0
    for end in _sentence_ends(text):
        last = first
        while last < len(starts) and starts[last] < end:
            last += 1
        begin = starts[first] if first < last else end
        cost = _cost(last - first, end - begin)
        if cost > limit:
            yield from _word_pieces(text, starts[first:last], end, limit)
        elif first < last:
            yield _Piece(begin, end, cost)
        first = last


def _word_pieces(text: str, starts: Sequence[int], end: int, limit: int) -> Iterator[_Piece]:
    bounds = [*starts, end]
    first = 0
    for i in range(1, len(bounds)):
        # A token that does not follow a blank continues a word.
        if i < len(starts) and not text[bounds[i] - 1].isspace():
            continue
        begin, stop = bounds[first], bounds[i]
        cost = _cost(i - first, stop - begin)
        if cost <= limit:
            yield _Piece(begin, stop, cost)
        else:
            yield from _char_pieces(text, begin, stop)
        first = i


def _char_pieces(text: str, start: int, end: int) -> Iterator[_Piece]:
    # Parts of a word may take more tokens than the word; never more than they have characters, decomposed.
    for i in range(start, end):
        yield _Piece(i, i + 1, len(unicodedata.normalize("NFKD", text[i])))


def _sentence_ends(text: str) -> list[int]:
    from sentencex import segment

    return list(accumulate(len(sentence) for sentence in segment("en", text)))


def _cost(tokens: int, chars: int) -> int:
    return max(tokens, chars // _CHARS_PER_TOKEN)
