"""The commands that show what there is: scenarios, tools, roles."""

import argparse
import inspect
import json
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tool_sandbox.apps.registry import app_names, find_app, tools_of
from tool_sandbox.cli.tables import indented, terminal_width, text_table
from tool_sandbox.conversation.execution_context import DatabaseNamespace, RoleType
from tool_sandbox.conversation.tool_conversion import convert_to_openai_tool
from tool_sandbox.conversation.tool_discovery import get_all_tools
from tool_sandbox.helpers.suggestions import suggest
from tool_sandbox.models.catalogue import retirement, today
from tool_sandbox.models.naming import split_choice
from tool_sandbox.models.plug_ins import offered
from tool_sandbox.models.providers import ProviderSpec, all_providers
from tool_sandbox.roles.registry import FORMS, ROLES, missing_here
from tool_sandbox.roles.role_spec import ENTRY_POINTS, RoleSpec
from tool_sandbox.runner.request import Request
from tool_sandbox.runner.selection import select
from tool_sandbox.world.errors import UnknownNameError

if TYPE_CHECKING:
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.runner.suites import Suite
    from tool_sandbox.scenarios import ScenarioInfo


def scenarios_command(arguments: argparse.Namespace) -> int:
    """Prints scenarios or one of them, or checks them."""
    if arguments.action == "check":
        from tool_sandbox.cli.checking import check_command

        return check_command(arguments)
    request = Request.of(vars(arguments))
    suite = request.loaded_suite()
    if arguments.action == "list":
        _scenarios(request.infos(arguments.patterns or None, suite), as_json=arguments.json)
    else:
        _scenario(arguments.name, arguments.seed, suite, as_json=arguments.json)
    return 0


def _print_json(value: Any) -> None:
    print(json.dumps(value, indent=2))


def _scenarios(infos: "Sequence[ScenarioInfo]", *, as_json: bool) -> None:
    if as_json:
        _print_json([_info(info) for info in infos])
        return
    print(text_table(["name", "family", "goal"], [[info.name, info.family, info.goal] for info in infos], left=3))
    bases, families = {info.base_name for info in infos}, {info.family for info in infos}
    print(f"\nscenarios: {len(infos)}, base scenarios: {len(bases)}, families: {len(families)}")


def _info(info: "ScenarioInfo") -> dict[str, Any]:
    return {
        "name": info.name,
        "base_name": info.base_name,
        "family": info.family,
        "augmentation": info.augmentation,
        "categories": [str(category) for category in info.categories],
        "goal": info.goal,
    }


def _scenario(name: str, seed: int, suite: "Suite | None", *, as_json: bool) -> None:
    from tool_sandbox.scenarios import named_scenarios

    (info,) = select([name], infos=None if suite is None else suite.infos)
    built = named_scenarios(names=[info.name], seed=seed) if suite is None else suite.build(seed)
    scenario = built[info.name]
    described = _info(info) | {
        **({"max_turns": turns} if (turns := scenario.max_turns) else {"max_messages": scenario.max_messages}),
        "tools": list(scenario.starting_context.get_tools_of(RoleType.AGENT)),
        "messages": _messages(scenario),
        "milestones": _milestones(scenario),
    }
    if as_json:
        _print_json(described)
        return
    for key, value in described.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            print(f"{key}:")
            for entry in value:
                print(indented("\n".join(f"{field}: {text}" for field, text in entry.items() if text is not None)))
                print()
        elif isinstance(value, list):
            print(textwrap.fill(f"{key}: {', '.join(value)}", width=100, subsequent_indent="    "))
        else:
            print(f"{key}: {value}")


def _messages(scenario: "Scenario") -> list[dict[str, Any]]:
    return [
        {"from": row["sender"], "to": row["recipient"], "text": row["content"]}
        for _, table in scenario.starting_context.get_history(DatabaseNamespace.SANDBOX)
        for row in table.dicts()
        if row["recipient"] != RoleType.EXECUTION_ENVIRONMENT
    ]


def _milestones(scenario: "Scenario") -> list[dict[str, Any]]:
    matcher = scenario.evaluation.milestone_matcher
    return [
        {
            "milestone": str(number),
            "after": ", ".join(str(before) for before in matcher.graph.parents[number]) or None,
            "weight": f"{getattr(milestone, 'weight', 1.0):.2f}",
            "checks": "; ".join(str(constraint.snapshot_constraint) for constraint in milestone.snapshot_constraints),
        }
        for number, milestone in enumerate(matcher.milestones)
    ]


