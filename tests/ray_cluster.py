"""A Ray cluster of two workers on this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.openai_server import KEY
from tests.test_house import ROOT


@pytest.fixture(scope="module", autouse=True)
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cluster of this machine for all tests of a module."""
    import ray

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(ROOT))  # workers import what tests make
        patch.setenv("OPENAI_API_KEY", KEY)
        patch.setenv("FACTSCORE_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("RAY_worker_niceness", "0")
        ray.init(
            address="local",
            num_cpus=2,
            include_dashboard=False,
            _node_ip_address="127.0.0.1",
            log_to_driver=False,
            logging_level="ERROR",
        )
        yield
        ray.shutdown()
