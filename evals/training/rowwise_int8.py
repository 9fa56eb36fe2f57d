"""Int8 weights for a transformer in ONNX, with activations quantised row by row.

The usual dynamic quantisation takes one scale for a whole batch, so a text's vector depends on what else is
in its batch. Here every token has a scale of its own: the integer products are exact, and a text gives the
same result whatever it is batched with. Needs the `onnx` package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
WEIGHT_LEVELS = 63
"""Of 127: a byte times a signed byte, twice, must fit 16 bits, or processors without VNNI saturate."""
_GELU_FLOOR = 2.0
_GELU_ZERO = 20
"""GELU gives no less than -0.17, so most of the byte goes to what is positive. With a largest value of at
least `_GELU_FLOOR`, a step is at least 2 / 235 and 20 steps reach down to -0.17."""
_MIDDLE = 128
_LARGE_TABLE = 1000
"""Rows from which an embedding table is worth quantising."""


def fuse(path: Path, heads: int, width: int) -> Any:
    """Reads a BERT-like float model and joins its small operations into attention, GELU and normalisation."""
    from onnxruntime.transformers import optimizer
    from onnxruntime.transformers.fusion_options import FusionOptions

    options = FusionOptions("bert")
    # Both fused forms below would hide weights that are to be quantised here.
    options.use_multi_head_attention = True
    options.enable_embed_layer_norm = False
    return optimizer.optimize_model(
        str(path),
        model_type="bert",
        num_heads=heads,
        hidden_size=width,
        optimization_options=options,
        opt_level=0,
    ).model


def quantise_rows(model: Any) -> Any:
    """Quantises every product with constant weights, and the large embedding tables, in place.

    Args:
        model: A float `onnx.ModelProto`.

    Returns:
        The same model, free of names and comments that would tell where it was made.
    """
    _Rewriter(model).run()
    del model.opset_import[:]
    model.opset_import.extend([helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)])
    model.ir_version = 9
    model.doc_string = ""
    del model.metadata_props[:]
    for node in model.graph.node:
        node.doc_string = ""
        del node.metadata_props[:]
    onnx.checker.check_model(model)
    return model


class _Rewriter:
    def __init__(self, model: Any) -> None:
        self._graph = model.graph
        self._weights = {one.name: one for one in self._graph.initializer}
        self._gelus = {n.output[0] for n in self._graph.node if n.op_type in {"BiasGelu", "Gelu"}}
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}
        self._rows: dict[str, tuple[str, str, str]] = {}

    def run(self) -> None:
        for node in self._graph.node:
            if node.op_type == "MatMul" and self._is_matrix(node.input[1]):
                self._product(node)
            elif node.op_type == "Gather" and self._is_matrix(node.input[0], _LARGE_TABLE):
                self._lookup(node)
            else:
                self._nodes.append(node)
        del self._graph.node[:]
        self._graph.node.extend(self._nodes)
        used = {name for node in self._nodes for name in node.input}
        kept = [one for one in self._graph.initializer if one.name in used]
        del self._graph.initializer[:]
        self._graph.initializer.extend([*kept, *self._constants.values()])

    def _is_matrix(self, name: str, rows: int = 1) -> bool:
        weight = self._weights.get(name)
        return weight is not None and len(weight.dims) == 2 and weight.dims[0] >= rows

    def _constant(self, name: str, value: npt.NDArray[Any]) -> str:
        self._constants.setdefault(name, numpy_helper.from_array(value, name))
        return name

    def _add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self._nodes.append(helper.make_node(kind, inputs, [output], name=f"{output}:{kind}", **attributes))
        return output

    def _lookup(self, node: Any) -> None:
        out, (table, ids) = node.output[0], node.input
        values, scales = quantised(numpy_helper.to_array(self._weights[table]).T, 127)
        q = self._constant(f"{table}:int8", np.ascontiguousarray(values.T))
        s = self._constant(f"{table}:scale", scales[:, None])
        row = self._add("Cast", [self._add("Gather", [q, ids], f"{out}:q")], f"{out}:f", to=TensorProto.FLOAT)
        self._add("Mul", [row, self._add("Gather", [s, ids], f"{out}:s")], out)

    def _product(self, node: Any) -> None:
        out, (rows, name) = node.output[0], node.input
        weight = numpy_helper.to_array(self._weights[name])
        values, scales = quantised(weight, WEIGHT_LEVELS)
        w = self._constant(f"{out}:int8", values)
        s = self._constant(f"{out}:scale", scales)
        if rows not in self._rows:
            self._rows[rows] = self._quantised_rows(rows, weight.shape[0])
        q, row_scale, zero = self._rows[rows]
        one = self._constant("one", np.float32(1))
        # To the bit what MatMulInteger, Cast and Mul give, without writing the integers to memory.
        real = self._add("MatMulIntegerToFloat", [q, w, one, s, zero], f"{out}:w", domain="com.microsoft")
        self._add("Mul", [real, row_scale], out)

    def _quantised_rows(self, rows: str, width: int) -> tuple[str, str, str]:
        """Adds the quantisation of a tensor along its last axis: bytes, scale of each row, zero point."""
        gelu = rows in self._gelus
        zero = _GELU_ZERO if gelu else _MIDDLE
        magnitude = rows if gelu else self._add("Abs", [rows], f"{rows}:abs")
        last = self._constant("last_axis", np.array([-1], np.int64))
        largest = self._add("ReduceMax", [magnitude, last], f"{rows}:max", keepdims=1)
        floor = self._constant(f"floor_{zero}", np.float32(_GELU_FLOOR if gelu else 1e-8))
        steps = self._constant(f"steps_{zero}", np.float32(255 - zero))
        bounded = self._add("Max", [largest, floor], f"{rows}:bounded")
        scale = self._add("Div", [bounded, steps], f"{rows}:scale")
        flat_scale = self._add("Reshape", [scale, last], f"{rows}:scales")
        shape = self._constant(f"rows_{width}", np.array([-1, width], np.int64))
        flat = self._add("Reshape", [rows, shape], f"{rows}:rows")
        count = self._add("Shape", [flat_scale], f"{rows}:count")
        zeros = self._add(
            "Expand", [self._constant(f"zeros_{zero}", np.array([zero], np.uint8)), count], f"{rows}:zeros"
        )
        quantised_flat = self._add("QuantizeLinear", [flat, flat_scale, zeros], f"{rows}:bytes", axis=0)
        back = self._add("Shape", [rows], f"{rows}:shape")
        values = self._add("Reshape", [quantised_flat, back], f"{rows}:q")
        return values, scale, self._constant(f"zero_{zero}", np.uint8(zero))


def quantised(weight: npt.NDArray[Any], levels: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Signed bytes and a scale for each column.

    Args:
        weight: Shape (inputs, outputs).
        levels: The largest magnitude of a byte.

    Returns:
        Bytes of the same shape, and scales of shape (outputs,).
    """
    largest = np.abs(weight).max(axis=0)
    scales = (np.where(largest > 0, largest, 1.0) / levels).astype(np.float32)
    return np.rint(weight / scales).clip(-levels, levels).astype(np.int8), scales
