"""A Ray cluster, and jobs on it: rows in, rows out as they are finished."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from factscore_chain.errors import FactScoreError, MissingExtraError, UsageError

ADDRESS_VARIABLE = "RAY_ADDRESS"
"""Environment variable that names the cluster; without it, one is started on this machine for the job."""

Row = dict[str, Any]
Work = Callable[[Row], Row]


class ClusterError(FactScoreError):
    """A Ray cluster cannot be reached, or a job on it failed."""


@dataclass(frozen=True)
class Workers:
    """Who does the work.

    Raises:
        UsageError: There would be none.
    """

    count: int | None = None
    """Processes, each on one CPU of the cluster; None for as many as it has CPUs."""
    address: str | None = None
    """The cluster; None for what `RAY_ADDRESS` names, else one on this machine for the job alone."""

    def __post_init__(self) -> None:
        if self.count is not None and self.count < 1:
            raise UsageError(f"workers is {self.count}, and at least 1 is needed.")

    def run(self, make_work: Callable[[], Work], rows: Sequence[Row]) -> Generator[Row, None, None]:
        """Does work on rows, each a task of its own, and gives what comes of them as they are finished.

        A worker that is lost is replaced, and its row is worked on again.

        Args:
            make_work: Makes, once in each worker, what turns a row into its result.
            rows: Each of a few plain values.

        Raises:
            ClusterError: The cluster cannot be reached, or the job failed.
            MissingExtraError: Ray is not installed.
        """
        if not rows:
            return
        with self._connected() as ray:
            from ray.data import ActorPoolStrategy, from_items
            from ray.exceptions import RayError

            cpus = int(ray.cluster_resources().get("CPU", 1))
            size = min(self.count or cpus, cpus, len(rows))
            worker: Any = _Worker
            dataset = from_items(list(rows), override_num_blocks=len(rows)).map(
                worker,
                fn_constructor_args=(make_work,),
                compute=ActorPoolStrategy(size=size),
                num_cpus=1,
            )
            try:
                yield from dataset.iter_rows()
            except RayError as error:
                raise ClusterError(f"The job on Ray failed ({_cause(error)}).") from error

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        # Before the import: Ray reads it there, and would report its use to its makers.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            import ray
            from ray.data import DataContext
        except ImportError as error:
            raise MissingExtraError("Work on a Ray cluster", "ray") from error
        ours = not ray.is_initialized()
        if ours:
            _connect(ray, self.address or os.environ.get(ADDRESS_VARIABLE) or "local", self.count)
        DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        try:
            yield ray
        finally:
            if ours:
                ray.shutdown()


class _Worker:
    """Lives in a process of the cluster; makes its means once and works on row after row."""

    def __init__(self, make_work: Callable[[], Work]) -> None:
        self._work = make_work()

    def __call__(self, row: Mapping[str, Any]) -> Row:
        return self._work(dict(row))


def _connect(ray: Any, address: str, workers: int | None) -> None:
    options: dict[str, Any] = {"address": address, "log_to_driver": False, "logging_level": logging.ERROR}
    if address == "local":
        # On loopback and without the dashboard, a cluster for one job is nobody else's business.
        options |= {"num_cpus": workers, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        # Ray lets workers step back behind all else on a machine; here they are what it is for.
        options["_system_config"] = {"worker_niceness": 0}
    try:
        ray.init(**options)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        raise ClusterError(
            f"The Ray cluster {address!r} cannot be reached ({_cause(error)}). Start it, or mend "
            f"{ADDRESS_VARIABLE}."
        ) from error


def _cause(error: BaseException) -> str:
    """The last line: Ray's messages hold a worker's traceback, which ends in what was wrong there."""
    lines = str(error).strip().splitlines()
    return lines[-1].strip().rstrip(".") if lines else type(error).__name__
