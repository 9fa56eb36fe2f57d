"""Keeps an agent with the guardrail busy at a steady rate, in this process, and watches its memory.

    python -m factscore_chain.evals.bench.soak_agent [--seconds 600] [--rate 2] [--json]

LangChain's own agent, with `FactualityMiddleware` and the embedded estimator, is asked again and again; a
model that follows a script answers with a text that was not checked before, half of it false. Exit code 1 if
an answer failed, or came without its check.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from factscore_chain.agents.middleware import FactualityMiddleware
from factscore_chain.chain import FactScoreChain
from factscore_chain.evals.bench.load import OK, Load, growth, memory_line, steadily
from factscore_chain.evals.bench.soak import body, write_pages


def make_agent(pages: Path) -> Any:
    """An agent whose answers are checked by the pages."""
    answers = map(_answer, count())  # which threads may share, as they may no generator
    guard = FactualityMiddleware(FactScoreChain(pages), on_fail="annotate")
    return create_agent(GenericFakeChatModel(messages=answers), middleware=[guard])


def _answer(number: int) -> AIMessage:
    return AIMessage(body(number)["text"])


async def measure(agent: Any, seconds: float, rate: float) -> tuple[Load, list[float], Counter[str]]:
    """Asks the agent; also gives what was done with its answers."""
    actions: Counter[str] = Counter()

    async def ask(number: int, load: Load) -> None:
        began = time.monotonic()
        try:
            state = await agent.ainvoke({"messages": [("user", f"Tell me of town {number}.")]})
            actions[state["factuality"]["action"]] += 1
            status = str(OK)
        except Exception as error:  # noqa: BLE001  whatever goes wrong is what is counted here
            status = type(error).__name__
        load.add(status, time.monotonic() - began)

    await ask(-1, Load())  # loads the models
    actions.clear()
    load, sizes = await steadily(ask, seconds, rate, os.getpid())
    return load, sizes, actions


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description="Keeps a guarded agent busy, and watches it.")
    parser.add_argument("--seconds", type=float, default=600, metavar="N", help="how long (default: 600)")
    parser.add_argument("--rate", type=float, default=2, metavar="N", help="questions a second (default: 2)")
    parser.add_argument("--json", action="store_true", help="print an object instead of lines")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        agent = make_agent(write_pages(Path(folder)))
        load, sizes, actions = asyncio.run(measure(agent, options.seconds, options.rate))
    if options.json:
        found = {"steady": asdict(load), "megabytes": sizes, "growth": growth(sizes), "actions": actions}
        print(json.dumps(found))
    else:
        print(f"steady, {options.rate:g} a second: {load.statuses}, ms {load.milliseconds()}")
        print(memory_line(sizes), f"answers: {dict(actions)}", sep="\n")
    return 0 if set(load.statuses) == {str(OK)} else 1


if __name__ == "__main__":
    sys.exit(main())
