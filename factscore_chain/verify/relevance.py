"""Whether a fact is about the topic at all: "Nagpur is in Maharashtra" says nothing of a lawyer.

The paper's annotators call such facts irrelevant (section 3.3). Here a fact is, when its subject is a name
that is neither the topic nor linked to it: no passage has it. Facts that name the topic, or stand for it by
a pronoun, are about it, and where the subject is no name ("The album was praised") nothing is decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from langchain_core.runnables import RunnableConfig

from factscore_chain.stage import BatchStage
from factscore_chain.values import Claim, Decision, Passage, Verdict
from factscore_chain.verify.base import Verifier, settled
from factscore_chain.verify.lexicon import STOPWORDS, stem
from factscore_chain.verify.subject import plain

_WORD = re.compile(r"\w+(?:['’.-]\w+)*")
_PRONOUNS = frozenset(
    ["he", "she", "it", "they", "him", "his", "her", "hers", "its", "them", "their", "theirs"]
)
_LINKING = frozenset(["is", "was", "are", "were"])
_INSIDE_NAMES = frozenset(["of", "the", "and", "de", "la", "le", "du", "da", "di", "von", "van", "for", "in"])
_ARTICLES = frozenset({"the", "a", "an"})
_SHORTEST_OF_TOPIC = 3


class RelevanceVerifier(Verifier, BatchStage[Claim, Decision]):
    """Reports as irrelevant what another verifier does not find supported and is not about the topic.

    No score moves: an irrelevant fact counts as not supported. What the verifier could not decide stays so.

    Raises:
        FatalModelError: A model cannot be used at all.
    """

    verifier: Verifier

    @property
    def verifier_name(self) -> str:
        """The name of the verifier that decides."""
        return self.verifier.verifier_name

    @property
    def identity(self) -> dict[str, str]:
        """What decides, and that irrelevant facts are told apart."""
        return {**self.verifier.identity, "irrelevant": "by the fact's subject"}

    @property
    def reads_passages(self) -> bool:
        """Whether the verifier that decides judges by passages."""
        return self.verifier.reads_passages

    @property
    def plain(self) -> Verifier:
        """The same without looking for other passages."""
        return self.model_copy(update={"verifier": self.verifier.plain})

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Does ahead what the verifier that decides can do."""
        self.verifier.prepare(passages)

    async def _process_many(
        self, values: Sequence[Claim], configs: Sequence[RunnableConfig]
    ) -> list[Decision]:
        replies = await self.verifier.abatch(list(values), list(configs), return_exceptions=True)
        decisions = (
            settled(claim, reply, self.verifier_name) for claim, reply in zip(values, replies, strict=True)
        )
        return [_told_apart(claim, decision) for claim, decision in zip(values, decisions, strict=True)]


def _told_apart(claim: Claim, decision: Decision) -> Decision:
    if decision.verdict is not Verdict.NOT_SUPPORTED or not is_irrelevant(claim):
        return decision
    note = "Its subject is neither the topic nor in a passage."
    return replace(decision, verdict=Verdict.IRRELEVANT, reason=None, note=note)


def is_irrelevant(claim: Claim) -> bool:
    """Whether the fact's subject is a name that is neither the topic nor in a passage.

    Always false without a topic or without passages: then there is nothing to be linked to.
    """
    if claim.topic is None or not claim.passages:
        return False
    words = _WORD.findall(claim.fact.text)
    if any(word.lower() in _PRONOUNS for word in words) or _names_topic(words, plain(claim.topic)):
        return False
    subject = _subject(words)
    if not subject:
        return False
    told = {stem(word) for one in claim.passages for word in _parts(f"{one.title or ''} {one.text}")}
    return told.isdisjoint(subject) if len(subject) == 1 else not subject <= told


def _names_topic(words: Sequence[str], topic: str) -> bool:
    own = [part for part in _parts(topic) if part.lower() not in STOPWORDS]
    long = {stem(part) for part in own if len(part) >= _SHORTEST_OF_TOPIC} or set(map(stem, own))
    return not long.isdisjoint(stem(part) for word in words for part in _parts(word))


def _subject(words: Sequence[str]) -> set[str]:
    """Stems of the name that the fact begins with; none if it begins with no name.

    One word with a capital may be any word that begins a sentence, unless "is" or the like follows it.
    """
    start = 1 if words and words[0].lower() in _ARTICLES else 0
    name = list(_run(words[start:]))
    after = words[start + len(name)] if start + len(name) < len(words) else ""
    content = [word for word in name if word.lower() not in STOPWORDS]
    single = len(content) == 1
    if not content or (single and start == 0 and after.lower() not in _LINKING):
        return set()
    return {stem(part) for word in content for part in _parts(word)}


def _run(words: Sequence[str]) -> Iterator[str]:
    """Words of the name at the beginning."""
    for number, word in enumerate(words):
        following = words[number + 1] if number + 1 < len(words) else ""
        joins = word.lower() in _INSIDE_NAMES and _is_capital(following) and number > 0
        if not (_is_capital(word) or joins):
            return
        yield word


def _is_capital(word: str) -> bool:
    return word[:1].isupper() or word[:1].isdigit()


def _parts(text: str) -> list[str]:
    return re.findall(r"\w+", text)
