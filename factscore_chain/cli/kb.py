"""`factscore kb`: build a knowledge source, update it, share it, search it."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factscore_chain.cli.engine import add_engine_arguments, on_ray

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

    from factscore_chain.retrievers.knowledge import KnowledgeSource

EMBEDDED_TOGETHER = 100
"""Documents that a worker of a cluster embeds at a time."""


def add_parser(commands: Any) -> None:
    """Declares the command, its parts, and their arguments."""
    parser: argparse.ArgumentParser = commands.add_parser("kb", help="build and search knowledge sources")
    parts = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    building = parts.add_parser("build", help="register documents into one database file")
    building.add_argument(
        "file",
        type=Path,
        metavar="DOCUMENTS",
        help='JSONL of {"title", "text"} rows; with the extra documents also a folder or file of Markdown, '
        "HTML, text or PDF, a Wikipedia XML or CirrusSearch dump, or a parquet file",
    )
    building.add_argument("--out", type=Path, required=True, metavar="SOURCE", help="the database to write")
    building.add_argument("--overwrite", action="store_true", help="replace the source that is there")
    building.add_argument(
        "--workers", type=int, metavar="N", help="processes that read and cut (default: one a core)"
    )
    building.add_argument(
        "--vectors",
        action="store_true",
        help="embed every passage into a Chroma index beside it; so does --embedder",
    )
    add_embedder_argument(building)
    building.set_defaults(run=build)
    _add_update(parts)
    _add_embed(parts)
    _add_push(parts)
    searching = parts.add_parser("search", help="show the passages that a query finds")
    searching.add_argument(
        "source",
        type=knowledge_at,
        metavar="SOURCE",
        help="a database, or what `kb build` or --knowledge takes",
    )
    searching.add_argument("query", metavar="QUERY", help="what to look for")
    searching.add_argument("--topic", help="search the document of this title only")
    searching.add_argument("--k", type=int, default=5, help="passages to show (default: 5)")
    add_embedder_argument(searching)
    searching.set_defaults(run=search)


def passages_wanted(options: argparse.Namespace) -> int:
    """How many passages are to be found.

    Raises:
        UsageError: Fewer than one.
    """
    from factscore_chain.errors import UsageError

    count: int = options.k
    if count < 1:
        raise UsageError(f"--k is {count}; give 1 or more passages.")
    return count


def knowledge_at(text: str) -> str | Path:
    """Reads what names a knowledge source: a path, or a URL, which is none."""
    return text if "://" in text else Path(text)


def _add_update(parts: Any) -> None:
    updating = parts.add_parser("update", help="bring a database up to date with its documents")
    updating.add_argument("source", type=Path, metavar="SOURCE", help="a database that `kb build` made")
    updating.add_argument(
        "file",
        type=Path,
        metavar="DOCUMENTS",
        help="all its documents as they are now, as `kb build` takes them",
    )
    updating.add_argument(
        "--workers", type=int, metavar="N", help="processes that read and cut (default: one a core)"
    )
    updating.set_defaults(run=update)


def _add_embed(parts: Any) -> None:
    embedding = parts.add_parser(
        "embed",
        help="embed all passages of a database, for searches of the whole by meaning",
        description="Embeds every passage that has no vector yet into a Chroma index beside the database; "
        "what an interrupted run embedded is kept. Without it, a topic's passages are embedded when first "
        "needed.",
    )
    embedding.add_argument("source", type=Path, metavar="SOURCE", help="a database that `kb build` made")
    add_embedder_argument(embedding)
    add_engine_arguments(embedding, "documents", EMBEDDED_TOGETHER)
    embedding.set_defaults(run=embed)


def _add_push(parts: Any) -> None:
    pushing = parts.add_parser(
        "push",
        help="put a source into a Chroma server, from which many machines read it",
        description="Embeds every passage and stores it on the server; what an interrupted push stored is "
        "kept. Prints what --knowledge takes.",
    )
    pushing.add_argument("source", type=Path, metavar="SOURCE", help="a database, or what `kb build` takes")
    pushing.add_argument("--to", required=True, metavar="chroma://HOST:PORT", help="the server")
    add_embedder_argument(pushing)
    pushing.set_defaults(run=push)


def add_embedder_argument(parser: argparse.ArgumentParser) -> None:
    """Declares what makes vectors."""
    parser.add_argument(
        "--embedder",
        metavar="NAME",
        help="a sentence-transformers model in place of the shipped encoder, such as "
        "sentence-transformers/gtr-t5-large (extra hf)",
    )


def make_embeddings(options: argparse.Namespace) -> Embeddings | None:
    """Loads the embedder that the arguments name; None for the shipped encoder.

    Raises:
        MissingExtraError: It needs sentence-transformers, and that is not installed.
        WeightsNotFoundError: It is not here and cannot be downloaded.
    """
    if options.embedder is None:
        return None
    from factscore_chain.retrievers.sentence_transformer import SentenceTransformerEmbeddings

    return SentenceTransformerEmbeddings(options.embedder)


def build(options: argparse.Namespace) -> bool:
    """Registers a file; returns whether every row was taken."""
    from factscore_chain.retrievers.knowledge import KnowledgeSource

    source = KnowledgeSource.build(
        options.file, options.out, overwrite=options.overwrite, workers=options.workers
    )
    print(
        f"{source.name}: {source.document_count} documents, {source.passage_count} passages "
        f"in {str(options.out)!r}, content {source.content_hash[:12]}"
    )
    if options.vectors or options.embedder:
        _embed(source, options)
    return report_problems(source)


def embed(options: argparse.Namespace) -> bool:
    """Embeds the passages of a source that have no vector."""
    from factscore_chain.retrievers.knowledge import KnowledgeSource

    with KnowledgeSource(options.source) as source:
        if on_ray(options):
            _embed_there(source, options)
        _embed(source, options)
    return True


def _embed_there(source: KnowledgeSource, options: argparse.Namespace) -> None:
    from factscore_chain.ray_engine import RayEmbedding, Workers

    make = partial(_make_there, options.embedder)
    size = EMBEDDED_TOGETHER if options.partition is None else options.partition
    made = RayEmbedding(source, make, Workers(options.workers), size).run()
    print(f"{made} passages embedded by workers")


def _make_there(embedder: str | None) -> Embeddings:
    from factscore_chain.retrievers.embedding import default_embeddings

    return make_embeddings(argparse.Namespace(embedder=embedder)) or default_embeddings()


def _embed(source: KnowledgeSource, options: argparse.Namespace) -> None:
    from factscore_chain.retrievers.vectors import VectorIndex

    index = VectorIndex.build(source, make_embeddings(options))
    print(f"{len(index)} passages embedded")
    index.close()


def update(options: argparse.Namespace) -> bool:
    """Updates a source; returns whether every row was taken."""
    from factscore_chain.retrievers.knowledge import KnowledgeSource

    changes = KnowledgeSource.update(options.source, options.file, workers=options.workers)
    with KnowledgeSource(options.source) as source:
        print(
            f"{source.name}: {changes.added} added, {changes.changed} changed, {changes.removed} removed, "
            f"{changes.unchanged} unchanged, content {source.content_hash[:12]}"
        )
        return report_problems(source)


def push(options: argparse.Namespace) -> bool:
    """Puts a source into a Chroma server."""
    from factscore_chain.errors import UsageError
    from factscore_chain.retrievers.chroma_collection import server_and_collection
    from factscore_chain.retrievers.opening import open_knowledge
    from factscore_chain.retrievers.vector_build import collection_name
    from factscore_chain.retrievers.vectors import VectorIndex

    server, collection = server_and_collection(options.to)
    if collection:
        raise UsageError("The collection's name follows from the source's content. Write chroma://HOST:PORT.")
    embeddings = make_embeddings(options)
    source = open_knowledge(options.source, embeddings)
    index = VectorIndex.build(source, embeddings, url=server)
    print(f"{len(index)} passages of {source.name}: {options.to.rstrip('/')}/{collection_name(source)}")
    index.close()
    return report_problems(source)


def report_problems(source: KnowledgeSource) -> bool:
    """Names each line of the input that was left out; returns whether there is none."""
    registration = source.registration
    if registration is None:
        return True
    for one in registration.problems:
        print(f"factscore: {source.name}, {one}", file=sys.stderr)
    left = registration.bad_lines + registration.duplicates
    if left > len(registration.problems):
        print(f"factscore: {left} were left out in all", file=sys.stderr)
    return not left


def search(options: argparse.Namespace) -> bool:
    """Prints the passages found, best first.

    Raises:
        UsageError: There is nothing to look for.
    """
    from factscore_chain.errors import UsageError
    from factscore_chain.render import clean, excerpt
    from factscore_chain.retrievers.ensemble import KnowledgeRetriever, to_passages
    from factscore_chain.retrievers.opening import open_elsewhere, open_knowledge

    if not any(map(str.isalnum, options.query)):
        raise UsageError(f"the query {options.query!r} has no word to look for; give one or more words.")
    wanted = passages_wanted(options)
    embeddings = make_embeddings(options)
    retriever = open_elsewhere(options.source, embeddings) or KnowledgeRetriever(
        source=open_knowledge(options.source, embeddings), embeddings=embeddings
    )
    (found,) = retriever.rank_many([options.query], options.topic, wanted)
    for passage in to_passages(found):
        print(f"{passage.rank}. {clean(passage.title or '-')} ({' + '.join(passage.origins)})")
        print(f"   {excerpt(passage.text, options.query)}")
    return True
