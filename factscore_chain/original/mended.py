"""What a name of the original means by default: the same estimator of our own parts, its faults mended."""

from __future__ import annotations

from factscore_chain.chain import FactScoreChain
from factscore_chain.decompose.base import Decomposer
from factscore_chain.decompose.llm import LLMDecomposer
from factscore_chain.original.setup import Knowledge, Setup
from factscore_chain.prompts.prompt import load_prompt
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.causal import CausalLMVerifier
from factscore_chain.verify.ensemble import EnsembleVerifier
from factscore_chain.verify.llm import LLMVerifier
from factscore_chain.verify.self_check import SelfCheckVerifier, sampling


def mended_chain(setup: Setup, knowledge: Knowledge, decomposer: Decomposer, gamma: float) -> FactScoreChain:
    """Puts the chain together.

    Raises:
        UsageError: There is no key, or the model cannot be set up.
    """
    chain = FactScoreChain(
        knowledge.db.source if setup.model.retrieval else None,
        decomposer=decomposer,
        verifier=_verifier(setup),
        gamma=gamma,
        abstain=setup.abstain,
    )
    return chain.model_copy(update={"estimator": setup.model.name})


def mended_decomposer(setup: Setup) -> Decomposer:
    """The model that judges also decomposes; where no chat model judges, the embedded decomposer does.

    The original asks a hosted model for facts in any case. Nothing here is paid for that was not named.
    """
    if setup.llm is not None or setup.model.judge == "ChatGPT":
        return LLMDecomposer(model=setup.chat_model())
    from factscore_chain.decompose.embedded import EmbeddedDecomposer

    return EmbeddedDecomposer()


def _verifier(setup: Setup) -> Verifier:
    # The NP check is free: a fact that it rejects is not asked about.
    members: list[Verifier] = [setup.np()] if setup.model.npm else []
    if setup.model.judge is not None:
        members.append(_judge(setup))
    return members[0] if len(members) == 1 else EnsembleVerifier(members=tuple(members))


def _judge(setup: Setup) -> Verifier:
    if setup.model.judge == "llama" and setup.llm is None:
        return CausalLMVerifier(weights=setup.llama_weights)
    if setup.model.retrieval:
        return LLMVerifier(model=setup.chat_model())
    if setup.model.self_check:
        judge = setup.chat_model()
        return SelfCheckVerifier(model=judge, subject=sampling(judge))
    return LLMVerifier(model=setup.chat_model(), prompt=load_prompt("verify_no_context"))
