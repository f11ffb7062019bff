"""Files: folders, documents with versions, the trash, rights that folders hand down, links, and a quota."""

from tool_sandbox.apps import App
from tool_sandbox.apps.files.content import content
from tool_sandbox.apps.files.documents import (
    copy_document,
    create_document,
    get_document,
    restore_document_version,
    save_document_text,
)
from tool_sandbox.apps.files.places import create_folder, get_storage_usage, modify_file, move_file, search_files
from tool_sandbox.apps.files.probes import (
    create_document_where_one_may_only_read,
    create_folder_where_one_may_only_read,
    move_to_where_it_is,
)
from tool_sandbox.apps.files.shares import (
    create_file_link,
    get_file_details,
    remove_file_share,
    search_file_shares,
    share_file,
)
from tool_sandbox.apps.files.tables import ACCOUNTS, FILES, SHARES, VERSIONS
from tool_sandbox.apps.files.trash import empty_file_trash, restore_file, trash_file

APP = App(
    name="files",
    title="Files",
    tables=[ACCOUNTS, FILES, VERSIONS, SHARES],
    tools=[
        search_files,
        get_file_details,
        get_document,
        create_folder,
        create_document,
        save_document_text,
        restore_document_version,
        copy_document,
        modify_file,
        move_file,
        trash_file,
        restore_file,
        empty_file_trash,
        get_storage_usage,
        share_file,
        create_file_link,
        search_file_shares,
        remove_file_share,
    ],
    content=content,
    words={
        ACCOUNTS.name: ("account", "accounts"),
        FILES.name: ("file", "files"),
        VERSIONS.name: ("version", "versions"),
        SHARES.name: ("share", "shares"),
    },
    probes=[create_folder_where_one_may_only_read, create_document_where_one_may_only_read, move_to_where_it_is],
)
