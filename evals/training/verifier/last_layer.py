"""The last layer of the exported cross-encoder, finished only for the tokens that its head reads.

The head reads "[CLS]" and the fact; what the last layer makes of the evidence's tokens, behind its attention,
nobody asks for. Every token is computed on its own there, so the logits stay the same to the bit. Needs the
`onnx` package.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper, numpy_helper


def finish_what_is_read(model: Any) -> Any:
    """Takes the other tokens out of the last layer behind its attention, in place, and gives back the model.

    Args:
        model: An `onnx.ModelProto` of a BERT-like body with its attentions and normalisations fused, which
            marks the fact by token type 1.
    """
    graph = model.graph
    attended = [node.output[0] for node in graph.node if node.op_type == "MultiHeadAttention"][-1]
    *_, inner, last = (node for node in graph.node if node.op_type == "SkipLayerNormalization")
    skipped, states = inner.input[1], last.output[0]
    nodes: list[Any] = []
    renamed: dict[str, str] = {}
    for node in graph.node:
        for place, name in enumerate(node.input):
            node.input[place] = renamed.get(name, name)
        nodes.append(node)
        if attended in node.output:
            nodes += [*_places(graph), _gather(attended, "read:places"), _gather(skipped, "read:places")]
            renamed = {name: f"{name}:read" for name in (attended, skipped)}
        elif states in node.output:
            # Where nothing was computed stands what became of "[CLS]": the head multiplies it by zero.
            nodes.append(_gather(states, "read:back"))
            renamed = {states: f"{states}:read"}
    del graph.node[:]
    graph.node.extend(nodes)
    return model


def _places(graph: Any) -> list[Any]:
    """Makes "read:places", the tokens that are read in any pair of the batch, and "read:back".

    "read:back" says for every token which of these it is, 0 for those that are not read.
    """
    constants = {
        "read:pairs": np.array([0], np.int64),
        "read:first": np.array([0], np.int64),
        "read:flat": np.array([-1], np.int64),
        "read:axis": np.array(0, np.int64),
    }
    graph.initializer.extend(numpy_helper.from_array(value, name) for name, value in constants.items())
    return [
        helper.make_node("ReduceMax", ["token_type_ids", "read:pairs"], ["read:any"], keepdims=0),
        helper.make_node("NonZero", ["read:any"], ["read:found"]),
        helper.make_node("Reshape", ["read:found", "read:flat"], ["read:facts"]),
        helper.make_node("Concat", ["read:first", "read:facts"], ["read:places"], axis=0),
        helper.make_node("CumSum", ["read:any", "read:axis"], ["read:count"]),
        helper.make_node("Mul", ["read:count", "read:any"], ["read:back"]),
    ]


def _gather(name: str, places: str) -> Any:
    return helper.make_node("Gather", [name, places], [f"{name}:read"], axis=1)
