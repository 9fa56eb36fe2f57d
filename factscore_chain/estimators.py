"""Estimators by name: which decomposer makes the facts and which verifier judges them.

The paper's estimators (section 4.1) are choices of the same parts; a name fixes the choice, so that two
reports with one name can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from factscore_chain.decompose.base import Decomposer
from factscore_chain.errors import MissingExtraError, UsageError
from factscore_chain.hub import WeightsNotFoundError
from factscore_chain.language_model import LanguageModel, as_language_model
from factscore_chain.published_names import CHAT_GPT, MODEL_NAMES, ModelName, parse_model_name
from factscore_chain.verify.base import Verifier

if TYPE_CHECKING:
    from factscore_chain.verify.judging import Judging

LOCAL_WEIGHTS = "transformers:"
"""How a name of a model begins that runs here, by transformers, and is only asked for True or False."""


@dataclass(frozen=True)
class Estimator:
    """A named choice of parts."""

    name: str
    decomposer: Decomposer
    verifier: Verifier
    needs_passages: bool = True


@dataclass(frozen=True)
class LocalWeights:
    """A causal language model's name on the hub, or a folder with its weights."""

    name: str


_Model: TypeAlias = LanguageModel | LocalWeights | None


@dataclass(frozen=True)
class _Recipe:
    verifier: Callable[[_Model], Verifier]
    needs_model: bool
    needs_passages: bool = True
    default_model: str | None = None


def _embedded_verifier(model: _Model) -> Verifier:
    from factscore_chain.verify.embedded import EmbeddedVerifier

    return EmbeddedVerifier()


def _np_verifier(model: _Model) -> Verifier:
    from factscore_chain.verify.nonparametric import NonparametricVerifier

    return NonparametricVerifier()


def _npm_verifier(model: _Model) -> Verifier:
    from factscore_chain.verify.npm import NPM_SINGLE, MaskedLMVerifier

    instead = "The estimator 'np' is the same check by the shipped encoder."
    try:
        return MaskedLMVerifier().load()
    except MissingExtraError as error:
        raise MissingExtraError(f"{instead} That by {NPM_SINGLE}", "hf") from error
    except WeightsNotFoundError as error:
        raise WeightsNotFoundError(f"{error} {instead}") from error


def _llm_verifier(model: _Model) -> Verifier:
    return _judge(model, "verify")


def _joint_verifier(model: _Model) -> Verifier:
    from factscore_chain.verify.joint import JointVerifier

    return JointVerifier(llm=_llm_verifier(model))


def _cascade_verifier(model: _Model) -> Verifier:
    from factscore_chain.verify.cascade import CascadeVerifier

    return CascadeVerifier(first=_embedded_verifier(model), then=_llm_verifier(model))


def _no_context_verifier(model: _Model) -> Verifier:
    return _judge(model, "verify_no_context")


def _judge(model: _Model, prompt: str) -> Verifier:
    from factscore_chain.prompts.prompt import load_prompt

    if isinstance(model, LocalWeights):
        from factscore_chain.verify.causal import CausalLMVerifier

        return CausalLMVerifier(weights=model.name, prompt=load_prompt(prompt)).load()
    from factscore_chain.verify.llm import LLMVerifier

    return LLMVerifier(model=model, prompt=load_prompt(prompt))


def _original_verifier(model: _Model) -> Verifier:
    if isinstance(model, LocalWeights):
        from factscore_chain.verify.published_causal import OriginalCausalVerifier

        return OriginalCausalVerifier(weights=model.name)
    from factscore_chain.verify.published import OriginalVerifier

    return OriginalVerifier(model=model)


def _self_check_verifier(model: _Model) -> Verifier:
    from factscore_chain.verify.self_check import SelfCheckVerifier, sampling

    if isinstance(model, LocalWeights):
        raise UsageError(
            f"Self-check needs a chat model that writes; {LOCAL_WEIGHTS}{model.name} is only asked for True "
            "or False. Serve the model, and name the server with base_url."
        )
    judge = as_language_model(model)
    return SelfCheckVerifier(model=judge, subject=sampling(judge))


def _agreeing(*members: Callable[[_Model], Verifier]) -> Callable[[_Model], Verifier]:
    def make(model: _Model) -> Verifier:
        from factscore_chain.verify.ensemble import EnsembleVerifier

        return EnsembleVerifier(members=tuple(member(model) for member in members))

    return make


