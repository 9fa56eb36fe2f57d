"""Loads published weights: from the local cache of Hugging Face if they are there, else from its hub."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from factscore_chain.cores import available_cores
from factscore_chain.errors import FactScoreError, MissingExtraError

T = TypeVar("T")


class WeightsNotFoundError(FactScoreError):
    """Published weights are neither on this machine nor can they be downloaded."""


def from_hub(name: str, load: Callable[[bool], T]) -> T:
    """Loads the weights called `name`, looking on this machine first.

    Args:
        name: A repository of the hub, or a folder.
        load: Does the loading; its argument says whether only local files may be used.

    Raises:
        WeightsNotFoundError: They cannot be had.
    """
    try:
        return load(True)
    except Exception:  # noqa: BLE001  the hub's clients raise many kinds, and all mean "not here"
        try:
            return load(False)
        except Exception as error:
            raise WeightsNotFoundError(
                f"The weights {name!r} are neither on this machine nor can they be downloaded "
                f"({type(error).__name__}). Download them once where there is a network, or name a folder."
            ) from error


def from_transformers(name: str, kind: str, feature: str) -> tuple[Any, Any]:
    """Loads a tokenizer and a model of transformers.

    Args:
        name: A repository of the hub, or a folder.
        kind: The class that loads the model, such as "AutoModelForCausalLM".
        feature: What cannot be done without them, for the error.

    Raises:
        MissingExtraError: transformers or torch is not installed.
        WeightsNotFoundError: The weights cannot be had.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise MissingExtraError(feature, "hf") from error
    loader = getattr(transformers, kind)
    # Left alone, torch takes the cores of the machine, whatever this process may use of them.
    torch.set_num_threads(available_cores())

    def load(local_only: bool) -> tuple[Any, Any]:
        return (
            transformers.AutoTokenizer.from_pretrained(name, local_files_only=local_only),
            loader.from_pretrained(name, local_files_only=local_only),
        )

    return from_hub(name, load)
