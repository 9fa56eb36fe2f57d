"""Marks calls whose answers are wanted anew: no cache may give an old one, and no two may share one."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig

_KEY = "factscore_fresh"

FRESH: RunnableConfig = {"metadata": {_KEY: True}}
"""Config for a stage; it reaches every model call below it, and shows in traces."""


def is_fresh(config: RunnableConfig | None) -> bool:
    """Whether a call was marked."""
    return config is not None and bool(config.get("metadata", {}).get(_KEY))
