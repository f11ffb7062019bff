"""The documentation does what it says.

Every command after ``$`` in a fenced ``console`` block of the README and of ``docs/`` is run in a directory of its own,
one page after the other from the top; every ``python`` block is run as a program there, and a ``toml`` block that
begins with ``# NAME.toml`` is written to that file. Fragments that cannot stand alone are fenced as ``py`` and commands
that install something are only checked for the files they name.

Models are servers on this machine that speak the providers' protocols and play the reference solutions.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.docs.place import ROOT, Place
from tests.loopback.anthropic import AnthropicDialect
from tests.loopback.batches import AnthropicBatchDialect, OpenAIBatchDialect
from tests.loopback.brain import SolutionBrain
from tests.loopback.gemini import KEY as GEMINI_KEY
from tests.loopback.gemini import Gemini
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.openai_responses import OpenAIResponsesDialect
from tests.loopback.server import Answer, Broken, Encoded, Heard, Move, serve
from tool_sandbox.models.catalogue import known_model, retirement
from tool_sandbox.scenarios import get_scenario

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ELSEWHERE = {
    "docs/inspect.md": "tests/docs/inspect_page_test.py",
    "docs/openenv.md": "tests/integrations/openenv_test.py",
    "docs/test-your-agent.md": "tests/docs/test_your_agent_test.py",
    "docs/verifiers.md": "tests/integrations/verifiers_test.py",
}
"""Pages whose commands need something else behind each of their sections, and what runs them."""

QUICK = (
    "docs/add-a-tool.md",
    "docs/apps.md",
    "docs/moving-worlds.md",
    "docs/read-results.md",
    "docs/tool-search.md",
    "docs/users.md",
)
"""Pages whose commands take seconds."""

INSTALLS = re.compile(r"^(git clone|cd |pip install|pre-commit|scripts/test)")

MODELED = ("wifi_off", "get_wifi")
"""Scenarios that the models of the documentation are asked to play."""

VENDORS = {"anthropic", "openai", "google"}
_MODEL = re.compile(r"--(?:agent|user|judge) (\w+)/([\w.-]+)")
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")


def _steps(page: Path) -> Iterator[str | list[str]]:
    """What a page runs, in order: lines of a shell, and the words of programs."""
    for language, body in _FENCE.findall(page.read_text("utf-8")):
        if language == "python":
            yield [sys.executable, "-c", body]
        elif language == "toml" and (named := re.match(r"# (\w+\.toml)$", body, re.MULTILINE)):
            yield [sys.executable, "-c", f"import pathlib; pathlib.Path({named[1]!r}).write_text({body!r}, 'utf-8')"]
        elif language in ("console", "sh"):
            for line in body.splitlines():
                command = line.removeprefix("$ ")
                if line.startswith("$ ") and not INSTALLS.match(command):
                    yield command


@attrs.define(eq=False)
class _OpenAI:
    """Both protocols of OpenAI at one address."""

    chat: OpenAIChatDialect = attrs.field(factory=lambda: OpenAIChatDialect(lenient=True))
    responses: OpenAIResponsesDialect = attrs.field(factory=OpenAIResponsesDialect)

    def _by(self, path: str) -> OpenAIChatDialect | OpenAIResponsesDialect:
        return self.responses if path.endswith("/responses") else self.chat

    def hear(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Heard | Encoded:
        return self._by(path).hear(method, path, headers, body)

    def answer(self, heard: Heard, answer: Answer) -> Encoded:
        return self._by(heard.path).answer(heard, answer)

    def error(self, broken: Broken) -> Encoded:
        return self.chat.error(broken)


def _model(heard: Heard) -> Move:
    """Plays the agent, reads facts for a judge, or says hello to the doctor."""
    if "set_wifi_status" in heard.tools or "get_wifi_status" in heard.tools:
        return SolutionBrain.of([get_scenario(name) for name in MODELED])(heard)
    return Answer('{"1": "stated"}' if "Facts:" in heard.turns[0].text else "OK")


@pytest.fixture(scope="module")
def models() -> Iterator[dict[str, str]]:
    """Environment variables that lead to models on this machine."""
    with (
        serve(AnthropicBatchDialect(AnthropicDialect(), _model), _model) as anthropic,
        serve(OpenAIBatchDialect(_OpenAI(), _model, path="/v1/responses"), _model) as openai,
        serve(Gemini(), _model) as gemini,
    ):
        yield {
            "ANTHROPIC_API_KEY": "sk-ant-docs-0123456789",
            "ANTHROPIC_BASE_URL": anthropic.url,
            "OPENAI_API_KEY": "sk-docs-0123456789",
            "OPENAI_BASE_URL": f"{openai.url}/v1",
            "VLLM_BASE_URL": f"{openai.url}/v1",
            "OLLAMA_BASE_URL": f"{openai.url}/v1",
            "GEMINI_API_KEY": GEMINI_KEY,
            "GOOGLE_GEMINI_BASE_URL": gemini.url,
        }


@pytest.mark.skipif(os.name != "posix", reason="the commands need a POSIX shell")
@pytest.mark.whole
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name, marks=[] if name in QUICK else pytest.mark.slow)
        for page in PAGES
        if (name := page.relative_to(ROOT).as_posix()) not in ELSEWHERE
    ],
)
def test_commands_of_a_page_work(page: Path, models: dict[str, str], tmp_path: Path) -> None:
    place = Place(tmp_path, models)
    for step in _steps(page):
        place.run(step)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_models_of_the_pages_are_here_to_stay() -> None:
    """A page that names a model with an end would fail on a day, not with a change."""
    commands = [step for page in PAGES for step in _steps(page) if isinstance(step, str)]
    named = {match for command in commands for match in _MODEL.findall(command) if match[0] in VENDORS}
    assert {provider for provider, _ in named} == VENDORS
    assert [name for name in named if known_model(*name) is None or retirement(*name) is not None] == []


def test_readme_shows_commands() -> None:
    assert len(list(_steps(ROOT / "README.md"))) >= 2
