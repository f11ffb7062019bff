"""Errors that chance does not reach: only few folders are of others who let the user no more than read them."""

from tool_sandbox.apps import rows_of
from tool_sandbox.apps.files.documents import create_document
from tool_sandbox.apps.files.places import create_folder, move_file
from tool_sandbox.apps.files.tables import FILES, SHARES


def _read_only() -> str:
    return next(str(row["file_id"]) for row in rows_of(SHARES) if row["person"] == "me" and row["role"] == "viewer")


def create_folder_where_one_may_only_read() -> None:
    """The folder is of somebody else."""
    create_folder("Mine", folder_id=_read_only())


def create_document_where_one_may_only_read() -> None:
    """The folder is of somebody else."""
    create_document("Mine", "Text.", folder_id=_read_only())


def move_to_where_it_is() -> None:
    """Nothing is to be done."""
    move_file(next(row["file_id"] for row in rows_of(FILES) if row["owner"] == "me"), None)
