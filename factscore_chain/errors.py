"""The errors a user can meet, under one root class.

A message says what was wrong, with the value, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterable


class FactScoreError(Exception):
    """Root of every error that this package raises on purpose."""


class UsageError(FactScoreError, ValueError):
    """The caller asked for something that cannot be: a bad argument, a missing file, an unknown name."""


class UnknownArgumentError(UsageError, TypeError):
    """A keyword argument that a class or function does not have."""

    def __init__(self, owner: str, name: str, known: Iterable[str]) -> None:
        from difflib import get_close_matches  # pytest's plugin loads this module in every run

        near = get_close_matches(name, list(known), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        super().__init__(f"{owner}() got an unexpected keyword argument {name!r}.{hint}")


class MissingKnowledgeError(UsageError):
    """An estimator that reads passages was given nothing to read."""

    def __init__(self, estimator: str, give: str) -> None:
        self.estimator = estimator
        super().__init__(f"The estimator {estimator!r} reads passages. Give {give}.")


class MissingExtraError(FactScoreError, ImportError):
    """An optional dependency is not installed."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs an optional dependency. Run: pip install 'factscore-chain[{extra}]'"
        )


class MissingPackageError(FactScoreError, ImportError):
    """A package that this one works beside, but never installs, is not there or cannot be imported."""

    def __init__(self, feature: str, package: str) -> None:
        super().__init__(
            f"{feature} works beside {package}, which cannot be imported. Run: pip install {package}"
        )


class KnowledgeSourceError(FactScoreError):
    """A knowledge source cannot be read, written or understood."""


class TitleNotFoundError(KnowledgeSourceError):
    """No document of the knowledge source has this title."""

    def __init__(self, title: str, near: tuple[str, ...] = ()) -> None:
        self.title = title
        self.near = near
        hint = f" Near titles: {', '.join(map(repr, near))}." if near else ""
        super().__init__(
            f"No document is titled {title!r}.{hint} Give one of the source's titles, or no topic "
            "to search the whole source."
        )


class AmbiguousTitleError(KnowledgeSourceError):
    """A title names several documents, and guessing one would judge by the wrong page."""

    def __init__(self, title: str, candidates: tuple[str, ...]) -> None:
        self.title = title
        self.candidates = candidates
        super().__init__(
            f"{title!r} is ambiguous: it may be {', '.join(map(repr, candidates))}. Give one of these."
        )


class ModelReplyError(FactScoreError):
    """A model answered, but the answer cannot be used; `raw` keeps what it said."""

    def __init__(self, message: str, raw: str) -> None:
        self.raw = raw
        super().__init__(message)


class DecompositionError(ModelReplyError):
    """A sentence could not be broken into atomic facts (refusal, unreadable list)."""


class ModelCallError(FactScoreError):
    """A model could not be called: network, limits, server."""


class FatalModelError(ModelCallError):
    """Every further call would fail the same way (wrong key, unknown model): the run stops at once."""


class FailureBudgetError(ModelCallError):
    """More failed than a run may lose: no more calls are made, and what was done is kept."""


class BudgetError(ModelCallError):
    """The money that a run may spend is used up: no more calls are made, and what was done is kept."""
