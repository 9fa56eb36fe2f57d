"""`factscore eval votes` and `calibrate`: what an LLM's verdicts are worth, by labelled facts."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from factscore_chain.cli.estimating import add_estimator_argument, make_judge
from factscore_chain.cli.kb import passages_wanted
from factscore_chain.cli.progress import fact_progress
from factscore_chain.cli.score import add_model_arguments, add_retrieval_arguments, make_knowledge
from factscore_chain.errors import UsageError
from factscore_chain.files import check_writable, write_whole


def add_parsers(parts: Any) -> None:
    """Declares both commands and their arguments."""
    _add_votes(parts)
    _add_calibrate(parts)


def _add_votes(parts: Any) -> None:
    parser: argparse.ArgumentParser = parts.add_parser(
        "votes",
        help="verdicts of an LLM and of the embedded verifier on labelled facts, written down",
        description="Has human atomic facts judged by both, and writes one row a fact, which `calibrate` and "
        "the benchmark of the cascade read, so that a model is asked once.",
    )
    parser.add_argument(
        "labeled", nargs="+", type=Path, metavar="LABELED", help="JSONL in FActScore's labelled format"
    )
    add_retrieval_arguments(parser)
    add_model_arguments(parser)
    add_estimator_argument(parser)
    parser.add_argument("--per-topic", type=int, metavar="N", help="facts of one topic and file at most")
    parser.add_argument("--out", type=Path, required=True, metavar="VOTES", help="where the rows go")
    parser.set_defaults(run=run_votes)


def _add_calibrate(parts: Any) -> None:
    parser: argparse.ArgumentParser = parts.add_parser(
        "calibrate",
        help="fit what an LLM's verdicts are worth",
        description="Fits weights and thresholds on the training topics of the rows, writes them for "
        "--calibration, and prints how well they do on held-out topics.",
    )
    parser.add_argument("votes", type=Path, metavar="VOTES", help="rows of `factscore eval votes`")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the calibration, as JSON")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of the table")
    parser.set_defaults(run=run_calibrate)


def run_votes(options: argparse.Namespace) -> bool:
    """Judges labelled facts and writes the rows; returns whether all could be read and judged."""
    from factscore_chain.evals.labeled import read_labeled
    from factscore_chain.evals.votes import collect, write_votes
    from factscore_chain.retrieve import Retrieval
    from factscore_chain.retrievers.opening import as_retriever
    from factscore_chain.values import Verdict
    from factscore_chain.verify.embedded import EmbeddedVerifier

    if options.knowledge is None:
        raise UsageError("Votes need passages. Give --knowledge, a JSONL of documents or a database.")
    check_writable(options.out)
    files = [read_labeled(path) for path in options.labeled]
    rejected = [line for file in files for line in file.rejected]
    for line in rejected:
        print(f"factscore: {line}", file=sys.stderr)
    judge = None if options.llm is None and options.estimator is None else make_judge(options).verifier
    retrieval = Retrieval(retriever=as_retriever(make_knowledge(options) or ""), k=passages_wanted(options))
    with fact_progress() as on_done:
        votes = collect(
            files, retrieval, EmbeddedVerifier(), judge, per_topic=options.per_topic, on_done=on_done
        )
    write_votes(options.out, votes)
    failed = sum(vote.verdict is Verdict.FAILED for vote in votes)
    topics = len({vote.topic for vote in votes})
    print(f"{len(votes)} facts of {topics} topics, {failed} could not be asked about")
    return not failed and not rejected


def run_calibrate(options: argparse.Namespace) -> bool:
    """Fits and writes a calibration, and prints what it is worth; always complete."""
    from factscore_chain.evals.fit_joint import compare, fit
    from factscore_chain.evals.votes import read_votes
    from factscore_chain.verify.embedded import shared_support

    check_writable(options.out)
    votes, head = read_votes(options.votes), shared_support().head
    calibration = fit(votes, embedded=head.version)
    write_whole(options.out, calibration.model_dump_json(indent=2) + "\n")
    rows = compare(votes, calibration, head.thresholds["default"])
    if options.json:
        print(json.dumps({"calibration": calibration.model_dump(), "held_out": rows}))
        return True
    print(f"{calibration.model}: fitted on {calibration.facts} facts of {calibration.topics} training topics")
    print("held-out topics    facts    AUC  bal. acc.  F1 NS   gain  said True")
    for name, row in rows.items():
        print(f"{name:18}{row['facts']:6}{''.join(_cell(row, *one) for one in _SHOWN)}")
    return True


_SHOWN = (
    ("auc", 7, ".3f"),
    ("balanced_accuracy", 11, ".3f"),
    ("f1_not_supported", 7, ".3f"),
    ("f1_gain", 7, "+.1f"),
    ("said_supported", 11, ".3f"),
)


def _cell(row: dict[str, Any], name: str, width: int, form: str) -> str:
    value = row[name]
    return f"{'-' if value is None else format(value, form):>{width}}"
