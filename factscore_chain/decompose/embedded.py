"""The embedded decomposer: sentences into atomic facts that stand alone, with no model server.

The trained tagger says which words make up each fact, `realise` puts them into words, `layout` turns lists
and tables into statements first, `coreference` names whom pronouns stand for. A sentence that the tagger
finds no fact in, and other languages, are kept sentence by sentence: less fine, never lost.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_core.runnables import RunnableConfig

from factscore_chain.decompose.base import Decomposer, touched
from factscore_chain.decompose.citations import is_labelled, is_pointer, without_citations
from factscore_chain.decompose.coreference import Referents, count_families, find_mentions
from factscore_chain.decompose.distinct import distinct
from factscore_chain.decompose.frames import claimed
from factscore_chain.decompose.language import guess_language
from factscore_chain.decompose.layout import (
    Stated,
    context_subject,
    is_claim,
    is_statement,
    item_statement,
    lists_sources,
    names_its_parts,
    row_statements,
    unmarked,
)
from factscore_chain.decompose.markup import without_tags
from factscore_chain.decompose.realise import Realiser, Statement
from factscore_chain.decompose.roles import RoleNames
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.decompose.tagger import FactTagger, Tagged, load_tagger
from factscore_chain.decompose.undivided import undivided
from factscore_chain.decompose.unread import says_something
from factscore_chain.decompose.wholes import clauses, wholes
from factscore_chain.decompose.words import Word, is_content, split_words
from factscore_chain.stage import LocalStage
from factscore_chain.values import AtomicFact, Decomposition, Generation, Sentence, Span

MODEL_VERSION = "1"
ANCHOR_THRESHOLD = 0.4
RESCUE_THRESHOLD = 0.2
_FRAGMENT_WORDS = 12
"""A prose sentence of at most so many words may be a fragment that needs a subject."""
_TOPIC_QUALIFIER = re.compile(r"\s*\([^()]*\)\s*$")


@dataclass(frozen=True)
class _Piece:
    """A statement to take apart, and the sentence that it comes from."""

    sentence: Sentence
    stated: Stated
    at: int | None
    """Where in the sentence it stands word by word, so that places in it are places in the text."""
    divisible: bool = True
    """Whether there may be more than one fact in it."""

    def place(self, statement: Statement) -> Span:
        """Where the generation states a fact found in this piece."""
        if self.at is None:
            return self.sentence.span
        start = self.sentence.span.start + self.at
        return Span(start + statement.start, start + statement.end)

    @property
    def is_stated(self) -> bool:
        """Whether it may claim something, or counts although nothing can be read from it."""
        return is_claim(self.stated.text) or (not self.divisible and not self.stated.checkable)


class EmbeddedDecomposer(Decomposer, LocalStage[Generation, Decomposition]):
    """Breaks generations into atomic facts with the shipped tagger."""

    @property
    def identity(self) -> dict[str, str]:
        """The kind of decomposer, its model's version and its thresholds."""
        return {
            "kind": "embedded",
            "model": f"factscore-chain decomposer {MODEL_VERSION}",
            "thresholds": f"{ANCHOR_THRESHOLD}, {RESCUE_THRESHOLD}",
        }

    def _compute(self, values: Sequence[Generation]) -> list[Decomposition]:
        return [decompose(one, load_tagger()) for one in values]

    async def decompose_part(
        self, generation: Generation, spans: Sequence[Span], config: RunnableConfig
    ) -> Decomposition:
        """Breaks only some sentences into facts; of the others only the names are read."""
        return await asyncio.to_thread(decompose, generation, load_tagger(), spans)


def decompose(
    generation: Generation, tagger: FactTagger, wanted: Sequence[Span] | None = None
) -> Decomposition:
    """Breaks one generation into facts; any string is accepted.

    Args:
        generation: The text.
        tagger: Reads its sentences.
        wanted: Where the sentences stand whose facts are asked for; None for all. Facts of others are left
            out, also where they say the same as one that is asked for.
    """
    sentences = split_sentences(generation.text)
    topic = _TOPIC_QUALIFIER.sub("", generation.topic or "").strip() or None
    language = guess_language(without_tags(generation.text))
    read = tagger if language == "en" else None
    pieces = [piece for one in sentences for piece in _pieces(one, topic, read)]
    pieces = [piece for piece in pieces if piece.is_stated]
    words = [split_words(piece.stated.text) for piece in pieces]
    tagged = _tagged(words, read)
    person = _is_person(generation.text, topic, words, tagged)
    referents = Referents(topic, count_families(generation.text), person)
    asked = None if wanted is None else touched(sentences, wanted)
    facts = [
        fact
        for piece, own, tags in zip(pieces, words, tagged, strict=True)
        for fact in _facts(
            piece, own, tags, language, referents, asked is None or piece.sentence.index in asked
        )
    ]
    return Decomposition(sentences, distinct(map(RoleNames(topic, sentences).with_name, facts)))


def _tagged(sentences: Sequence[Sequence[Word]], tagger: FactTagger | None) -> list[Tagged | None]:
    if tagger is None:
        return [None for _ in sentences]
    texts = [[word.text for word in words] for words in sentences]
    return [*tagger.tag_many(texts, ANCHOR_THRESHOLD, RESCUE_THRESHOLD)]


