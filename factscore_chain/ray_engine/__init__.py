"""Work on large inputs as Ray Data jobs, on one machine or on a cluster (extra `ray`).

`RayScoring` scores generations, `RayEmbedding` embeds a knowledge source. Each sends partitions to workers
that hold what they need, takes back what is finished as it comes, and loses no more than a partition with a
worker.
"""

from __future__ import annotations

from factscore_chain.ray_engine.cluster import Workers
from factscore_chain.ray_engine.embedding import RayEmbedding
from factscore_chain.ray_engine.scoring import RayScoring

__all__ = ["RayEmbedding", "RayScoring", "Workers"]
