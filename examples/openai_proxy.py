"""An app that asks a chat model as ever; only its base URL is another, and so every answer is checked.

    pip install 'factscore-chain[server]'
    factscore serve --knowledge examples/knowledge.jsonl --upstream https://api.openai.com/v1
    python examples/openai_proxy.py http://127.0.0.1:8000/v1 gpt-4o-mini

The key is the app's own, from OPENAI_API_KEY; the proxy passes it on. A note names what is
not supported; with `--on-fail correct` the answer is mended.
"""

from __future__ import annotations

import sys

from openai import OpenAI

QUESTION = "When was Nintendo founded, and where? One sentence."


def main(base_url: str, model: str) -> tuple[str, str]:
    """Prints a whole answer with what was found about it, then one as it streams; returns both."""
    with OpenAI(base_url=base_url) as client:
        whole = client.chat.completions.create(
            model=model,
            messages=[{"role": "user", "content": QUESTION}],
            # For the proxy; other clients send the same key in the body.
            extra_body={"factscore": {"topic": "Kyoto"}},
        )
        choice = whole.choices[0]
        print(f"whole: {choice.message.content}")
        found = (choice.model_extra or {})["factscore"]
        for fact in found["outcome"]["unsupported"]:
            print(f"  the model had claimed: {fact['text']}")

        pieces = []
        print("stream:")
        for chunk in client.chat.completions.create(
            model=model, messages=[{"role": "user", "content": QUESTION}], stream=True
        ):
            if chunk.choices and (piece := chunk.choices[0].delta.content):
                print(f"  {piece.strip()}")  # one verified sentence, or a few
                pieces.append(piece)
        return choice.message.content or "", "".join(pieces)


if __name__ == "__main__":
    main(*(sys.argv[1:3] if len(sys.argv) > 2 else ("http://127.0.0.1:8000/v1", "gpt-4o-mini")))
