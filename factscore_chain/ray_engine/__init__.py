"""Work on large inputs as Ray Data jobs, on one machine or on a cluster (extra `ray`).

`RayScoring` scores generations: it sends partitions to workers that each hold a chain, takes back what is
finished as it comes, and loses no more than a partition with a worker.
"""

from __future__ import annotations

from factscore_chain.ray_engine.cluster import Workers
from factscore_chain.ray_engine.scoring import RayScoring

__all__ = ["RayScoring", "Workers"]
