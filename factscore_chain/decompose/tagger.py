"""The trained tagger: which words of a sentence make up each of its facts.

Two small networks share one encoder of MiniLM's size. The first reads the sentence and says, for each word,
whether a fact hangs on it (an anchor) and what kind of word it is. The second reads the sentence again for
each anchor, with the anchor marked, and says which words belong to that fact, in its subject or in its
predicate, and which copula is missing. A fact is therefore made of the sentence's own words.
`evals/training/decomposer` trains both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from factscore_chain.decompose.pieces import Pieces, split_pieces
from factscore_chain.decompose.words import is_content
from factscore_chain.encoder import run_batches
from factscore_chain.retrievers.lru import LRU

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

Floats = npt.NDArray[np.float32]
Part = Literal["out", "subject", "predicate"]

PARTS: tuple[Part, ...] = ("out", "subject", "predicate")
_INSERTION_LIST = ",is,is a,was,was a,is in,was in,are,were,has,had,has a,had a"
INSERTIONS = tuple(_INSERTION_LIST.split(","))
"""What may be put between subject and predicate without standing in the sentence."""
_TAG_LIST = (
    "other finite participle gerund infinitive noun plural name adjective number pronoun preposition "
    "adverb determiner conjunction"
)
TAGS = tuple(_TAG_LIST.split())
VERBS = frozenset({"finite", "participle", "gerund", "infinitive"})
NOUNS = frozenset({"noun", "plural"})
"""Without names."""
_ENTITY_LIST = ",person,place,organisation,group,work,date"
ENTITIES = tuple(_ENTITY_LIST.split(","))

_TOGETHER = 32
"""Anchors of a sentence that are read at once."""
SENTENCES_KEPT = 512
"""Sentences whose tags are kept, a few kilobytes each."""
_READS_KEPT = 32
"""Sentences whose vectors are kept, some ten kilobytes each."""


class Pattern(NamedTuple):
    """The words of one fact, before they are put into words."""

    parts: tuple[Part, ...]
    """One for each word of the sentence."""
    insertion: str
    copula: str
    """The likeliest insertion that is not empty, for a predicate that turns out to have no verb."""
    anchor: int
    """Index of the word that the fact hangs on."""


class Tagged(NamedTuple):
    """What the tagger says of a sentence; tags and entities have one entry for each word."""

    tags: tuple[str, ...]
    entities: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    read: int
    """How many of the words were read; fewer than all in a sentence that is too long."""


class _Anchor(NamedTuple):
    word: int
    kind: int
    """1 if the anchor stands in the predicate, 2 if in the subject ("The Hobbit is a book")."""


class _Read(NamedTuple):
    pieces: Pieces
    hidden: Floats
    anchor: Floats
    """Probability by word and kind."""
    tags: tuple[str, ...]
    entities: tuple[str, ...]


class FactTagger:
    """Runs both networks on onnxruntime; one object serves all threads.

    Sentences are read one by one, without padding, so that a sentence's facts depend on nothing else.
    """

    def __init__(self, sentence: InferenceSession, fact: InferenceSession, tokenizer: Tokenizer) -> None:
        self._sentence = sentence
        self._fact = fact
        self._tokenizer = tokenizer
        self._tags: LRU[tuple[tuple[str, ...], float, float], Tagged] = LRU(SENTENCES_KEPT)
        self._kinds: LRU[tuple[str, ...], tuple[str, ...]] = LRU(SENTENCES_KEPT)
        self._reads: LRU[tuple[str, ...], _Read] = LRU(_READS_KEPT)

    def tag_many(self, sentences: Sequence[Sequence[str]], threshold: float, rescue: float) -> list[Tagged]:
        """Tags sentences side by side, on as many cores as this process may use; see `tag`."""
        found: dict[int, Tagged] = {}

        def compute(batch: list[int]) -> None:
            found.update({number: self.tag(sentences[number], threshold, rescue) for number in batch})

        # Each sentence is a batch of its own.
        run_batches([max(1, len(words)) for words in sentences], 1, None, compute)
        return [found[number] for number in range(len(sentences))]

    def forget(self) -> None:
        """Drops what is kept of sentences that were read."""
        self._tags, self._kinds, self._reads = LRU(SENTENCES_KEPT), LRU(SENTENCES_KEPT), LRU(_READS_KEPT)

    def tag(self, words: Sequence[str], threshold: float, rescue: float) -> Tagged:
        """Tags a sentence. One that was tagged before is not read again: a text that grows is tagged often.

        Args:
            words: Its words and marks.
            threshold: Probability from which a word counts as an anchor.
            rescue: The same for content words that stand in no fact otherwise.
        """
        if not words:
            return Tagged((), (), (), 0)
        key = (tuple(words), threshold, rescue)
        return self._tags.get_or_make(key, lambda: self._tagged(words, threshold, rescue))

    def _tagged(self, words: Sequence[str], threshold: float, rescue: float) -> Tagged:
        read = self._read(words)
        anchors = [_Anchor(int(word), int(kind) + 1) for word, kind in np.argwhere(read.anchor >= threshold)]
        patterns = self._patterns(read, anchors)
        patterns += self._patterns(read, _uncovered(words, read, patterns, rescue))
        in_order = sorted(patterns, key=lambda pattern: pattern.anchor)
        return Tagged(read.tags, read.entities, tuple(in_order), len(read.anchor))

    def kinds(self, words: Sequence[str]) -> tuple[str, ...]:
        """The kind of each word: one of `TAGS`."""
        return self._kinds.get_or_make(tuple(words), lambda: self._read(words).tags) if words else ()

    def _read(self, words: Sequence[str]) -> _Read:
        # Short sentences are asked for the kinds of their words first, and tagged right after.
        return self._reads.get_or_make(tuple(words), lambda: self._read_anew(words))

    def _read_anew(self, words: Sequence[str]) -> _Read:
        pieces = split_pieces(self._tokenizer, words)
        outputs = self._sentence.run(None, {"ids": np.array([pieces.ids], dtype=np.int64)})
        hidden, anchor, tag, entity = (output[0] for output in outputs)
        at = pieces.first
        tags, entities = _names(tag[at], TAGS, len(words)), _names(entity[at], ENTITIES, len(words))
        return _Read(pieces, hidden, anchor[at], tags, entities)

    def _patterns(self, read: _Read, anchors: Sequence[_Anchor]) -> list[Pattern]:
        found: list[Pattern] = []
        for start in range(0, len(anchors), _TOGETHER):
            found += self._some_patterns(read, anchors[start : start + _TOGETHER])
        return found

    def _some_patterns(self, read: _Read, anchors: Sequence[_Anchor]) -> list[Pattern]:
        marks = np.array([read.pieces.marks(*anchor) for anchor in anchors], dtype=np.int64)
        hidden = np.repeat(read.hidden[None], len(anchors), axis=0)
        part, insertion = self._fact.run(None, {"hidden": hidden, "marks": marks})
        at = read.pieces.first
        return [
            Pattern(
                _names(part[row, at], PARTS, len(read.tags)),
                INSERTIONS[int(scores.argmax())],
                INSERTIONS[1 + int(scores[1:].argmax())],
                anchor.word,
            )
            for row, anchor in enumerate(anchors)
            for scores in [insertion[row, at[anchor.word]]]
        ]


def _uncovered(
    words: Sequence[str], read: _Read, patterns: Sequence[Pattern], rescue: float
) -> list[_Anchor]:
    """Anchors for content words that no pattern has taken up."""
    taken = {i for pattern in patterns for i, part in enumerate(pattern.parts) if part != "out"}
    return [
        _Anchor(i, 1)
        for i, (probability, _) in enumerate(read.anchor)
        if i not in taken and probability >= rescue and is_content(words[i])
    ]


def _names(scores: Floats, names: Sequence[Any], length: int) -> tuple[Any, ...]:
    best = [names[i] for i in scores.argmax(axis=-1)]
    return tuple(best + [names[0]] * (length - len(best)))


@lru_cache(maxsize=1)
def load_tagger() -> FactTagger:
    """The shipped tagger, loaded once."""
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Tokenizer

    models = files("factscore_chain.models")
    networks = []
    options = SessionOptions()
    # Whole sentences are read side by side: faster than sharing the work of one, and nobody spins while idle.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    for name in ("sentence", "fact"):
        with as_file(models / "decomposer" / f"{name}.onnx") as path:
            networks.append(InferenceSession(str(path), options, providers=["CPUExecutionProvider"]))
    # The tagger is trained on the encoder's weights and reads the same word pieces.
    with as_file(models / "encoder" / "tokenizer.json") as path:
        tokenizer = Tokenizer.from_file(str(path))
    return FactTagger(networks[0], networks[1], tokenizer)