def tools_command(arguments: argparse.Namespace) -> int:
    """Prints tools of the agent."""
    suite, names = Request.of(vars(arguments)).loaded_suite(), arguments.names
    # Those of a suite first: they are why it is named.
    own = {} if suite is None else dict.fromkeys(suite.tools, suite.name)
    tools = get_all_tools() if suite is None else suite.tools | get_all_tools()
    if any(name not in tools for name in names):
        # Tools of apps are listed by `apps show`, and found here by their names.
        tools = tools_of(map(find_app, app_names())) | tools
    for name in names:
        if name not in tools:
            raise UnknownNameError(f"there is no tool {name!r}.", suggest(name, tools))
    chosen = {name: tools[name] for name in names or tools}
    if arguments.json:
        _print_json([convert_to_openai_tool(tool, name=name) for name, tool in chosen.items()])
    elif names:
        for name, tool in chosen.items():
            print(f"{name}{inspect.signature(tool)}\n{indented(inspect.getdoc(tool) or '')}\n")
    else:
        rows = [
            [
                name,
                own.get(name) or tool.__module__.rsplit(".", 1)[-1],
                (inspect.getdoc(tool) or "").partition("\n")[0],
            ]
            for name, tool in chosen.items()
        ]
        print(text_table(["name", "module", "what it does"], rows, left=3, width=terminal_width()))
    return 0


def agents_command(arguments: argparse.Namespace) -> int:
    """Prints who can play."""
    rows = [*map(_role, ROLES.values()), *_own_agents(), *map(_provider, all_providers())]
    if arguments.json:
        _print_json(rows)
        return 0
    for title, kind in (
        ("Built in", "role"),
        ("Your own, see docs/test-your-agent.md", "own"),
        ("Models, as PROVIDER/MODEL:option=value,...", "provider"),
        ("Published names", "published"),
    ):
        cells = [_agent_cells(row) for row in rows if row["kind"] == kind]
        header = ["name", "plays", "ready", "what it is"]
        print(f"{title}\n{text_table(header, cells, left=4, width=terminal_width())}\n")
    print("tool_sandbox doctor --agent PROVIDER/MODEL --call   check whether a model answers")
    return 0


def _agent_cells(row: dict[str, Any]) -> list[str]:
    told = [row["description"]]
    if row.get("retired"):
        instead = f", see {row['successor']}" if row["successor"] else ""
        told.append(f"retired {row['retired']}{instead}")
    elif row["missing"]:
        told.append(f"needs {', '.join(row['missing'])}")
    return [row["name"], ", ".join(row["plays"]), "yes" if row["ready"] else "no", "; ".join(told)]


def _role(spec: RoleSpec) -> dict[str, Any]:
    missing = missing_here(spec)
    row: dict[str, Any] = {
        "name": spec.name,
        "kind": "role" if spec.model is None else "published",
        "plays": sorted(spec.kind),
        "ready": not missing,
        "needs": [str(need) for need in spec.needs],
        "missing": missing,
        "description": spec.description,
    }
    if spec.model is not None:
        provider, _, model = split_choice(spec.model)[0].partition("/")
        end = retirement(provider, model)
        is_retired = end is not None and end.date <= today()
        row |= {
            "ready": row["ready"] and not is_retired,
            "model": f"{provider}/{model}",
            "retired": str(end.date) if end is not None and is_retired else None,
            "successor": f"{provider}/{end.successor}" if end is not None and end.successor else None,
        }
    return row


def _own_agents() -> list[dict[str, Any]]:
    """How agents are chosen that have no name here, and those that other packages offer by name."""
    own = [(form.name, form.description) for form in FORMS]
    own += [(name, f"offered as {point.value}") for name, points in offered(ENTRY_POINTS).items() for point in points]
    told = {"kind": "own", "plays": ["agent"], "ready": True, "needs": [], "missing": []}
    return [{"name": name, **told, "description": description} for name, description in own]


def _provider(spec: ProviderSpec) -> dict[str, Any]:
    missing = spec.missing()
    return {
        "name": f"{spec.name}/MODEL",
        "kind": "provider",
        "plays": ["agent", "user"],
        "ready": not missing,
        "needs": [f"environment variable {' or '.join(spec.keys)}"] if spec.needs_key else [],
        "missing": missing,
        "description": spec.description + (f" (started by: {spec.start})" if spec.start else ""),
    }
