"""Results of stages, kept as soon as they are there, so that a run that was ended asks for none again.

A key is a hash of all that a result follows from: the texts, and what made it, with its settings. What failed
is not kept.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from threading import Lock
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from factscore_chain.errors import UsageError
from factscore_chain.manifest import versions
from factscore_chain.storage import StorageError, Store
from factscore_chain.values import Claim, Decision, Decomposition, Generation, Passage, Verdict

_log = logging.getLogger(__name__)
T = TypeVar("T")

_DECOMPOSED, _RETRIEVED, _DECIDED = "decomposed", "retrieved", "decided"
_DECOMPOSITION: TypeAdapter[Decomposition] = TypeAdapter(Decomposition)
_PASSAGES: TypeAdapter[tuple[Passage, ...]] = TypeAdapter(tuple[Passage, ...])
_DECISION: TypeAdapter[Decision] = TypeAdapter(Decision)

Identity = Mapping[str, object]
"""What makes a result, as in a report's manifest."""


class KeptStages:
    """What stages made, in a store that runs and machines may share.

    A store that cannot be used any more is named once in the log, and the run goes on without it. A damaged
    row is as good as none.

    Args:
        store: Where results are kept.

    Raises:
        UsageError: The store cannot be opened, or is a database of something else.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._usable = True
        self._lock = Lock()
        self._version = versions().get("factscore-chain")
        try:
            store.find(_DECIDED, [""])
        except StorageError as error:
            raise UsageError(
                f"The store {store.location!r} cannot be used ({error}). Name another place."
            ) from error

    async def decomposition(self, generation: Generation, made_by: Identity) -> Decomposition | None:
        """What a generation was broken into; None if that is not kept."""
        key = self._key(generation.text, generation.topic, made_by)
        return (await self._find(_DECOMPOSED, [key], _DECOMPOSITION))[0]

    async def keep_decomposition(
        self, generation: Generation, made_by: Identity, found: Decomposition
    ) -> None:
        """Keeps what a generation was broken into, if nothing of it was lost."""
        if not found.failures:
            key = self._key(generation.text, generation.topic, made_by)
            await self._keep(_DECOMPOSED, {key: _DECOMPOSITION.dump_json(found)})

    async def passages(
        self, queries: Sequence[str], topic: str | None, made_by: Identity
    ) -> list[tuple[Passage, ...] | None]:
        """What was retrieved for each query; None where that is not kept."""
        return await self._find(_RETRIEVED, [self._key(one, topic, made_by) for one in queries], _PASSAGES)

    async def keep_passages(self, claims: Sequence[Claim], made_by: Identity) -> None:
        """Keeps what was retrieved for facts."""
        await self._keep(
            _RETRIEVED,
            {
                self._key(one.fact.text, one.topic, made_by): _PASSAGES.dump_json(one.passages)
                for one in claims
            },
        )

    async def decisions(self, claims: Sequence[Claim], made_by: Identity) -> list[Decision | None]:
        """What was decided of each claim; None where that is not kept."""
        return await self._find(_DECIDED, [self._claim_key(one, made_by) for one in claims], _DECISION)

    async def keep_decisions(
        self, claims: Sequence[Claim], decisions: Sequence[Decision], made_by: Identity
    ) -> None:
        """Keeps what was decided of claims, but for what failed."""
        await self._keep(
            _DECIDED,
            {
                self._claim_key(claim, made_by): _DECISION.dump_json(decision)
                for claim, decision in zip(claims, decisions, strict=True)
                if decision.verdict is not Verdict.FAILED
            },
        )

    def _claim_key(self, claim: Claim, made_by: Identity) -> str:
        shown = [(one.id, one.title, one.text) for one in claim.passages]
        return self._key(claim.fact.text, claim.topic, made_by, shown)

    def _key(self, *parts: object) -> str:
        told = json.dumps([self._version, *parts], sort_keys=True, default=str)
        return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    async def _find(self, kind: str, keys: Sequence[str], form: TypeAdapter[T]) -> list[T | None]:
        found = await self._unless_broken(partial(self.store.find, kind, keys)) if keys else None
        return [_read(form, (found or {}).get(key)) for key in keys]

    async def _keep(self, kind: str, texts: Mapping[str, bytes]) -> None:
        if texts:
            told = {key: text.decode() for key, text in texts.items()}
            await self._unless_broken(partial(self.store.keep, kind, told))

    async def _unless_broken(self, use: Callable[[], Any]) -> Any:
        if not self._usable:
            return None
        try:
            return await asyncio.to_thread(use)
        except StorageError as error:
            with self._lock:
                if self._usable:
                    _log.warning(
                        "%r cannot be used any more (%s). The run goes on without it.",
                        self.store.location,
                        error,
                    )
                self._usable = False
            return None


def _read(form: TypeAdapter[T], text: str | None) -> T | None:
    try:
        return None if text is None else form.validate_json(text)
    except ValidationError:
        return None
