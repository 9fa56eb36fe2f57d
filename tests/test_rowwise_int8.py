"""Quantisation with a scale for each row, on a graph small enough to compute by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

onnx = pytest.importorskip("onnx", reason="exporting models needs the package onnx")

from onnxruntime import InferenceSession  # noqa: E402

from factscore_chain.evals.training.rowwise_int8 import quantise_rows, quantised  # noqa: E402

Floats = npt.NDArray[np.float32]
WEIGHT = np.random.default_rng(1).normal(size=(16, 8)).astype(np.float32)
ROWS = np.random.default_rng(2).normal(size=(2, 5, 16)).astype(np.float32)


def _product(activation: str = "Identity") -> Any:
    make, real = onnx.helper, onnx.TensorProto.FLOAT
    domain = "com.microsoft" if activation == "Gelu" else ""
    graph = make.make_graph(
        [
            make.make_node(activation, ["x"], ["a"], domain=domain),
            make.make_node("MatMul", ["a", "w"], ["y"]),
        ],
        "product",
        [make.make_tensor_value_info("x", real, ["batch", "row", 16])],
        [make.make_tensor_value_info("y", real, ["batch", "row", 8])],
        [onnx.numpy_helper.from_array(WEIGHT, "w")],
    )
    return make.make_model(
        graph, opset_imports=[make.make_opsetid("", 18), make.make_opsetid("com.microsoft", 1)]
    )


def _run(model: Any, rows: Floats) -> Floats:
    session = InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    result: Floats = session.run(None, {"x": rows})[0]
    return result


@pytest.mark.parametrize("activation", ["Identity", "Gelu"])
@pytest.mark.parametrize("size", [0.1, 1.0, 50.0])
def test_the_product_stays_near_the_float_one(activation: str, size: float) -> None:
    exact = _run(_product(activation), ROWS * np.float32(size))
    made = _run(quantise_rows(_product(activation)), ROWS * np.float32(size))
    assert not np.array_equal(made, exact)
    assert np.abs(made - exact).max() < 0.05 * max(np.abs(exact).max(), 1.0)


def test_a_large_row_does_not_change_its_neighbour() -> None:
    model = quantise_rows(_product())
    rows = ROWS.copy()
    rows[0, 1] *= 1000
    before, after = _run(model, ROWS), _run(model, rows)
    np.testing.assert_array_equal(np.delete(after[0], 1, axis=0), np.delete(before[0], 1, axis=0))
    np.testing.assert_array_equal(after[1], before[1])


def test_a_row_of_zeros_stays_zero() -> None:
    assert not _run(quantise_rows(_product()), np.zeros_like(ROWS)).any()


def test_weights_are_bytes() -> None:
    model = quantise_rows(_product())
    types = {one.name: one.data_type for one in model.graph.initializer if list(one.dims) == [16, 8]}
    assert list(types.values()) == [onnx.TensorProto.INT8]


def test_each_column_has_a_scale_of_its_own() -> None:
    values, scales = quantised(np.array([[1.0, -200.0, 0.0], [-0.5, 100.0, 0.0]]), levels=100)
    np.testing.assert_array_equal(values, [[100, -100, 0], [-50, 50, 0]])
    np.testing.assert_allclose(scales, [0.01, 2.0, 0.01])
