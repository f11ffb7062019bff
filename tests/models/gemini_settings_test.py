"""Options of Gemini, and the ways to be let in: key, environment, Vertex AI."""

from typing import Any

import pytest

from tests.loopback.gemini import KEY, TOKEN
from tests.loopback.gemini import Gemini as Dialect
from tests.loopback.server import Answer, serve
from tests.models.gemini_client import after, ask, contents, once
from tool_sandbox.models.gemini import Gemini
from tool_sandbox.models.messages import (
    ModelRequest,
    ToolResult,
    UserTurn,
)
from tool_sandbox.models.parameters import read_parameters
from tool_sandbox.models.provider import Endpoint
from tool_sandbox.world.errors import ConfigurationError


@pytest.fixture(autouse=True)
def no_cloud(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "GOOGLE_GEMINI_BASE_URL",
        "GOOGLE_VERTEX_BASE_URL",
        "GOOGLE_GENAI_API_VERSION",
        "GOOGLE_CLOUD_PROJECT",
        "GOOGLE_CLOUD_REGION",
        "GOOGLE_CLOUD_LOCATION",
        "CLOUD_ML_PROJECT_ID",
        "CLOUD_ML_REGION",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ):
        monkeypatch.delenv(name, raising=False)


def test_parameters() -> None:
    written = {"temperature": "0.5", "top_p": "0.9", "top_k": "3", "seed": "7", "max_tokens": "99", "thinking": "low"}
    settings = read_parameters("google", Gemini.parameters, written)
    _, server = once(Answer("Hi."), **settings)
    assert server.seen[0].body["generationConfig"] == {
        "temperature": 0.5,
        "topP": 0.9,
        "topK": 3,
        "seed": 7,
        "maxOutputTokens": 99,
        "thinkingConfig": {"thinking_level": "LOW"},
    }
    settings = read_parameters("google", Gemini.parameters, {"thinking": "0"})
    _, server = once(Answer("Hi."), **settings)
    assert server.seen[0].body["generationConfig"] == {"thinkingConfig": {"thinking_budget": 0}}
    _, server = once(Answer("Hi."))
    assert server.seen[0].body["generationConfig"] == {}


@pytest.mark.parametrize(
    ("choice", "calling"),
    [
        ("auto", {"mode": "AUTO"}),
        ("any", {"mode": "ANY"}),
        ("none", {"mode": "NONE"}),
        ("now", {"mode": "ANY", "allowedFunctionNames": ["now"]}),
    ],
)
def test_tool_choice(choice: str, calling: dict[str, Any]) -> None:
    _, server = once(Answer("Hi."), tool_choice=choice)
    assert server.seen[0].body["toolConfig"] == {"functionCallingConfig": calling}
    _, server = once(Answer("Hi."), ModelRequest("", (UserTurn("a"),)), tool_choice=choice)
    assert not {"toolConfig", "tools"} & server.seen[0].body.keys()


@pytest.mark.parametrize(
    ("model", "settings", "message"),
    [
        ("gemini-2.0-flash", {"thinking": 5}, "does not think"),
        ("gemini-2.5-pro", {"thinking": "low"}, "a number of tokens"),
        ("../x", {}, "no model"),
        ("x?key=1", {}, "no model"),
        ("gemini-3-pro", {"vertex": False, "region": "r"}, "leave out vertex=false"),
    ],
)
def test_what_a_model_does_not_take(model: str, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        Gemini(model, settings)
    Gemini("gemini-2.5-pro", {"thinking": 5})
    Gemini("gemini-flash-latest", {"thinking": "low"})


def test_missing_keys_and_places(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="GEMINI_API_KEY or GOOGLE_API_KEY, or GOOGLE_CLOUD_PROJECT and"):
        ask(Gemini("gemini-3-pro"))
    with pytest.raises(ConfigurationError, match="GOOGLE_CLOUD_REGION or CLOUD_ML_REGION"):
        ask(Gemini("gemini-3-pro", {"project": "p"}))
    monkeypatch.setenv("CLOUD_ML_PROJECT_ID", "p")
    monkeypatch.setenv("CLOUD_ML_REGION", "r")
    assert Gemini("gemini-3-pro").vertex_place() == ("p", "r")
    assert Gemini("gemini-3-pro").is_vertex
    monkeypatch.setenv("GOOGLE_API_KEY", "k")
    assert not Gemini("gemini-3-pro").is_vertex
    assert Gemini("gemini-3-pro", {"vertex": True}).is_vertex


@pytest.mark.parametrize("variable", ["GEMINI_API_KEY", "GOOGLE_API_KEY"])
def test_key_and_address_from_the_environment(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, KEY)
    with serve(Dialect(), [Answer("Hi.")]) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        assert ask(Gemini("gemini-3-pro")).text == "Hi."


def test_vertex(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    settings = {"vertex": True, "project": "p-1", "region": "europe-west4", "temperature": 0.0}
    with serve(Dialect(), [Answer("Hi.", thinking="Hm.", calls=(("now", {}),)), Answer("So.")]) as server:
        provider = Gemini("gemini-3-pro", settings, Endpoint(server.url, TOKEN, 10.0))
        reply = ask(provider)
        ask(provider, after(reply, ToolResult(reply.calls[0].id, "now", "12")))
    place = "/v1beta1/projects/p-1/locations/europe-west4/publishers/google/models/gemini-3-pro:generateContent"
    assert [seen.path for seen in server.seen] == [place] * 2
    assert "x-goog-api-key" not in server.seen[0].headers
    assert contents(server)[1] == reply.raw


def test_vertex_without_credentials(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    provider = Gemini("gemini-3-pro", {"project": "p", "region": "r"})
    with pytest.raises(ConfigurationError, match="gcloud auth application-default login"):
        ask(provider)


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    import subprocess
    import sys

    code = (
        "import sys, tool_sandbox.models.gemini as g; p = g.Gemini('gemini-3-pro'); "
        "from tool_sandbox.models.messages import ModelRequest; p.wire(ModelRequest('', ())); p.explain(ValueError()); "
        "print([n for n in sys.modules if n.startswith('google')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_a_missing_package_is_named() -> None:
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['google.genai'] = None\n"
        "from tool_sandbox.models.gemini import Gemini\n"
        "try: Gemini('gemini-3-pro').client\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "ConfigurationError google needs a package: pip install 'tool_sandbox[google]'"


@pytest.mark.parametrize(("path", "version"), [("", "v1"), ("/", "v1"), ("/v1", "v1"), ("/v1beta/", "v1beta")])
def test_an_address_may_end_with_the_version(path: str, version: str) -> None:
    with serve(Dialect(), [Answer("Hi.")]) as server:
        assert ask(Gemini("gemini-3-pro", {}, Endpoint(server.url + path, KEY, 10.0))).text == "Hi."
        assert server.seen[0].path == f"/{version}/models/gemini-3-pro:generateContent"
