"""Replies as data where a model's profile offers it, and as text where it does not or a server refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableLambda
from pydantic import BaseModel, Field

from factscore_chain.answer_cache import AnswerCache
from factscore_chain.chain import FactScoreChain
from factscore_chain.completion import read_message
from factscore_chain.decompose.llm import LLMDecomposer
from factscore_chain.decompose.structured import facts_text
from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel
from factscore_chain.values import AtomicFact, Claim, Generation, Passage, Verdict
from factscore_chain.verify.judging import Judging
from factscore_chain.verify.llm import LLMVerifier
from factscore_chain.verify.mentions import ENGLISH, Labels
from factscore_chain.verify.structured import VerdictReply, verdict_text
from tests.scripted import ScriptedChatModel
from tests.stages import GivenVerifier

PASSAGES = (Passage("a", "Ada Brook was born in Leeds."), Passage("b", "She painted."))
CLAIM = Claim(AtomicFact("Ada Brook was born in Leeds."), PASSAGES, "Ada Brook")


class RefusedError(Exception):
    status_code = 400


class Structured(ScriptedChatModel):
    """A model that answers a schema by its second script, and says so in its profile."""

    profile: Any = Field(default_factory=lambda: {"structured_output": True})
    formed: Any = None
    schemas: list[str] = Field(default_factory=list)

    def with_structured_output(
        self, schema: Any, *, include_raw: bool = False, **kwargs: Any
    ) -> Runnable[LanguageModelInput, Any]:
        def answer(messages: Any) -> dict[str, Any]:
            self.schemas.append(schema.__name__)
            if isinstance(self.formed, Exception):
                raise self.formed
            return {"raw": AIMessage(self.formed), "parsed": None, "parsing_error": None}

        return RunnableLambda(answer)


def reply(verdict: str, passage: int | None = None) -> str:
    return json.dumps({"verdict": verdict, "passage": passage})


@pytest.mark.parametrize(
    ("formed", "verdict", "evidence"),
    [
        (reply("True", 2), Verdict.SUPPORTED, ("b",)),
        (reply("False"), Verdict.NOT_SUPPORTED, ("a", "b")),
        (reply("True", 3), Verdict.UNDECIDED, ()),
        ("False.", Verdict.NOT_SUPPORTED, ("a", "b")),
    ],
)
def test_a_verdict_as_data_is_read_like_one_in_words(
    formed: str, verdict: Verdict, evidence: tuple[str, ...]
) -> None:
    model = Structured(script=[], formed=formed)
    decision = LLMVerifier(model=model, structured=True).invoke(CLAIM)
    assert (decision.verdict, decision.evidence, decision.raw) == (verdict, evidence, formed)
    assert model.schemas == ["VerdictReply"]


def test_data_that_is_no_verdict_is_asked_for_again() -> None:
    decision = LLMVerifier(model=Structured(script=[], formed="{}"), structured=True).invoke(CLAIM)
    assert decision.verdict is Verdict.UNDECIDED


def test_a_model_whose_profile_does_not_offer_it_is_asked_for_text() -> None:
    model = ScriptedChatModel(script=["True"])
    judge = LLMVerifier(model=model, structured=True)
    assert judge.invoke(CLAIM).verdict is Verdict.SUPPORTED
    assert judge.identity["structured"] == "False"


@pytest.mark.parametrize(
    "refusal", [RefusedError("response_format is not supported"), NotImplementedError("no schema here")]
)
def test_a_server_that_refuses_the_form_is_asked_for_text_from_then_on(refusal: Exception) -> None:
    model = Structured(script=["True", "False"], formed=refusal)
    judge = LLMVerifier(model=LanguageModel(model), structured=True)
    assert [judge.invoke(CLAIM).verdict for _ in range(2)] == [Verdict.SUPPORTED, Verdict.NOT_SUPPORTED]
    assert model.schemas == ["VerdictReply"]


def test_another_error_is_not_taken_for_a_refusal_of_the_form() -> None:
    model = Structured(script=["True"], formed=RefusedError("the prompt is too long"))
    assert LLMVerifier(model=LanguageModel(model), structured=True).invoke(CLAIM).verdict is Verdict.FAILED
    assert model.prompts == []


def test_log_probabilities_are_wanted_where_structure_is_not() -> None:
    assert not LLMVerifier(model=Structured(script=["True"])).structured


def test_facts_as_data_are_read_like_a_list() -> None:
    facts = ["Ada Brook was born in Leeds.", "Ada Brook painted."]
    model = Structured(script=[], formed=json.dumps({"facts": facts}))
    text = "Ada Brook, who was born in Leeds, painted."
    found = LLMDecomposer(model=model, structured=True).invoke(Generation(text, "Ada Brook"))
    assert [fact.text for fact in found.facts] == facts
    assert model.schemas == ["FactsReply"]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ('{"facts": []}', "NONE"),
        ('{"facts": ["A\\nb.", " "]}', "- A b."),
        ("- A.", "- A."),
        ('{"facts": "A."}', '{"facts": "A."}'),
    ],
)
def test_facts_in_the_form_of_a_plain_reply(raw: str, text: str) -> None:
    assert facts_text(raw) == text


def test_a_verdict_in_the_words_that_were_asked_for() -> None:
    assert verdict_text(reply("False", 1), Labels(("wahr",), ("falsch",))) == "falsch [1]"
    assert verdict_text("Who knows", ENGLISH) == "Who knows"


def test_a_reply_by_a_tool_call_has_its_arguments_as_text() -> None:
    call = {"name": "VerdictReply", "args": {"verdict": "True", "passage": None}, "id": "1"}
    assert json.loads(read_message(AIMessage("", tool_calls=[call])).text) == call["args"]


async def test_text_and_data_are_answers_of_their_own_in_the_cache(tmp_path: Path) -> None:
    model = Structured(script=["True"], formed=reply("False"))
    asked = LanguageModel(model, cache=AnswerCache(tmp_path / "answers.db"))
    question = [HumanMessage("Is it so?")]
    schemas: list[type[BaseModel] | None] = [None, VerdictReply, None, VerdictReply]
    texts = [(await asked.complete(question, schema=schema)).text for schema in schemas]
    assert texts == ["True", reply("False")] * 2
    assert asked.usage.calls == 2


def test_the_choice_reaches_both_steps_and_is_refused_where_it_does_nothing() -> None:
    model = Structured(script=[], formed="")
    chain = FactScoreChain("examples/knowledge.jsonl", llm=model, structured=True)
    assert (chain.manifest.decomposer["structured"], chain.manifest.verifier["structured"]) == (
        "True",
        "True",
    )
    with pytest.raises(UsageError, match="structured does nothing"):
        Judging(structured=True).applied(GivenVerifier())
