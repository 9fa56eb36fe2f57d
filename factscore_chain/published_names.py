"""Names of estimators as the original package and the paper spell them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from factscore_chain.errors import UsageError

Judge = Literal["ChatGPT", "llama"]

CHAT_GPT = "openai:gpt-3.5-turbo"
"""What "ChatGPT" means where no model is named, as in the original."""

MODEL_NAMES = (
    *("retrieval+ChatGPT", "retrieval+ChatGPT+npm", "retrieval+llama", "retrieval+llama+npm", "npm"),
    *("no-context+ChatGPT", "no-context+llama", "self-check+ChatGPT"),
)
"""The original's names, and the paper's estimators without passages, which its package left out."""

_SPELLINGS: dict[str, str] = {
    "chatgpt": "ChatGPT",
    "llama": "llama",
    "inst-llama": "llama",
    "npm": "npm",
    "np": "npm",
    "retrieval": "retrieval",
    "retrieve": "retrieval",
    "no-context": "no-context",
    "self-check": "self-check",
}


@dataclass(frozen=True)
class ModelName:
    """What a name asks for."""

    name: str
    """In the original's spelling."""
    judge: Judge | None
    """The language model that judges; None for NP alone."""
    retrieval: bool
    npm: bool
    self_check: bool = False


def parse_model_name(name: str) -> ModelName:
    """Reads a name such as "retrieval+llama+npm", or the paper's "LLAMA+NP".

    Raises:
        UsageError: It is none of `MODEL_NAMES`, in any of their spellings.
    """
    parts = {_SPELLINGS.get(part.strip().lower()) for part in name.split("+")}
    judges = parts & {"ChatGPT", "llama"}
    context = next((one for one in ("no-context", "self-check") if one in parts), "retrieval")
    wanted = [context, *sorted(filter(None, judges)), *(["npm"] if "npm" in parts else [])]
    found = "npm" if wanted == ["retrieval", "npm"] else "+".join(wanted)
    if None in parts or found not in MODEL_NAMES:
        raise UsageError(f"There is no model_name {name!r}. Choose one of: {', '.join(MODEL_NAMES)}.")
    return ModelName(
        found,
        "ChatGPT" if "ChatGPT" in parts else "llama" if "llama" in parts else None,
        retrieval=context == "retrieval",
        npm="npm" in parts,
        self_check=context == "self-check",
    )
