"""The chains that a session's checks share."""

from __future__ import annotations

from os import PathLike
from typing import Any

from factscore_chain.chain import FactScoreChain
from factscore_chain.errors import FatalModelError, UsageError
from factscore_chain.language_model import init_model
from factscore_chain.pytest_plugin.settings import Settings


class Chains:
    """Makes each chain once, so that a budget holds for all the checks that share it."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], tuple[Settings, FactScoreChain]] = {}

    def of(self, settings: Settings) -> FactScoreChain:
        """The chain with these settings; it reads precision, without length penalty.

        Raises:
            UsageError: A setting is wrong.
            KnowledgeSourceError: The knowledge source cannot be opened.
            FatalModelError: The model cannot be set up.
        """
        key = (
            *(_identity(part) for part in (settings.knowledge, settings.llm, settings.cache)),
            settings.base_url,
            settings.estimator,
            settings.max_cost,
        )
        if key not in self._made:
            # The settings are kept too: what an identity stands for must not be freed.
            self._made[key] = (settings, _make(settings))
        return self._made[key][1]


def _identity(part: Any) -> Any:
    """A path by its name, any other object by itself."""
    if isinstance(part, (str, PathLike)):
        return str(part)
    return None if part is None else id(part)


def _make(settings: Settings) -> FactScoreChain:
    return FactScoreChain(
        settings.knowledge,
        llm=_model(settings),
        estimator=settings.estimator,
        gamma=None,
        cache=settings.cache,
        max_cost=settings.max_cost,
    )


def _model(settings: Settings) -> Any:
    if settings.llm is None and settings.base_url is not None:
        raise UsageError(f"base_url is {settings.base_url!r}, but no llm is named to ask there. Name one.")
    if not isinstance(settings.llm, str):
        return settings.llm
    try:
        return init_model(
            settings.llm, **({} if settings.base_url is None else {"base_url": settings.base_url})
        )
    except UsageError as error:
        # An unknown provider or a missing package is a mistake of the tests; a missing key is one's own.
        if isinstance(error.__cause__, (ValueError, ImportError)):
            raise
        raise FatalModelError(str(error)) from error
