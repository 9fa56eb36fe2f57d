"""What an answer is checked against that came with its request."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from factscore_chain.guard.evidence import CallEvidence, as_evidence
from factscore_chain.server.proxy.bodies import ChatRequest


def evidence_of(request: ChatRequest, roles: Collection[str]) -> CallEvidence:
    """The passages of a request, and its messages in these roles, each marked with its role."""
    found = as_evidence([passage.model_dump() for passage in request.options.passages])
    for message in request.messages:
        role = message.get("role")
        if role in roles:
            found = found + as_evidence(_texts(message.get("content")), origin=str(role))
    return found


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content] if content.strip() else []
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return [text for text in texts if isinstance(text, str) and text.strip()]
