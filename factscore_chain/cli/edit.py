"""`factscore edit`: texts in, texts without what is not supported out, with the proof."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.cli.edited_files import rewritten, write_back
from factscore_chain.cli.inputs import Given, read_given, rows_of
from factscore_chain.cli.kb import passages_wanted
from factscore_chain.cli.progress import progress_bar
from factscore_chain.cli.score import add_estimator_arguments, make_chain
from factscore_chain.cli.written import written
from factscore_chain.errors import UsageError
from factscore_chain.files import check_writable, write_whole

if TYPE_CHECKING:
    from factscore_chain.chain import FactScoreChain
    from factscore_chain.edit.chain import EditChain
    from factscore_chain.edit.report import EditReport
    from factscore_chain.generation_files import Rows

POLICIES = ("auto", "correct", "remove", "hedge")
VARIANTS = ("no-context", "facts", "passages", "facts+passages")
_MENDABLE = ("not_supported", "irrelevant", "undecided")


def add_parser(commands: Any) -> None:
    """Declares the command and its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "edit",
        help="mend what a knowledge source does not support",
        description="Scores each text, mends the sentences that state unsupported facts, verifies what comes "
        "out, and keeps an edit only if it lost no supported fact and left fewer unsupported ones. Prints "
        "the edited text (of rows, the rows); what was done goes to standard error.",
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        help='a file with one text, a .jsonl file of {"topic", "output"} rows, one text, or - (stdin)',
    )
    add_estimator_arguments(parser)
    parser.add_argument("--topic", help="topic of rows (or of the one text) that name none themselves")
    _add_editing(parser)
    _add_output(parser)
    parser.set_defaults(run=run)


def _add_editing(parser: argparse.ArgumentParser) -> None:
    editing = parser.add_argument_group("editing")
    editing.add_argument(
        "--policy",
        choices=POLICIES,
        default="auto",
        help="auto (default): correct where a passage gives the value, else remove",
    )
    editing.add_argument("--editor", choices=("embedded", "llm"), help="llm with --llm, else embedded")
    editing.add_argument(
        "--variant", choices=VARIANTS, help="what the model is shown (default: facts+passages)"
    )
    editing.add_argument(
        "--mend",
        action="append",
        choices=_MENDABLE,
        help="verdict of the facts to mend; may be repeated (default: not_supported)",
    )
    editing.add_argument(
        "--max-rounds",
        type=int,
        metavar="N",
        help="rounds at most (default: 2 with a model, 6 with the embedded editor)",
    )
    editing.add_argument(
        "--second",
        metavar="ESTIMATOR",
        help="another estimator that scores the texts before and after; an edit by which it scores its text "
        "lower is not kept, unless the first is surer of the fact in question",
    )
    editing.add_argument(
        "--no-veto", action="store_true", help="let --second only grade, without a say in the edits"
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument("--diff", action="store_true", help="print the changes as a unified diff instead")
    output.add_argument("--in-place", action="store_true", help="write the edited text back into FILE")
    output.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the full report here: as Markdown or HTML by the name's ending, else as JSON",
    )


def run(options: argparse.Namespace) -> bool:
    """Edits, prints, writes; returns whether everything could be scored and edited."""
    from factscore_chain.edit.render import summary_lines
    from factscore_chain.render import clean

    check_writable(options.out)
    given = read_given(options.file)
    if options.in_place and given.path is None:
        raise UsageError("--in-place needs a file to write back into; without it, the text is printed.")
    rows = rows_of(given, options.topic)
    report = _edit(_make_edit_chain(options), rows)
    for message in (*report.rejected, *summary_lines(report), *_problems(report)):
        print(f"factscore: {clean(message)}", file=sys.stderr)
    _hand_out(options, given, report)
    return report.complete


def _hand_out(options: argparse.Namespace, given: Given, report: EditReport) -> None:
    texts = rewritten(given, report.generations)
    if options.out is not None:
        write_whole(options.out, written(report, options.out))
    if options.in_place:
        write_back(given, texts)
    if options.diff:
        sys.stdout.write(report.diff)
    elif not options.in_place:
        sys.stdout.write(texts if texts.endswith("\n") or not texts else f"{texts}\n")


def _make_edit_chain(options: argparse.Namespace) -> EditChain:
    from factscore_chain.edit.chain import EditChain

    check_editing_model(options)
    scorer = make_chain(options)
    return EditChain(
        scorer,
        editor=options.editor,
        variant=options.variant,
        policy=options.policy,
        mend=options.mend or ["not_supported"],
        max_rounds=options.max_rounds,
        second=_second(options, scorer),
        veto=not options.no_veto,
    )


def check_editing_model(options: argparse.Namespace) -> None:
    """Checks that what only an editing model can use comes with one.

    Raises:
        UsageError: It does not.
    """
    if options.llm is not None:
        return
    asked = f"--variant {options.variant}" if options.variant else "--editor llm"
    if options.variant or options.editor == "llm":
        raise UsageError(f"{asked} asks a model. Name one with --llm, such as --llm openai:gpt-4o-mini.")


def _second(options: argparse.Namespace, scorer: FactScoreChain) -> FactScoreChain | None:
    """A chain with the same source and model, and another estimator."""
    from factscore_chain.chain import FactScoreChain

    if options.second is None:
        if options.no_veto:
            raise UsageError("--no-veto takes its say from a second estimator. Name one with --second.")
        return None
    if options.second == scorer.estimator:
        raise UsageError(f"--second {options.second} is the estimator that scores already. Name another.")
    retrieval = scorer.scorer.retrieval
    return FactScoreChain(
        None if retrieval is None else retrieval.retriever,
        llm=next(iter(scorer.models), None),
        estimator=options.second,
        gamma=options.gamma,
        abstain=options.abstain,
        k=passages_wanted(options),
        prices=options.prices,
    )


def _edit(chain: EditChain, rows: Rows) -> EditReport:
    with progress_bar("text", len(rows.generations)) as bar:
        report = chain.edit_many(rows.generations, on_result=lambda index, result: bar.update())
    return report.with_rejected(tuple(map(str, rows.rejected)))


def _problems(report: EditReport) -> list[str]:
    """What went wrong with each text: as a whole, or with one of its sentences."""
    return [
        f"text {number} ({one.topic or 'no topic'}): {trouble}"
        for number, one in enumerate(report.generations, 1)
        for trouble in dict.fromkeys(
            [*([one.error] if one.error else []), *(edit.error for edit in one.edits if edit.error)]
        )
    ]
