"""Documents by exact title, as the original's `DocDB` gives them."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from factscore_chain.errors import AmbiguousTitleError, KnowledgeSourceError, TitleNotFoundError
from factscore_chain.retrievers.connections import Connections
from factscore_chain.retrievers.knowledge import KnowledgeSource
from factscore_chain.retrievers.original import SEPARATOR, is_original


class DocDB:
    """A knowledge source by exact title: a database of the original, or one of ours.

    A database that does not exist yet is built from `data_path`; so is one that holds no document, which an
    interrupted build of the original leaves behind.

    Args:
        db_path: The SQLite file.
        data_path: JSONL of `{"title", "text"}`; needed only where there is no database yet.

    Raises:
        KnowledgeSourceError: There is neither, or one of them is not what it should be.
    """

    def __init__(self, db_path: str | Path, data_path: str | Path | None = None) -> None:
        self.db_path = str(db_path)
        self.data_path = None if data_path is None else str(data_path)
        self.source = open_database(Path(db_path), None if data_path is None else Path(data_path))
        self._connections = Connections(Path(db_path))
        self._published = is_original(self._connections.get())

    def path(self) -> str:
        """The SQLite file."""
        return self.db_path

    def build_db(self, db_path: str | Path, data_path: str | Path) -> None:
        """Builds a database from a JSONL file.

        Raises:
            KnowledgeSourceError: The file cannot be read or holds no document.
        """
        KnowledgeSource.build(data_path, db_path).close()

    def get_text_from_title(self, title: str) -> list[dict[str, str]]:
        """The passages of the document with exactly this title, in the order of the text.

        Texts of a database of the original keep its `<s>` and `</s>`.

        Returns:
            A dictionary of "title" and "text" each.

        Raises:
            TitleNotFoundError: There is none; near titles are named.
        """
        return [{"title": title, "text": text} for text in self._texts(title)]

    def check_title(self, title: str) -> None:
        """Makes sure that a document has exactly this title.

        Raises:
            TitleNotFoundError: None has; near titles are named.
        """
        if title not in self.source.titles:
            raise TitleNotFoundError(title, self._near(title))

    def close(self) -> None:
        """Closes the files."""
        self._connections.close()
        self.source.close()

    def __enter__(self) -> DocDB:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _texts(self, title: str) -> list[str]:
        self.check_title(title)
        if not self._published:
            return [passage.text for passage in self.source.passages(title)]
        row = (
            self._connections.get().execute("SELECT text FROM documents WHERE title = ?", (title,)).fetchone()
        )
        return str(row[0]).split(SEPARATOR)

    def _near(self, title: str) -> tuple[str, ...]:
        try:
            return (self.source.resolve(title),)
        except TitleNotFoundError as error:
            return error.near
        except AmbiguousTitleError as error:
            return error.candidates
        except KnowledgeSourceError:
            return ()


def open_database(db_path: Path, data_path: Path | None) -> KnowledgeSource:
    """Opens a database, or builds it from a JSONL file where there is none or an empty one.

    Raises:
        KnowledgeSourceError: There is neither, or one of them is not what it should be.
    """
    has_data = data_path is not None and data_path.is_file()
    if db_path.exists():
        try:
            return KnowledgeSource(db_path)
        except KnowledgeSourceError:
            if not (has_data and _is_empty(db_path)):
                raise
    if data_path is None or not has_data:
        raise KnowledgeSourceError(
            f"There is no knowledge source: neither the database {str(db_path)!r} nor the JSONL "
            f"{str(data_path)!r} exists. Put one of them there, or name yours with register_knowledge_source."
        )
    db_path.parent.mkdir(parents=True, exist_ok=True)
    return KnowledgeSource.build(data_path, db_path, overwrite=db_path.exists())


def _is_empty(path: Path) -> bool:
    """Whether nothing is in a file, or in the original's table."""
    if path.stat().st_size == 0:
        return True
    connections = Connections(path)
    try:
        connection = connections.get()
        return is_original(connection) and not connection.execute("SELECT 1 FROM documents").fetchone()
    finally:
        connections.close()
