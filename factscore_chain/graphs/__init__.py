"""The guardrail in LangGraph: nodes for a graph of one's own, and a subgraph that is ready."""

from factscore_chain.graphs.build import guard_graph
from factscore_chain.graphs.nodes import edit_node, guard_node, route, score_node, show_node
from factscore_chain.graphs.state import Factuality, FactualityState, outcome_of

__all__ = [
    "Factuality",
    "FactualityState",
    "edit_node",
    "guard_graph",
    "guard_node",
    "outcome_of",
    "route",
    "score_node",
    "show_node",
]
