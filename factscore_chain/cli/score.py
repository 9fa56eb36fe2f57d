"""`factscore score`: generations in, table and report out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.cli.beside import add_figures, with_reference, without_recall
from factscore_chain.cli.engine import add_engine_arguments, scoring_engine
from factscore_chain.cli.estimating import add_estimator_argument, make_llm
from factscore_chain.cli.inputs import read_rows
from factscore_chain.cli.kb import (
    add_embedder_argument,
    knowledge_at,
    make_embeddings,
    passages_wanted,
    report_problems,
)
from factscore_chain.cli.keeping import (
    add_failures_argument,
    add_store_argument,
    add_strict_argument,
    kept_at,
    open_store,
)
from factscore_chain.cli.limiting import add_limit_arguments, model_means
from factscore_chain.cli.printed import InOrder
from factscore_chain.cli.progress import progress_bar
from factscore_chain.cli.written import written
from factscore_chain.errors import MissingKnowledgeError, UsageError
from factscore_chain.files import check_writable, write_whole

if TYPE_CHECKING:
    from factscore_chain.answer_cache import AnswerCache
    from factscore_chain.chain import FactScoreChain
    from factscore_chain.gate import RunStore
    from factscore_chain.gate.scoring import ScoreMany
    from factscore_chain.generation_files import Rows
    from factscore_chain.report import Report
    from factscore_chain.retrievers.topical import TopicRetriever


def add_parser(commands: Any) -> None:
    """Declares the command and its arguments."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "score",
        help="score generations against a knowledge source",
        description="Breaks each generation into atomic facts, checks each against the knowledge source, "
        "and prints the share supported, with the evidence.",
    )
    parser.add_argument(
        "generations",
        metavar="GENERATIONS",
        help='a .jsonl file of {"topic", "output"} rows, a file with one text, one text, or - (stdin)',
    )
    add_estimator_arguments(parser)
    parser.add_argument("--topic", help="topic of rows (or of the one text) that name none themselves")
    add_figures(parser)
    parser.add_argument(
        "--estimate-cost", action="store_true", help="print what it would take, and ask no model"
    )
    add_store_argument(parser)
    add_failures_argument(parser)
    add_strict_argument(parser)
    add_engine_arguments(parser)
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the full report here: as Markdown or HTML by the name's ending, else as JSON",
    )
    parser.add_argument(
        "--format",
        choices=("table", "json", "jsonl", "md", "html"),
        default="table",
        help="what is printed; with jsonl each generation as soon as it and those before it are scored",
    )
    parser.set_defaults(run=run)


def add_estimator_arguments(
    parser: argparse.ArgumentParser,
    *,
    gamma: float | None = 10.0,
    several: bool = False,
    concurrency: str = "--concurrency",
) -> None:
    """Declares what every command that scores has: knowledge, model, estimator, gamma, abstention."""
    add_retrieval_arguments(parser, several=several)
    add_model_arguments(parser, concurrency)
    add_estimator_argument(parser)
    parser.add_argument(
        "--max-cost", type=float, metavar="DOLLARS", help="make no more calls once they cost this much"
    )
    parser.add_argument(
        "--prices", type=Path, metavar="FILE", help="prices of models, in place of the shipped table"
    )
    parser.add_argument(
        "--seek", action="store_true", help="look again, with another query, for facts without evidence"
    )
    parser.add_argument(
        "--seek-rounds", type=int, choices=(1, 2), default=2, help="looks of --seek for a fact (default: 2)"
    )
    parser.add_argument(
        "--gamma", type=float, default=gamma, help=f"length penalty; 0 for none (default: {gamma or 0:g})"
    )
    parser.add_argument(
        "--abstain",
        choices=("default", "generic", "perplexity_ai", "none"),
        default="default",
        help="how abstentions are recognised",
    )


