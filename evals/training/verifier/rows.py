"""Every labelled claim as the shipped verifier reads it: what the head is fitted on and reported by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

from factscore_chain.evals.training.verifier import sources
from factscore_chain.evals.training.verifier.config import HeadConfig
from factscore_chain.evals.training.verifier.edits import Editor
from factscore_chain.evals.training.verifier.pairs import fold_of
from factscore_chain.evals.training.verifier.sources import SUPPORTED, Fact, Row
from factscore_chain.retrievers.ensemble import KnowledgeRetriever, to_passages
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import AtomicFact, Claim, Passage
from factscore_chain.verify.cross_encoder import CrossEncoder, Pair
from factscore_chain.verify.support import CROSS_FEATURES, Support, cross_features

_BATCH = 256
_EDITS_KEPT = 0.5
_FACTCHECK_KEPT = 0.4
_PASSAGE_WORDS = 180


@dataclass(frozen=True)
class Asked:
    """A claim with its label and where it belongs."""

    claim: Claim
    supported: bool
    source: str
    group: str
    """The topic or page: folds never divide one."""
    held_out: bool
    kind: str = ""
    """The system that wrote it, or the kind of edit that made it false."""


@dataclass(frozen=True)
class Table:
    """Features and labels, one row a claim."""

    features: npt.NDArray[np.float32]
    """In the order of `FEATURES`, or of `COLUMNS` once the cross-encoder has read the pairs."""
    evidence: npt.NDArray[np.str_]
    """The sentences that the cross-encoder reads."""
    claim: npt.NDArray[np.str_]
    supported: npt.NDArray[np.bool_]
    source: npt.NDArray[np.str_]
    group: npt.NDArray[np.str_]
    held_out: npt.NDArray[np.bool_]
    kind: npt.NDArray[np.str_]
    limits: npt.NDArray[np.float64]
    """Between what the probability must lie, shape (claims, 2)."""
    free: npt.NDArray[np.bool_]
    """Whether it is not known whom the claim is about (see `TreeHead.probability`)."""

    def where(self, chosen: npt.NDArray[np.bool_]) -> Table:
        """Some of the rows."""
        return Table(**{name: values[chosen] for name, values in vars(self).items()})

    def save(self, path: Path) -> None:
        """Writes the table as npz."""
        np.savez_compressed(path, **vars(self))


def read_table(path: Path) -> Table:
    """Reads a table that `Table.save` wrote."""
    with np.load(path) as data:
        return Table(**{name: data[name] for name in data.files})


def make_table(asked: Sequence[Asked], support: Support) -> Table:
    """Aligns claims with their passages; claims that hold no word are left out."""
    drafts, kept = [], []
    for first in range(0, len(asked), _BATCH):
        batch = asked[first : first + _BATCH]
        for one, draft in zip(batch, support.align([each.claim for each in batch]), strict=True):
            if draft is not None:
                drafts.append(draft)
                kept.append(one)
    return Table(
        np.stack([draft.features for draft in drafts]),
        np.array([draft.pair.evidence for draft in drafts]),
        np.array([draft.pair.fact for draft in drafts]),
        np.array([one.supported for one in kept]),
        np.array([one.source for one in kept]),
        np.array([one.group for one in kept]),
        np.array([one.held_out for one in kept]),
        np.array([one.kind for one in kept]),
        np.array([draft.limits for draft in drafts]),
        np.array([draft.subject is None for draft in drafts]),
    )


def within_limits(table: Table, probability: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Probabilities of the head, kept between the limits that the verifier keeps them in."""
    return np.asarray(np.clip(probability, *table.limits.T), np.float64)


def with_cross_features(table: Table, branches: Sequence[CrossEncoder], mean: CrossEncoder) -> Table:
    """The table with a cross-encoder's features beside those of alignment.

    A row that may be fitted on is read by the branch that left out its fold, one that is reported on by the
    mean that ships: neither saw it.
    """
    pairs = [Pair(str(text), str(claim)) for text, claim in zip(table.evidence, table.claim, strict=True)]
    reader = np.array([fold_of(str(group)) for group in table.group])
    reader[table.held_out] = len(branches)
    cross = np.zeros((len(pairs), len(CROSS_FEATURES)), np.float32)
    for number, model in enumerate((*branches, mean)):
        chosen = np.flatnonzero(reader == number)
        logits = model.logits([pairs[i] for i in chosen])
        cross[chosen] = np.array([cross_features(row) for row in logits]).reshape(len(chosen), -1)
    return replace(table, features=np.hstack([table.features, cross]))


