"""Runs the notebooks top to bottom and writes copies with their outputs.

The notebooks themselves are kept without outputs, so that what changes in them is what somebody has written.

Usage: python scripts/render_notebooks.py TARGET [NOTEBOOK ...]
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
SECONDS = 300
"""Time that a cell may take."""


def run(path: Path) -> nbformat.NotebookNode:
    """A notebook with its outputs.

    Args:
        path: The file, which is not changed. Paths inside it are relative to its directory.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell failed.
    """
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(path.parent)}}).execute()
    return notebook


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for path in map(Path, sys.argv[2:] or sorted(NOTEBOOKS.glob("*.ipynb"))):
        nbformat.write(run(path), target / path.name)
        print(target / path.name)
