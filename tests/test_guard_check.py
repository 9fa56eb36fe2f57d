"""The check of one text, by every policy."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import UsageError
from factscore_chain.guard.check import CHECKED, CheckRequest, TextChecker, raised
from factscore_chain.guard.checked import CheckedText, FactualityError
from factscore_chain.guard.evidence import as_evidence
from factscore_chain.guard.policy import GuardPolicy
from factscore_chain.retrievers.context import ContextOnly
from tests.stages import SentenceDecomposer, WordVerifier

CONTEXT = [
    "Nintendo was founded in Kyoto in 1889. It made cards.",
    "Kyoto is a city in Japan.",
    ("Nintendo", "Nintendo began in Kyoto in 1889 as a maker of cards, and still has its head office there."),
]
TRUE = "Nintendo was founded in Kyoto."
FALSE = "Nintendo was founded in Osaka."


def checker(**policy: Any) -> TextChecker:
    chain = FactScoreChain(ContextOnly(), decomposer=SentenceDecomposer(), verifier=WordVerifier())
    return TextChecker(chain, GuardPolicy(**policy))


def embedded(**policy: Any) -> TextChecker:
    return TextChecker(FactScoreChain(ContextOnly()), GuardPolicy(**policy))


def test_a_text_that_passes_is_shown_as_it_is() -> None:
    checked = checker(on_fail="replace").check(TRUE, evidence=CONTEXT)
    assert (checked.text, checked.action, checked.passed, checked.score) == (TRUE, "pass", True, 1.0)


def test_annotate_keeps_the_text_and_names_what_is_not_supported() -> None:
    checked = checker(on_fail="annotate").check(f"{TRUE} {FALSE}", evidence=CONTEXT)
    assert checked.text.startswith(f"{TRUE} {FALSE}\n\nNote: 1 of 2 statements")
    assert not checked.passed


def test_replace_shows_the_message_and_keeps_the_text_for_the_app() -> None:
    checked = checker(on_fail="replace", message="Not verified.").check(FALSE, evidence=CONTEXT)
    assert (checked.text, checked.original, checked.passed) == ("Not verified.", FALSE, False)
    assert checked.report is not None


def test_correct_mends_the_text_by_the_evidence_and_verifies_it_again() -> None:
    checked = embedded(on_fail="correct").check("Nintendo was founded in Kyoto in 1905.", evidence=CONTEXT)
    assert checked.text == "Nintendo was founded in Kyoto in 1889."
    assert (checked.action, checked.passed, checked.outcome.passed) == ("correct", True, False)
    assert checked.after is not None
    assert checked.after.score == 1.0


def test_remove_takes_out_what_is_not_supported() -> None:
    text = "Kyoto is a city in Japan. Nintendo moved to Paris in 1950."
    checked = embedded(on_fail="remove").check(text, evidence=CONTEXT)
    assert (checked.text, checked.passed) == ("Kyoto is a city in Japan.", True)


@pytest.mark.parametrize(
    ("otherwise", "action"), [("replace", "replace"), ("annotate", "annotate"), ("raise", "raise")]
)
def test_what_cannot_be_mended_is_treated_as_the_policy_says_otherwise(otherwise: str, action: str) -> None:
    policy = {"on_fail": "remove", "otherwise": otherwise, "message": "Not verified."}
    checked = embedded(**policy).check("Nintendo moved to Paris in 1950.", evidence=CONTEXT)
    assert (checked.action, checked.passed) == (action, False)
    assert "Paris" not in checked.text


def test_an_error_holds_the_outcome_and_none_of_the_text() -> None:
    checked = checker(on_fail="raise").check(FALSE, evidence=CONTEXT)
    with pytest.raises(FactualityError, match="0 of 1 facts are supported, 80% are required") as error:
        raised(checked)
    assert "Osaka" not in str(error.value)
    assert error.value.checked.original == FALSE


async def _answers(*texts: str) -> tuple[list[str], Any]:
    told: list[str] = []
    left = list(texts)

    async def again(checked: CheckedText) -> CheckRequest:
        told.append(checked.feedback())
        return CheckRequest(left.pop(0), evidence=as_evidence(CONTEXT))

    return told, again


async def test_retry_asks_again_with_what_was_not_supported() -> None:
    told, again = await _answers(TRUE)
    request = CheckRequest(FALSE, evidence=as_evidence(CONTEXT))
    checked = await checker(on_fail="retry").acheck_again(request, again)
    assert (checked.text, checked.retries, checked.passed) == (TRUE, 1, True)
    assert f"“{FALSE}”" in told[0]


@pytest.mark.parametrize("retries", [1, 3])
async def test_retry_ends_after_as_many_times_as_allowed(retries: int) -> None:
    told, again = await _answers(*[FALSE] * 5)
    request = CheckRequest(FALSE, evidence=as_evidence(CONTEXT))
    guard = checker(on_fail="retry", max_retries=retries, message="Not verified.")
    checked = await guard.acheck_again(request, again)
    assert (len(told), checked.text, checked.action) == (retries, "Not verified.", "replace")


async def test_retry_raises_at_last_where_the_policy_says_so() -> None:
    _, again = await _answers(FALSE)
    guard = checker(on_fail="retry", otherwise="raise")
    with pytest.raises(FactualityError):
        await guard.acheck_again(CheckRequest(FALSE, evidence=as_evidence(CONTEXT)), again)


class Broken(BaseRetriever):
    """Fails, or never answers."""

    seconds: float = 0

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        raise RuntimeError("no index")

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        await asyncio.sleep(self.seconds)
        raise RuntimeError("no index")


@pytest.mark.parametrize(
    ("on_error", "shown"),
    [
        ("open", TRUE),
        ("annotate", f"{TRUE}\n\nNote: this answer could not be checked against the sources."),
        ("closed", "Not verified."),
    ],
)
@pytest.mark.parametrize(("seconds", "why"), [(0, "RuntimeError"), (30, "longer than 0.05 s")])
def test_a_check_that_fails_or_takes_too_long_is_treated_as_on_error_says(
    on_error: str, shown: str, seconds: float, why: str
) -> None:
    chain = FactScoreChain(Broken(seconds=seconds), decomposer=SentenceDecomposer(), verifier=WordVerifier())
    policy = GuardPolicy(on_error=on_error, message="Not verified.", timeout=0.05 if seconds else None)  # type: ignore[arg-type]
    checked = TextChecker(chain, policy).check(TRUE)
    assert checked.text == shown
    assert why in (checked.outcome.error or "")


@pytest.mark.parametrize("text", ["I don't know.", "", "   "])
def test_an_answer_that_states_nothing_is_shown_unless_it_shall_fail(text: str) -> None:
    assert checker().check(text, evidence=CONTEXT).text == text
    assert checker(on_empty="fail", message="Nothing.").check(text, evidence=CONTEXT).text == "Nothing."


def test_a_model_that_cannot_be_used_is_an_error_of_the_check() -> None:
    checked = checker(on_error="closed", message="Not verified.").check("The KEY is wrong.", evidence=CONTEXT)
    assert (checked.text, checked.outcome.cause) == ("Not verified.", "error")


async def test_a_check_tells_its_outcome_in_a_custom_event() -> None:
    request = CheckRequest(FALSE, evidence=as_evidence(CONTEXT))
    events: list[Any] = [
        event["data"]
        async for event in checker().astream_events(request, version="v2")
        if event["event"] == "on_custom_event" and event["name"] == CHECKED
    ]
    assert [(one["action"], one["outcome"]["cause"]) for one in events] == [("annotate", "unsupported")]


async def test_many_texts_are_checked_together_each_by_its_own_evidence() -> None:
    requests = [
        CheckRequest(TRUE, evidence=as_evidence(CONTEXT)),
        CheckRequest(TRUE, evidence=as_evidence("x")),
    ]
    assert [one.passed for one in await checker().abatch(requests)] == [True, False]


def test_a_scorer_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="FactScoreChain"):
        TextChecker("embedded")  # type: ignore[arg-type]
