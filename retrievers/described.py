"""Any LangChain vector store as a knowledge source, by a YAML file that names its class and arguments.

The file is configuration like any other that names code: whoever writes it decides which installed class is
imported and called. Nothing in it is evaluated.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factscore_chain.errors import KnowledgeSourceError, UsageError
from factscore_chain.retrievers.embedding import default_embeddings, embedder_name
from factscore_chain.retrievers.store import TOPIC, StoreRetriever

ENDINGS = frozenset({".yaml", ".yml"})

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*[.:][A-Za-z_]\w*")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_EMBEDDING_NAMES = ("embedding", "embedding_function", "embeddings")
_LOGIN = re.compile(r"(?<=://)[^/\s@]+@")
Made = TypeVar("Made", Embeddings, VectorStore)


class Described(BaseModel):
    """A class, how it is called, and with what."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    class_: str = Field(alias="class")
    """Its dotted name, such as `langchain_chroma.Chroma`."""
    method: str | None = None
    """A class method that makes the object, such as `load`; None calls the class."""
    arguments: dict[str, Any] = Field(default_factory=dict)
    """By name. A text `${NAME}` stands for what the environment variable holds."""


class StoreDescription(Described):
    """What a YAML file says of a vector store."""

    name: str | None = None
    """What reports call it, and what tells its content from others'; the file's name by default."""
    title: str = "title"
    """Where metadata holds a document's title."""
    filter: dict[str, Any] | Literal["function", "none"] | None = None
    """The store's own filter for a topic, `{topic}` standing for it; by default the title has to equal it.
    "function" for stores that take a function of a document; "none" where nothing can be filtered."""
    embeddings: Described | None = None
    """What embeds queries; None for the shipped encoder."""


def open_described(path: Path, embeddings: Embeddings | None = None) -> StoreRetriever:
    """Opens the vector store that a YAML file describes.

    Args:
        path: The file.
        embeddings: What embeds queries, where the file does not say it.

    Raises:
        UsageError: The file cannot be read, names no vector store, or wants a variable that is not set.
        KnowledgeSourceError: The store cannot be opened.
    """
    about = _read(path)
    embedder = embeddings or default_embeddings()
    if about.embeddings is not None:
        embedder = _made(about.embeddings, Embeddings, path, {})  # type: ignore[type-abstract]
    given = dict.fromkeys(_EMBEDDING_NAMES, embedder)
    store = _made(about, VectorStore, path, given)  # type: ignore[type-abstract]
    return StoreRetriever(
        store=store,
        name=about.name or path.stem,
        title_key=about.title,
        title_filter={about.title: TOPIC} if about.filter is None else about.filter,
        embedder=embedder_name(embedder),
    )


def _read(path: Path) -> StoreDescription:
    try:
        return StoreDescription.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{str(path)!r} is no YAML: {error}") from error
    except ValidationError as error:
        # The values stay out of the message, since one of them may be a password.
        wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise UsageError(f"{str(path)!r} describes no vector store ({wrong}).") from None


def _made(about: Described, kind: type[Made], path: Path, extra: dict[str, Any]) -> Made:
    call = _callable(about, kind, path)
    secrets: list[str] = []
    arguments = _filled(about.arguments, path, secrets)
    names = inspect.signature(call).parameters
    arguments.update(
        {name: value for name, value in extra.items() if name in names and name not in arguments}
    )
    try:
        made = call(**arguments)
    except Exception as error:  # noqa: BLE001  a store's class may raise anything
        reason = _without_secrets(f"{type(error).__name__}: {error}", secrets)
        raise KnowledgeSourceError(f"{about.class_} of {str(path)!r} cannot be opened ({reason}).") from None
    if not isinstance(made, kind):
        raise UsageError(f"{about.class_} of {str(path)!r} gave no {kind.__name__}.")
    return made


def _callable(about: Described, kind: type[Any], path: Path) -> Any:
    if not _DOTTED.fullmatch(about.class_):
        raise UsageError(f"{about.class_!r} in {str(path)!r} is no dotted name of a class.")
    module, _, name = about.class_.replace(":", ".").rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"{about.class_} of {str(path)!r} cannot be imported ({error}). Install its package, or mend "
            "its name."
        ) from error
    if not (isinstance(found, type) and issubclass(found, kind)):
        raise UsageError(f"{about.class_} of {str(path)!r} is no LangChain {kind.__name__}.")
    if about.method is None:
        return found
    method = getattr(found, about.method, None)
    if about.method.startswith("_") or not inspect.ismethod(method):
        raise UsageError(f"{about.class_} of {str(path)!r} has no class method {about.method!r}.")
    return method


def _filled(value: Any, path: Path, secrets: list[str]) -> Any:
    """The arguments with what the environment holds in place of `${NAME}`, which goes to `secrets` too."""
    if isinstance(value, dict):
        return {key: _filled(one, path, secrets) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, path, secrets) for one in value]
    variable = _VARIABLE.fullmatch(value) if isinstance(value, str) else None
    if variable is None:
        return value
    held = os.environ.get(variable[1])
    if held is None:
        raise UsageError(f"{str(path)!r} wants the environment variable {variable[1]}, which is not set.")
    secrets.append(held)
    return held


def _without_secrets(text: str, secrets: list[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, "...") if secret else text
    return _LOGIN.sub("...@", text)
