"""How many calls a command makes to models at once, and in a minute."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from factscore_chain.limits import CallLimits


def add_limit_arguments(parser: argparse.ArgumentParser, concurrency: str = "--concurrency") -> None:
    """Declares the bounds; `concurrency` names the first where the usual name means something else."""
    limits = parser.add_argument_group("limits on calls to models")
    limits.add_argument(
        concurrency,
        dest="model_concurrency",
        type=int,
        metavar="N",
        help="calls to models in flight at most (default: 16)",
    )
    limits.add_argument(
        "--requests-per-minute", type=int, metavar="N", help="requests to models a minute (default: no bound)"
    )
    limits.add_argument(
        "--tokens-per-minute",
        type=int,
        metavar="N",
        help="tokens of prompts and replies a minute (default: no bound)",
    )


def call_limits(options: argparse.Namespace) -> CallLimits | None:
    """The bounds that the arguments set, the same object each time; None if they set none.

    Raises:
        UsageError: A bound allows no call.
    """
    from factscore_chain.limits import CONCURRENCY, CallLimits

    bounds = (options.model_concurrency, options.requests_per_minute, options.tokens_per_minute)
    if all(bound is None for bound in bounds):
        return None
    if getattr(options, "limits", None) is None:
        concurrency, requests, tokens = bounds
        options.limits = CallLimits(
            CONCURRENCY if concurrency is None else concurrency,
            requests_per_minute=requests,
            tokens_per_minute=tokens,
        )
    made: CallLimits = options.limits
    return made


def model_means(options: argparse.Namespace) -> dict[str, Any]:
    """What the arguments give a model to work with: a cache of answers, and limits.

    Raises:
        UsageError: A bound allows no call.
    """
    from factscore_chain.cli.score import answer_cache

    return {"cache": answer_cache(options), "limits": call_limits(options)}
