"""A tool with which an agent looks up whether what it is about to say is true."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import BaseModel, Field, ValidationError

from factscore_chain.agents.messages import VERDICTS
from factscore_chain.agents.streams import unseen
from factscore_chain.aio import run_sync
from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.failures import cause_of
from factscore_chain.guard import as_evidence, with_evidence
from factscore_chain.guard.scorers import AnyScorer, as_scorer
from factscore_chain.records import FactRecord
from factscore_chain.retrievers.opening import AnyKnowledge
from factscore_chain.values import Generation, Passage

NAME = "verify_claims"
DESCRIPTION = (
    "Checks claims against the trusted sources before you state them. Give short statements that each "
    "stand alone, with names instead of pronouns and one piece of information each. Each gets a verdict - "
    "supported, not_supported (the sources say otherwise, or nothing), irrelevant or undecided - and the "
    "passages it rests on."
)


Answer: TypeAlias = tuple[str, dict[str, Any]]
"""Content and artifact."""


class Claims(BaseModel):
    """What the tool takes."""

    claims: list[str] = Field(description="The statements to check, each one sentence that stands alone.")
    topic: str | None = Field(
        default=None, description="Title of the page that all of them are about; leave it out if unsure."
    )


def verify_claims_tool(
    scorer: AnyScorer,
    *,
    sources: Sequence[AnyKnowledge] = (),
    max_claims: int = 10,
    max_claim_length: int = 500,
    max_passages: int = 2,
    name: str = NAME,
    description: str = DESCRIPTION,
) -> BaseTool:
    """Makes the tool, for sync and async agents.

    Its content is a JSON list, a verdict a claim in the claims' order, with the passages it rests on. Its
    artifact, which the model does not see, holds all passages, for the middleware and for the application.
    What is wrong with a call is told to the agent as an error that it can mend, and never raised.

    Args:
        scorer: A `FactScoreChain`; or knowledge that one is made of.
        sources: Further knowledge sources, paths to them, or retrievers.
        max_claims: Claims of one call.
        max_claim_length: Characters of a claim.
        max_passages: Passages that the model is shown for a claim.
        name: The tool's name.
        description: What the model is told of it.

    Raises:
        UsageError: A limit is less than 1, or there is nothing to check by.
        KnowledgeSourceError: A source cannot be opened.
    """
    for setting, value in {
        "max_claims": max_claims,
        "max_claim_length": max_claim_length,
        "max_passages": max_passages,
    }.items():
        if value < 1:
            raise UsageError(f"{setting} is {value}; give 1 or more.")
    if scorer is None and not sources:
        raise UsageError("There is nothing to check claims by. Give a scorer, knowledge, or `sources`.")
    by = with_evidence(as_scorer(scorer), as_evidence(None, sources))
    checker = _Checker(by, max_claims, max_claim_length, max_passages)

    def verify(claims: list[str], config: RunnableConfig, topic: str | None = None) -> Answer:
        return run_sync(checker.verify(claims, topic, config))

    async def averify(claims: list[str], config: RunnableConfig, topic: str | None = None) -> Answer:
        return await checker.verify(claims, topic, config)

    return StructuredTool.from_function(
        verify,
        averify,
        name=name,
        description=description,
        args_schema=Claims,
        response_format="content_and_artifact",
        handle_tool_error=True,
        handle_validation_error=_told,
    )


@dataclass(frozen=True)
class _Checker:
    scorer: FactScoreChain
    max_claims: int
    max_claim_length: int
    max_passages: int

    async def verify(self, claims: Sequence[str], topic: str | None, config: RunnableConfig) -> Answer:
        facts = self._checked(claims)
        generation = Generation("\n".join(facts), topic or None, facts)
        try:
            report = await self.scorer.ainvoke(generation, unseen(config, internal=True))
        except Exception as error:
            raise ToolException(f"The claims could not be checked: {cause_of(error)}") from error
        (one,) = report.generations
        if not one.facts:
            raise ToolException(f"The claims could not be checked: {one.error}")
        content = json.dumps([self._told(fact) for fact in one.facts], ensure_ascii=False)
        return content, {
            VERDICTS: [_kept(fact) for fact in one.facts],
            "score": one.init_score,
            "coverage": one.coverage,
            "estimator": report.manifest.estimator,
        }

    def _checked(self, claims: Sequence[str]) -> tuple[str, ...]:
        facts = tuple(" ".join(claim.split()) for claim in claims)
        if not facts or not all(facts):
            raise ToolException("There is an empty claim, or none. Give at least one statement.")
        if len(facts) > self.max_claims:
            raise ToolException(
                f"{len(facts)} claims are too many for one call. Give the {self.max_claims} that matter most."
            )
        for number, fact in enumerate(facts, 1):
            if len(fact) > self.max_claim_length:
                raise ToolException(
                    f"Claim {number} has {len(fact)} characters, more than {self.max_claim_length}. Split it "
                    "into short statements."
                )
        return facts

    def _told(self, fact: FactRecord) -> dict[str, Any]:
        """What the model is told of a claim."""
        told = {
            "claim": fact.text,
            "verdict": fact.verdict.value,
            "reason": fact.reason or fact.cause,
            "passages": [
                {"title": one.title, "text": one.text} for one in _by_evidence(fact)[: self.max_passages]
            ],
        }
        return {key: value for key, value in told.items() if value is not None}


def _by_evidence(fact: FactRecord) -> list[Passage]:
    """A claim's passages, those that its verdict rests on first."""
    places = {name: place for place, name in enumerate(fact.evidence)}
    return sorted(fact.passages, key=lambda one: places.get(one.id, len(places)))


def _kept(fact: FactRecord) -> dict[str, Any]:
    """What is kept of a claim beside the conversation, as plain data."""
    return {
        "claim": fact.text,
        "verdict": fact.verdict.value,
        "reason": fact.reason,
        "probability": fact.probability,
        "cause": fact.cause,
        "evidence": list(fact.evidence),
        "passages": [
            {"id": one.id, "title": one.title, "text": one.text, "origins": list(one.origins)}
            for one in fact.passages
        ],
    }


def _told(error: ValidationError | Any) -> str:
    """What is wrong with a call, by the names of its arguments."""
    wrong = error.errors(include_url=False, include_input=False)
    what = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in wrong)
    return f"The call is not right ({what}). Give `claims`, a list of statements, and a `topic` if any."
