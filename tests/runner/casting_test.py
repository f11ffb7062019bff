"""Who plays, by name: models, stored runs, and what directories are named after."""

import datetime
import json
import logging
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from tests.records import plain_run
from tool_sandbox.roles.anthropic_api_agent import AnthropicAPIAgent
from tool_sandbox.roles.external.loop import loop_agent
from tool_sandbox.roles.model_agent import ModelAgent
from tool_sandbox.roles.model_role import ModelRole
from tool_sandbox.roles.replay_agent import StoredMessagesAgent, StoredMessagesUser
from tool_sandbox.roles.scripted_user import ScriptedUser
from tool_sandbox.runner.casting import Cast, NamedRole
from tool_sandbox.runner.replaying import Kind
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.world.errors import ConfigurationError

MODEL = "vllm/my/model:temperature=0"


def _run(path: Path, **parties: str) -> Path:
    path.mkdir()
    (path / "run.json").write_text(json.dumps(plain_run(**parties)))
    return path


def _made_elsewhere(pickled: bytes) -> tuple[str, str]:
    role = pickle.loads(pickled)()
    return type(role).__name__, role.model_name


@pytest.mark.parametrize("kind", ["agent", "user"])
@pytest.mark.parametrize(
    ("choice", "variable"),
    [
        ("anthropic/claude-opus-5-5", "ANTHROPIC_API_KEY"),
        ("google/gemini-3.8-flash:vertex=true,project=p", "GOOGLE_CLOUD_REGION"),
        ("google/gemini-3.8-flash:project=p,region=r", "GOOGLE_APPLICATION_CREDENTIALS"),
        ("openai-compatible/m", "OPENAI_BASE_URL"),
    ],
)
def test_what_is_missing_is_said_once_with_party_and_variable(
    choice: str, variable: str, kind: Kind, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path))
    with pytest.raises(ConfigurationError, match=f"^{kind} .*{variable}"):
        Cast.find(choice, kind)


def test_a_class_of_outside_code_is_asked_what_it_lacks() -> None:
    class Mine(AnthropicAPIAgent):
        model_name = "claude-opus-5-5"

    class Stub(Mine):
        def model_inference(self, **wire: Any) -> Any:
            raise NotImplementedError

    with pytest.raises(ConfigurationError, match="ANTHROPIC_API_KEY"):
        Cast.find(Mine, "agent")
    assert Cast.find(Stub, "agent").model_name == "claude-opus-5-5"


def test_a_model_waits_for_others() -> None:
    cast = Cast.find(MODEL, "agent")
    assert (cast.is_local, cast.is_interactive, cast.needs_solution, cast.replay) == (False, False, False, None)
    assert (cast.name, cast.model_name) == (MODEL, "my/model")
    assert Cast.find("Oracle", "agent").is_local


@pytest.mark.slow
def test_named_roles_can_be_made_in_another_process() -> None:
    pickled = pickle.dumps(Cast.find(MODEL, "agent").factory)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(_made_elsewhere, pickled).result() == ("ModelAgent", "my/model")


@pytest.mark.parametrize(
    ("choice", "label"),
    [
        ("Oracle", "Oracle"),
        ("Oracle:error_rate=0.5", "Oracle_error_rate=0.5"),
        ("vllm/my/model", "vllm_my_model"),
        ("vllm/m:temperature=0,base_url=http://10.0.0.1:8/v1,retries=2,timeout=5", "vllm_m_temperature=0"),
        ("ollama/llama3.1:8b", "ollama_llama3.1:8b"),
        ("Hermes:base_url=http://h/v1", "Hermes"),
        ("Hermes:model=a/b,base_url=http://h/v1", "Hermes_model=a/b"),
    ],
)
def test_labels_say_who_plays_and_not_where(choice: str, label: str) -> None:
    assert Cast.find(choice, "agent").label == label


def test_a_published_name_is_labelled_by_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://h/v1")
    assert Cast.find("Hermes", "agent").label == "NousResearch/Hermes-2-Pro-Mistral-7B"


def test_a_model_that_ends_soon_is_warned_of(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setattr("tool_sandbox.models.catalogue.today", lambda: datetime.date(2026, 11, 21))
    with caplog.at_level(logging.WARNING):
        Cast.find("openai/gpt-4o", "agent")
    assert caplog.messages == ["openai/gpt-4o ends on 2027-01-14; use openai/gpt-6-luna instead"]


@pytest.mark.parametrize(
    ("stored", "kind", "role", "model"),
    [
        ("anthropic/claude-3-opus-20240229:max_tokens=9", "agent", ModelRole, "claude-3-opus-20240229"),
        ("google/gemini-3.8-flash", "user", ModelRole, "gemini-3.8-flash"),
        ("openai-compatible/m", "agent", ModelAgent, "m"),
        ("Claude_3_Haiku", "agent", ModelAgent, "claude-3-haiku-20240307"),
        ("Hermes:model=a/b", "agent", ModelAgent, "a/b"),
        ("Oracle:seed=3", "agent", StoredMessagesAgent, "replay"),
        ("Cli", "agent", StoredMessagesAgent, "replay"),
        ("MyAgentClass", "agent", StoredMessagesAgent, "replay"),
        ("Cli", "user", StoredMessagesUser, "replay"),
        ("Scripted", "user", ScriptedUser, "Scripted"),
    ],
)
def test_a_stored_party_is_made_once_more_without_key_and_network(
    tmp_path: Path, stored: str, kind: Kind, role: type, model: str
) -> None:
    run = _run(tmp_path / "run", **{kind: stored})
    cast = Cast.find(f"replay:{run}", kind)
    assert isinstance(cast.factory(), role)
    assert isinstance(pickle.loads(pickle.dumps(cast.factory)), NamedRole)
    assert cast.replay == run
    assert cast.model_name == model
    # Models have to be connected to the stored run; the others need nobody.
    assert cast.is_local is not issubclass(role, ModelRole)
    assert cast.label == f"replay_{model.replace('/', '_')}"


def test_what_cannot_be_replayed_is_said(tmp_path: Path) -> None:
    circle = _run(tmp_path / "circle", agent=f"replay:{tmp_path / 'circle'}")
    silent = _run(tmp_path / "silent", agent=None)  # type: ignore[arg-type]
    for choice, says in (
        ("replay:", "no run to replay"),
        (f"replay:{tmp_path}", "no run to replay"),
        (f"replay:{circle}", "is a replay itself; replay the run that it repeats: replay:"),
        (f"replay:{silent}", "'agent' should be a valid string"),
    ):
        with pytest.raises(ConfigurationError, match=says):
            Cast.find(choice, "agent")


class Loop:
    """An agent of somebody's own, which is no role."""

    def respond(self, messages: list[dict[str, Any]], tools: Any) -> str:
        return "Sorry, no."


@pytest.mark.parametrize("agent", [Loop, loop_agent(Loop)])
def test_a_class_with_a_loop_of_its_own_can_be_given_as_it_is(agent: Any, tmp_path: Path) -> None:
    run = prepare_run(agent, scenarios=["wifi_off"])
    assert (run.agent.name, run.agent.is_local, run.description["agent_program"]) == ("Loop", False, {"name": "Loop"})
    (result,) = play(run, tmp_path).summary["per_scenario_results"]
    assert (result["outcome"], result["similarity"]) == ("completed", 0.0)
    assert result["usage"]["agent"]["calls"] >= 1
