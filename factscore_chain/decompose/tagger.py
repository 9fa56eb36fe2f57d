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

from factscore_chain.decompose.pieces import Pieces, batches, pad, split_pieces
from factscore_chain.decompose.words import is_content

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

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
_ENTITY_LIST = ",person,place,organisation,group,work,date"
ENTITIES = tuple(_ENTITY_LIST.split(","))

_BATCH_PIECES = 4096


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
    sentence: int
    word: int
    kind: int
    """1 if the anchor stands in the predicate, 2 if in the subject ("The Hobbit is a book")."""


class _Read(NamedTuple):
    pieces: Pieces
    hidden: npt.NDArray[np.float32]
    anchor: npt.NDArray[np.float32]
    """Probability by word and kind."""
    tags: tuple[str, ...]
    entities: tuple[str, ...]


class FactTagger:
    """Runs both networks on onnxruntime; one object serves all threads."""

    def __init__(self, sentence: InferenceSession, fact: InferenceSession, tokenizer: Tokenizer) -> None:
        self._sentence = sentence
        self._fact = fact
        self._tokenizer = tokenizer

    def tag(self, sentences: Sequence[Sequence[str]], threshold: float, rescue: float) -> list[Tagged]:
        """Tags sentences given as words.

        Args:
            sentences: The words of each sentence.
            threshold: Probability from which a word counts as an anchor.
            rescue: The same for content words that stand in no fact otherwise.
        """
        reads = self._read(sentences)
        anchors = _anchors(reads, threshold)
        patterns = list(zip(anchors, self._patterns(reads, anchors), strict=True))
        more = _uncovered(sentences, reads, patterns, rescue)
        patterns += zip(more, self._patterns(reads, more), strict=True)
        return [
            Tagged(read.tags, read.entities, _in_order(i, patterns), len(read.anchor))
            for i, read in enumerate(reads)
        ]

    def kinds(self, sentences: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
        """The kind of each word of sentences given as words: one of `TAGS`."""
        return [read.tags for read in self._read(sentences)]

    def _read(self, sentences: Sequence[Sequence[str]]) -> list[_Read]:
        pieces = [split_pieces(self._tokenizer, words) for words in sentences]
        reads: dict[int, _Read] = {}
        for group in batches([len(one.ids) for one in pieces], _BATCH_PIECES):
            length = max(len(pieces[i].ids) for i in group)
            mask = pad([[1] * len(pieces[i].ids) for i in group], length)
            ids = pad([pieces[i].ids for i in group], length)
            hidden, anchor, tag, entity = self._sentence.run(None, {"ids": ids, "mask": mask})
            for row, i in enumerate(group):
                at, n = pieces[i].first, len(sentences[i])
                tags, entities = _names(tag[row, at], TAGS, n), _names(entity[row, at], ENTITIES, n)
                reads[i] = _Read(pieces[i], hidden[row], anchor[row, at], tags, entities)
        return [reads[i] for i in range(len(sentences))]

    def _patterns(self, reads: Sequence[_Read], anchors: Sequence[_Anchor]) -> list[Pattern]:
        found: dict[int, Pattern] = {}
        sizes = [len(reads[anchor.sentence].pieces.ids) for anchor in anchors]
        for group in batches(sizes, _BATCH_PIECES):
            length = max(sizes[i] for i in group)
            of = [reads[anchors[i].sentence] for i in group]
            inputs = {
                "hidden": np.stack([_fit(read.hidden, length) for read in of]),
                "mask": pad([[1] * len(read.pieces.ids) for read in of], length),
                "marks": pad(
                    [
                        read.pieces.marks(anchors[i].word, anchors[i].kind)
                        for read, i in zip(of, group, strict=True)
                    ],
                    length,
                ),
            }
            member, insertion = self._fact.run(None, inputs)
            for row, (read, i) in enumerate(zip(of, group, strict=True)):
                word, at = anchors[i].word, read.pieces.first
                scores = insertion[row, at[word]]
                parts = _names(member[row, at], PARTS, len(read.tags))
                found[i] = Pattern(
                    parts, INSERTIONS[int(scores.argmax())], INSERTIONS[1 + int(scores[1:].argmax())], word
                )
        return [found[i] for i in range(len(anchors))]


def _anchors(reads: Sequence[_Read], threshold: float) -> list[_Anchor]:
    return [
        _Anchor(i, int(word), int(kind) + 1)
        for i, read in enumerate(reads)
        for word, kind in np.argwhere(read.anchor >= threshold)
    ]


def _uncovered(
    sentences: Sequence[Sequence[str]],
    reads: Sequence[_Read],
    patterns: Sequence[tuple[_Anchor, Pattern]],
    rescue: float,
) -> list[_Anchor]:
    """Anchors for content words that no pattern has taken up."""
    taken = {
        (anchor.sentence, word)
        for anchor, pattern in patterns
        for word, part in enumerate(pattern.parts)
        if part != "out"
    }
    return [
        _Anchor(i, word, 1)
        for i, read in enumerate(reads)
        for word in range(len(read.anchor))
        if (i, word) not in taken and read.anchor[word, 0] >= rescue and is_content(sentences[i][word])
    ]


def _in_order(sentence: int, patterns: Sequence[tuple[_Anchor, Pattern]]) -> tuple[Pattern, ...]:
    own = [(anchor, pattern) for anchor, pattern in patterns if anchor.sentence == sentence]
    return tuple(pattern for anchor, pattern in sorted(own, key=lambda pair: pair[0][1:]))


def _names(scores: npt.NDArray[np.float32], names: Sequence[Any], length: int) -> tuple[Any, ...]:
    best = [names[i] for i in scores.argmax(axis=-1)]
    return tuple(best + [names[0]] * (length - len(best)))


def _fit(hidden: npt.NDArray[np.float32], length: int) -> npt.NDArray[np.float32]:
    missing = length - len(hidden)
    return hidden[:length] if missing <= 0 else np.pad(hidden, ((0, missing), (0, 0)))


@lru_cache(maxsize=1)
def load_tagger() -> FactTagger:
    """The shipped tagger, loaded once."""
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Tokenizer

    folder = files("factscore_chain.models") / "decomposer"
    with as_file(folder / "sentence.onnx") as sentence, as_file(folder / "fact.onnx") as fact:
        options = SessionOptions()
        networks = InferenceSession(str(sentence), options), InferenceSession(str(fact), options)
    with as_file(folder / "tokenizer.json") as path:
        tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return FactTagger(*networks, tokenizer)
