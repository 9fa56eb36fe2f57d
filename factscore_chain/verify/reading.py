"""Turns texts into words with vectors and passages into evidence, each passage once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from threading import Lock

from factscore_chain.encoder import Encoder, default_encoder
from factscore_chain.verify.evidence import Evidence, join_passages, read_block
from factscore_chain.verify.segments import Block, split_passage
from factscore_chain.verify.words import Words, pool_words

CACHED_PASSAGES = 256
"""Passages kept in memory: about 0.4 MB each at 256 tokens."""


class Reader:
    """Encodes facts and passages; facts of one generation share passages, so those are kept."""

    def __init__(self, encoder: Encoder | None = None, cached_passages: int = CACHED_PASSAGES) -> None:
        self.encoder = encoder or default_encoder()
        self._cached_passages = cached_passages
        self._passages: OrderedDict[str, tuple[Evidence, ...]] = OrderedDict()
        self._lock = Lock()
        self._encoding = Lock()

    def words(self, texts: Sequence[str]) -> list[Words]:
        """The words of each text, encoded on its own."""
        return [
            pool_words(text, one.vectors, one.ids, one.offsets, one.word_ids)
            for text, one in zip(texts, self.encoder.token_vectors(texts), strict=True)
        ]

    def evidence(self, passages: Sequence[Sequence[str]]) -> list[Evidence | None]:
        """The evidence of each list of passages; None where they hold no word."""
        known = self._read(text for texts in passages for text in texts)
        # Facts of one answer often have the same passages, all of them.
        joined = {
            key: join_passages([known[text] for text in key])
            for key in dict.fromkeys(tuple(texts) for texts in passages)
        }
        return [joined[tuple(texts)] for texts in passages]

    def _read(self, texts: Iterable[str]) -> dict[str, tuple[Evidence, ...]]:
        asked = dict.fromkeys(texts)
        known = self._kept(asked)
        if len(known) < len(asked):
            # What another thread is encoding now, perhaps ahead, is not encoded twice.
            with self._encoding:
                known = self._with_missing(asked)
        return known

    def _kept(self, asked: Iterable[str]) -> dict[str, tuple[Evidence, ...]]:
        with self._lock:
            return {text: self._passages[text] for text in asked if text in self._passages}

    def _with_missing(self, asked: dict[str, None]) -> dict[str, tuple[Evidence, ...]]:
        known = self._kept(asked)
        blocks = {text: split_passage(text) for text in asked if text not in known}
        known.update(self._encode(blocks))
        with self._lock:
            for text in asked:
                self._passages[text] = known[text]
                self._passages.move_to_end(text)
            while len(self._passages) > self._cached_passages:
                self._passages.popitem(last=False)
        return known

    def _encode(self, blocks: dict[str, tuple[Block, ...]]) -> dict[str, tuple[Evidence, ...]]:
        every = [block for group in blocks.values() for block in group]
        words = iter(self.words([block.text for block in every]))
        read = {text: [read_block(block, next(words)) for block in group] for text, group in blocks.items()}
        return {text: tuple(one for one in group if one is not None) for text, group in read.items()}
