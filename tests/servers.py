"""What tests of the server share: sources that judge by plain words, and one that waits to be told."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from langchain_core.runnables import RunnableConfig
from pydantic import PrivateAttr

from factscore_chain.chain import FactScoreChain
from factscore_chain.server.sources import Sources
from factscore_chain.values import Decomposition, Generation
from tests.editing import TRUE, WRONG, ListEditor, word_chain
from tests.pages import make_source
from tests.stages import SentenceDecomposer, WordVerifier

JSON = {"Content-Type": "application/json"}


class WaitingDecomposer(SentenceDecomposer):
    """Waits for `go` with a text that holds "WAIT", and counts those that were given up."""

    _go: threading.Event = PrivateAttr(default_factory=threading.Event)
    _begun: threading.Semaphore = PrivateAttr(default_factory=lambda: threading.Semaphore(0))
    _given_up: threading.Semaphore = PrivateAttr(default_factory=lambda: threading.Semaphore(0))

    async def _process(self, value: Generation, config: RunnableConfig) -> Decomposition:
        if "WAIT" in value.text:
            self._begun.release()
            try:
                while not self._go.is_set():  # noqa: ASYNC110  set from another thread
                    await asyncio.sleep(0.005)
            except asyncio.CancelledError:
                self._given_up.release()
                raise
        return await super()._process(value, config)

    def go(self) -> None:
        """Lets everything go on."""
        self._go.set()

    def wait_for_begun(self, count: int = 1) -> None:
        """Waits until so many texts wait."""
        for _ in range(count):
            assert self._begun.acquire(timeout=30)

    def wait_for_given_up(self) -> None:
        """Waits until a text was given up."""
        assert self._given_up.acquire(timeout=30)


def word_sources(folder: Path) -> Sources:
    """One source, "pages"; its editor knows one sentence."""
    return Sources.of([word_chain(make_source(folder))], ListEditor(edits={WRONG: TRUE}))


def waiting_sources(folder: Path) -> tuple[Sources, WaitingDecomposer]:
    """The same with a decomposer that waits."""
    waiting = WaitingDecomposer()
    chain = FactScoreChain(make_source(folder), decomposer=waiting, verifier=WordVerifier(), gamma=None)
    return Sources.of([chain]), waiting
