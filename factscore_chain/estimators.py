"""Estimators by name: which decomposer makes the facts and which verifier judges them.

The paper's estimators (section 4.1) are choices of the same parts; a name fixes the choice, so that two
reports with one name can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from factscore_chain.decompose.base import Decomposer
from factscore_chain.errors import UsageError
from factscore_chain.language_model import LanguageModel, as_language_model
from factscore_chain.verify.base import Verifier


@dataclass(frozen=True)
class Estimator:
    """A named choice of parts."""

    name: str
    decomposer: Decomposer
    verifier: Verifier
    needs_passages: bool = True


@dataclass(frozen=True)
class _Recipe:
    verifier: Callable[[LanguageModel | None], Verifier]
    needs_model: bool
    needs_passages: bool = True


def _embedded_verifier(model: LanguageModel | None) -> Verifier:
    from factscore_chain.verify.embedded import EmbeddedVerifier

    return EmbeddedVerifier()


def _np_verifier(model: LanguageModel | None) -> Verifier:
    from factscore_chain.verify.nonparametric import NonparametricVerifier

    return NonparametricVerifier()


def _llm_verifier(model: LanguageModel | None) -> Verifier:
    from factscore_chain.verify.llm import LLMVerifier

    return LLMVerifier(model=model)


def _llm_np_verifier(model: LanguageModel | None) -> Verifier:
    from factscore_chain.verify.ensemble import EnsembleVerifier

    # The nonparametric check comes first: a fact that it rejects needs no model call.
    return EnsembleVerifier(members=(_np_verifier(model), _llm_verifier(model)))


def _no_context_verifier(model: LanguageModel | None) -> Verifier:
    from factscore_chain.prompts.prompt import load_prompt
    from factscore_chain.verify.llm import LLMVerifier

    return LLMVerifier(model=model, prompt=load_prompt("verify_no_context"))


def _self_check_verifier(model: LanguageModel | None) -> Verifier:
    from factscore_chain.verify.self_check import SelfCheckVerifier, sampling

    judge = as_language_model(model)
    return SelfCheckVerifier(model=judge, subject=sampling(judge))


_RECIPES = {
    "embedded": _Recipe(_embedded_verifier, needs_model=False),
    "np": _Recipe(_np_verifier, needs_model=False),
    "retrieval+llm": _Recipe(_llm_verifier, needs_model=True),
    "retrieval+llm+np": _Recipe(_llm_np_verifier, needs_model=True),
    "no-context": _Recipe(_no_context_verifier, needs_model=True, needs_passages=False),
    "self-check": _Recipe(_self_check_verifier, needs_model=True, needs_passages=False),
}

ESTIMATORS = tuple(_RECIPES)
"""Names of the estimators."""


def make_estimator(
    name: str | None = None,
    llm: Any = None,
    decomposer: Decomposer | None = None,
    verifier: Verifier | None = None,
) -> Estimator:
    """Makes an estimator by name.

    Args:
        name: One of `ESTIMATORS`; None means "retrieval+llm" with a model and "embedded" without.
        llm: A chat model, a `LanguageModel`, or "provider:name". With a model, it also decomposes;
            without one, decomposition is the embedded one.
        decomposer: Takes the place of the estimator's own; the result is then called "custom".
        verifier: The same for the verifier.

    Raises:
        UsageError: Unknown name, or an estimator that asks a model was named without one.
    """
    name = name or ("embedded" if llm is None else "retrieval+llm")
    recipe = _RECIPES.get(name)
    if recipe is None:
        raise UsageError(f"There is no estimator {name!r}. Choose one of: {', '.join(ESTIMATORS)}.")
    if recipe.needs_model and llm is None and verifier is None:
        raise UsageError(f"The estimator {name!r} asks a model. Name one, such as 'openai:gpt-4o-mini'.")
    model = None if llm is None else as_language_model(llm)
    return Estimator(
        "custom" if decomposer or verifier else name,
        decomposer or _decomposer(model),
        verifier or recipe.verifier(model),
        needs_passages=recipe.needs_passages and verifier is None,
    )


def _decomposer(model: LanguageModel | None) -> Decomposer:
    if model is None:
        from factscore_chain.decompose.embedded import EmbeddedDecomposer

        return EmbeddedDecomposer()
    from factscore_chain.decompose.llm import LLMDecomposer

    return LLMDecomposer(model=model)
