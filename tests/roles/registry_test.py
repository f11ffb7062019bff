"""Choosing roles by name."""

import pytest

from tool_sandbox.cli.utils import RoleImplType
from tool_sandbox.models.catalogue import retirement
from tool_sandbox.models.naming import split_choice
from tool_sandbox.roles import registry
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.model_role import ModelRole
from tool_sandbox.roles.registry import ROLES, look_up, resolve_role
from tool_sandbox.roles.role_spec import Kind, Requirement, RoleSpec, parse_choice
from tool_sandbox.world.errors import ConfigurationError, UnknownNameError

KINDS: tuple[Kind, ...] = ("agent", "user")
PLAYABLE = [(kind, spec) for spec in ROLES.values() for kind in KINDS if kind in spec.kind]
PUBLISHED = [(kind, spec) for kind, spec in PLAYABLE if spec.model is not None]
RETIRED = [(kind, spec) for kind, spec in PUBLISHED if not (spec.model or "").startswith("openai-compatible/")]


@pytest.mark.parametrize(("kind", "name"), [(kind, spec.name) for kind, spec in PLAYABLE if spec.model is None])
def test_every_entry_can_be_made(kind: Kind, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key-of-nobody")
    if any(need.kind == "package" and not need.is_met() for need in ROLES[name].needs):
        pytest.skip(f"{name} needs a package that is not installed")
    # One of them has no model of its own.
    spec, make = resolve_role(f"{name}:model=claude-opus-5-5" if name == "managed-agents" else name, kind)
    role = make()
    assert isinstance(role, BaseRole)
    assert str(role.role_type) == kind.upper()
    assert make() is not role
    assert "\n" not in spec.description


def test_options_are_checked_and_converted() -> None:
    _, make = resolve_role("Oracle:error_rate=0.5, seed=7", "agent")
    oracle = make()
    assert (oracle.error_rate, oracle.seed) == (0.5, 7)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("choice", "error", "says"),
    [
        ("oracel", UnknownNameError, "Did you mean: Oracle"),
        ("Scripted", UnknownNameError, "cannot play the agent"),
        ("", UnknownNameError, "choose one of"),
        ("Oracle:eror_rate=1", UnknownNameError, "Did you mean: error_rate"),
        ("Unhelpful:x=1", UnknownNameError, "it takes none"),
        ("Oracle:seed=x", ConfigurationError, "whole number"),
        ("Oracle:error_rate=lots", ConfigurationError, "a number"),
        ("Oracle:seed", ConfigurationError, "options of Oracle are written option=value,option=value"),
        ("Oracle:", ConfigurationError, "options of Oracle are written option=value,option=value"),
        ("Oracle:seed=1,seed=2", ConfigurationError, "twice"),
    ],
)
def test_mistakes_are_explained_in_one_line(choice: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says) as caught:
        resolve_role(choice, "agent")
    assert "\n" not in str(caught.value)


def test_values_may_contain_anything_but_commas() -> None:
    assert parse_choice("A:url=http://x:1/?a=b, n = 2") == ("A", {"url": "http://x:1/?a=b", "n": "2"})


def test_what_is_missing_is_said_before_anything_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = (Requirement("NO_SUCH_KEY"), Requirement("no_such_package.sub", "package", install="some-extra"))
    spec = RoleSpec("Far", "far away", {"agent": "no_such_module:Far"}, needs=needs)
    monkeypatch.setitem(registry.ROLES, "Far", spec)
    assert list(registry.missing_requirements(spec)) == list(needs)
    with pytest.raises(ConfigurationError, match="NO_SUCH_KEY and Python package some-extra"):
        resolve_role("Far", "agent")
    monkeypatch.setenv("NO_SUCH_KEY", "x")
    assert registry.missing_requirements(spec) == [needs[1]]


def test_fixed_arguments_are_no_options(monkeypatch: pytest.MonkeyPatch) -> None:
    path = {"agent": "tool_sandbox.roles.oracle_agent:OracleAgent"}
    monkeypatch.setitem(registry.ROLES, "Clumsy", RoleSpec("Clumsy", "errs", path, fixed={"error_rate": 1.0}))  # type: ignore[arg-type]
    _, make = resolve_role("Clumsy:seed=3", "agent")
    assert (make().error_rate, make().seed) == (1.0, 3)  # type: ignore[attr-defined]
    with pytest.raises(UnknownNameError, match="it takes seed"):
        resolve_role("Clumsy:error_rate=0", "agent")


