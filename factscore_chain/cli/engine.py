"""Where `factscore score` does its work: in this process, or in the workers of a Ray cluster."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.errors import UsageError

if TYPE_CHECKING:
    from factscore_chain.chain import FactScoreChain
    from factscore_chain.gate.scoring import ScoreMany

_PLACES = ("knowledge", "calibration", "prices", "cache")
_SHARED = ("model_concurrency", "requests_per_minute", "tokens_per_minute")
_ALONE = ("max_cost", "max_failures", "strict")
_NOT_SENT = {"run", "limits"}


def add_engine_arguments(
    parser: argparse.ArgumentParser, sent: str = "generations", default: int = 50
) -> None:
    """Declares where the work is done.

    Args:
        parser: Takes the arguments.
        sent: What workers are sent.
        default: How many of these at a time.
    """
    group = parser.add_argument_group("where the work is done")
    group.add_argument(
        "--engine",
        choices=("local", "ray"),
        default="local",
        help="ray: in the workers of the cluster that RAY_ADDRESS names, or of one started on this machine "
        "(extra ray)",
    )
    group.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="processes of --engine ray (default: its CPUs)",
    )
    group.add_argument(
        "--partition",
        type=int,
        metavar="N",
        help=f"{sent} that a worker takes at a time, and that are lost with it (default: {default})",
    )


def on_ray(options: argparse.Namespace) -> bool:
    """Whether a cluster does the work.

    Raises:
        UsageError: It does not, and arguments are about it.
    """
    if options.engine == "ray":
        return True
    for name in ("workers", "partition"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is about --engine ray. Give both, or leave it out.")
    return False


def scoring_engine(options: argparse.Namespace, chain: FactScoreChain, **more: Any) -> ScoreMany | None:
    """What scores in place of the chain's own method; None where that does.

    Args:
        options: The arguments.
        chain: The chain that they ask for.
        more: What it was made with beside them.

    Raises:
        UsageError: Arguments that do not go together.
    """
    if not on_ray(options):
        return None
    for name in _ALONE:
        if getattr(options, name) not in {None, False}:
            raise UsageError(
                f"--{name.replace('_', '-')} holds in one process, and --engine ray has several. "
                "Leave one of them out."
            )
    if options.workers is None and any(getattr(options, name) is not None for name in _SHARED):
        raise UsageError(
            "Limits on calls to models are for all workers together. Give --workers, so that each gets "
            "its share."
        )
    from factscore_chain.ray_engine import RayScoring, Workers

    make = partial(_make_there, _sent(options), **more)
    workers = Workers(options.workers)
    return RayScoring(make, chain, workers, 50 if options.partition is None else options.partition).score_many


def _make_there(options: argparse.Namespace, **more: Any) -> FactScoreChain:
    """Makes the chain in a worker, which keeps its finished stages where all machines can reach them."""
    from factscore_chain.cli.score import make_chain
    from factscore_chain.gate import RunStore

    store = RunStore(options.store).store if isinstance(options.store, str) else None
    return make_chain(options, store=store, **more)


def _sent(options: argparse.Namespace) -> argparse.Namespace:
    """The arguments as a worker gets them: whole paths, and its share of what all may ask together."""
    sent = {name: value for name, value in vars(options).items() if name not in _NOT_SENT}
    for name in _PLACES:
        if isinstance(sent[name], Path):
            sent[name] = sent[name].expanduser().absolute()
    for name in _SHARED:
        if sent[name] is not None:
            sent[name] = max(1, sent[name] // options.workers)
    return argparse.Namespace(**sent)
