"""Sentences as batches of tensors, and the loss of the networks on them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from factscore_chain.decompose.pieces import Pieces, split_pieces
from factscore_chain.evals.training.decomposer.network import TaggerNetwork
from factscore_chain.evals.training.decomposer.parses import WordKinds
from factscore_chain.evals.training.decomposer.prepared import TargetSentence

_NONE = -1
_SORTED_TOGETHER = 1500


class FactExample(NamedTuple):
    """One fact of a sentence, by piece; -1 where nothing is to be learned."""

    marks: list[int]
    parts: list[int]
    insertion: int
    at: int


class Example(NamedTuple):
    """A sentence by piece: either with anchors and facts, or with kinds of words."""

    ids: list[int]
    anchors: list[tuple[int, int]] | None
    facts: list[FactExample]
    kinds: list[tuple[int, int]] | None

    @property
    def size(self) -> float:
        """Word pieces that the upper layers read, the facts' weighed by their share of the layers."""
        return len(self.ids) * (1 + len(self.facts) / 2)


def target_example(sentence: TargetSentence, tokenizer: Any) -> Example:
    """A sentence with its facts."""
    pieces = split_pieces(tokenizer, sentence.words)
    wanted = {(one.word, one.kind) for one in sentence.facts}
    anchors = _spread(
        pieces,
        [(int((i, 1) in wanted), int((i, 2) in wanted)) for i in range(len(pieces.first))],
        (_NONE, _NONE),
    )
    facts = [
        FactExample(
            pieces.marks(one.word, one.kind),
            _spread(pieces, one.fact.parts, _NONE),
            one.fact.insertion,
            pieces.first[one.word],
        )
        for one in sentence.facts
        if one.word < len(pieces.first)
    ]
    return Example(pieces.ids, anchors, facts, None)


def kinds_example(sentence: WordKinds, tokenizer: Any) -> Example:
    """A sentence with the kinds of its words."""
    pieces = split_pieces(tokenizer, sentence.words)
    kinds = list(zip(sentence.tags, sentence.entities, strict=True))
    return Example(pieces.ids, None, [], _spread(pieces, kinds, (_NONE, _NONE)))


def _spread(pieces: Pieces, by_word: Sequence[Any], empty: Any) -> list[Any]:
    by_piece = [empty] * len(pieces.ids)
    for position, value in zip(pieces.first, by_word, strict=False):
        by_piece[position] = value
    return by_piece


def batched(examples: Sequence[Example], size: int, rng: random.Random) -> list[list[Example]]:
    """Batches of about `size` word pieces, of sentences of like length, in random order."""
    shuffled = rng.sample(examples, len(examples))
    found: list[list[Example]] = []
    for start in range(0, len(shuffled), _SORTED_TOGETHER):
        batch: list[Example] = []
        for one in sorted(shuffled[start : start + _SORTED_TOGETHER], key=lambda one: len(one.ids)):
            batch.append(one)
            if sum(other.size for other in batch) >= size:
                found.append(batch)
                batch = []
        if batch:
            found.append(batch)
    rng.shuffle(found)
    return found


def losses(network: TaggerNetwork, batch: Sequence[Example]) -> dict[str, torch.Tensor]:
    """The parts of the loss that the batch has examples for, by name."""
    length = max(len(one.ids) for one in batch)
    mask = _padded([[1] * len(one.ids) for one in batch], length, 0)
    facts = [(row, fact) for row, one in enumerate(batch) for fact in one.facts]
    found: dict[str, torch.Tensor] = {}
    # bfloat16 halves the time of a step on processors that have it, and costs nothing where they have not.
    with torch.autocast("cpu", dtype=torch.bfloat16):
        hidden = network.read(_padded([one.ids for one in batch], length, 0), mask)
        anchor, tag, entity = network.sentence(hidden, mask)
        if facts:
            rows = torch.tensor([row for row, _ in facts])
            marks = _padded([fact.marks for _, fact in facts], length, 0)
            part, insertion = network.fact(hidden[rows], mask[rows], marks)
    if facts:
        rows = torch.tensor([row for row, one in enumerate(batch) if one.anchors is not None])
        wanted = _padded(
            [one.anchors for one in batch if one.anchors is not None], length, (_NONE, _NONE)
        ).float()
        known = wanted >= 0
        found["anchor"] = binary_cross_entropy_with_logits(anchor[rows].float()[known], wanted[known])
        found["part"] = _cross_entropy(part, _padded([fact.parts for _, fact in facts], length, _NONE))
        at = insertion[torch.arange(len(facts)), torch.tensor([fact.at for _, fact in facts])]
        found["insertion"] = cross_entropy(at.float(), torch.tensor([fact.insertion for _, fact in facts]))
    if any(one.kinds is not None for one in batch):
        rows = torch.tensor([row for row, one in enumerate(batch) if one.kinds is not None])
        kinds = _padded([one.kinds for one in batch if one.kinds is not None], length, (_NONE, _NONE))
        found["tag"] = _cross_entropy(tag[rows], kinds[..., 0])
        found["entity"] = _cross_entropy(entity[rows], kinds[..., 1])
    return found


def _cross_entropy(logits: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    return cross_entropy(logits.float().flatten(0, 1), wanted.flatten(), ignore_index=_NONE)


def _padded(rows: Sequence[Sequence[Any]], length: int, empty: Any) -> torch.Tensor:
    return torch.tensor([[*row, *[empty] * (length - len(row))] for row in rows])
