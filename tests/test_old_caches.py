"""Pickle caches of the original: read without running them, converted once, found again."""

from __future__ import annotations

import io
import pickle
import pickletools
import sys
import tracemalloc
import types
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factscore_chain.factscorer import FactScorer
from factscore_chain.original.old_caches import (
    CHAT_GPT,
    INSTRUCT_GPT,
    convert_old_caches,
    learned_instruction,
    learned_lead,
)
from factscore_chain.original.pickles import CacheFileError, load_plain
from factscore_chain.original.store import AnswerStore
from tests.published import DEMONSTRATIONS, make_data_dir, make_scorer
from tests.scripted import ScriptedChatModel

PLAIN: list[Any] = [
    {"a_0": ("text", {"n": 1, "f": 0.5, "none": None, "b": b"bytes"})},
    [1, 2.5, True, "é", (1,), {1, 2}, frozenset({3})],
    OrderedDict(a=1, b=[2]),
    {"deep": [[[[["x"]]]]]},
    [],
]


def write(path: Path, value: Any, protocol: int = 4) -> Path:
    path.write_bytes(pickle.dumps(value, protocol))
    return path


@pytest.mark.parametrize("protocol", range(3, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("value", PLAIN, ids=str)
def test_plain_values_are_read(value: Any, protocol: int, tmp_path: Path) -> None:
    assert load_plain(write(tmp_path / "a.pkl", value, protocol)) == value


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.array([1, 2], dtype=">i4"),
        np.array([True, False]),
        np.zeros((0, 4)),
    ],
    ids=str,
)
def test_arrays_of_numbers_are_read(array: np.ndarray, protocol: int, tmp_path: Path) -> None:
    (read,) = load_plain(write(tmp_path / "a.pkl", {"k": array}, protocol)).values()
    assert read.dtype == array.dtype
    assert np.array_equal(read, array)


@pytest.mark.parametrize("number", [np.float32(0.25), np.float64(0.5), np.int64(7), np.bool_(True)])
def test_numpy_numbers_become_plain(number: Any, tmp_path: Path) -> None:
    read = load_plain(write(tmp_path / "a.pkl", number))
    assert type(read) in {int, float, bool}
    assert read == number


def test_arrays_of_old_numpy_versions_are_read(tmp_path: Path) -> None:
    old = pickle.dumps(np.arange(3.0), 2).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    (tmp_path / "a.pkl").write_bytes(old)
    assert load_plain(tmp_path / "a.pkl").tolist() == [0.0, 1.0, 2.0]


def openai_response(key: str) -> Any:
    """An object that pickles as the openai package of that time pickled its responses."""

    class OpenAIObject(dict[str, Any]):
        def __reduce__(self) -> Any:
            return (OpenAIObject, (None, key, None, None, None), dict(self))

    OpenAIObject.__module__, OpenAIObject.__qualname__ = "openai.openai_object", "OpenAIObject"
    module = types.ModuleType("openai.openai_object")
    module.OpenAIObject = OpenAIObject  # type: ignore[attr-defined]
    sys.modules["openai.openai_object"] = module
    return OpenAIObject(choices=[OpenAIObject(text="True")])


@pytest.fixture
def response() -> Any:
    yield openai_response("sk-secret-key")
    del sys.modules["openai.openai_object"]


def test_responses_of_openai_become_dictionaries_without_the_key(response: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "a.pkl", {"p_0": ("True", response)})
    assert b"sk-secret-key" in path.read_bytes()
    del sys.modules["openai.openai_object"]
    sys.modules["openai.openai_object"] = types.ModuleType("nothing here")
    read = load_plain(path)
    assert read == {"p_0": ("True", {"choices": [{"text": "True"}]})}
    assert type(read["p_0"][1]) is dict


class Hostile:
    """Would make a file if it were run."""

    def __init__(self, function: Any, *arguments: Any) -> None:
        self._reduced = (function, arguments)

    def __reduce__(self) -> Any:
        return self._reduced


def marker(tmp_path: Path) -> Path:
    return tmp_path / "it ran"


@pytest.mark.parametrize(
    "name", ["exec", "eval", "getattr", "__import__", "open", "compile", "print", "map", "type", "object"]
)
def test_no_builtin_is_called(name: str, tmp_path: Path) -> None:
    import builtins

    hostile = Hostile(getattr(builtins, name), f"open({str(marker(tmp_path))!r}, 'w')")
    with pytest.raises(CacheFileError, match="was refused: It asks for") as caught:
        load_plain(write(tmp_path / "a.pkl", {"a_0": ("x", hostile)}))
    assert name in str(caught.value)
    assert not marker(tmp_path).exists()


