"""Runs the notebooks top to bottom and writes copies with their outputs.

The notebooks themselves are kept without outputs, so that what changes in them is what somebody has written.

"""

import argparse
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
    parser = argparse.ArgumentParser(description="Runs notebooks and writes copies with their outputs.")
    parser.add_argument("target", type=Path, metavar="DIR", help="where the copies go")
    parser.add_argument("notebooks", type=Path, nargs="*", metavar="NOTEBOOK", help="default: all of this repository")
    arguments = parser.parse_args()
    arguments.target.mkdir(parents=True, exist_ok=True)
    for path in arguments.notebooks or sorted(NOTEBOOKS.glob("*.ipynb")):
        nbformat.write(run(path), arguments.target / path.name)
        print(arguments.target / path.name)
