"""`factscore eval`: how well estimators and decomposers agree with people."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.cli import calibrate
from factscore_chain.cli.estimating import add_estimator_argument, make_judge, make_llm
from factscore_chain.cli.evaluate_editing import add_editing
from factscore_chain.cli.kb import passages_wanted
from factscore_chain.cli.limiting import model_means
from factscore_chain.cli.printed import print_found
from factscore_chain.cli.progress import fact_progress
from factscore_chain.cli.score import add_model_arguments, add_retrieval_arguments, make_knowledge
from factscore_chain.errors import UsageError

if TYPE_CHECKING:
    from factscore_chain.evals.labeled import LabeledFile
    from factscore_chain.evals.split import TopicChoice


def add_parser(commands: Any) -> None:
    """Declares the command, its parts, and their arguments."""
    parser: argparse.ArgumentParser = commands.add_parser("eval", help="measure agreement with people")
    parts = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_agreement(parts)
    _add_pairs(parts)
    _add_decomposition(parts)
    _add_predictions(parts)
    _add_human(parts)
    add_editing(parts)
    calibrate.add_parsers(parts)


def _add_agreement(parts: Any) -> None:
    parser: argparse.ArgumentParser = parts.add_parser(
        "agreement",
        help="verdicts against human labels of atomic facts",
        description="Judges human atomic facts and compares the verdicts with their labels, in the paper's "
        "convention (irrelevant counts as not supported) and without irrelevant facts.",
    )
    parser.add_argument(
        "labeled",
        nargs="+",
        type=Path,
        metavar="LABELED",
        help="JSONL in FActScore's labelled format, or rows of claim, evidence, label; one file a system",
    )
    add_retrieval_arguments(parser)
    add_model_arguments(parser)
    add_estimator_argument(parser)
    parser.add_argument(
        "--topics",
        choices=("held-out", "train", "all"),
        help="held-out leaves out topics that shipped models were fitted on (default: held-out for the "
        "embedded and np estimators, else all)",
    )
    _add_json(parser)
    parser.set_defaults(run=run_agreement)


def _add_pairs(parts: Any) -> None:
    parser: argparse.ArgumentParser = parts.add_parser(
        "pairs", help="verdicts on claims that come with their evidence"
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="JSONL of claim, evidence, label rows")
    add_model_arguments(parser)
    add_estimator_argument(parser)
    _add_json(parser)
    parser.set_defaults(run=run_pairs)


def _add_decomposition(parts: Any) -> None:
    parser: argparse.ArgumentParser = parts.add_parser(
        "decomposition", help="atomic facts against those that people made of the same sentences"
    )
    parser.add_argument("labeled", type=Path, metavar="LABELED", help="JSONL in FActScore's labelled format")
    add_model_arguments(parser)
    parser.add_argument(
        "--topics",
        choices=("held-out", "train", "all"),
        help="as for agreement (default: held-out for the embedded decomposer, all with a chat model)",
    )
    _add_json(parser)
    parser.set_defaults(run=run_decomposition)


def _add_predictions(parts: Any) -> None:
    parser: argparse.ArgumentParser = parts.add_parser(
        "predictions",
        help="the published statistics from released prediction files",
        description="Share of prompts answered, facts per response and FActScore of each system, and how far "
        "the estimators agree on the systems.",
    )
    parser.add_argument(
        "folder", type=Path, metavar="DIR", help="one JSONL of prompt, facts, labels a system"
    )
    parser.add_argument(
        "--prompts", type=int, default=500, help="prompts that each system was given (default: 500)"
    )
    _add_seed(parser)
    _add_json(parser)
    parser.set_defaults(run=run_predictions)


def _add_human(parts: Any) -> None:
    parser: argparse.ArgumentParser = parts.add_parser(
        "human",
        help="human FActScores from labelled files",
        description="FActScore of each system by human labels, by rarity, region and position, and what "
        "random subsets of the prompts would have said.",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="one labelled JSONL a system")
    _add_seed(parser)
    _add_json(parser)
    parser.set_defaults(run=run_human)


def _add_seed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seed", type=int, default=0, help="of the random subsets (default: 0)")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of the table")


def run_agreement(options: argparse.Namespace) -> bool:
    """Compares verdicts with labels; returns whether every row and fact could be used."""
    from factscore_chain.evals.agreement import agreement
    from factscore_chain.evals.labeled import read_labeled
    from factscore_chain.evals.render import print_agreement
    from factscore_chain.retrievers.opening import as_retriever

    files = [read_labeled(path) for path in options.labeled]
    estimator = make_judge(options)
    if estimator.needs_passages and options.knowledge is None:
        _refuse_without_evidence(files, estimator.name)
    knowledge = make_knowledge(options)
    retriever = None if knowledge is None else as_retriever(knowledge)
    reports = []
    for file in files:
        _complain(file.rejected)
        with fact_progress() as on_done:
            reports.append(
                agreement(
                    file,
                    estimator.verifier,
                    retriever,
                    estimator=estimator.name,
                    topics=options.topics,
                    k=passages_wanted(options),
                    on_done=on_done,
                )
            )
    if not options.json:
        print_agreement(reports)
    elif len(reports) == 1:
        print(reports[0].model_dump_json())
    else:
        print(json.dumps({"systems": {one.file: one.model_dump(mode="json") for one in reports}}))
    return all(report.complete for report in reports)


def run_pairs(options: argparse.Namespace) -> bool:
    """Judges claims by their own evidence; returns whether every row could be used."""
    from factscore_chain.evals.labeled import read_pairs
    from factscore_chain.evals.pairs import evaluate_pairs
    from factscore_chain.evals.render import print_pairs

    rows, rejected = read_pairs(options.file)
    estimator = make_judge(options)
    _complain(rejected)
    with fact_progress() as on_done:
        report = evaluate_pairs(
            rows,
            estimator.verifier,
            name=options.file.stem,
            rejected=rejected,
            estimator=estimator.name,
            on_done=on_done,
        )
    print_found(report, print_pairs, as_json=options.json)
    return report.complete


def run_decomposition(options: argparse.Namespace) -> bool:
    """Compares predicted with human facts; returns whether every row could be used."""
    from factscore_chain.estimators import make_estimator
    from factscore_chain.evals.decomposition import evaluate_decomposition, read_human_sentences
    from factscore_chain.evals.render import print_figures
    from factscore_chain.evals.split import is_chosen

    sentences, rejected = read_human_sentences(options.labeled)
    llm = make_llm(options)
    topics: TopicChoice = options.topics or ("held-out" if llm is None else "all")
    chosen = [one for one in sentences if is_chosen(one.topic, topics)]
    _complain(rejected)
    means = model_means(options)
    decomposer = make_estimator(None, llm).decomposer.with_models(lambda model: model.using(**means))
    figures = {
        "file": options.labeled.stem,
        "topics": topics,
        **evaluate_decomposition(decomposer, chosen),
        "rejected": list(rejected),
    }
    if options.json:
        print(json.dumps(figures))
    else:
        print_figures(f"Decomposition: {options.labeled.stem}", figures)
    return not rejected


def run_predictions(options: argparse.Namespace) -> bool:
    """Computes the statistics of prediction files; returns whether every row could be read."""
    from factscore_chain.evals.predictions import evaluate_predictions
    from factscore_chain.evals.tables import print_predictions

    report = evaluate_predictions(options.folder, prompts=options.prompts, seed=options.seed)
    _complain(report.rejected)
    print_found(report, print_predictions, as_json=options.json)
    return not report.rejected


def run_human(options: argparse.Namespace) -> bool:
    """Computes the statistics of labelled files; returns whether every row could be read."""
    from factscore_chain.evals.human import evaluate_human
    from factscore_chain.evals.tables import print_human

    report = evaluate_human(options.folder, seed=options.seed)
    _complain(report.rejected)
    print_found(report, print_human, as_json=options.json)
    return not report.rejected


def _refuse_without_evidence(files: Iterable[LabeledFile], estimator: str) -> None:
    for file in files:
        if file.needs_knowledge:
            raise UsageError(
                f"{file.name} brings no evidence, and the estimator {estimator!r} reads passages. "
                "Give --knowledge, a JSONL of documents or a registered database."
            )


def _complain(rejected: Iterable[str]) -> None:
    for line in rejected:
        print(f"factscore: {line}", file=sys.stderr)
