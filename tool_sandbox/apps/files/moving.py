"""What others do with files, for scenarios in a world that moves."""

from tool_sandbox.apps import add, effect, now
from tool_sandbox.apps.files.access import ME, Role
from tool_sandbox.apps.files.tables import FILES, SHARES


@effect
def file_is_shared(owner: str, name: str, content: str, role: Role = "viewer") -> str:
    """Somebody, named by an e-mail address, shares a new document with the owner of the device."""
    cells = {"content": content, "size": len(content.encode()), "version": 1, "confidential": False}
    times = {"created_at": now(), "changed_at": now(), "changed_by": owner}
    file_id = add(FILES, name=name, kind="text", folder_id=None, owner=owner, **cells, **times)
    add(SHARES, file_id=file_id, person=ME, role=role, shared_at=now())
    return f"{owner} shared {name}"
