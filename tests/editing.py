"""What tests of editing share: a chain that judges by plain words, editors and models that go by a list."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from langchain_core.runnables import RunnableConfig

from factscore_chain.chain import FactScoreChain
from factscore_chain.decompose.sentences import split_sentences
from factscore_chain.edit.base import Action, EditRequest, FactAction, LocalEditor, SentenceEdit
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.values import AtomicFact, Claim, Decision, Decomposition, Generation, Span, Verdict
from tests.scripted import Reply, ScriptedChatModel
from tests.stages import SentenceDecomposer, WordVerifier

TOPIC = "Ada Lovelace"
TRUE = "Ada Lovelace was born in London."
WRONG = "Ada Lovelace was born in Paris."
NOTES = "She wrote notes on the Analytical Engine."


def word_chain(source: KnowledgeSource) -> FactScoreChain:
    """A chain that takes each sentence as a fact, supported if one passage has all its words."""
    return FactScoreChain(source, decomposer=SentenceDecomposer(), verifier=WordVerifier(), gamma=None)


def editing_model(edits: Mapping[str, Reply]) -> ScriptedChatModel:
    """A model that answers with what the list has for the sentence asked about, else with the sentence."""

    def reply(question: str) -> Reply:
        sentence = sentence_in(question)
        return edits.get(sentence, sentence)

    return ScriptedChatModel(script=reply)


def sentence_in(question: str) -> str:
    """The sentence that an editing prompt asks about."""
    found = re.search(r"<sentence(?:-\d+)?>\n(.*?)\n</sentence", question, re.DOTALL)
    return found[1] if found else ""


class HalfDecomposer(SentenceDecomposer):
    """Takes each half of a sentence, parted by a semicolon, as one fact."""

    async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
        sentences = split_sentences(value.text)
        facts = [
            AtomicFact(half[0], Span(one.span.start + half.start(), one.span.start + half.end()), one.index)
            for one in sentences
            for half in re.finditer(r"[^;.\s][^;.]*", one.text)
        ]
        return Decomposition(sentences, tuple(facts))


class DoubtfulVerifier(WordVerifier):
    """Is undecided where the other says "not supported"."""

    def _compute(self, values: Sequence[Claim]) -> list[Decision]:
        return [
            one
            if one.verdict is Verdict.SUPPORTED
            else replace(one, verdict=Verdict.UNDECIDED, cause="doubt")
            for one in super()._compute(values)
        ]


class ListEditor(LocalEditor):
    """Proposes what its list has for a sentence; a sentence that is not on it is left."""

    edits: Mapping[str, str]

    @property
    def editor_name(self) -> str:
        return "list"

    @property
    def identity(self) -> dict[str, str]:
        return {"kind": "list"}

    def _compute(self, values: Sequence[EditRequest]) -> list[SentenceEdit]:
        if any("CRACK" in value.sentence.text for value in values):
            raise ValueError("broken")
        texts = [self.edits.get(value.sentence.text) for value in values]
        return [
            SentenceEdit(text, tuple(FactAction(fact, _action(text), "by the list") for fact in value.mend))
            for value, text in zip(values, texts, strict=True)
        ]


def _action(text: str | None) -> Action:
    return "left" if text is None else "corrected" if text else "removed"
