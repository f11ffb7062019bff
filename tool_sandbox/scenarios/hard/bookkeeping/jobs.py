"""Jobs: what is to be looked at, what follows for many rows, and what is told at the end. No scenarios.

    Job(user, tools, looks=[page("House rules")], deeds=[tick(item), ...], told="It comes to $12.", facts=[...]).task()

A deed is a change and the call that makes it. The reference solution looks, acts and tells; an identifier that it uses
and a text that it rests on must have been shown by then, or it does not go on.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Fact, Number
from tool_sandbox.apps.groups.tables import MEMBERS
from tool_sandbox.apps.notes.tables import ITEMS
from tool_sandbox.apps.tasks.tables import CHANGES, EDITS, TASKS
from tool_sandbox.apps.wallet.tables import TRANSACTIONS, TRANSFERS
from tool_sandbox.scenarios.hard.bookkeeping.papers import Reading, Row
from tool_sandbox.scenarios.hard.common import read_all
from tool_sandbox.scenarios.matchers import Anything, SameWords, Says
from tool_sandbox.scenarios.vocabulary import (
    Node,
    Task,
    added,
    answer,
    answer_for_now,
    call,
    changed,
    in_any_order,
    removed,
    say,
)
from tool_sandbox.world.script import Solution, Step

KEY = re.compile(r"[a-z_]+_[0-9a-f]{8}")
"""Form of an identifier of a row."""

Look = Callable[[], Reading]
"""Begins the steps that read something."""


@attrs.frozen
class Deed:
    """Something to do for one row.

    Attributes:
        nodes: What shows that it was done.
        steps: How it is done.
        allowed: What else may change by it.
    """

    nodes: tuple[Node, ...]
    steps: tuple[Step, ...]
    allowed: tuple[Node, ...] = ()

    def for_now(self) -> "Deed":
        """The same deed in a round after which it is changed again or undone; `gone` says of the latter that it was."""
        passing = tuple(node.passing() for node in self.nodes)
        return attrs.evolve(self, nodes=passing, allowed=(*self.allowed, *self.nodes))


@attrs.frozen
class Job:
    """A request, and what has to come of it.

    Attributes:
        user: What the user says.
        tools: Tools that the agent has.
        looks: What has to be read before anything is done.
        deeds: What is to be done, in any order.
        told: What the reference solution tells at the end.
        facts: What has to be told.
        rests_on: Texts on which the right choice rests, so that the solution must have seen them.
        later: What is done and told after each further thing that the user says, each in a round of its own.
        interim: What has to be told at the end of the first round.
        more: Further cells of the task.
    """

    user: str | Sequence[str]
    tools: Sequence[str]
    looks: Sequence[Look]
    deeds: Sequence[Deed]
    told: str
    facts: Sequence[Fact] = ()
    rests_on: Sequence[str] = ()
    later: Sequence[tuple[Sequence[Deed], str]] = ()
    interim: Sequence[Fact] = ()
    more: dict[str, Any] = attrs.field(factory=dict)

    def task(self) -> Task:
        """The task."""
        rounds = [self.deeds, *(deeds for deeds, _ in self.later)]
        nodes = list[Node]()
        for number, deeds in enumerate(rounds):
            nodes += in_any_order(*(node for deed in deeds for node in deed.nodes))
            nodes += [answer_for_now(*self.interim)] if self.interim and not number else []
        allowed = [node for deeds in rounds for deed in deeds for node in deed.allowed]
        more: dict[str, Any] = {"allowed": allowed} | self.more
        told = [answer(*self.facts)] if self.facts else []
        cells: dict[str, Any] = {
            "user": self.user,
            "tools": list(dict.fromkeys(self.tools)),
            "solution": self._solution,
        }
        return Task(milestones=[*nodes, *told], **cells, **more)

    def _solution(self) -> Solution:
        seen = set[str]()
        for look in self.looks:
            yield from _shown(look(), seen)
        if not seen.issuperset(self.rests_on):
            return
        for deeds, told in ((self.deeds, self.told), *self.later):
            yield from _shown((step for deed in deeds for step in deed.steps), seen)
            yield say(told)


def _shown(steps: Any, seen: set[str]) -> Reading:
    """Makes steps, and notes what they show; an identifier that was not shown cannot be used."""
    outcome = None
    while True:
        try:
            step = steps.send(outcome)
        except StopIteration:
            return
        calls = step if isinstance(step, list) else [step]
        used = {text for each in calls for text in _texts(each.arguments) if KEY.fullmatch(text)}
        if not used <= seen:
            return
        outcome = yield step
        seen.update(_texts(outcome))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


# Looks --------------------------------------------------------------------------------------------------------


def look(tool: str, /, then: str = "", *, key: str = "", key_as: str = "", **arguments: Any) -> Look:
    """Pages through a search to its end, and reads each result with another tool if there is one."""

    def steps() -> Reading:
        rows = yield from read_all(tool, **{"limit": None, **arguments})
        if then:
            yield [call(then, **{key_as or key: row[key]}) for row in rows]

    return steps


def page(title: str) -> Look:
    """Finds a page of the notes and reads it."""
    return look("search_note_pages", "get_note_page", key="page_id", words=title)


def mails(query: str) -> Look:
    """Finds mails and reads them."""
    return look("search_mail", "get_mail", key="mail_id", query=query)


# Deeds --------------------------------------------------------------------------------------------------------


def owed(cents: int, currency: str = "USD") -> Says:
    """A text that names an amount."""
    return Says((Number(cents / 100, currency),))


def _history(task_id: Any, fields: int) -> tuple[Node, ...]:
    """What the app writes down about a change of a task."""
    cells: dict[str, Any] = {"task_id": task_id} | dict.fromkeys(("edit_id", "field", "old", "new"), Anything())
    return added(EDITS, made_by="me", made_at=Anything()), added(CHANGES, fields, **cells)


def change_task(task: Row, **cells: Any) -> Deed:
    """Changes cells of a task; a text of the agent's own is given as a pair: what is written, what must be in it."""
    wanted = {name: cell[1] if isinstance(cell, tuple) else cell for name, cell in cells.items()}
    given = {name: cell[0] if isinstance(cell, tuple) else cell for name, cell in cells.items()}
    state = {name: given.pop(name) for name in ("state", "reason") if name in given}
    done: dict[str, Any] = {"done_at": Anything()} if state.get("state") == "done" else {}
    steps = [call("modify_task", task_id=task["task_id"], **given)] if given else []
    steps += [call("set_task_state", task_ids=[task["task_id"]], **state)] if state else []
    node = changed(TASKS, {"task_id": task["task_id"]}, **(wanted | done))
    return Deed((node,), tuple(steps), _history(task["task_id"], len(cells)))


