"""The shipped sentence encoder: its vectors, its offsets, and that no batch changes them."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from factscore_chain.encoder import (
    DIMENSION,
    OVERLAP,
    WINDOW,
    Encoder,
    EncoderEmbeddings,
    default_encoder,
    equal_length_batches,
    spread_windows,
)
from factscore_chain.errors import FactScoreError, UsageError

LIGHTHOUSE = "The lighthouse keeper lit the lamp at dusk and wrote the hour in the log."
TEXTS = (
    LIGHTHOUSE,
    "Tin melts at 232 degrees Celsius.",
    "A violin has four strings.",
    "Salt water freezes at a lower temperature than fresh water does, which is why roads are salted.",
    "Bees dance.",
)
LONG = " ".join(f"Barge number {i} carried {i * 7} sacks of barley down the river." for i in range(120))
ODD = (
    "",
    " \n",
    "\x00",
    "\ud800",
    "a\udfffb",
    "😀 👩‍🚀",
    "ß İ ǅ é é",
    "中文没有空格",
    "x" * 10_000,
    "\ufffd",
)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return default_encoder()


def test_a_text_becomes_one_unit_vector(encoder: Encoder) -> None:
    vectors = encoder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), DIMENSION)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_text_becomes_no_vector(encoder: Encoder) -> None:
    assert encoder.embed([]).shape == (0, DIMENSION)
    assert encoder.token_vectors([]) == []


def test_a_paraphrase_is_nearer_than_another_subject(encoder: Encoder) -> None:
    text, paraphrase, other = encoder.embed(
        [LIGHTHOUSE, "At nightfall the man of the lighthouse switched on its light.", TEXTS[1]]
    )
    assert text @ paraphrase > 0.6
    assert text @ other < 0.3


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_text_has_the_same_vector_in_any_batch(encoder: Encoder, threads: int) -> None:
    texts = [*TEXTS, LONG, *TEXTS[::-1], LIGHTHOUSE + " " + LONG[:300]]
    together = replace(encoder, threads=threads).embed(texts)
    alone = np.concatenate([encoder.embed([text]) for text in texts])
    np.testing.assert_array_equal(together, alone)


def test_tokens_have_the_same_vectors_in_any_batch(encoder: Encoder) -> None:
    texts = [*TEXTS, LONG]
    for together, text in zip(encoder.token_vectors(texts), texts, strict=True):
        np.testing.assert_array_equal(together.vectors, encoder.token_vectors([text])[0].vectors)


def test_equal_lengths_share_a_batch_and_change_nothing(encoder: Encoder) -> None:
    animals = [f"The {animal} sleeps." for animal in ("cat", "dog", "horse", "cow", "bird")]
    lengths = {len(one.ids) for one in encoder.token_vectors(animals)}
    assert len(lengths) == 1
    np.testing.assert_array_equal(encoder.embed(animals)[2], encoder.embed(animals[2:3])[0])


def test_offsets_slice_the_text(encoder: Encoder) -> None:
    text = "  Zürich's  trams:\tblue & white — since 1882!"
    (tokens,) = encoder.token_vectors([text])
    found = [text[start:end] for start, end in tokens.offsets]
    assert [piece for piece in found if piece in {"Zürich", "trams", "blue", "—", "!"}] == [
        "Zürich",
        "trams",
        "blue",
        "—",
        "!",
    ]
    assert "".join(found) == "".join(text.split())


def test_offsets_hold_after_characters_that_utf8_lacks(encoder: Encoder) -> None:
    text = "\ud83d😀\x00 tin"
    (tokens,) = encoder.token_vectors([text])
    assert text[slice(*tokens.offsets[-1])] == "tin"


def test_pieces_of_a_word_share_its_number(encoder: Encoder) -> None:
    text = "Electroencephalographers rest."
    (tokens,) = encoder.token_vectors([text])
    first = [
        text[start:end]
        for (start, end), word in zip(tokens.offsets, tokens.word_ids, strict=True)
        if word == 0
    ]
    assert len(first) > 1
    assert "".join(first) == "Electroencephalographers"
    assert tokens.word_ids[-1] == 2


def test_token_vectors_are_units_without_the_markers(encoder: Encoder) -> None:
    (tokens,) = encoder.token_vectors(["Tin melts."])
    assert tokens.vectors.shape == (4, DIMENSION)
    assert tokens.ids.shape == tokens.word_ids.shape == (4,)
    np.testing.assert_allclose(np.linalg.norm(tokens.vectors, axis=1), 1, atol=1e-5)


def test_a_token_is_read_in_its_context(encoder: Encoder) -> None:
    texts = ["The river bank was muddy.", "The bank lent money.", "The bank gave a loan."]
    river, money, loan = (one.vectors[list(one.ids).index(2924)] for one in encoder.token_vectors(texts))
    assert money @ loan > money @ river + 0.1


def test_every_token_of_a_long_text_has_one_vector(encoder: Encoder) -> None:
    (tokens,) = encoder.token_vectors([LONG])
    assert len(tokens.ids) > 4 * WINDOW
    assert tokens.vectors.shape == (len(tokens.ids), DIMENSION)
    assert (np.diff(tokens.offsets[:, 0]) > 0).all()
    assert tokens.offsets[-1, 1] == len(LONG)
    np.testing.assert_allclose(np.linalg.norm(tokens.vectors, axis=1), 1, atol=1e-5)


def test_a_shared_token_is_read_where_it_has_more_context(encoder: Encoder) -> None:
    length, shared = WINDOW + 46, WINDOW - 46
    words = ["barley", "river", "sacks", "boat", "tin"] * (length // 5)
    (tokens,) = encoder.token_vectors([" ".join(words)])
    first, last = encoder.token_vectors([" ".join(words[:WINDOW]), " ".join(words[-WINDOW:])])
    middle = 46 + shared // 2
    np.testing.assert_array_equal(tokens.vectors[:middle], first.vectors[:middle])
    np.testing.assert_array_equal(tokens.vectors[middle:], last.vectors[middle - 46 :])


def test_the_end_of_a_long_text_counts(encoder: Encoder) -> None:
    plain, longer = encoder.embed([LONG, LONG + " Volcanoes erupt under the sea." * 40])
    volcano = encoder.embed(["Volcanoes under the sea"])[0]
    assert longer @ volcano > plain @ volcano + 0.1


def test_a_text_of_one_window_is_not_cut(encoder: Encoder) -> None:
    text = " ".join(["barley"] * WINDOW)
    (tokens,) = encoder.token_vectors([text])
    assert len(tokens.ids) == WINDOW
    start = encoder.embed([text, text + " volcano"])
    assert not np.array_equal(start[0], start[1])


@pytest.mark.parametrize("text", ODD, ids=[ascii(text)[:20] for text in ODD])
def test_odd_text_gives_finite_vectors(encoder: Encoder, text: str) -> None:
    assert np.isfinite(encoder.embed([text])).all()
    (tokens,) = encoder.token_vectors([text])
    assert np.isfinite(tokens.vectors).all()
    assert tokens.offsets.shape == (len(tokens.ids), 2)
    assert tokens.offsets.max(initial=0) <= len(text)


def test_empty_text_has_a_unit_vector_and_no_tokens(encoder: Encoder) -> None:
    assert np.linalg.norm(encoder.embed([""])[0]) == pytest.approx(1, abs=1e-5)
    assert encoder.token_vectors([""])[0].vectors.shape == (0, DIMENSION)


def test_threads_may_share_an_encoder(encoder: Encoder) -> None:
    expected = encoder.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: encoder.embed(TEXTS), range(8)):
            np.testing.assert_array_equal(vectors, expected)


def test_the_fingerprint_is_that_of_the_file(encoder: Encoder, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert Encoder(tmp_path).fingerprint == known
    assert encoder.fingerprint != known


def test_a_missing_model_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FactScoreError, match=r"model\.onnx is missing\. Install"):
        Encoder(tmp_path).embed(["Tin melts."])


def test_threads_must_be_positive(encoder: Encoder) -> None:
    with pytest.raises(UsageError, match="threads is 0"):
        replace(encoder, threads=0)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_embeddings_can_be_copied_and_pickled(clone: object) -> None:
    assert callable(clone)
    embeddings = EncoderEmbeddings()
    query = embeddings.embed_query(LIGHTHOUSE)
    assert clone(embeddings).embed_query(LIGHTHOUSE) == query


def test_embeddings_treat_queries_and_documents_alike() -> None:
    embeddings = EncoderEmbeddings()
    (document,) = embeddings.embed_documents([LIGHTHOUSE])
    assert embeddings.embed_query(LIGHTHOUSE) == document
    assert len(document) == DIMENSION
    assert {type(value) for value in document} == {float}


async def test_embeddings_give_the_same_without_blocking() -> None:
    embeddings = EncoderEmbeddings()
    assert await embeddings.aembed_documents(list(TEXTS)) == embeddings.embed_documents(list(TEXTS))
    assert await embeddings.aembed_query(LIGHTHOUSE) == embeddings.embed_query(LIGHTHOUSE)


def test_importing_the_encoder_loads_no_runtime() -> None:
    code = "import sys, factscore_chain.encoder; print({'onnxruntime', 'tokenizers'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


@pytest.mark.parametrize(
    ("length", "windows"),
    [(0, [(0, 0)]), (10, [(0, 10)]), (11, [(0, 10), (1, 11)]), (24, [(0, 10), (7, 17), (14, 24)])],
)
def test_windows_are_spread_evenly(length: int, windows: list[tuple[int, int]]) -> None:
    assert spread_windows(length, size=10, overlap=3) == windows


@pytest.mark.parametrize("length", [WINDOW + 1, 2 * WINDOW, 1000, 4321])
def test_windows_cover_and_overlap(length: int) -> None:
    windows = spread_windows(length, WINDOW, OVERLAP)
    assert windows[0][0] == 0
    assert windows[-1][1] == length
    assert all(end - start == WINDOW for start, end in windows)
    assert all(before[1] - after[0] >= OVERLAP for before, after in pairwise(windows))


def test_batches_hold_equal_lengths_within_the_budget() -> None:
    lengths = [5, 9, 5, 5, 30, 9]
    assert list(equal_length_batches(lengths, tokens=10)) == [[0, 2], [3], [1], [5], [4]]
