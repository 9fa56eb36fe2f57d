"""What a decomposer is: generation in, atomic facts with their places out."""

from __future__ import annotations

from factscore_chain.stage import Stage
from factscore_chain.values import Decomposition, Generation


class Decomposer(Stage[Generation, Decomposition]):
    """Breaks a generation into atomic facts (paper, section 3.1)."""

    @property
    def identity(self) -> dict[str, str]:
        """What made the facts (kind, model, prompt and its version), for the report's manifest."""
        raise NotImplementedError
