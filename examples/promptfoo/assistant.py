"""Stands for the application under test; what it says of Apollo 11 is wrong on purpose."""

from __future__ import annotations

from typing import Any

ANSWERS = {
    "Kyoto": "Nintendo began in Kyoto in 1889. It made playing cards.",
    "Apollo 11": "Apollo 11 lifted off on 16 July 1969. It was launched from Texas by Yuri Gagarin.",
}


def call_api(prompt: str, options: dict[str, Any], context: dict[str, Any]) -> dict[str, Any]:
    """Answers one prompt, as promptfoo calls it."""
    return {"output": ANSWERS[context["vars"]["topic"]]}
