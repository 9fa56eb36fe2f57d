"""Labelled facts about numbers, in the layout of FActScore's data: half of them are false by parity alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NUMBERS = range(10, 46)


def write_data(folder: Path) -> Path:
    """Numbers, what is true of them, and what is not."""
    pages, rows = [], []
    for number in NUMBERS:
        even, odd = ("even", "odd") if number % 2 == 0 else ("odd", "even")
        text = f"The number {number} is {even}. It comes right after the number {number - 1}. Zero is even."
        pages.append({"title": f"{number} (number)", "text": text})
        true = (f"{number} is {even}.", f"{number} comes after {number - 1}.")
        false = (f"{number} is {odd}.", f"{number} comes after {number + 4}.")
        facts = [(text, "S") for text in true] + [(text, "NS") for text in false]
        human = [{"text": text, "label": label} for text, label in facts]
        annotations = [{"text": "x", "is-relevant": True, "human-atomic-facts": human}]
        rows.append({"topic": f"{number} (number)", "output": "x", "annotations": annotations})
    (folder / "labeled").mkdir()
    (folder / "pages.jsonl").write_text("".join(map(_line, pages)), encoding="utf-8")
    (folder / "labeled" / "ChatGPT.jsonl").write_text("".join(map(_line, rows)), encoding="utf-8")
    return folder


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row) + "\n"