def add_retrieval_arguments(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Declares where passages come from, and how many; `several` sources become a list."""
    parser.add_argument(
        "--knowledge",
        type=knowledge_at,
        action="append" if several else "store",
        metavar="SOURCE",
        help='a JSONL of {"title", "text"} rows (registered once, then cached), or a registered database; or '
        "chroma://HOST:PORT/COLLECTION, or a YAML file that describes a LangChain vector store"
        + ("; may be repeated" if several else ""),
    )
    parser.add_argument("--k", type=int, default=5, help="passages retrieved a fact (default: 5)")
    add_embedder_argument(parser)


def add_model_arguments(parser: argparse.ArgumentParser, concurrency: str = "--concurrency") -> None:
    """Declares the chat model, and what bounds its calls."""
    parser.add_argument(
        "--llm",
        metavar="PROVIDER:NAME",
        help="a chat model, such as openai:gpt-4o-mini; or transformers:NAME, weights that run here",
    )
    parser.add_argument(
        "--base-url", metavar="URL", help="server of the chat model, if not the provider's own"
    )
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument(
        "--cache",
        type=kept_at,
        metavar="FILE|URL",
        help="keeps the model's answers, so that none is paid for twice "
        "(default: answers.db in the user's cache folder); a file, or postgresql://USER@HOST/DATABASE",
    )
    kept.add_argument("--no-cache", action="store_true", help="keep no answers, and ask anew")
    add_limit_arguments(parser, concurrency)


def make_chain(options: argparse.Namespace, *, without: Any = None, **more: Any) -> FactScoreChain:
    """Makes the chain that the arguments ask for; `more` goes to it as it is.

    `without` stands for the knowledge source where the arguments name none.

    Raises:
        UsageError: An argument is wrong.
        KnowledgeSourceError: The knowledge source cannot be opened.
    """
    from factscore_chain.chain import FactScoreChain

    try:
        return FactScoreChain(
            make_knowledge(options) or without,
            llm=make_llm(options),
            estimator=options.estimator,
            gamma=options.gamma,
            abstain=options.abstain,
            k=passages_wanted(options),
            calibration=options.calibration,
            facts_per_call=options.facts_per_call,
            structured=options.structured,
            irrelevant=options.irrelevant,
            **model_means(options),
            max_cost=options.max_cost,
            prices=options.prices,
            seek=options.seek and options.seek_rounds,
            **more,
        )
    except MissingKnowledgeError as error:
        raise MissingKnowledgeError(error.estimator, "--knowledge, a source to read them from") from None


def answer_cache(options: argparse.Namespace) -> AnswerCache | None:
    """Where the arguments say that answers are kept; None if nowhere."""
    from factscore_chain.answer_cache import AnswerCache
    from factscore_chain.retrievers.opening import cache_folder

    return None if options.no_cache else AnswerCache(options.cache or cache_folder() / "answers.db")


def make_knowledge(options: argparse.Namespace) -> TopicRetriever | None:
    """Opens the knowledge source that the arguments name, and says what is wrong with its rows.

    Raises:
        KnowledgeSourceError: It cannot be opened.
    """
    from factscore_chain.retrievers.ensemble import KnowledgeRetriever
    from factscore_chain.retrievers.opening import open_elsewhere, open_knowledge

    if options.knowledge is None:
        return None
    embeddings = make_embeddings(options)
    if (elsewhere := open_elsewhere(options.knowledge, embeddings)) is not None:
        return elsewhere
    knowledge = open_knowledge(options.knowledge, embeddings)
    report_problems(knowledge)
    return KnowledgeRetriever(source=knowledge, embeddings=embeddings)


def run(options: argparse.Namespace) -> bool:
    """Scores, prints, writes; returns whether everything could be scored."""
    from factscore_chain.render import print_table
    from factscore_chain.strict import IncompleteError

    check_writable(options.out)
    rows = read_rows(options.generations, options.topic)
    if options.strict and rows.rejected:
        raise UsageError(f"--strict takes no bad row: {rows.rejected[0]} ({len(rows.rejected)} in all).")
    store = open_store(options)
    recall, rows = with_reference(options.recall, rows)
    figures = {"f1_k": options.f1_k, "recall": recall, "max_reference_facts": options.max_reference_facts}
    chain = make_chain(
        options,
        max_failures=options.max_failures,
        store=None if store is None else store.store,
        strict=options.strict,
        **figures,
    )
    if options.estimate_cost:
        print(*chain.estimate_cost(list(rows.generations)).lines(), sep="\n")
        return not rows.rejected
    try:
        engine = scoring_engine(options, chain, **figures)
        shown = InOrder() if options.format == "jsonl" else None
        report = _score(chain, rows, store, shown, engine)
    except IncompleteError as error:
        _tell(error.report)
        _write(error.report, options.out)
        raise
    _tell(report)
    if options.format == "table":
        print_table(report)
    elif options.format != "jsonl":
        print(written(report, Path(f"report.{options.format}")), end="")
    _write(report, options.out)
    return report.complete


def _tell(report: Report) -> None:
    from factscore_chain.render import clean

    for message in (*report.rejected, *problems(report), *without_recall(report)):
        print(f"factscore: {clean(message)}", file=sys.stderr)


def _write(report: Report, out: Path | None) -> None:
    if out is not None:
        write_whole(out, written(report, out))


def _score(
    chain: FactScoreChain,
    rows: Rows,
    store: RunStore | None,
    on_place: InOrder | None,
    score_many: ScoreMany | None,
) -> Report:
    from factscore_chain.gate import score_rows

    with progress_bar("generation", len(rows.generations)) as bar:
        report = score_rows(
            chain,
            rows.generations,
            finished=store,
            journal=store,
            on_done=lambda report: bar.update(),
            on_place=on_place,
            score_many=score_many,
        )
    return report.with_rejected(tuple(map(str, rows.rejected)))


def problems(report: Report) -> list[str]:
    """A line for each generation of which something was lost."""
    return [
        f"generation {number} ({one.topic or 'no topic'}): {one.error}"
        for number, one in enumerate(report.generations, 1)
        if one.error is not None
    ]
