"""Arguments that say who judges, and the parts that they name."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.cli.limiting import model_means
from factscore_chain.errors import UsageError

if TYPE_CHECKING:
    from factscore_chain.estimators import Estimator


def add_estimator_argument(parser: argparse.ArgumentParser) -> None:
    """Declares the estimator."""
    parser.add_argument(
        "--estimator",
        metavar="NAME",
        help="embedded (default), np, retrieval+llm, retrieval+llm+np, retrieval+llm+embedded, cascade, "
        "no-context, self-check, original; or a name of the original package, such as retrieval+llama+npm",
    )
    parser.add_argument(
        "--calibration",
        type=Path,
        metavar="FILE",
        help="what the model's verdicts are worth (eval calibrate)",
    )
    parser.add_argument(
        "--facts-per-call",
        type=int,
        default=1,
        metavar="N",
        help="facts of one set of passages that a chat model is asked about together (default: 1)",
    )
    parser.add_argument(
        "--structured",
        action="store_true",
        help="ask a chat model for data in place of text, where its profile says that it can",
    )
    parser.add_argument(
        "--irrelevant",
        action="store_true",
        help="report facts whose subject is neither the topic nor in a passage as irrelevant",
    )


def make_judge(options: argparse.Namespace) -> Estimator:
    """Makes the estimator that the arguments name, with its models' answers kept.

    Raises:
        UsageError: An argument is wrong.
    """
    from factscore_chain.estimators import make_estimator
    from factscore_chain.verify.calibration import read_calibration
    from factscore_chain.verify.judging import Judging

    worth = None if options.calibration is None else read_calibration(options.calibration)
    judging = Judging(worth, options.facts_per_call, options.structured, options.irrelevant)
    estimator = make_estimator(options.estimator, make_llm(options), judging=judging)
    means = model_means(options)
    verifier = estimator.verifier.with_models(lambda model: model.using(**means))
    return replace(estimator, verifier=verifier)


def make_llm(options: argparse.Namespace) -> Any:
    """The model that the arguments name, or its name; None if they name none.

    Raises:
        UsageError: A server was named without a model, or the model cannot be set up.
    """
    from factscore_chain.language_model import init_model

    if options.base_url is None:
        return options.llm
    if options.llm is None:
        raise UsageError("--base-url needs --llm, the model to ask there.")
    return init_model(options.llm, base_url=options.base_url)
