"""Errors that chance does not reach: only few folders are of others who let the user no more than read them."""

from tool_sandbox.apps import rows_of
from tool_sandbox.apps.files.documents import create_document
from tool_sandbox.apps.files.places import create_folder
from tool_sandbox.apps.files.tables import SHARES


def _read_only() -> str:
    return next(row["file_id"] for row in rows_of(SHARES) if row["person"] == "me" and row["role"] == "viewer")


def create_folder_where_one_may_only_read() -> None:
    """The folder is of somebody else."""
    create_folder("Mine", folder_id=_read_only())


def create_document_where_one_may_only_read() -> None:
    """The folder is of somebody else."""
    create_document("Mine", "Text.", folder_id=_read_only())
