"""Opening Chroma: embedded in a folder, or a server by its address."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from factscore_chain.errors import KnowledgeSourceError, UsageError

if TYPE_CHECKING:
    from chromadb.api import ClientAPI

DEFAULT_PORT = 8000
_DATABASE = "chroma.sqlite3"


@dataclass(frozen=True)
class Place:
    """Where an index is kept: a folder, a server, or a client that somebody else opened."""

    folder: Path | None = None
    url: str | None = None
    client: ClientAPI | None = None

    def __str__(self) -> str:
        return str(self.folder or self.url or "of the given client")

    @property
    def exists(self) -> bool:
        """Whether there can be an index, told without opening the store."""
        return self.folder is None or (self.folder / _DATABASE).is_file()

    def open(self) -> ClientAPI:
        """Opens the store; a folder is made if need be.

        Raises:
            UsageError: The address is not one of a server.
            KnowledgeSourceError: The store cannot be opened.
        """
        with store_errors(self):
            if self.client is not None:
                return self.client
            if self.folder is not None:
                return embedded_client(self.folder)
            return server_client(self.url or "")

    def close(self, client: ClientAPI) -> None:
        """Closes a client that `open` made."""
        if self.client is None:
            client.close()  # type: ignore[attr-defined]  # not part of the interface's own class


def embedded_client(folder: Path) -> ClientAPI:
    """A client of the store in a folder, which is made if need be."""
    import chromadb

    folder.mkdir(parents=True, exist_ok=True)
    return chromadb.PersistentClient(path=str(folder.absolute()), settings=_settings())


def server_client(url: str) -> ClientAPI:
    """A client of a Chroma server.

    Raises:
        UsageError: The address is not one of a server, as in "http://localhost:8000".
        ValueError: No Chroma server answers there.
    """
    import chromadb

    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(f"{url!r} is not the address of a Chroma server. Write http://HOST:PORT.")
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else DEFAULT_PORT)
    return chromadb.HttpClient(host=parts.hostname, port=port, ssl=secure, settings=_settings())


@contextmanager
def store_errors(place: object) -> Iterator[None]:
    """Turns the store's exceptions into ours, saying which store."""
    from chromadb.errors import ChromaError

    try:
        yield
    except (ChromaError, ValueError, OSError) as error:
        if isinstance(error, UsageError):
            raise
        raise KnowledgeSourceError(f"The vector store {place} failed: {error}") from error


def _settings() -> Any:
    from chromadb.config import Settings

    # Chroma would read a file named .env in the working directory, which is somebody else's.
    return Settings(_env_file=None, anonymized_telemetry=False)
