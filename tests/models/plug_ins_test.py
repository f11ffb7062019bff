"""Providers that an installed package offers by name."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.loopback.brain import SolutionBrain
from tests.loopback.openai_chat import OpenAIChatDialect
from tests.loopback.server import Loopback, serve
from tests.records import records_below, result_in
from tool_sandbox.models.plug_ins import offer
from tool_sandbox.models.providers import ENTRY_POINTS
from tool_sandbox.scenarios import get_scenario
from tool_sandbox.world.errors import ConfigurationError

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "models.md"
KEY = "sk-acme-0123456789"
WRONG = """\
acme-gone = "acme_models.sandbox:GONE"
acme-none = "acme_models.sandbox:AcmeChat"
openai = "acme_models.sandbox:ACME"
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with an installed distribution that offers the provider of the documentation, and some wrong ones."""
    _, _, section = PAGE.read_text("utf-8").partition("## A provider of your own")
    body, *_ = section.partition("\n## ")[::2]
    (code,) = re.findall(r"```py\n(.*?)```", body, re.DOTALL)
    (offered,) = re.findall(r"```text\n(\[project.entry-points.*?)```", body, re.DOTALL)
    site = tmp_path_factory.mktemp("site")
    information = site / "acme_models-1.4.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-models\nVersion: 1.4.2\n")
    points = re.sub(r'"', "", offered + WRONG).replace("project.entry-points.", "")
    (information / "entry_points.txt").write_text(points)
    (site / "acme_models").mkdir()
    (site / "acme_models" / "__init__.py").touch()
    (site / "acme_models" / "sandbox.py").write_text(code)
    return site


@pytest.fixture(scope="module")
def server() -> Iterator[Loopback]:
    with serve(OpenAIChatDialect(), SolutionBrain.of([get_scenario("wifi_off")])) as loopback:
        yield loopback


def command(
    site: Path, folder: Path, *words: str, code: int = 0, **environment: str
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [sys.executable, "-m", "tool_sandbox.cli", *words],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, site)))} | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == code, f"{done.stdout}\n{done.stderr}"
    return done


def test_an_installed_package_offers_a_provider_by_name(installed: Path, server: Loopback, tmp_path: Path) -> None:
    place = {"ACME_BASE_URL": f"{server.url}/v1", "ACME_API_KEY": KEY}
    run = ("--agent", "acme/m-1:temperature=0,polite=true", "-s", "wifi_off", "-o", "out")
    command(installed, tmp_path, *run, **place)
    (result,) = [result_in(file.parent) for file in records_below(tmp_path / "out")]
    assert (result["similarity"], result["outcome"]) == (1.0, "completed")
    (file,) = (tmp_path / "out").rglob("run.json")
    described = json.loads(file.read_text())
    assert described["agent"] == "acme/m-1:temperature=0,polite=true"
    model = described["models"]["agent"]
    assert (model["provider"], model["model"]) == ("acme", "m-1")
    assert model["settings"] == {"temperature": 0.0, "polite": True}
    assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    assert KEY not in file.read_text()
    # Another package decides what it asks, so it is named again to go on with a run.
    next(iter(records_below(tmp_path / "out"))).unlink()
    refused = command(installed, tmp_path, "resume", str(file.parent), code=2, **place)
    assert "to use them, add: --agent acme/m-1:temperature=0,polite=true" in refused.stderr
    command(installed, tmp_path, "resume", str(file.parent), "--agent", described["agent"], **place)


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        ("acme/m", "acme needs environment variable ACME_API_KEY"),
        ("acme/m:tmperature=0", "acme has no option 'tmperature'; it takes "),
        ("acme-gone/m", "provider 'acme-gone' of acme-models (acme_models.sandbox:GONE) cannot be loaded: Attribute"),
        ("acme-none/m", "provider 'acme-none' (acme_models.sandbox:AcmeChat) is no ProviderSpec"),
        ("acne/m", "Did you mean: acme"),
    ],
)
def test_an_offer_that_cannot_be_used_is_one_line(choice: str, says: str, installed: Path, tmp_path: Path) -> None:
    done = command(installed, tmp_path, "--agent", choice, "-s", "wifi_off", code=2)
    (line,) = done.stderr.splitlines()
    assert says in line


def test_what_is_offered_is_listed_and_takes_no_name_of_ours(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(command(installed, tmp_path, "agents", "--json", ACME_API_KEY=KEY).stdout)
    rows: dict[str, Any] = {row["name"]: row for row in listed}
    assert (rows["acme/MODEL"]["ready"], rows["acme/MODEL"]["plays"]) == (True, ["agent", "user"])
    assert rows["acme/MODEL"]["description"] == "models of Acme"
    assert "cannot be loaded" in rows["acme-gone/MODEL"]["missing"][0]
    assert rows["openai/MODEL"]["description"].startswith("GPT")
    ready = json.loads(command(installed, tmp_path, "doctor", "--json", ACME_API_KEY=KEY).stdout)
    assert {one["name"]: one["ready"] for one in ready}["acme"]


def test_two_packages_must_not_offer_different_things(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        SimpleNamespace(name="acme", value=f"{package}:ACME", dist=SimpleNamespace(name=package)) for package in "ab"
    ]
    monkeypatch.setattr("tool_sandbox.models.plug_ins.entry_points", lambda group: points)
    with pytest.raises(ConfigurationError, match="several packages offer a provider 'acme': a, b"):
        offer(ENTRY_POINTS, "acme", "a provider")
