"""Tasks: lists with members, tasks with states and dates, what needs what, changes of many and their undoing."""

from tool_sandbox.apps import App
from tool_sandbox.apps.tasks.content import content
from tool_sandbox.apps.tasks.lists import (
    copy_task_list,
    create_task_list,
    modify_task_list,
    search_task_lists,
    set_task_list_members,
)
from tool_sandbox.apps.tasks.probes import (
    add_a_dependency_to_a_task_of_others,
    remove_a_dependency_of_others,
    skip_a_task_of_others,
    undo_twice,
)
from tool_sandbox.apps.tasks.states import (
    add_task_dependency,
    remove_task_dependency,
    set_task_state,
    skip_task_occurrence,
)
from tool_sandbox.apps.tasks.tables import CHANGES, COMMENTS, DEPENDENCIES, EDITS, LISTS, TASKS
from tool_sandbox.apps.tasks.tasks import comment_on_task, create_task, delete_task, get_task, modify_task, search_tasks
from tool_sandbox.apps.tasks.together import (
    get_task_workload,
    modify_tasks_together,
    search_task_changes,
    shift_task_due_dates,
    undo_task_edit,
)

APP = App(
    name="tasks",
    title="Tasks",
    tables=[LISTS, TASKS, DEPENDENCIES, COMMENTS, EDITS, CHANGES],
    tools=[
        search_task_lists,
        create_task_list,
        modify_task_list,
        set_task_list_members,
        copy_task_list,
        search_tasks,
        get_task,
        create_task,
        modify_task,
        set_task_state,
        skip_task_occurrence,
        add_task_dependency,
        remove_task_dependency,
        comment_on_task,
        delete_task,
        modify_tasks_together,
        shift_task_due_dates,
        undo_task_edit,
        search_task_changes,
        get_task_workload,
    ],
    content=content,
    words={
        LISTS.name: ("list of tasks", "lists of tasks"),
        TASKS.name: ("task", "tasks"),
        DEPENDENCIES.name: ("dependency", "dependencies"),
        COMMENTS.name: ("comment", "comments"),
        EDITS.name: ("edit", "edits"),
        CHANGES.name: ("change", "changes"),
    },
    probes=[add_a_dependency_to_a_task_of_others, skip_a_task_of_others, remove_a_dependency_of_others, undo_twice],
)
