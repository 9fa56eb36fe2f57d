"""The soak of the HTTP server: it measures a real one, and says when something does not hold."""

from __future__ import annotations

import json

import pytest

from factscore_chain.evals.bench import proxied, soak_agent
from factscore_chain.evals.bench.load import Load, growth
from factscore_chain.evals.bench.soak import Outcome, main


def load(**statuses: int) -> Load:
    found = Load()
    for status, count in statuses.items():
        for number in range(count):
            found.add(status.strip("_"), 0.1 * (number + 1))
    return found


@pytest.mark.parametrize("what", [[], ["--proxy"]], ids=["server", "proxy"])
def test_a_short_soak_of_the_real_server_holds(capsys: pytest.CaptureFixture[str], what: list[str]) -> None:
    pytest.importorskip("fastapi")
    assert main(["--seconds", "4", "--rate", "1", "--concurrency", "4", "--json", *what]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steady"]["statuses"].keys() == {"200"}
    assert found["burst"]["statuses"].keys() == {"200", "429"}


@pytest.mark.parametrize(
    ("steady", "burst", "after"),
    [
        (load(_200=3, _500=1), load(_200=1, _429=1), load(_200=1)),
        (load(_200=3), load(_200=2), load(_200=1)),
        (load(_200=3), load(_200=1, _429=1, ReadError=1), load(_200=1)),
        (load(_200=3), load(_200=1, _429=1), load(_429=1)),
    ],
    ids=["an error", "nothing refused", "broken off", "no recovery"],
)
def test_what_does_not_hold_is_told(steady: Load, burst: Load, after: Load) -> None:
    assert not Outcome(steady, burst, after, []).holds


@pytest.mark.parametrize(
    ("answer", "streamed", "is_checked"),
    [
        ('{"choices": [{"factscore": {}}]}', False, True),
        ('{"choices": [{}]}', False, False),
        ('data: {"choices": [{"factscore": {}}]}\n\ndata: [DONE]\n\n', True, True),
        ('data: {"choices": [{"factscore": {}}]}\n\n', True, False),
        ('data: {"choices": [{}]}\n\ndata: [DONE]\n\n', True, False),
    ],
)
def test_an_answer_without_its_check_or_its_end_is_noticed(
    answer: str, streamed: bool, is_checked: bool
) -> None:
    assert proxied._is_checked(answer, streamed=streamed) is is_checked


def test_latencies_are_those_of_one_status() -> None:
    assert load(_200=10, _429=1).milliseconds() == {"p50": 600.0, "p90": 1000.0, "p99": 1000.0, "max": 1000.0}
    assert load(_429=1).milliseconds() == {}


def test_growth_compares_the_last_third_with_the_middle_one() -> None:
    assert growth([1, 9, 9, 9, 11, 11, 12, 12, 12]) == pytest.approx(12 - 31 / 3)
    assert growth([]) is None


def test_a_short_soak_of_an_agent_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak_agent.main(["--seconds", "2", "--rate", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["steady"]["statuses"].keys() == {"200"}
    assert sum(found["actions"].values()) == found["steady"]["statuses"]["200"]
    assert "annotate" in found["actions"]
