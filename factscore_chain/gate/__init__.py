"""A gate for CI: does what a chain wrote meet the mark, and is it no worse than before?

rows = read_generations(Path("generations.jsonl"))
report = run_gate(FactScoreChain("knowledge.jsonl", gamma=None), rows, Criteria(min_mean=0.8))
report.gate.passed
"""

from __future__ import annotations

from factscore_chain.gate.comparison import compare
from factscore_chain.gate.confirm import confirm
from factscore_chain.gate.criteria import Criteria
from factscore_chain.gate.finished import Journal, finished_in
from factscore_chain.gate.judge import judge, judged
from factscore_chain.gate.run import run_gate
from factscore_chain.gate.run_record import RunRecord, accepted, read_report, read_run
from factscore_chain.gate.scoring import score_rows
from factscore_chain.gate.store import RunStore
from factscore_chain.gate_outcome import GateOutcome
from factscore_chain.generation_files import Rows, read_generations

__all__ = [
    "Criteria",
    "GateOutcome",
    "Journal",
    "Rows",
    "RunRecord",
    "RunStore",
    "accepted",
    "compare",
    "confirm",
    "finished_in",
    "judge",
    "judged",
    "read_generations",
    "read_report",
    "read_run",
    "run_gate",
    "score_rows",
]
