"""The published protocol as a chain (paper, sections 3.1 and 4.1; the original package 0.2.0)."""

from __future__ import annotations

from factscore_chain.chain import FactScoreChain
from factscore_chain.decompose.base import Decomposer
from factscore_chain.errors import UsageError
from factscore_chain.original.decomposer import OriginalDecomposer, default_instruction
from factscore_chain.original.demonstrations import read_demonstrations
from factscore_chain.original.np import OriginalNP
from factscore_chain.original.old_caches import (
    CHAT_GPT,
    INST_LLAMA,
    INSTRUCT_GPT,
    convert_old_caches,
    learned_instruction,
    learned_lead,
)
from factscore_chain.original.retrieve import OriginalRetrieval
from factscore_chain.original.setup import Knowledge, Setup
from factscore_chain.retrievers.ensemble import KnowledgeRetriever
from factscore_chain.verify.base import Verifier
from factscore_chain.verify.ensemble import EnsembleVerifier
from factscore_chain.verify.published import OriginalVerifier, default_lead
from factscore_chain.verify.published_causal import OriginalCausalVerifier

K = 5
_TEMPERATURE = 0.7
_FACT_TOKENS, _VERDICT_TOKENS = 512, 2048


def published_chain(
    setup: Setup, knowledge: Knowledge, name: str, decomposer: Decomposer, gamma: float
) -> FactScoreChain:
    """Puts the chain together.

    Args:
        setup: What the scorer was made with.
        knowledge: The registered source.
        name: What it is registered as.
        decomposer: Makes the facts.
        gamma: Of the length penalty; 0 for none.

    Raises:
        UsageError: The model name is none that the published package has, or there is no key.
        CacheFileError: An old cache is damaged or holds what no cache needs.
        MissingExtraError: A local model is asked for without the extra `hf`.
        WeightsNotFoundError: The weights of a local model cannot be had.
    """
    if not setup.model.retrieval:
        raise UsageError(
            f"The published package has no {setup.model.name!r}. Leave protocol out, or retrieve passages."
        )
    convert_old_caches(setup.cache_dir, setup.store)
    retriever = KnowledgeRetriever(source=knowledge.db.source, mode="bm25")
    chain = FactScoreChain(
        retriever,
        decomposer=decomposer,
        verifier=_verifier(setup, knowledge, name),
        gamma=gamma,
        abstain=setup.abstain,
    )
    retrieval = OriginalRetrieval(retriever=retriever, k=K, published=knowledge.ranked)
    scorer = chain.scorer.model_copy(update={"retrieval": retrieval})
    return chain.model_copy(update={"scorer": scorer, "estimator": f"original protocol: {setup.model.name}"})


def published_decomposer(setup: Setup) -> OriginalDecomposer:
    """Makes the decomposer, with the wording of the user's old caches if there are any.

    Raises:
        UsageError: The demonstrations are missing or something else, or there is no key.
        CacheFileError: An old cache is damaged or holds what no cache needs.
    """
    convert_old_caches(setup.cache_dir, setup.store)
    demonstrations = read_demonstrations(setup.data_dir / "demos" / "demons.json")
    learned = learned_instruction(setup.store, next(iter(demonstrations), ""))
    return OriginalDecomposer(
        model=setup.chat_model(INSTRUCT_GPT, temperature=_TEMPERATURE, max_tokens=_FACT_TOKENS),
        demonstrations=demonstrations,
        instruction=learned or default_instruction(),
    )


def _verifier(setup: Setup, knowledge: Knowledge, name: str) -> Verifier:
    members: list[Verifier] = []
    if setup.model.judge is not None:
        members.append(_judge(setup))
    if setup.model.npm:
        cache = f"npm-{name}"
        members.append(
            OriginalNP(
                check=setup.masked_lm(),
                retrieval=knowledge.bm25,
                known=lambda key: setup.store.converted(cache, key),
            )
        )
    # As published, the NP check only sees what the language model found true.
    return members[0] if len(members) == 1 else EnsembleVerifier(members=tuple(members))


def _judge(setup: Setup) -> Verifier:
    lead = learned_lead(setup.store) or default_lead()
    if setup.model.judge == "llama":
        return OriginalCausalVerifier(
            weights=setup.llama_weights,
            lead=lead,
            known=lambda prompt: setup.store.converted(INST_LLAMA, prompt),
        )
    model = setup.chat_model(CHAT_GPT, temperature=_TEMPERATURE, max_tokens=_VERDICT_TOKENS)
    return OriginalVerifier(model=model, lead=lead)