def test_no_function_of_a_module_is_called(tmp_path: Path) -> None:
    import os
    import subprocess

    command = f"touch '{marker(tmp_path)}'"
    for hostile in (Hostile(os.system, command), Hostile(subprocess.Popen, ["sh", "-c", command])):
        with pytest.raises(CacheFileError, match="was refused"):
            load_plain(write(tmp_path / "a.pkl", hostile))
    assert not marker(tmp_path).exists()


@pytest.mark.parametrize(
    "program",
    [
        b"cnumpy\nload\n(S'x'\ntR.",
        b"cnumpy.core.multiarray\nfromfile\n.",
        b"cnumpy._core.multiarray\n_reconstruct.__globals__\n.",
        b"\x80\x04\x8c\x05numpy\x8c\x0edtype.__init__\x93.",
        b"cnumpy\nndarray\n(I1000000000000\ntR.",
        b"cnumpy\ndtype\n(S'O8'\nI0\nI1\ntR.",
        b"cnumpy\ndtype\n(S'V8'\nI0\nI1\ntR.",
        b"c_codecs\nencode\n(S'x'\nS'rot13'\ntR.",
        # Tries to put something else in place of a function that stands in.
        b"cnumpy.core.multiarray\n_reconstruct\n}S'_make'\nI1\nsb.",
        b"cnumpy.core.multiarray\nscalar\n(I1\nI2\ntR.",
        b"P1\n.",
        b"cfactscore_chain.original.pickles\nload_plain\n.",
        b"ccopyreg\n_reconstructor\n.",
    ],
)
def test_programs_are_refused(program: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.pkl").write_bytes(program)
    with pytest.raises(CacheFileError):
        load_plain(tmp_path / "a.pkl")


def test_a_hostile_array_state_never_reaches_numpy(tmp_path: Path) -> None:
    shape_too_large = pickle.dumps(np.arange(4, dtype=np.int32), 2).replace(
        b"K\x04\x85", b"J\xff\xff\xff\x7f\x85"
    )
    (tmp_path / "a.pkl").write_bytes(shape_too_large)
    with pytest.raises(CacheFileError, match="damaged"):
        load_plain(tmp_path / "a.pkl")


def test_objects_that_contain_themselves_or_multiply_are_no_trap(tmp_path: Path) -> None:
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(CacheFileError, match="contains itself"):
        load_plain(write(tmp_path / "a.pkl", loop))
    many: Any = ["x"]
    for _ in range(60):
        many = [many, many]
    assert load_plain(write(tmp_path / "b.pkl", many))[0][1][0]


@pytest.mark.parametrize(
    "data",
    [
        b"Np999999999\n.",
        b"\x80\x04Nr\xff\xff\xff\x7f.",
        b"\x80\x04\x8e\xff\xff\xff\xff\x0f\x00\x00\x00abc.",
        b"\x80\x05\x96\xff\xff\xff\xff\x0f\x00\x00\x00abc.",
        b"\x80\x04\x95\xff\xff\xff\xff\x0f\x00\x00\x00N.",
    ],
    ids=["place in the memo", "binary place", "bytes", "bytearray", "frame"],
)
def test_a_few_bytes_cannot_ask_for_gigabytes(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.pkl").write_bytes(data)
    tracemalloc.start()
    with pytest.raises(CacheFileError):
        load_plain(tmp_path / "a.pkl")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    path = Path("any.pkl")

    class File(io.BytesIO):
        pass

    class OpenPath:
        def open(self, mode: str) -> File:
            return File(data)

        def __str__(self) -> str:
            return str(path)

    try:
        load_plain(OpenPath())  # type: ignore[arg-type]
    except CacheFileError as error:
        assert "any.pkl" in str(error)  # noqa: PT017


@pytest.mark.parametrize("cut", [1, 10, 25])
def test_a_cut_file_is_named(cut: int, tmp_path: Path) -> None:
    whole = pickle.dumps({"a_0": ("text", None)})
    assert len(whole) > cut
    (tmp_path / "a.pkl").write_bytes(whole[:-cut])
    with pytest.raises(CacheFileError, match="damaged"):
        load_plain(tmp_path / "a.pkl")


def test_caches_are_converted_once_and_again_when_they_change(tmp_path: Path) -> None:
    store = AnswerStore(tmp_path / "answers.db")
    logits = np.zeros(32001, np.float32)
    logits[5852] = 1
    write(tmp_path / "ChatGPT.pkl", {"p_0": ("True.", {}), "p_1": ("False", {}), 3: ("x", {}), "q_0": 1})
    write(tmp_path / "inst-llama-7B.pkl", {"p_0": ("<s>", logits), "q_0": ("</s>", -logits)})
    write(tmp_path / "npm-enwiki.pkl", {"fact#text": np.float32(0.25), "bad#": float("nan")})
    assert convert_old_caches(tmp_path, store) == (CHAT_GPT, "inst-llama-7B", "npm-enwiki")
    assert convert_old_caches(tmp_path, store) == ()
    assert [store.converted(CHAT_GPT, prompt) for prompt in "pq"] == ["True.", None]
    assert [store.converted("inst-llama-7B", prompt) for prompt in "pq"] == ["True", "False"]
    assert store.converted("npm-enwiki", "fact#text") == "0.25"
    write(tmp_path / "ChatGPT.pkl", {"longer prompt_0": ("False.", {})})
    assert convert_old_caches(tmp_path, store) == (CHAT_GPT,)
    store.close()


def published_prompts(response: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Caches with prompts in a wording of their own, for one sentence and one fact."""
    # Of demonstrations that share no word with the sentence, the library gives the last.
    shown = [*list(DEMONSTRATIONS)[:7], list(DEMONSTRATIONS)[-1]]
    sentence = "Ada was born in London."
    blocks = [
        f"Kindly split: {one}\n" + "".join(f"- {fact}\n" for fact in DEMONSTRATIONS[one]) for one in shown
    ]
    prompt = "\n".join([*blocks, f"Kindly split: {sentence}"])
    passage = "Ada Lovelace was born in London in 1815. She wrote notes on the Analytical Engine."
    question = (
        f"Say of Ada Lovelace:\n\nTitle: Ada Lovelace\nText: {passage}\n\n"
        "Input: Ada was born there. True or False?\nOutput:"
    )
    return {f"{prompt}_0": ("- Ada was born there.", response)}, {f"{question}_0": ("True", response)}


def test_a_run_on_old_caches_asks_no_model(tmp_path: Path, response: Any) -> None:
    data = make_data_dir(tmp_path / "data")
    facts, verdicts = published_prompts(response)
    write(data / "InstructGPT.pkl", facts)
    write(data / "ChatGPT.pkl", verdicts)
    scorer = make_scorer(data, [])
    out = scorer.get_score("Ada Lovelace", "Ada was born in London.", gamma=0)
    assert out["decisions"] == [[{"atom": "Ada was born there.", "is_supported": True}]]
    assert scorer.report is not None
    assert scorer.report.manifest.usage["input_tokens"] == 0


def test_the_wording_of_old_prompts_is_learned(tmp_path: Path, response: Any) -> None:
    store = AnswerStore(tmp_path / "answers.db")
    assert learned_lead(store) is None
    assert learned_instruction(store, next(iter(DEMONSTRATIONS))) is None
    facts, verdicts = published_prompts(response)
    write(tmp_path / "InstructGPT.pkl", facts)
    write(tmp_path / "ChatGPT.pkl", verdicts)
    convert_old_caches(tmp_path, store)
    assert learned_lead(store) == "Say of $topic:"
    assert learned_instruction(store, next(iter(DEMONSTRATIONS))) == "Kindly split:"
    assert store.converted(INSTRUCT_GPT, next(iter(facts))[:-2]) is not None
    store.close()


def make(data: Path, model: Any) -> FactScorer:
    folder = str(data)
    return FactScorer(
        data_dir=folder, model_dir=folder, cache_dir=folder, llm=model, cost_estimate=None,
        protocol="original", retrieval_type="bm25",
    )  # fmt: skip


def test_our_own_answers_are_kept_by_model_and_settings(tmp_path: Path) -> None:
    data = make_data_dir(tmp_path / "data")
    first = ScriptedChatModel(script=lambda prompt: "True")
    for _ in range(2):
        make(data, first).get_score(["Ada Lovelace"], ["x"], atomic_facts=[["Ada lived."]])
    assert len(first.prompts) == 1
    # Its settings are another's.
    other = ScriptedChatModel(script=lambda prompt: "False", delay=0.001)
    out = make(data, other).get_score(["Ada Lovelace"], ["x"], atomic_facts=[["Ada lived."]])
    assert out["decisions"] == [[{"atom": "Ada lived.", "is_supported": False}]]


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_answers_that_were_cut_or_filtered_are_not_kept(reason: str, tmp_path: Path) -> None:
    from tests.scripted import scripted_reply

    data = make_data_dir(tmp_path / "data")
    model = ScriptedChatModel(script=lambda prompt: scripted_reply("True", finish_reason=reason))
    for _ in range(2):
        make(data, model).get_score(["Ada Lovelace"], ["x"], atomic_facts=[["Ada lived."]])
    assert len(model.prompts) == 2


def test_the_pickles_of_these_tests_are_what_they_say() -> None:
    names = {argument for _, argument, _ in pickletools.genops(pickle.dumps(np.arange(2), 2))}
    assert any("_reconstruct" in str(name) for name in names)