def make_task(tasks: Row, title: str, details: tuple[str, Any], **cells: Any) -> Deed:
    """Makes a task of the user on a list."""
    made = {"list_id": tasks["list_id"], "assignee": "me", **cells}
    node = added(
        TASKS, title=SameWords(title), details=details[1], created_at=Anything(), creator="me",
        **{"state": "open", "priority": "normal"} | made,
    )  # fmt: skip
    return Deed((node,), (call("create_task", title=title, details=details[0], **made),))


def tick(item: Row, *, done: bool) -> Deed:
    """Ticks an item of a checklist off, or opens it again."""
    node = changed(ITEMS, {"item_id": item["item_id"]}, done=done)
    return Deed((node,), (call("modify_checklist_item", item_id=item["item_id"], done=done),))


def rename(item: Row, content: str) -> Deed:
    """Gives an item of a checklist another text."""
    node = changed(ITEMS, {"item_id": item["item_id"]}, content=SameWords(content))
    return Deed((node,), (call("modify_checklist_item", item_id=item["item_id"], content=content),))


def transfer(account: Row, payee: Row, cents: int, text: str) -> Deed:
    """Transfers money to a payee."""
    same = {"account_id": account["account_id"], "description": Anything(), "category": Anything()}
    sent = added(TRANSFERS, payee_id=payee["payee_id"], amount=cents, state="sent", **same)
    booked = {"counterparty": payee["name"], "kind": "transfer", "transfer_id": Anything()}
    cells = {"account_id": account["account_id"], "payee_id": payee["payee_id"], "amount": cents}
    left = added(TRANSACTIONS, amount=-cents, **booked, **same)
    return Deed((sent, left), (call("create_money_transfer", **cells, description=text),))


def count_as(transaction: Row, category: str) -> Deed:
    """Sets what a transaction counts as."""
    where = {"transaction_id": transaction["transaction_id"]}
    return Deed(
        (changed(TRANSACTIONS, where, category=category),),
        (call("modify_bank_transaction", **where, category=category),),
    )


def put_out(member: Row) -> Deed:
    """Puts somebody out of a chat."""
    where = {"member_id": member["member_id"]}
    return Deed((removed(MEMBERS, **where),), (call("remove_group_member", **where),))
