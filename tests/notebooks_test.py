"""The notebooks run top to bottom on the sample, and the sample is what the suite plays today."""

import importlib.util
import json
import os
from pathlib import Path
from types import ModuleType

import nbformat
import pytest

from tests.records import records_below, result_in

ROOT = Path(__file__).resolve().parent.parent
PLOTS = {"compare_runs": 3, "single_run": 5, "trajectories": 5}
"""Notebook to the number of its plots."""

PNG = "iVBORw0KGgo"
"""How a PNG image begins, in base64."""


def script(name: str) -> ModuleType:
    """A script of the repository as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def kernel_files(tmp_path, monkeypatch) -> None:
    """Keeps what Jupyter writes out of the home directory."""
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))


def test_every_notebook_is_tested():
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} == set(PLOTS)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", sorted(PLOTS))
@pytest.mark.usefixtures("kernel_files")
def test_a_notebook_runs_and_shows_its_plots(name):
    notebook = script("render_notebooks").run(ROOT / "notebooks" / f"{name}.ipynb")
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    images = [data["image/png"] for output in outputs if "image/png" in (data := output.get("data", {}))]
    assert len(images) == PLOTS[name]
    assert all(image.startswith(PNG) and len(image) > 20_000 for image in images)


@pytest.mark.parametrize("name", sorted(PLOTS))
def test_a_notebook_is_kept_without_outputs(name):
    notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
    assert str(ROOT) not in json.dumps(notebook)


@pytest.mark.slow
def test_the_sample_is_what_is_played_today(tmp_path):
    script("make_sample").make(tmp_path)
    kept = ROOT / "data" / "sample"
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.json*")) == sorted(
        path.relative_to(kept) for path in kept.rglob("*.json*")
    )
    for path in records_below(tmp_path):
        new, old = (result_in(file.parent) for file in (path, kept / path.relative_to(tmp_path)))
        # The suite may have changed elsewhere; `python scripts/make_sample.py` plays the sample again.
        assert {**new, "suite": None} == {**old, "suite": None}, path.parent.name
    assert sum(path.stat().st_size for path in kept.rglob("*")) < 2_500_000
