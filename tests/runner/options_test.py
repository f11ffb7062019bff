"""What is declared of an option is what the command line, files and Python have of it."""

import inspect
from pathlib import Path
from typing import Any

import attrs
import pytest

import tool_sandbox as ts
from tool_sandbox.cli.arguments import play_parser, sweep_parser
from tool_sandbox.records.options import Option, options_of, recorded, run_keys
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.run import play, prepare_run
from tool_sandbox.runner.store import RunDirectory
from tool_sandbox.runner.sweep import describe
from tool_sandbox.runner.sweep_file import read_sweep
from tool_sandbox.world.errors import ConfigurationError

OPTIONS = [pytest.param(field, declared, id=field.name) for field, declared in options_of(Request)]


@pytest.mark.parametrize(("field", "declared"), OPTIONS)
def test_an_option_is_declared_once(field: "attrs.Attribute[Any]", declared: Option) -> None:
    assert field.name in vars(play_parser().parse_args([]))
    assert field.name in vars(sweep_parser().parse_args([]))
    assert inspect.signature(ts.run).parameters[field.name].default == field.default
    assert f"        {field.name}: " in (ts.run.__doc__ or "")
    asked = describe(read_sweep(None, {"agents": ["Oracle"]}))
    assert ((declared.key or field.name) in asked) == declared.is_swept


@pytest.mark.parametrize(("field", "declared"), [each for each in OPTIONS if each.values[1].python is None])
def test_a_wrong_value_is_one_line_everywhere(field: "attrs.Attribute[Any]", declared: Option, tmp_path: Path) -> None:
    wrong = [object()] if declared.several else object()
    with pytest.raises(ConfigurationError, match=f"^{field.name} has to be") as caught:
        ts.run(**{field.name: wrong}, progress=False)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)
    if declared.is_swept:
        key = declared.key or field.name
        with pytest.raises(ConfigurationError, match=f"^the sweep: {key} has to be") as caught:
            read_sweep(None, {"agents": ["Oracle"], key: wrong})
        assert "\n" not in str(caught.value)


def test_a_run_records_what_is_declared_so(tmp_path: Path) -> None:
    finished = play(prepare_run("Oracle", scenarios=["wifi_off"], seeds=[1], trials=2), tmp_path)
    run = RunDirectory(finished.path).read_run()
    assert run_keys().keys() <= run.keys()
    asked = recorded(run)
    assert (asked["seed"], asked["trials"], asked["preferred_tool_backend"]) == ([1], 2, "DEFAULT")
