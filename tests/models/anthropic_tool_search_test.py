"""Anthropic's own tool search: deferred tools, searches that run there, the same worlds and scores."""

import itertools
import json

import pytest

from tests.loopback.anthropic import referenced
from tests.loopback.brain import SolutionBrain
from tests.models.anthropic_code_support import blocks, play, world
from tests.models.anthropic_support import KEY
from tool_sandbox.runner.run import prepare_run
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import ConfigurationError

NAMES = ("wifi_off_all_tools", "modify_contact_with_message_recency_10_distraction_tools")


@pytest.mark.parametrize("way", ["bm25", "regex"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stream", [False, True])
def test_searches_at_the_provider_make_the_world_and_score_of_offered_tools(name, way, stream):
    plain, context, _ = play(name, SolutionBrain.of([get_scenario(name)]), None)
    searched, other, server = play(name, SolutionBrain.of([get_scenario(name)]), None, tool_search=way, stream=stream)
    assert (plain, searched) == (1.0, 1.0)
    assert world(other) == world(context)
    bodies = [seen.body for seen in server.seen]
    search, *tools = bodies[0]["tools"]
    assert search == {"type": f"tool_search_tool_{way}_20251119", "name": f"tool_search_tool_{way}"}
    assert len(tools) > 3
    assert all(tool["defer_loading"] for tool in tools)
    # What came went back: the loopback refuses calls of tools that no search in the request has found.
    called = {block["name"] for block in blocks(bodies[-1], "tool_use")}
    assert called
    assert called == referenced(bodies[-1]["messages"])
    for earlier, later in itertools.pairwise(bodies):
        assert later["tools"] == earlier["tools"]
        assert json.dumps(later["messages"]).startswith(json.dumps(earlier["messages"])[:-2])


@pytest.mark.parametrize(
    ("agent", "tools", "words"),
    [
        ("anthropic/claude-opus-5-5:tool_search=bm25,code_execution=both", "all", "cannot be combined"),
        ("anthropic/claude-opus-5-5:tool_search=fuzzy", "all", "bm25 or regex"),
        ("anthropic/claude-opus-5-5:tool_search=bm25", "search", "choose one of the two"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(monkeypatch, agent, tools, words):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with pytest.raises(ConfigurationError, match=words):
        prepare_run(agent, scenarios=["wifi_off"], tools=tools)
