"""Fits what an LLM's verdicts are worth, alone and beside the embedded verifier's, and says how well it does.

Fitted on training topics alone, from rows of `factscore eval votes`; figures are of held-out topics. The
embedded verifier has seen the training topics itself, so its weight is held to that of taking it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from factscore_chain.errors import UsageError
from factscore_chain.evals import metrics
from factscore_chain.evals.calibration import best_threshold, fit_weights
from factscore_chain.evals.metrics import Bools, Floats
from factscore_chain.evals.votes import Vote
from factscore_chain.values import Verdict
from factscore_chain.verify.calibration import Calibration, Weights, log_odds, sigmoid

LEAST_FACTS = 40
"""Labelled facts of training topics that a calibration needs."""


def fit(votes: Sequence[Vote], *, embedded: str) -> Calibration:
    """Fits weights and thresholds to the training topics of the votes.

    Args:
        votes: Those that are held out, or to which the LLM gave no verdict, are left out.
        embedded: Version of the embedded verifier.

    Raises:
        UsageError: There are too few facts, all have one label, or several models judged them.
    """
    train = [vote for vote in votes if vote.is_decided and not vote.held_out]
    if len(train) < LEAST_FACTS or len({vote.supported for vote in train}) < 2:
        raise UsageError(
            f"A calibration needs {LEAST_FACTS} facts of training topics with both labels; here are "
            f"{len(train)}. Have more labelled facts judged by `factscore eval votes`."
        )
    judges = {(vote.model or "?", vote.prompt or "?") for vote in train}
    if len(judges) > 1:
        raise UsageError(f"A calibration is for one model and prompt; these votes are of {len(judges)}.")
    ((model, prompt),) = judges
    priced = [vote for vote in train if vote.probability is not None]
    # A model that gives a probability only now and then has too few to fit.
    gives = len(priced) >= LEAST_FACTS
    return Calibration(
        model=model,
        prompt=prompt,
        embedded=embedded,
        facts=len(train),
        topics=len({vote.topic for vote in train}),
        alone=_weights(priced, llm_odds(priced), joint=False) if gives else None,
        joint=_weights(priced, llm_odds(priced), joint=True) if gives else None,
        joint_words=_weights(train, words(train), joint=True),
    )


def llm_odds(votes: Sequence[Vote]) -> Floats:
    """The LLM's log odds; 0 where it gave no probability."""
    return np.array([log_odds(0.5 if v.probability is None else v.probability) for v in votes], np.float64)


def words(votes: Sequence[Vote]) -> Floats:
    """+1 where the LLM's word is True, else -1."""
    return np.array([1.0 if vote.verdict is Verdict.SUPPORTED else -1.0 for vote in votes], np.float64)


def _weights(votes: Sequence[Vote], llm: Floats, *, joint: bool) -> Weights:
    supported = labels(votes)
    own = np.array([log_odds(vote.embedded) for vote in votes], np.float64)
    columns, prior = ([llm, own], [0.0, 1.0, 0.0]) if joint else ([llm], [1.0, 0.0])
    fitted = fit_weights(supported, np.column_stack(columns), np.array(prior))
    llm_weight, *others, offset = (round(float(one), 4) for one in fitted)
    weights = Weights(llm=llm_weight, embedded=others[0] if others else 0.0, offset=offset, threshold=0.5)
    scores = probabilities(weights, llm, own)
    groups = [(supported[rows], scores[rows]) for rows in _by_system(votes)]
    return weights.model_copy(update={"threshold": round(best_threshold(groups) or 0.5, 3)})


def probabilities(weights: Weights, llm: Floats, own: Floats) -> Floats:
    """The probability of each fact."""
    return np.array([weights.probability(a, b) for a, b in zip(llm, own, strict=True)], np.float64)


def labels(votes: Sequence[Vote]) -> Bools:
    """What people say of the facts."""
    return np.array([vote.supported for vote in votes], dtype=np.bool_)


def _by_system(votes: Sequence[Vote]) -> Iterable[Bools]:
    systems = np.array([vote.system for vote in votes])
    return [systems == system for system in dict.fromkeys(systems.tolist())]


def compare(
    votes: Sequence[Vote], calibration: Calibration, own_threshold: float
) -> dict[str, dict[str, Any]]:
    """Figures on held-out topics: the embedded verifier, the LLM's word, the LLM calibrated, and both joined.

    Args:
        votes: Only held-out ones are counted; a fact without a verdict of the LLM counts as not supported.
        calibration: What was fitted.
        own_threshold: The embedded verifier's.
    """
    held = [vote for vote in votes if vote.held_out and vote.verdict is not None]
    supported, decided = labels(held), np.array([vote.is_decided for vote in held], dtype=np.bool_)
    own = np.array([log_odds(vote.embedded) for vote in held], np.float64)
    rows = {"embedded": _figures(supported, np.array([sigmoid(x) for x in own]), own_threshold)}
    rows["LLM, its word"] = _figures(supported, np.where(decided, words(held), -1.0), 0.0)
    if calibration.alone is not None:
        rows["LLM, calibrated"] = _of(calibration.alone, supported, decided, llm_odds(held), own)
    if calibration.joint is not None:
        rows["joint, log odds"] = _of(calibration.joint, supported, decided, llm_odds(held), own)
    rows["joint, words"] = _of(calibration.joint_words, supported, decided, words(held), own)
    return rows


def _of(weights: Weights, supported: Bools, decided: Bools, llm: Floats, own: Floats) -> dict[str, Any]:
    scores = np.where(decided, probabilities(weights, llm, own), 0.0)
    return _figures(supported, scores, weights.threshold)


def _figures(supported: Bools, scores: Floats, threshold: float) -> dict[str, Any]:
    predicted = scores >= threshold
    f1, always = metrics.f1_not_supported(supported, predicted), metrics.f1_always_not_supported(supported)
    return {
        "facts": len(supported),
        "auc": metrics.auc(supported, scores),
        "balanced_accuracy": metrics.balanced_accuracy(supported, predicted),
        "f1_not_supported": f1,
        "f1_gain": metrics.gain(f1, always),
        "said_supported": float(predicted.mean()) if len(predicted) else None,
    }
