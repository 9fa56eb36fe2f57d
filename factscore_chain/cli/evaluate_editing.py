"""`factscore eval editing`: how well an editor mends texts that people mended too."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.cli.edit import POLICIES, VARIANTS, check_editing_model
from factscore_chain.cli.estimating import add_estimator_argument, make_judge, make_llm
from factscore_chain.cli.kb import passages_wanted
from factscore_chain.cli.limiting import model_means
from factscore_chain.cli.printed import print_found
from factscore_chain.cli.progress import fact_progress
from factscore_chain.cli.score import add_model_arguments, add_retrieval_arguments, make_knowledge
from factscore_chain.errors import UsageError

if TYPE_CHECKING:
    from factscore_chain.edit.base import Editor

_ALL = "all"

_DESCRIPTION = """\
Edits texts that people revised with an edit chain, in which every proposal is verified and kept only if
it helps, and compares what comes out: err_loc (macro F1 of the words kept and dropped), err_corr (F1 of the
words added), sim_al (aligned word vectors), the share of unsupported facts removed or corrected, and the
share of the words of supported facts kept. Beside them the same for copying, removing all, and noise, and the
FActScore before and after, by the chain, by its estimator from scratch, and by a second estimator from
scratch, which has a say in the edits with --veto only. FILE holds Factcheck-GPT's revisions (its benchmark
brings labels by people), BUMP's pairs, or rows of text, revised, passages, facts. Facts that bring no label
are found and judged by the estimator, from the passages of their row or from --knowledge. With --estimator
embedded or np a model only edits.
"""
_ASK_NO_MODEL = frozenset({"embedded", "np"})


def add_editing(parts: Any) -> None:
    """Declares the command and its arguments."""
    parser: argparse.ArgumentParser = parts.add_parser(
        "editing", help="edits against what people made of the same texts", description=_DESCRIPTION
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="JSONL, or one JSON list")
    add_retrieval_arguments(parser)
    add_model_arguments(parser)
    add_estimator_argument(parser)
    parser.add_argument("--editor", choices=("embedded", "llm"), help="llm with --llm, else embedded")
    parser.add_argument(
        "--variant",
        choices=(*VARIANTS, _ALL),
        help="what the model is shown (default: facts+passages); all sets the four side by side",
    )
    parser.add_argument(
        "--policy",
        choices=POLICIES,
        default="auto",
        help="auto (default): correct where a passage gives the value, else remove",
    )
    parser.add_argument(
        "--veto",
        action="store_true",
        help="give the second estimator a say: an edit by which it scores its text lower is not kept, unless "
        "the first is surer of the fact in question",
    )
    parser.add_argument(
        "--max-rounds",
        type=int,
        metavar="N",
        help="rounds at most (default: 2 with a model, 6 with the embedded editor)",
    )
    parser.add_argument(
        "--texts",
        choices=("all", "read", "unread"),
        default="all",
        help="unread is the half that nobody read while the embedded editor was made, read the other "
        "(default: all)",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="take the first N of the texts")
    parser.add_argument("--seed", type=int, default=0, help="of the noise and the intervals (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of the tables")
    parser.set_defaults(run=run_editing)


def run_editing(options: argparse.Namespace) -> bool:
    """Edits and compares; returns whether every row was read and every edit came about."""
    from factscore_chain.edit.editors import as_policy
    from factscore_chain.estimators import make_estimator
    from factscore_chain.evals.editing import evaluate_editing
    from factscore_chain.evals.editing_cases import Source
    from factscore_chain.evals.editing_table import print_editing
    from factscore_chain.evals.revisions import read_revisions
    from factscore_chain.retrievers.opening import as_retriever

    check_editing_model(options)
    if options.limit is not None and options.limit < 1:
        raise UsageError(f"--limit is {options.limit}. Give 1 or more.")
    if options.max_rounds is not None and options.max_rounds < 1:
        raise UsageError(f"--max-rounds is {options.max_rounds}. Give 1 or more.")
    rows, rejected = read_revisions(options.file)
    for line in rejected:
        print(f"factscore: {line}", file=sys.stderr)
    chosen = [one for one in rows if options.texts == "all" or one.is_unread == (options.texts == "unread")]
    estimator = make_judge(_judging(options))
    second = make_estimator("embedded" if estimator.name == "np" else "np")
    means = model_means(options)
    decomposer = estimator.decomposer.with_models(lambda model: model.using(**means))
    knowledge = make_knowledge(options)
    retriever = None if knowledge is None else as_retriever(knowledge)
    with fact_progress() as on_done:
        found = evaluate_editing(
            chosen[: options.limit],
            _editors(options),
            estimator,
            Source(decomposer, retriever, passages_wanted(options)),
            second={second.name: second.verifier},
            veto=second if options.veto else None,
            policy=as_policy(options.policy),
            max_rounds=options.max_rounds,
            name=options.file.stem,
            rejected=rejected,
            seed=options.seed,
            on_done=on_done,
        )
    if options.json and options.variant != _ALL:
        (report,) = found.editors.values()
        print(report.model_dump_json())
    else:
        print_found(found, print_editing, as_json=options.json)
    return found.complete


def _judging(options: argparse.Namespace) -> argparse.Namespace:
    """The options for the estimator: one that asks no model is given none, even to find facts with."""
    if options.estimator not in _ASK_NO_MODEL:
        return options
    return argparse.Namespace(**{**vars(options), "llm": None, "base_url": None})


def _editors(options: argparse.Namespace) -> dict[str, Editor]:
    """The editors to compare, by the name of what tells them apart."""
    from factscore_chain.edit.editors import make_editor

    means, llm = model_means(options), make_llm(options)
    variants = VARIANTS if options.variant == _ALL else (options.variant,)
    made = [make_editor(options.editor, llm, one) for one in variants]
    return {
        one.identity.get("variant", one.editor_name): one.with_models(lambda model: model.using(**means))
        for one in made
    }
