"""The OpenAPI schema is true: what it allows is served, what it forbids refused, answers look as it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode

from factscore_chain.server import Access, Serving, Upstream
from tests import serving
from tests.editing import TRUE
from tests.openai_server import KEY, OpenAIServer
from tests.servers import word_sources

BOUNDED = settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


TOKEN = "right-token"


@pytest.fixture(scope="module", params=[None, TOKEN], ids=["open", "token"])
def served(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[schemathesis.BaseSchema]:
    with OpenAIServer([TRUE]) as upstream:
        settings = Serving(port=0, access=Access(request.param), upstream=Upstream(upstream.url, key=KEY))
        with serving.Thread(word_sources(tmp_path_factory.mktemp("schema")), settings) as running:
            yield schemathesis.openapi.from_url(f"{running.url}/openapi.json")


OPERATIONS = ["POST /score", "POST /edit", "GET /knowledge", "GET /metrics", "GET /healthz", "GET /readyz"]
PROXIED = ["POST /v1/chat/completions", "POST /v1/embeddings", "GET /v1/models", "GET /v1/models/{model}"]


def test_every_operation_of_the_schema_is_tried(served: schemathesis.BaseSchema) -> None:
    named = {
        f"{method.upper()} {path}"
        for path, methods in served.raw_schema["paths"].items()
        for method in methods
    }
    assert named == {*OPERATIONS, *PROXIED}


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("label", [*OPERATIONS, *PROXIED])
def test_the_schema_is_true(served: schemathesis.BaseSchema, label: str, mode: GenerationMode) -> None:
    method, path = label.split()
    operation = served[path][method]
    if mode is GenerationMode.NEGATIVE and not operation.body:
        pytest.skip("nothing is sent that could be wrong")

    @BOUNDED
    @given(case=operation.as_strategy(generation_mode=mode))
    def answer_is_as_declared(case: Any) -> None:
        case.call_and_validate(headers={"Authorization": f"Bearer {TOKEN}"})

    answer_is_as_declared()


def test_the_documentation_names_every_code_of_an_error(repository: Path) -> None:
    sources = (repository / "factscore_chain" / "server").rglob("*.py")
    written = "".join(path.read_text(encoding="utf-8") for path in sources)
    codes = {*re.findall(r'\b[45]\d\d,\s*"([a-z_]+)"', written), "not_found", "not_allowed"}
    told = (repository / "docs" / "server.md").read_text(encoding="utf-8")
    assert len(codes) > 20
    assert {code for code in codes if f"`{code}`" not in told} == set()
