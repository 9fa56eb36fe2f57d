"""What is not for the user's eyes: the judge's words, and answers that were not checked yet."""

from __future__ import annotations

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import merge_configs, patch_config

NOSTREAM = "nostream"
"""LangGraph's tag for models whose tokens are not shown to the user."""


def unseen(config: RunnableConfig, name: str | None = None) -> RunnableConfig:
    """A config whose models' tokens are not shown to the user of a graph around it; tracers see them."""
    marked = merge_configs(config, {"tags": [NOSTREAM]})
    return marked if name is None else patch_config(marked, run_name=name)
