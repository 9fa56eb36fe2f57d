"""Sentences of a generation with their exact places.

`sentencex` finds the boundaries; of the splitters compared it was right most often on names with initials,
abbreviations, quotations and other scripts, and it keeps every character. A few documented rules in
`boundaries` mend what it gets wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from sentencex import segment

from factscore_chain.decompose.blocks import Block, split_blocks, trim
from factscore_chain.decompose.boundaries import mend
from factscore_chain.decompose.language import guess_language
from factscore_chain.decompose.markup import without_tags
from factscore_chain.values import Sentence, Span

_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_OTHER_THAN_WORDS = re.compile(r"[^\w\s,'’()-]")
_WHOLE = {"heading", "table_row", "code"}


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Splits a generation into sentences, headings, list items, table rows and code.

    `text[s.span.start:s.span.end] == s.text` for each; they come in order and do not overlap; between them
    stand only white space, tags and marks of layout. Any string is accepted.
    """
    plain = without_tags(text)
    language = guess_language(plain)
    found: list[Sentence] = []
    for block in split_blocks(plain):
        for span in _sentence_spans(plain, block, language):
            content = text[span.start : span.end]
            found.append(Sentence(content, span, len(found), block.kind, block.headings))
    return tuple(found)


def _sentence_spans(text: str, block: Block, language: str) -> Iterator[Span]:
    if block.kind in _WHOLE:
        yield block.span
        return
    content = text[block.span.start : block.span.end]
    start = 0
    for end in [*_boundaries(content, language), len(content)]:
        span = trim(text, Span(block.span.start + start, block.span.start + end))
        if span.start < span.end:
            yield span
        start = end


def _boundaries(content: str, language: str) -> list[int]:
    """Positions inside `content` where a new sentence begins."""
    if not _OTHER_THAN_WORDS.search(content):
        return []
    # The library reads UTF-8, which has no lone surrogates; a stand-in of the same length keeps positions.
    pieces = segment(language, _LONE_SURROGATE.sub("\ufffd", content))
    return mend(content, accumulate(map(len, pieces)))
