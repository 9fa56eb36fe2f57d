"""The cross-encoder's last layer, finished for what its head reads, on a graph of one layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

onnx = pytest.importorskip("onnx", reason="exporting models needs the package onnx")

from onnxruntime import InferenceSession  # noqa: E402

from factscore_chain.evals.training.verifier.last_layer import finish_what_is_read  # noqa: E402

WIDTH = 8
STATES = np.random.default_rng(3).normal(size=(2, 6, WIDTH)).astype(np.float32)
TYPES = np.array([[0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1]], np.int64)


def _layer() -> Any:
    make, real, whole = onnx.helper, onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
    ms = {"domain": "com.microsoft"}
    scale = onnx.numpy_helper.from_array(np.linspace(0.5, 2, WIDTH, dtype=np.float32), "scale")
    graph = make.make_graph(
        [
            make.make_node("MultiHeadAttention", ["x", "x", "x"], ["a"], num_heads=2, **ms),
            make.make_node("SkipLayerNormalization", ["a", "x", "scale"], ["inner"], epsilon=1e-5, **ms),
            make.make_node("SkipLayerNormalization", ["a", "inner", "scale"], ["last"], epsilon=1e-5, **ms),
            make.make_node("Identity", ["last"], ["y"]),
        ],
        "layer",
        [
            make.make_tensor_value_info("x", real, ["pair", "token", WIDTH]),
            make.make_tensor_value_info("token_type_ids", whole, ["pair", "token"]),
        ],
        [make.make_tensor_value_info("y", real, ["pair", "token", WIDTH])],
        [scale],
    )
    return make.make_model(
        graph, opset_imports=[make.make_opsetid("", 18), make.make_opsetid("com.microsoft", 1)], ir_version=9
    )


def _run(model: Any) -> npt.NDArray[np.float32]:
    session = InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    found: npt.NDArray[np.float32] = session.run(None, {"x": STATES, "token_type_ids": TYPES})[0]
    return found


def test_the_mark_and_the_facts_stay_to_the_bit() -> None:
    before, after = _run(_layer()), _run(finish_what_is_read(_layer()))
    read = TYPES.astype(bool)
    read[:, 0] = True
    np.testing.assert_array_equal(after[read], before[read])


def test_a_token_that_no_pair_reads_is_not_finished() -> None:
    after = _run(finish_what_is_read(_layer()))
    np.testing.assert_array_equal(after[:, 1], after[:, 0])
    assert not np.array_equal(_run(_layer())[:, 1], after[:, 1])
