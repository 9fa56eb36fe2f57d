"""A data folder as users of the original have it, in small and in our own words."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from factscore_chain.factscorer import FactScorer
from factscore_chain.retrievers.original import SEPARATOR
from tests.pages import PAGES, write_rows
from tests.scripted import Script, ScriptedChatModel

DEMONSTRATIONS = {
    f"Painter number {number} showed {number} works in town {number}.": [
        f"Painter number {number} showed {number} works.",
        f"The works were shown in town {number}.",
    ]
    for number in range(1, 11)
}


def make_data_dir(folder: Path, *, jsonl: bool = True) -> Path:
    """Makes `demos/demons.json`, and the default knowledge source as JSONL."""
    (folder / "demos").mkdir(parents=True)
    (folder / "demos" / "demons.json").write_text(json.dumps(DEMONSTRATIONS), encoding="utf-8")
    if jsonl:
        write_rows(folder / "enwiki-20230401.jsonl", PAGES)
    return folder


def make_original_db(path: Path, documents: dict[str, Sequence[str]]) -> Path:
    """Writes a database as the original builds it."""
    rows = [(title, SEPARATOR.join(texts)) for title, texts in documents.items()]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE documents (title PRIMARY KEY, text)")
        connection.executemany("INSERT INTO documents VALUES (?, ?)", rows)
    return path


def make_scorer(data_dir: Path, script: Script, number: int = 0, **arguments: Any) -> FactScorer:
    """A scorer over a data folder, by the published protocol and BM25 unless told otherwise.

    Models of one `number` are the same to the cache.
    """
    folder = str(data_dir)
    settings: dict[str, Any] = {"protocol": "original", "cost_estimate": None, **arguments}
    if settings["protocol"] == "original":
        settings.setdefault("retrieval_type", "bm25")
    model = ScriptedChatModel(script=script, number=number)
    return FactScorer(data_dir=folder, model_dir=folder, cache_dir=folder, llm=model, **settings)


def reply_of(prompt: str) -> str:
    """Lists a sentence as one fact; finds true what names London."""
    last = prompt.strip().splitlines()
    if last[-1] == "Output:":
        return "True" if "London" in last[-2] else "False"
    return f"- {last[-1].split(': ', 1)[-1]}"
