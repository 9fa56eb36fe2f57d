"""Loads published weights: from the local cache of Hugging Face if they are there, else from its hub."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from factscore_chain.errors import FactScoreError

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
