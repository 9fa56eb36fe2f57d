"""What a verifier is: a claim (fact, passages, topic) in, a decision out."""

from __future__ import annotations

from factscore_chain.stage import LocalStage, Stage
from factscore_chain.values import Claim, Decision, Verdict

NOT_APPLICABLE = "not applicable"
"""How the cause of a decision begins if the verifier has nothing to say of such a fact at all."""


class Verifier(Stage[Claim, Decision]):
    """Decides whether passages support a fact (paper, section 4.1)."""

    @property
    def verifier_name(self) -> str:
        """Name that goes into every decision."""
        raise NotImplementedError

    @property
    def identity(self) -> dict[str, str]:
        """What decides (kind, model, prompt and version, threshold), for the report's manifest."""
        raise NotImplementedError


class LocalVerifier(Verifier, LocalStage[Claim, Decision]):
    """A verifier that computes here, many claims at once, with no model server."""


def is_not_applicable(decision: Decision) -> bool:
    """Whether the verifier had nothing to judge, as opposed to not knowing."""
    return decision.verdict is Verdict.UNDECIDED and (decision.cause or "").startswith(NOT_APPLICABLE)