def ask_everything(data: Path, work: Path, config: HeadConfig) -> list[Asked]:
    """Human facts and their edits with retrieved passages, and the pairs of the other sets."""
    facts = sources.read_facts(data)
    edits = list(edited_facts(data, facts, config.seed))
    knowledge = KnowledgeSource.build(data / "factscore/pages.jsonl", work / "pages.db")
    retriever = KnowledgeRetriever(source=knowledge, k=config.passages, mode=config.retrieval)
    human = [
        Asked(Claim(AtomicFact(f.text), (), f.topic), f.label == "S", "fs", f.topic, f.held_out, f.system)
        for f in facts
    ]
    return [*_with_passages([*human, *edits], retriever), *_pairs(data, config.seed)]


def edited_facts(data: Path, facts: Sequence[Fact], seed: int) -> Iterator[Asked]:
    """Each supported human fact with one minimal edit that makes it false."""
    fever = sources.read_fever(data)
    names = [row.claim for row in fever] + [row.evidence[0] for row in fever[:4000]]
    editor = Editor([*names, *(fact.text for fact in facts if not fact.held_out)])
    rng = Random(seed + 7)
    seen: set[tuple[str, str]] = set()
    for fact in facts:
        if fact.label != "S" or (fact.topic, fact.text) in seen:
            continue
        seen.add((fact.topic, fact.text))
        edit = editor.edit(fact.text, rng, fact.topic)
        if edit and (fact.held_out or rng.random() < _EDITS_KEPT):
            claim = Claim(AtomicFact(edit.text), (), fact.topic)
            yield Asked(claim, False, "fs-edit", fact.topic, fact.held_out, edit.kind)


def _with_passages(asked: Iterable[Asked], retriever: KnowledgeRetriever) -> Iterator[Asked]:
    for topic, group in groupby(sorted(asked, key=lambda one: one.group), key=lambda one: one.group):
        facts = list(group)
        found = retriever.rank_many([one.claim.fact.text for one in facts], topic)
        for one, documents in zip(facts, found, strict=True):
            passages = tuple(to_passages(documents))
            yield Asked(
                Claim(one.claim.fact, passages, topic),
                one.supported,
                one.source,
                topic,
                one.held_out,
                one.kind,
            )


def _pairs(data: Path, seed: int) -> Iterator[Asked]:
    rng = Random(seed)
    factcheck = sources.read_factcheck(data)
    for name, rows in (
        ("fever", [row for row in sources.read_fever(data) if row.for_head]),
        ("fever-symmetric", sources.read_symmetric(data)),
        ("wikibio", sources.read_wikibio(data)),
        ("factcheck", [row for row in factcheck if row.held_out or rng.random() < _FACTCHECK_KEPT]),
        ("wice", sources.read_wice(data)),
    ):
        yield from (_pair(row, row.evidence, name) for row in rows)
    for row in sources.read_fool_me_twice(data):
        yield _pair(row, row.gold, "fm2")
        if row.held_out:
            yield _pair(row, row.evidence, "fm2-retrieved")


def _pair(row: Row, texts: Sequence[str], source: str) -> Asked:
    """A claim with texts of which nobody says where they stand."""
    passages = tuple(Passage(str(i), text) for i, text in enumerate(_packed(texts)))
    claim = Claim(AtomicFact(row.claim), passages, None)
    return Asked(claim, row.label == SUPPORTED, source, row.title or row.claim, row.held_out)


def _packed(texts: Sequence[str]) -> list[str]:
    """Sentences joined into passages of at most about 180 words."""
    packed: list[str] = []
    for text in dict.fromkeys(texts):
        if packed and len(packed[-1].split()) + len(text.split()) <= _PASSAGE_WORDS:
            packed[-1] += " " + text
        else:
            packed.append(text)
    return packed
