"""The passages of a claim made ready for alignment: their words, cut into sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from factscore_chain.verify.segments import Block
from factscore_chain.verify.words import Floats, Ints, Words, normalised


@dataclass(frozen=True)
class Evidence:
    """The words of one or more passages in reading order, and where their sentences begin."""

    sentences: tuple[str, ...]
    texts: tuple[str, ...]
    """One word each; `stems` and the rows of `vectors` go with them."""
    stems: tuple[str, ...]
    vectors: Floats
    starts: Ints
    """Index of each sentence's first word; as many as there are sentences, each at least one word long."""
    passage_of: Ints
    """For each sentence, the number of its passage."""

    def words_of(self, sentence: int) -> slice:
        """The words of a sentence, as a slice of the rows."""
        end = self.starts[sentence + 1] if sentence + 1 < len(self.starts) else len(self.texts)
        return slice(int(self.starts[sentence]), int(end))

    def only(self, sentences: Sequence[int]) -> Evidence:
        """Some of the sentences, at least one, in their order."""
        if len(sentences) == len(self.sentences):
            return self
        spans = [self.words_of(number) for number in sentences]
        return Evidence(
            tuple(self.sentences[number] for number in sentences),
            tuple(word for span in spans for word in self.texts[span]),
            tuple(word for span in spans for word in self.stems[span]),
            np.concatenate([self.vectors[span] for span in spans]),
            np.cumsum([0, *(span.stop - span.start for span in spans[:-1])]),
            self.passage_of[list(sentences)],
        )

    @cached_property
    def sentence_vectors(self) -> Floats:
        """The mean of each sentence's word vectors, of length 1."""
        return normalised(np.add.reduceat(self.vectors, self.starts, axis=0))

    @cached_property
    def lengths(self) -> Ints:
        """How many words each sentence has, between blanks."""
        return np.array([len(sentence.split()) for sentence in self.sentences], np.int64)

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """Where each stem stands."""
        found: dict[str, list[int]] = {}
        for i, word in enumerate(self.stems):
            found.setdefault(word, []).append(i)
        return found


def read_block(block: Block, words: Words) -> Evidence | None:
    """A block with its encoded words; None if it holds no word."""
    if not len(words):
        return None
    number = np.searchsorted(np.array(block.starts), words.starts, side="right") - 1
    kept, starts = np.unique(number, return_index=True)
    sentences = block.sentences
    return Evidence(
        tuple(sentences[i] for i in kept),
        words.texts,
        words.stems,
        words.vectors,
        starts.astype(np.int64),
        np.zeros(len(kept), np.int64),
    )


def join_passages(passages: Sequence[Sequence[Evidence]]) -> Evidence | None:
    """The blocks of all passages as one evidence that knows each sentence's passage; None if no word."""
    parts = [(number, block) for number, blocks in enumerate(passages) for block in blocks]
    if not parts:
        return None
    offsets = np.cumsum([0, *(len(block.texts) for _, block in parts)])
    return Evidence(
        tuple(sentence for _, block in parts for sentence in block.sentences),
        tuple(word for _, block in parts for word in block.texts),
        tuple(word for _, block in parts for word in block.stems),
        np.concatenate([block.vectors for _, block in parts]),
        np.concatenate([block.starts + offset for (_, block), offset in zip(parts, offsets, strict=False)]),
        np.concatenate([np.full(len(block.sentences), number) for number, block in parts]),
    )
