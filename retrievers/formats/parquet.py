"""Parquet files, as datasets are shared in them, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from factscore_chain.errors import KnowledgeSourceError, MissingExtraError
from factscore_chain.retrievers.formats.document import Document, Found, LeftOut

_NAMES = ("redirects", "aliases")
_ROWS = 1_000


def read_parquet(path: Path) -> Iterator[Found]:
    """Reads rows with the columns `title` and `text`, and `redirects` or `aliases` if there are any.

    Raises:
        KnowledgeSourceError: It is no parquet file, or has no such columns.
        MissingExtraError: Its parser is not installed.
    """
    try:
        import pyarrow as arrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("Reading parquet files", "documents") from error
    try:
        with parquet.ParquetFile(path) as file:
            columns = _columns(path, file.schema_arrow.names)
            for batch in file.iter_batches(batch_size=_ROWS, columns=columns):
                yield from (_document(row) for row in batch.to_pylist())
    except arrow.ArrowException as error:
        raise KnowledgeSourceError(f"{path} cannot be read as a parquet file: {error}") from error


def _columns(path: Path, names: Sequence[str]) -> list[str]:
    missing = [name for name in ("title", "text") if name not in names]
    if missing:
        raise KnowledgeSourceError(
            f"{path} has no column {missing[0]!r}; its columns are {', '.join(names)}. Rename one."
        )
    return ["title", "text", *(name for name in _NAMES if name in names)]


def _document(row: dict[str, Any]) -> Found:
    title, text = row["title"], row["text"]
    texts = [text] if isinstance(text, str) else text
    if not isinstance(title, str) or not _are_texts(texts):
        return LeftOut(f"a row titled {title!r}: title and text must be text")
    names = next((row[name] for name in _NAMES if row.get(name)), ())
    names = [names] if isinstance(names, str) else names
    return Document(title, tuple(texts), tuple(names) if _are_texts(names) else ())


def _are_texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value)
