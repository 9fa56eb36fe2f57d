"""What spaCy knows and the tagger is to learn: where a predicate begins, kinds of words, kinds of names.

spaCy is needed for training only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from factscore_chain.decompose.tagger import ENTITIES, TAGS
from factscore_chain.decompose.words import split_words

_KIND = {
    **dict.fromkeys(("VBD", "VBZ", "VBP", "MD"), "finite"),
    "VBN": "participle",
    "VBG": "gerund",
    "VB": "infinitive",
    "NN": "noun",
    "NNS": "plural",
    **dict.fromkeys(("NNP", "NNPS"), "name"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "adjective"),
    "CD": "number",
    "PRP": "pronoun",
    "PRP$": "pronoun",
    "IN": "preposition",
    "TO": "preposition",
    "RB": "adverb",
    "DT": "determiner",
    "CC": "conjunction",
}
_ENTITY = {
    "PERSON": "person",
    "GPE": "place",
    "LOC": "place",
    "FAC": "place",
    "ORG": "organisation",
    "NORP": "group",
    "WORK_OF_ART": "work",
    "EVENT": "work",
    "PRODUCT": "work",
    "DATE": "date",
}
_AUXILIARY = ("aux", "auxpass", "neg")


class WordKinds(NamedTuple):
    """A sentence in words, with the index in `TAGS` and in `ENTITIES` of each."""

    words: tuple[str, ...]
    tags: tuple[int, ...]
    entities: tuple[int, ...]


def predicates(facts: Sequence[str], model: Any) -> list[int | None]:
    """The character position in each fact where its predicate begins; None where there is no verb."""
    return [_predicate_at(doc) for doc in model.pipe(facts, batch_size=512)]


def word_kinds(sentences: Iterable[str], model: Any) -> Iterator[WordKinds]:
    """The kinds of the words of each sentence."""
    texts = list(sentences)
    for text, doc in zip(texts, model.pipe(texts, batch_size=256), strict=True):
        token_at = {position: token for token in doc for position in range(token.idx, token.idx + len(token))}
        words = split_words(text)
        tokens = [token_at.get(word.start) for word in words]
        yield WordKinds(
            tuple(word.text for word in words),
            tuple(TAGS.index(_KIND.get(token.tag_, "other") if token else "other") for token in tokens),
            tuple(ENTITIES.index(_ENTITY.get(token.ent_type_, "") if token else "") for token in tokens),
        )


def _predicate_at(doc: Any) -> int | None:
    root = next((token for token in doc if token.dep_ == "ROOT"), None)
    if root is None:
        return None
    if root.pos_ not in ("VERB", "AUX"):
        verbs = [token for token in doc if token.pos_ in ("AUX", "VERB")]
        return int(verbs[0].idx) if verbs else None
    group = [child.i for child in root.children if child.dep_ in _AUXILIARY and child.i < root.i]
    first = min([*group, root.i])
    while first > 0 and doc[first - 1].dep_ == "advmod":
        first -= 1
    return int(doc[first].idx)
