"""Choosing roles by name."""

import pytest

from tool_sandbox.common.errors import ConfigurationError, UnknownNameError
from tool_sandbox.roles import registry
from tool_sandbox.roles.base_role import BaseRole
from tool_sandbox.roles.registry import Requirement, RoleSpec, parse_choice, resolve_role


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind in ("agent", "user") for name in registry.role_names(kind)],  # type: ignore[arg-type]
)
def test_every_entry_can_be_made(kind: registry.Kind, name: str) -> None:
    spec, make = resolve_role(name, kind)
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
        ("Oracle:seed", ConfigurationError, "Name:option=value"),
        ("Oracle:", ConfigurationError, "Name:option=value"),
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
