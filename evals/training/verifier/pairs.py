"""The pairs that the cross-encoder learns from: people's labels, and minimal edits of what they support."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from factscore_chain.errors import UsageError
from factscore_chain.evals.split import is_held_out, topic_hash
from factscore_chain.evals.training.verifier import sources
from factscore_chain.evals.training.verifier.config import Edits, PairsConfig
from factscore_chain.evals.training.verifier.edits import (
    EXCHANGED,
    HARD,
    Edit,
    Editor,
    exchange,
    misplace,
    negate,
    replace_everywhere,
)
from factscore_chain.evals.training.verifier.sources import CONTRADICTED, NO_EVIDENCE, SUPPORTED, Row
from factscore_chain.evals.training.verifier.texts import covering, sentences_of, under_title, windows

_DENIABLE = frozenset({"number", "month", "nationality", "place"})
"""Edits of what has one true value: that it is not another one is true."""


class TrainingPair(NamedTuple):
    """A claim, the sentences it is read against, its label, and where it comes from."""

    claim: str
    evidence: str
    label: int
    source: str
    title: str = ""


FOLDS = 2
"""Halves of the topics, pages and claims that the head is fitted on (see `fold_of`)."""


def fold_of(key: str) -> int:
    """The half to which a topic, page or claim belongs, by its hash.

    The head is fitted on what a cross-encoder says that never saw the topic; one that did would be trusted
    too much.
    """
    return int(topic_hash(key)[:8], 16) % FOLDS


def trained_on(pair: TrainingPair, left_out: int) -> bool:
    """Whether the branch that leaves out a fold may learn from a pair."""
    return fold_of(pair.title or pair.claim) != left_out


def refuse_reported_topics(pairs: Sequence[TrainingPair]) -> None:
    """Makes sure that no pair comes from a topic that is reported on.

    Raises:
        UsageError: One does.
    """
    leaked = sorted(
        {pair.title for pair in pairs if pair.source.startswith("fs") and is_held_out(pair.title)}
    )
    if leaked:
        raise UsageError(
            f"{len(leaked)} reported topics stand among the training pairs, such as {leaked[0]!r}."
        )


def build_pairs(
    data: Path, facts: Sequence[TrainingPair], leads: Sequence[TrainingPair], config: PairsConfig
) -> list[TrainingPair]:
    """All pairs, shuffled.

    Args:
        data: The folder of labelled sets.
        facts: Human facts of training topics with the sentences that align with them, source "fs".
        leads: Statements of encyclopedia leads, source "lead".
        config: Sizes and rates.
    """
    rng = Random(config.seed)
    fever = sources.read_fever(data)
    editor = Editor(
        [pair.claim for pair in (*facts, *leads)]
        + [row.claim for row in fever]
        + [row.evidence[0] for row in fever[: config.fever_evidence_names]],
        HARD,
    )
    natural = [
        *facts,
        *_fever(fever),
        *_fool_me_twice(data, rng),
        *_wice(data),
        *_factcheck(data, rng, config.irrelevant_kept),
    ]
    pairs = [*natural, *_bump(data), *(pair for pair in leads if rng.random() < config.leads.unedited)]
    for source, edits in config.edits.items():
        of_source = leads if source == "lead" else [pair for pair in natural if pair.source == source]
        pairs += edited(of_source, editor, rng, edits)
    for source, count in config.mismatched.items():
        of_source = leads if source == "lead" else [pair for pair in natural if pair.source == source]
        pairs += _mismatched(of_source, rng, count)
    rng.shuffle(pairs)
    return pairs


def edited(pairs: Iterable[TrainingPair], editor: Editor, rng: Random, rates: Edits) -> list[TrainingPair]:
    """Edits of the supported pairs among these, and the same replacement made in the evidence.

    With claim c and evidence e supported, and c', e' after the replacement: (c', e) and (c, e') are
    contradicted, (c', e') is supported. So neither text gives the label away alone. The denial of c' is
    supported by e: a "not" does not give it away either.
    """
    found = []
    for pair, edit in _edits(pairs, editor, rng, rates):
        found.append(pair._replace(claim=edit.text, label=CONTRADICTED, source=f"{pair.source}-edit"))
        symmetric = pair._replace(source=f"{pair.source}-symmetric")
        if edit.kind in _DENIABLE and rng.random() < rates.denied and (denied := negate(edit.text, rng)):
            found.append(symmetric._replace(claim=denied.text))
        evidence = _edited_alike(pair.evidence, edit)
        if evidence is not None and rng.random() < rates.symmetric:
            found.append(symmetric._replace(claim=edit.text, evidence=evidence))
            found.append(symmetric._replace(evidence=evidence, label=CONTRADICTED))
    return found


def _edits(
    pairs: Iterable[TrainingPair], editor: Editor, rng: Random, rates: Edits
) -> Iterator[tuple[TrainingPair, Edit]]:
    for pair in pairs:
        if pair.label != SUPPORTED:
            continue
        if rng.random() < rates.rate and (edit := editor.edit(pair.claim, rng, pair.title)):
            yield pair, edit
        if rng.random() < rates.misplaced:
            edit = misplace(pair.claim, pair.evidence, rng, pair.title)
            if edit:
                yield pair, edit


def _edited_alike(evidence: str, edit: Edit) -> str | None:
    if edit.old is None or edit.new is None:
        return None
    change = exchange if edit.kind in EXCHANGED else replace_everywhere
    return change(evidence, edit.old, edit.new)


def _fever(rows: Sequence[Row]) -> list[TrainingPair]:
    return [
        TrainingPair(
            row.claim, covering(row.claim, windows(sentences_of(row.evidence[0])), 2), row.label, "fever"
        )
        for row in rows
        if not row.for_head
    ]


def _fool_me_twice(data: Path, rng: Random) -> list[TrainingPair]:
    """Each claim with its gold sentences, alone twice and once with another sentence of the page."""
    pairs = []
    for row in sources.read_fool_me_twice(data):
        if row.held_out:
            continue
        others = [sentence for sentence in row.evidence if sentence not in row.gold]
        for extra in (0, 1, 0):
            rng.shuffle(others)
            chosen = [*row.gold, *others[:extra]]
            rng.shuffle(chosen)
            evidence = under_title(row.title, " ".join(windows(chosen)))
            pairs.append(TrainingPair(row.claim, evidence, row.label, "fm2", row.title))
    return pairs


def _wice(data: Path) -> list[TrainingPair]:
    pairs = []
    for row in sources.read_wice(data):
        if row.held_out:
            continue
        sentences = windows(row.evidence)
        texts = [covering(row.claim, sentences, most) for most in (2, 4)] + list(row.gold[:2])
        pairs += [
            TrainingPair(row.claim, under_title(row.title, text), row.label, "wice", row.title)
            for text in texts
        ]
    return pairs


def _factcheck(data: Path, rng: Random, irrelevant_kept: float) -> list[TrainingPair]:
    return [
        TrainingPair(
            row.claim, covering(row.claim, windows(sentences_of(row.evidence[0])), 3), row.label, "factcheck"
        )
        for row in sources.read_factcheck(data)
        if not row.held_out and (row.label != NO_EVIDENCE or rng.random() < irrelevant_kept)
    ]


def _bump(data: Path) -> list[TrainingPair]:
    pairs = []
    for summary in sources.read_bump(data):
        if summary.held_out:
            continue
        article = windows(sentences_of(summary.article))
        both = zip(sentences_of(summary.faithful), sentences_of(summary.edited), strict=False)
        for faithful, edited_sentence in both:
            pairs.append(TrainingPair(faithful, covering(faithful, article, 2), SUPPORTED, "bump"))
            if faithful != edited_sentence:
                evidence = covering(edited_sentence, article, 2)
                pairs.append(TrainingPair(edited_sentence, evidence, CONTRADICTED, "bump"))
    return pairs


def _mismatched(pairs: Sequence[TrainingPair], rng: Random, count: int) -> list[TrainingPair]:
    """Claims with the evidence of another: no evidence."""
    chosen = rng.sample(list(pairs), min(count, len(pairs)))
    return [
        pair._replace(
            evidence=rng.choice(pairs).evidence, label=NO_EVIDENCE, source=f"{pair.source}-mismatched"
        )
        for pair in chosen
    ]