def _kinds(sentence: Sentence, text: str, tagger: FactTagger | None) -> tuple[str, ...]:
    """Kinds of the words of a list item or possible fragment; none for other sentences."""
    may_be_fragment = sentence.kind == "list_item" or len(text.split()) <= _FRAGMENT_WORDS
    return tagger.kinds([word.text for word in split_words(text)]) if tagger and may_be_fragment else ()


def _pieces(sentence: Sentence, topic: str | None, tagger: FactTagger | None) -> Iterator[_Piece]:
    if sentence.kind == "code":
        return
    subject = context_subject(topic, sentence.headings)
    if sentence.kind == "table_row":
        for stated in row_statements(sentence, subject):
            yield _Piece(sentence, stated, None, divisible=not stated.simple)
        return
    bare = without_tags(sentence.text)
    if _only_points(sentence, bare, tagger):
        return
    plain = unmarked(bare)
    inner = claimed(plain)  # citations stand in frames too: "[2] says that ..."
    text = without_citations(inner)
    if sentence.kind == "heading" and not is_statement(text, _kinds(sentence, text, tagger)):
        return
    if not text:
        yield from _unread(sentence, without_citations(plain), tagger)
        return
    kinds = _kinds(sentence, text, tagger)
    whole = names_its_parts(text, kinds)
    made = item_statement(text, kinds, subject, sentence.headings) if kinds and not whole else None
    verbless = bool(kinds) and "finite" not in kinds and sentence.kind == "prose"
    if verbless and (text.endswith("!") or (made is None and subject is None)):
        yield from _unread(sentence, text, tagger)
        return
    if made is not None:
        yield _Piece(sentence, made, None, divisible=not made.simple)
        return
    if text.split() == bare.split():
        yield _Piece(sentence, Stated(bare), 0, divisible=not whole)
        return
    at = bare.find(text)
    framed = inner != plain
    divisible = not whole and (at >= 0 or framed or not Stated(text).simple)
    yield _Piece(sentence, Stated(text), at if at >= 0 else None, divisible)


def _only_points(sentence: Sentence, text: str, tagger: FactTagger | None) -> bool:
    """Whether a sentence names sources and states nothing."""
    if is_pointer(text):
        return True
    if not (lists_sources(sentence.headings) or is_labelled(text)):
        return False
    # The first word may be a label, or tell the reader to see or to visit something.
    return tagger is not None and "finite" not in tagger.kinds([word.text for word in split_words(text)])[1:]


def _unread(sentence: Sentence, text: str, tagger: FactTagger | None) -> Iterator[_Piece]:
    """A sentence that tells something and gives no fact, as one that cannot be checked."""
    if not lists_sources(sentence.headings) and says_something(text, _kinds(sentence, text, tagger)):
        yield _Piece(sentence, Stated(text, checkable=False), None, divisible=False)


def _facts(
    piece: _Piece,
    words: Sequence[Word],
    tagged: Tagged | None,
    language: str,
    referents: Referents,
    wanted: bool,
) -> Iterator[AtomicFact]:
    if not wanted:
        if tagged is not None:
            referents.add(find_mentions(piece.stated.text, words, tagged.entities))
        return
    statements: list[Statement] = []
    realiser = Realiser(piece.stated.text, words, tagged, referents) if tagged is not None else None
    if realiser and tagged and piece.divisible:
        whole = wholes(piece.stated.text, words, tagged)
        statements = realiser.statements(whole)
        for clause in [*whole, *_lost(words, tagged, realiser.lost, statements)]:
            statements += _as_it_stands(piece.stated.text, words, clause, referents)
    if not statements or (tagged is not None and tagged.read < len(words)):
        statements += undivided(piece.stated.text, language, referents)
    for statement in statements:
        yield AtomicFact(
            " ".join(statement.text.split()),
            piece.place(statement),
            piece.sentence.index,
            checkable=statement.checkable and piece.stated.checkable,
        )
    if realiser:
        referents.add(realiser.mentions)


def _lost(
    words: Sequence[Word], tagged: Tagged, lost: set[int], statements: Sequence[Statement]
) -> list[range]:
    """The clauses with a word in them that no statement has and one should have had."""
    stated = {word.lower for one in statements for word in split_words(one.text)}
    left = {i for i in lost if is_content(words[i].text) and words[i].lower not in stated}
    return [one for one in clauses(words, tagged) if left & set(one)]


def _as_it_stands(
    text: str, words: Sequence[Word], clause: range, referents: Referents
) -> Iterator[Statement]:
    """A clause that is not taken apart."""
    start, end = words[clause[0]].start, words[clause[-1]].end
    for one in undivided(text[start:end], "en", referents):
        yield one._replace(start=start + one.start, end=start + one.end)


def _is_person(
    text: str, topic: str | None, sentences: Sequence[Sequence[Word]], tagged: Sequence[Tagged | None]
) -> bool:
    """Whether the topic is somebody: by the pronouns of the text, or what its name is tagged as."""
    families = count_families(text)
    people, things = families["he"] + families["she"], families["it"]
    if bool(people) != bool(things):
        return bool(people)
    name = [word.text for word in split_words(topic or "")]
    votes: Counter[str] = Counter()
    for own, tags in zip(sentences, tagged, strict=True):
        words = [word.text for word in own]
        for start in range(len(words) - len(name) + 1 if name and tags else 0):
            if tags and words[start : start + len(name)] == name:
                votes[tags.entities[start + len(name) - 1]] += 1
    return votes["person"] * 2 > votes.total() or (not votes and people > things)