_RECIPES = {
    "embedded": _Recipe(_embedded_verifier, needs_model=False),
    "np": _Recipe(_np_verifier, needs_model=False),
    "retrieval+llm": _Recipe(_llm_verifier, needs_model=True),
    # The nonparametric check comes first: a fact that it rejects needs no model call.
    "retrieval+llm+np": _Recipe(_agreeing(_np_verifier, _llm_verifier), needs_model=True),
    "retrieval+llm+embedded": _Recipe(_joint_verifier, needs_model=True),
    "cascade": _Recipe(_cascade_verifier, needs_model=True),
    "no-context": _Recipe(_no_context_verifier, needs_model=True, needs_passages=False),
    "self-check": _Recipe(_self_check_verifier, needs_model=True, needs_passages=False),
    "original": _Recipe(_original_verifier, needs_model=True),
}

ESTIMATORS = tuple(_RECIPES)
"""Names of the estimators."""


def make_estimator(
    name: str | None = None,
    llm: Any = None,
    decomposer: Decomposer | None = None,
    verifier: Verifier | None = None,
    judging: Judging | None = None,
) -> Estimator:
    """Makes an estimator by name.

    Args:
        name: One of `ESTIMATORS`, or a name of the original package such as "retrieval+llama+npm"; None
            means "retrieval+llm" with a model and "embedded" without.
        llm: A chat model, a `LanguageModel`, or "provider:name", which then also decomposes. Or
            "transformers:NAME", a causal language model that runs here (extra `hf`): it only judges, by its
            first token. Where no model writes, decomposition is the embedded one.
        decomposer: Takes the place of the estimator's own; the result is then called "custom".
        verifier: The same for the verifier.
        judging: How chat models are asked and taken, whatever the estimator.

    Raises:
        UsageError: Unknown name, or an estimator that asks a model was named without one.
        MissingExtraError: It needs transformers, and that is not installed.
        WeightsNotFoundError: Weights that it needs are not here and cannot be downloaded.
    """
    name, recipe = _named(name or ("embedded" if llm is None else "retrieval+llm"))
    llm = recipe.default_model if llm is None and verifier is None else llm
    if recipe.needs_model and llm is None and verifier is None:
        raise UsageError(
            f"The estimator {name!r} asks a model. Name one: 'openai:gpt-4o-mini' or the like, or "
            f"'{LOCAL_WEIGHTS}NAME' for weights that run here."
        )
    model = _as_model(llm)
    judge = verifier or recipe.verifier(model)
    return Estimator(
        "custom" if decomposer or verifier else name,
        decomposer or _decomposer(model, structured=judging is not None and judging.structured),
        judge if judging is None else judging.applied(judge),
        needs_passages=recipe.needs_passages and verifier is None,
    )


def _named(name: str) -> tuple[str, _Recipe]:
    if name in _RECIPES:
        return name, _RECIPES[name]
    try:
        published = parse_model_name(name)
    except UsageError as error:
        raise UsageError(
            f"There is no estimator {name!r}. Choose one of: {', '.join(ESTIMATORS)}; or a name of the "
            f"original package: {', '.join(MODEL_NAMES)}."
        ) from error
    return published.name, _published_recipe(published)


def _published_recipe(name: ModelName) -> _Recipe:
    if name.judge is None:
        return _Recipe(_npm_verifier, needs_model=False)
    judge = (
        _self_check_verifier if name.self_check else _llm_verifier if name.retrieval else _no_context_verifier
    )
    return _Recipe(
        _agreeing(_npm_verifier, judge) if name.npm else judge,
        needs_model=True,
        needs_passages=name.retrieval,
        default_model=CHAT_GPT if name.judge == "ChatGPT" else None,
    )


def _as_model(llm: Any) -> _Model:
    if isinstance(llm, str) and llm.startswith(LOCAL_WEIGHTS):
        return LocalWeights(llm.removeprefix(LOCAL_WEIGHTS))
    return None if llm is None else as_language_model(llm)


def _decomposer(model: _Model, *, structured: bool = False) -> Decomposer:
    if not isinstance(model, LanguageModel):
        from factscore_chain.decompose.embedded import EmbeddedDecomposer

        return EmbeddedDecomposer()
    from factscore_chain.decompose.llm import LLMDecomposer

    return LLMDecomposer(model=model, structured=structured)
