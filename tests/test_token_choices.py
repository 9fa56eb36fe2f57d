"""Log-probabilities as servers give them: every known shape read, nothing malformed raised."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.token_choices import TokenChoice, read_token_choices
from factscore_chain.values import AtomicFact, Claim, Passage, Verdict
from factscore_chain.verify.llm import LLMVerifier
from tests.scripted import ScriptedLogprobModel, scripted_reply

TRUE = {"token": "True", "logprob": -0.1}
FALSE = {"token": "False", "logprob": -2.5}
READ = (TokenChoice("True", (("True", -0.1), ("False", -2.5))),)


@pytest.mark.parametrize(
    "logprobs",
    [
        {"content": [{**TRUE, "top_logprobs": [TRUE, FALSE]}], "refusal": None},
        [{**TRUE, "top_logprobs": [TRUE, FALSE]}],
        {"tokens": ["True"], "token_logprobs": [-0.1], "top_logprobs": [{"True": -0.1, "False": -2.5}]},
    ],
)
def test_every_known_shape_gives_the_same(logprobs: Any) -> None:
    assert read_token_choices(logprobs) == READ


@pytest.mark.parametrize("listed", [None, [], "x"])
def test_a_token_without_alternatives_stands_for_itself(listed: Any) -> None:
    found = read_token_choices({"content": [{**TRUE, "top_logprobs": listed}]})
    assert found == (TokenChoice("True", (("True", -0.1),)),)


@pytest.mark.parametrize("value", [None, "x", math.nan, True, [], {}])
def test_an_alternative_without_a_number_is_left_out(value: Any) -> None:
    broken = {"token": "False", "logprob": value}
    found = read_token_choices({"content": [{**TRUE, "top_logprobs": [TRUE, broken, "x", {"logprob": 0}]}]})
    assert found == (TokenChoice("True", (("True", -0.1),)),)


MALFORMED: list[Any] = [
    *(None, {}, [], "x", 3, {"content": None}, {"content": "x"}, {"content": [None]}, {"content": [{}]}),
    *({"content": [{"token": None}]}, {"content": [{**TRUE}, {"token": 3}]}, {"tokens": ["True"]}),
    *({"tokens": ["True"], "top_logprobs": None}, {"tokens": ["True"], "top_logprobs": []}),
    {"tokens": ["True"], "top_logprobs": [None]},
]


@pytest.mark.parametrize("logprobs", MALFORMED)
def test_what_cannot_be_read_is_none(logprobs: Any) -> None:
    assert read_token_choices(logprobs) is None


@pytest.mark.parametrize("logprobs", MALFORMED)
def test_a_verdict_outlives_malformed_log_probabilities(logprobs: Any) -> None:
    reply = scripted_reply("True")
    reply.response_metadata["logprobs"] = logprobs
    claim = Claim(AtomicFact("Ada sang."), (Passage("p", "Ada sang."),))
    decision = LLMVerifier(model=ScriptedLogprobModel(script=[reply])).invoke(claim)
    assert (decision.verdict, decision.probability) == (Verdict.SUPPORTED, None)


anything = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "token", "logprob", "top_logprobs", "tokens"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(anything)
def test_nothing_raises(logprobs: Any) -> None:
    read_token_choices(logprobs)
