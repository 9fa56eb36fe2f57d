"""The examples for LlamaIndex do what they say, with a scripted model in place of the one they name."""

from __future__ import annotations

import pytest

from tests.examples import load_example
from tests.scripted import ScriptedChatModel

pytestmark = pytest.mark.usefixtures("own_loop")

TRUE = "Nintendo was founded in Kyoto in 1889."
FALSE = "Nintendo was founded in Kyoto in 1905."
ANSWERS = {
    "Nintendo": FALSE,
    "Green Belt": "Wangari Maathai founded the Green Belt Movement in 1977.",
    "Titanic": "I don't know.",
}


def answer(prompt: str) -> str:
    """What the model writes of the question in a prompt."""
    question = prompt[prompt.rindex("Query: ") :]
    return next(text for name, text in ANSWERS.items() if name in question)


# Their runner calls a function of theirs that they have deprecated.
@pytest.mark.filterwarnings("ignore:asyncio_module:DeprecationWarning")
def test_the_evaluator_finds_the_wrong_answer(capsys: pytest.CaptureFixture[str]) -> None:
    passing = load_example("llamaindex_evaluator").main(ScriptedChatModel(script=answer))
    assert [*passing.values()] == [False, True, True]
    assert "Nintendo was founded in 1905." in capsys.readouterr().out


def test_the_query_engine_corrects_asks_again_and_streams(capsys: pytest.CaptureFixture[str]) -> None:
    model = ScriptedChatModel(script=[FALSE, FALSE, TRUE, f"{TRUE} Bach lived in Kyoto."])
    corrected, again, streamed = load_example("llamaindex_query_engine").main(model)
    assert corrected == again == TRUE
    assert streamed == f"{TRUE} Bach lived in Kyoto. [not supported by the sources]"
    assert f"the model had written: {FALSE}" in capsys.readouterr().out


async def test_the_workflow_writes_until_the_answer_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    model = ScriptedChatModel(script=[FALSE, TRUE])
    assert await load_example("llamaindex_workflow").main(model) == TRUE
    assert "attempt 1 failed" in capsys.readouterr().out
    assert "Nintendo was founded in 1905." in model.prompts[1][-1].text


async def test_the_workflow_gives_up_with_a_note() -> None:
    shown = await load_example("llamaindex_workflow").main(ScriptedChatModel(script=[FALSE] * 3))
    assert shown.startswith(f"{FALSE}\n\nNote:")