def test_all_published_names_are_there() -> None:
    assert {spec.name for _, spec in PLAYABLE if not spec.is_external} == set(RoleImplType.__members__) - {
        "Deterministic"
    }
    users = {spec.name for kind, spec in PUBLISHED if kind == "user"}
    assert users == {"GPT_3_5_0125", "GPT_4_0125", "GPT_4_o_2024_05_13"}


@pytest.mark.parametrize(("kind", "spec"), PUBLISHED, ids=lambda value: getattr(value, "name", value))
def test_published_names_lead_to_published_classes(kind: Kind, spec: RoleSpec) -> None:
    role = spec.load(kind)
    assert issubclass(role, ModelRole)
    assert str(role.role_type) == kind.upper()
    assert spec.model is not None
    model = split_choice(spec.model)[0].partition("/")[2]
    assert spec.fixed.get("model_name", role.__dict__.get("model_name")) == model


@pytest.mark.parametrize(("kind", "spec"), RETIRED, ids=lambda value: getattr(value, "name", value))
def test_retired_published_names_are_refused_before_anything_else(kind: Kind, spec: RoleSpec) -> None:
    assert spec.model is not None
    provider, _, model = spec.model.partition("/")
    end = retirement(provider, model)
    assert end is not None
    says = f"{provider}/{model} was retired on {end.date}; use {provider}/{end.successor} instead"
    with pytest.raises(ConfigurationError) as caught:
        resolve_role(spec.name, kind)
    assert str(caught.value) == says


def test_another_model_can_take_the_place_of_a_retired_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    spec, make = resolve_role("Claude_3_Haiku:model=claude-haiku-5-5,retries=1", "agent")
    role = make()
    assert isinstance(role, ModelRole)
    assert (role.provider.name, role.model_name, role.policy.retries) == ("anthropic", "claude-haiku-5-5", 1)
    assert spec.model == "anthropic/claude-haiku-5-5:retries=1"
    with pytest.raises(ConfigurationError, match="retired"):
        resolve_role("Claude_3_Haiku:model=claude-3-opus-20240229", "agent")
    with pytest.raises(ConfigurationError, match="retired"):
        resolve_role("Claude_3_Haiku:effort=low", "agent")


@pytest.mark.parametrize(
    "spec", [spec for kind, spec in PUBLISHED if (kind, spec) not in RETIRED], ids=lambda spec: spec.name
)
def test_published_names_of_open_weights_need_a_server(spec: RoleSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(
        ConfigurationError, match=f"agent {spec.name} needs base_url= or environment variable OPENAI_BASE"
    ):
        resolve_role(spec.name, "agent")
    given = resolve_role(f"{spec.name}:base_url=http://127.0.0.1:9/v1", "agent")[1]()
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    published = resolve_role(spec.name, "agent")[1]()
    assert isinstance(given, ModelRole)
    assert isinstance(published, ModelRole)
    assert type(published) is spec.load("agent")
    # With options or without, the same is asked.
    assert (given.model_name, given.provider.settings) == (published.model_name, published.provider.settings)


@pytest.mark.parametrize("kind", KINDS)
def test_any_model_plays_both_parties(kind: Kind) -> None:
    spec, make = resolve_role("vllm/my/model:temperature=0,retries=3", kind)
    role, other = make(), make()
    assert isinstance(role, ModelRole)
    assert isinstance(other, ModelRole)
    assert str(role.role_type) == kind.upper()
    assert role is not other
    assert role.provider is other.provider
    assert role.policy.retries == 3
    assert spec.name == "vllm/my/model"


@pytest.mark.parametrize(
    ("choice", "kind", "says"),
    [
        ("gpt-4o", "agent", "Did you mean: openai/gpt-4o"),
        ("anthropic", "agent", "Did you mean: anthropic/MODEL"),
        ("claude-opus-5-5", "user", "Did you mean: anthropic/claude-opus-5-5"),
        ("Deterministic", "agent", "never implemented; Oracle"),
        ("Deterministic", "user", "never implemented; Scripted"),
        ("Hermes", "user", "cannot play the user"),
        ("antropic/x", "agent", "Did you mean: anthropic"),
    ],
)
def test_near_misses_of_models_are_led_on(choice: str, kind: Kind, says: str) -> None:
    with pytest.raises(UnknownNameError, match=says):
        resolve_role(choice, kind)


def test_what_a_choice_stands_for() -> None:
    assert look_up("Oracle:seed=1", "agent").model is None
    assert look_up("openai/m:seed=1", "user").model == "openai/m:seed=1"
    assert look_up("Gemini_1_5", "agent").model == "google/gemini-1.5-pro-001"
    assert look_up("Hermes:model=x/y", "agent").model == "openai-compatible/x/y:format=hermes"
    with pytest.raises(UnknownNameError):
        look_up("nobody", "agent")
