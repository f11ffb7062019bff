"""Notes: pages, checklists, and what the assistant was told in earlier conversations."""

from tool_sandbox.apps import App
from tool_sandbox.apps.notes.checklists import (
    add_checklist_items,
    create_checklist,
    delete_checklist,
    delete_checklist_item,
    get_checklist,
    modify_checklist_item,
    move_checklist_item,
    search_checklist_items,
    search_checklists,
)
from tool_sandbox.apps.notes.content import content
from tool_sandbox.apps.notes.logs import read_conversation_log, search_conversation_logs
from tool_sandbox.apps.notes.memories import forget_memory, recall_earlier_conversations, remember_for_later
from tool_sandbox.apps.notes.pages import (
    append_to_note_page,
    create_note_page,
    delete_note_page,
    get_note_page,
    modify_note_page,
    search_note_pages,
)
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS, LOGS, MEMORIES, PAGES

APP = App(
    name="notes",
    title="Notes",
    tables=[PAGES, CHECKLISTS, ITEMS, MEMORIES, LOGS],
    tools=[
        create_note_page,
        get_note_page,
        search_note_pages,
        modify_note_page,
        append_to_note_page,
        delete_note_page,
        create_checklist,
        get_checklist,
        search_checklists,
        search_checklist_items,
        add_checklist_items,
        modify_checklist_item,
        move_checklist_item,
        delete_checklist_item,
        delete_checklist,
        remember_for_later,
        recall_earlier_conversations,
        forget_memory,
        search_conversation_logs,
        read_conversation_log,
    ],
    content=content,
    words={
        PAGES.name: ("page", "pages"),
        CHECKLISTS.name: ("checklist", "checklists"),
        ITEMS.name: ("item", "items"),
        MEMORIES.name: ("memory", "memories"),
        LOGS.name: ("earlier conversation", "earlier conversations"),
    },
)
