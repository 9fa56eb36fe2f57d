"""Whatever an app holds its context in, as passages that remember where they came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, ToolMessage

from factscore_chain.errors import UsageError
from factscore_chain.retrievers.documents import passage_id, to_passages
from factscore_chain.retrievers.passages import cut
from factscore_chain.values import Passage

CONTEXT = "context"
"""Origin of passages that came with the call and name no other."""


def as_passages(value: Any, *, origin: str = CONTEXT) -> tuple[Passage, ...]:
    """Makes passages of whatever an app holds its context in; long ones are cut at sentence ends.

    Takes a text, a pair (title, text), a LangChain document, a message, a mapping with "text" or
    "page_content" (and "title", "id"), a LlamaIndex node with or without a score, a `Passage`, None, and
    lists of these. A pair is a tuple: a list of two texts is two texts.

    Args:
        value: The context.
        origin: What passages are marked with that do not say where they came from; messages of a tool are
            marked "tool:NAME".

    Raises:
        UsageError: It holds something else.
    """
    parts = [part for passage in _passages(value, origin) for part in _cut(passage)]
    return distinct(parts)


def _passages(value: Any, origin: str) -> Iterator[Passage]:
    if value is None:
        return
    if isinstance(value, (list, tuple)) and not _is_pair(value):
        for one in value:
            yield from _passages(one, origin)
    else:
        yield _one(value, origin)


def _one(value: Any, origin: str) -> Passage:
    if isinstance(value, Passage):
        return value if value.origins else replace(value, origins=(origin,))
    if isinstance(value, str):
        return _passage(None, value, origin)
    if isinstance(value, tuple):
        return _passage(value[0], value[1], origin)
    if isinstance(value, BaseMessage):
        return _passage(None, value.text, _origin_of(value, origin))
    if isinstance(value, Document):
        (found,) = to_passages([value])
        return replace(found, rank=None, origins=found.origins or (origin,))
    if isinstance(value, Mapping):
        return _from_mapping(value, origin)
    if callable(getattr(getattr(value, "node", value), "get_content", None)):
        return _from_node(value, origin)
    raise UsageError(
        f"{type(value).__name__} is no evidence. Give texts, (title, text) pairs, documents, messages, "
        "nodes, or mappings with 'text'."
    )


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, tuple)
        and len(value) == 2
        and isinstance(value[1], str)
        and (value[0] is None or isinstance(value[0], str))
    )


def _origin_of(message: BaseMessage, origin: str) -> str:
    return f"tool:{message.name or 'unnamed'}" if isinstance(message, ToolMessage) else origin


def _from_mapping(value: Mapping[str, Any], origin: str) -> Passage:
    text = next((value[key] for key in ("text", "page_content", "content") if key in value), None)
    if not isinstance(text, str):
        raise UsageError(
            f"A mapping with the keys {sorted(map(str, value))} is no evidence. Give 'text', and 'title' if "
            "there is one."
        )
    title, given = value.get("title"), value.get("id")
    found = _passage(title if isinstance(title, str) else None, text, origin)
    return found if given is None else replace(found, id=str(given))


def _from_node(value: Any, origin: str) -> Passage:
    """A LlamaIndex node, known by its methods, so that nothing of LlamaIndex need be installed."""
    node = getattr(value, "node", value)
    document = Document(page_content=str(node.get_content()), metadata=dict(node.metadata or {}))
    (found,) = to_passages([document])
    score = getattr(value, "score", None)
    return replace(
        found,
        id=str(getattr(node, "node_id", "") or found.id),
        rank=None,
        score=found.score if score is None else float(score),
        origins=found.origins or (origin,),
    )


def _passage(title: str | None, text: str, origin: str) -> Passage:
    return Passage(passage_id(title, text), text, title, origins=(origin,))


def _cut(passage: Passage) -> Iterator[Passage]:
    """The passage, or its parts if it is longer than those of a knowledge source; blank ones give none."""
    parts = cut([passage.text])
    if len(parts) == 1:
        yield passage
        return
    for number, part in enumerate(parts, 1):
        yield replace(passage, id=f"{passage.id}#{number}", text=part)


def distinct(passages: Sequence[Passage]) -> tuple[Passage, ...]:
    """Each piece of evidence once, numbered by its place, under an id of its own."""
    found: dict[tuple[str | None, str], Passage] = {}
    ids: set[str] = set()
    for one in passages:
        if (one.title, one.text) in found:
            continue
        # An app may give one id to all parts of a document, but verdicts name their evidence by it.
        own = one.id if one.id not in ids else f"{one.id}#{passage_id(one.title, one.text)}"
        ids.add(own)
        found[one.title, one.text] = replace(one, id=own, rank=len(found) + 1)
    return tuple(found.values())
