"""`factscore eval editing`: how well an editor mends texts that people mended too."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from factscore_chain.cli.edit import POLICIES, VARIANTS, check_editing_model
from factscore_chain.cli.printed import print_found
from factscore_chain.cli.progress import fact_progress
from factscore_chain.cli.score import (
    add_estimator_argument,
    add_model_arguments,
    add_retrieval_arguments,
    answer_cache,
    make_judge,
    make_knowledge,
    make_llm,
)

_DESCRIPTION = """\
Edits texts that people revised, and compares: err_loc (macro F1 of the words kept and dropped), err_corr (F1
of the words added), sim_al (aligned word vectors), the share of unsupported facts removed or corrected, and
the share of the words of supported facts kept. Beside them the same for copying, removing all, and noise, and
the FActScore before and after, by the estimator and by a second one. FILE holds Factcheck-GPT's revisions
(its benchmark brings labels by people), BUMP's pairs, or rows of text, revised, passages, facts. Facts that
bring no label are found and judged by the estimator, from the passages of their row or from --knowledge.
"""


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
        "--variant", choices=VARIANTS, help="what the model is shown (default: facts+passages)"
    )
    parser.add_argument(
        "--policy",
        choices=POLICIES,
        default="auto",
        help="auto (default): correct where a passage gives the value, else remove",
    )
    parser.add_argument(
        "--texts",
        choices=("all", "unread"),
        default="all",
        help="unread leaves out the half that was read while the embedded editor was made (default: all)",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the noise and the intervals (default: 0)")
    parser.add_argument("--json", action="store_true", help="print one JSON object in place of the table")
    parser.set_defaults(run=run_editing)


def run_editing(options: argparse.Namespace) -> bool:
    """Edits and compares; returns whether every row was read and every edit came about."""
    from factscore_chain.edit.editors import as_policy, make_editor
    from factscore_chain.estimators import make_estimator
    from factscore_chain.evals.editing import evaluate_editing
    from factscore_chain.evals.editing_cases import Source
    from factscore_chain.evals.editing_table import print_editing
    from factscore_chain.evals.revisions import read_revisions
    from factscore_chain.retrievers.opening import as_retriever

    check_editing_model(options)
    rows, rejected = read_revisions(options.file)
    for line in rejected:
        print(f"factscore: {line}", file=sys.stderr)
    revisions = [one for one in rows if options.texts == "all" or one.is_unread]
    cache = answer_cache(options)
    editor = make_editor(options.editor, make_llm(options), options.variant)
    estimator = make_judge(options)
    second = make_estimator("embedded" if estimator.name == "np" else "np")
    decomposer = estimator.decomposer.with_models(lambda model: model.using(cache=cache))
    knowledge = make_knowledge(options)
    retriever = None if knowledge is None else as_retriever(knowledge)
    with fact_progress() as on_done:
        report = evaluate_editing(
            revisions,
            editor.with_models(lambda model: model.using(cache=cache)),
            estimator,
            Source(decomposer, retriever, options.k),
            second={second.name: second.verifier},
            policy=as_policy(options.policy),
            name=options.file.stem,
            rejected=rejected,
            seed=options.seed,
            on_done=on_done,
        )
    print_found(report, print_editing, as_json=options.json)
    return report.complete
