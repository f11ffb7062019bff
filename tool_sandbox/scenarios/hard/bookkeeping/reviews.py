"""Reviews of a list of tasks: what became of each is told by comments, which house rules weigh."""

import datetime
from collections.abc import Sequence
from typing import Any

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.tasks.content import comment_row, list_row, task_row
from tool_sandbox.apps.tasks.tables import COMMENTS, LISTS, TASKS
from tool_sandbox.apps.wallet.rows import account_row, payee_row
from tool_sandbox.apps.wallet.tables import ACCOUNTS, PAYEES
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.bookkeeping.jobs import Deed, Job, Look, change_task, look, mails, page, transfer
from tool_sandbox.scenarios.hard.bookkeeping.papers import Row, money, new_names, put_chat, put_mail, put_page
from tool_sandbox.scenarios.hard.common import in_the_end
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import Task, changed
from tool_sandbox.scenarios.world import World

VERBS = ("Repair", "Replace", "Paint", "Order", "Clean", "Test")
THINGS = ("door bell", "bike rack", "hall lamp", "fire hose", "letter boxes", "stair rail", "gutter", "gate")
SAID: dict[str, tuple[tuple[str, ...], ...]] = {
    "receipt": (
        ("h: It is finished, the receipt is in the blue folder.",),
        ("h: Half of it is done.", "h: Now the other half as well. Receipt handed in to Thelma."),
        ("h: All through, and I pinned the bill to the board.", "s: Please remember to rate us!"),
    ),
    "no receipt": (
        ("h: Finished this morning.",),
        ("h: All done, it looks great.", "s: We thank you for the order. Your receipt is in the blue folder."),
        ("h: Done. I could not find the receipt any more, sorry.",),
    ),
    "supplier": (
        ("h: I asked them to come.", "s: We have completed the work, and the receipt is in your mail."),
        ("s: Done as agreed on the phone, bill attached.",),
        ("h: Not begun, I was ill.", "s: All finished, receipt handed over."),
    ),
    "taken back": (
        ("h: Finished, receipt in the folder.", "h: Sorry, that was about the one next door. This one is still to do."),
        ("h: Done, bill on the board.", "h: It came loose again over night, so it is not done after all."),
        ("h: All through, receipt with Thelma.", "h: Scrap that, I mixed up two houses. I have not been here yet."),
    ),
    "part": (
        ("h: Two of the three are in place, receipt for these in the folder.",),
        ("h: Nearly there, only the last coat is missing. The bill is in the folder.",),
        ("h: The receipt is in the folder, but one of the four is not done yet.",),
    ),
    "dropped": (
        ("h: We decided against it at the meeting, the new owners do that themselves.",),
        ("h: I have begun.", "h: The house sold it, so there is nothing left to do here."),
        ("h: Not needed any more, the city has taken this over.",),
    ),
    "waiting": (
        ("h: The part is on order and comes in three weeks, nothing to do until then.",),
        ("h: Started.", "h: I cannot go on before the permit of the city is there."),
        ("h: It is finished!", "h: No, wrong. They sent the wrong size, and I have to wait for the exchange."),
    ),
    "taken over": (
        ("h: I have no time for this. {other}, could you?", "o: Yes, I will do it next week."),
        ("h: {other} is better at this.", "o: All right, give it to me."),
        ("h: Can anybody take this from me?", "o: I can, gladly."),
    ),
    "refused": (
        ("h: {other}, could you take this?", "o: Sorry, no, I am away until June."),
        ("h: I would rather give this to {other}.", "o: You had better find somebody else, I am full."),
        ("h: Can anybody take this from me?", "o: I could have, last month. Not now."),
    ),
}
"""What helpers (h), others (o) and suppliers (s) say about a task, by what it comes to."""

PLAN = (
    *("receipt",) * 7, *("no receipt",) * 5, *("cheap",) * 4, *("supplier",) * 3, *("taken back",) * 3, *("part",) * 2,
    *("dropped",) * 3, *("urgent dropped",) * 2, *("waiting",) * 3, *("taken over",) * 2, *("refused",) * 2,
)  # fmt: skip
LOW, MIDDLE = 3_000, 6_000
TASK_TOOLS = (
    *("search_task_lists", "search_tasks", "get_task", "modify_task", "set_task_state", "modify_tasks_together"),
    *("search_note_pages", "get_note_page", "search_group_chats", "search_group_posts", "get_group_post"),
)
CHAT = "House keepers"


@attrs.frozen
class Case:
    """A task, what its comments come to, who takes it over, and what it cost."""

    row: Row
    kind: str
    other: str
    cents: int
    comments: tuple[str, ...]


@attrs.frozen
class Review:
    """A list of tasks with the rules for it."""

    name: str
    list_id: str
    cases: list[Case]
    helpers: dict[str, str]
    texts: tuple[str, ...]

    @property
    def looks(self) -> tuple[Look, ...]:
        """Rules, the pinned post and the others, and all tasks with their comments."""
        tasks = look("search_tasks", "get_task", key="task_id", list_id=self.list_id, limit=50)
        chat = look("search_group_chats", words=CHAT)
        posts = look("search_group_posts", "get_group_post", key="post_id", pinned=True)
        return page(f"Closing {self.name}"), chat, posts, look("search_task_lists", words=self.name), tasks

    @property
    def rests_on(self) -> tuple[str, ...]:
        """What has to be read."""
        return (*self.texts, *(text for case in self.cases for text in case.comments))

    def done(self, limit: int) -> list[Case]:
        """Tasks that count as done, with a receipt needed from an amount on."""
        return [c for c in self.cases if c.kind == "receipt" or (c.kind in ("no receipt", "cheap") and c.cents < limit)]


def _put_review(world: World, *, started: bool = False) -> Review:
    """A list of 36 tasks; where it is started, some have the state that a hasty reader gave them."""
    draw, name = world.draw("tasks"), world.phrase("Spring repairs", "Summer repairs", "Winter repairs")
    names = new_names(world, "tasks", 5)
    helpers = {each: f"{each.lower().replace(' ', '.')}@example.org" for each in names}
    supplier = world.choice("office@swiftfix.example", "desk@oakandco.example", "info@northpaint.example")
    tasks = world.put(LISTS, list_row(draw, name, draw.moment(-80, 9), list(helpers.values())))
    titles = draw.sample([f"{verb} the {thing}" for verb in VERBS for thing in THINGS], len(PLAN))
    cases = list[Case]()
    for title, kind in zip(titles, draw.sample(PLAN, len(PLAN)), strict=True):
        who = names[len(cases) % 5]
        other = draw.choice([each for each in names if each != who])
        sort = {"cheap": "no receipt", "urgent dropped": "dropped"}.get(kind, kind)
        low, high = (900, LOW - 1) if kind == "cheap" else (LOW, 7_900)
        cents = draw.integer(low, high)
        cells: dict[str, Any] = {"details": f"Cost: {money(cents)}.", "assignee": helpers[who], "state": "in_progress"}
        cells |= {"priority": "urgent" if kind == "urgent dropped" else draw.choice(("low", "normal", "high"))}
        cells["priority"] = "urgent" if kind in ("waiting", "part") and draw.chance(0.4) else cells["priority"]
        if started and kind in ("receipt", "no receipt", "supplier", "taken back", "part") and draw.chance(0.6):
            cells |= {"state": "done", "done_at": draw.moment(-1, 17)}
        row = world.put(TASKS, task_row(draw, tasks["list_id"], title, draw.moment(-40, 9), **cells))
        said = [line.format(other=other.split()[0]) for line in draw.choice(SAID[sort])]
        for number, line in enumerate(said):
            author = {"h": helpers[who], "o": helpers[other], "s": supplier}[line[0]]
            world.put(COMMENTS, comment_row(draw, row, author, line[3:], draw.moment(number - 9, 9, number)))
        cases.append(Case(row, kind, other, cents, tuple(line[3:] for line in said)))
    text = (
        "Of what our own people (addresses at example.org) write on a task, the last that tells how it stands counts; "
        "what suppliers write never does. A task is done when all of it is, and the comment says where receipt or bill "
        "are; if it is finished without that, leave it in progress. What is not needed any more is cancelled, but "
        "urgent tasks never are: set them to waiting. What cannot go on for now is set to waiting. If a "
        "colleague has agreed to take a task, it is assigned to that person and stays in progress. The rest stays."
    )
    post = f"To keep it simple: what cost less than {money(LOW)} (see the details) needs no receipt from now on."
    put_page(world, f"Closing {name}", text)
    put_chat(world, CHAT, [(-5, post), (-4, "Who has the key of the shed?"), (-2, "Me! It is back on its hook.")])
    return Review(name, tasks["list_id"], cases, helpers, (text, post))


def _verdicts(review: Review, cases: Sequence[Case]) -> list[Deed]:
    """What follows for tasks that are not finished."""
    deeds = []
    for case in cases:
        if case.kind in ("urgent dropped", "waiting"):
            deeds.append(change_task(case.row, state="waiting", reason=("see the comments", Anything())))
        elif case.kind == "dropped":
            deeds.append(change_task(case.row, state="cancelled", reason=("not needed any more", Anything())))
        elif case.kind == "taken over":
            deeds.append(change_task(case.row, assignee=review.helpers[case.other]))
    return deeds


def _ask(review: Review) -> str:
    return (
        f'Please go through my task list "{review.name}". What became of each task is told in its comments; how we '
        f'weigh them stands on the page "Closing {review.name}" of my notes, a later decision is pinned in the chat '
        f"{CHAT}. "
    )


# Thirty-six small judgements: a supplier who says done, a comment that takes another back, one piece too few, an urgent
# task that nobody needs, a colleague who says yes or only seems to.
@scenario(apps=("tasks", "notes", "groups"))
def review_tasks_by_their_comments(world: World) -> Task:
    """Set every task of a list to what its comments come to under house rules."""
    review = _put_review(world)
    done = review.done(LOW)
    return Job(
        _ask(review)
        + "Set each task to what follows, and leave the others as they are. Then tell me how many are done. "
        "Only the figure, please.",
        TASK_TOOLS,
        review.looks,
        [*(change_task(case.row, state="done") for case in done), *_verdicts(review, review.cases)],
        f"That is done. The list has {len(done)} tasks now that are done.",
        [Number(len(done), "task")],
        review.rests_on,
    ).task()


# Some states are set already, by somebody who believed suppliers and forgot receipts: a model that only looks at what
# is in progress leaves the wrong ones done.
@scenario(apps=("tasks", "notes", "groups"))
def correct_states_of_reviewed_tasks(world: World) -> Task:
    """Complete a review that somebody began carelessly, and open again what is not done."""
    review = _put_review(world, started=True)
    done = review.done(LOW)
    wrong = [case for case in review.cases if case.row["state"] == "done" and case not in done]
    reopened = []
    for case in wrong:
        begun = change_task(case.row, state="in_progress")
        node = change_task(case.row, state="in_progress", done_at=Anything()).nodes
        back = change_task(case.row, state="open").steps
        passing = change_task(case.row, state="open", done_at=Anything()).nodes
        reopened.append(Deed(node, (*back, *begun.steps), (*begun.allowed, *begun.allowed, *passing)))
    late = [change_task(case.row, state="done") for case in done if case.row["state"] != "done"]
    return Job(
        _ask(review)
        + "Somebody has begun with it, in haste: some tasks are set to done that are not by our rules. Set "
        "those back to in progress (by way of open), complete the rest, and leave what is right. Then tell me how many "
        "tasks had been set to done wrongly. Only the figure, please.",
        TASK_TOOLS,
        review.looks,
        [*reopened, *late, *_verdicts(review, review.cases)],
        f"The list is up to date. {len(wrong)} tasks had been set to done wrongly.",
        [Number(len(wrong), "task")],
        review.rests_on,
    ).task()


# The user raises the limit and lets urgent tasks go only after the work: a model sets what it has seen before from
# memory, and misses the unfinished ones that cost less than the new limit, or touches what waits for other reasons.
@scenario(apps=("tasks", "notes", "groups"))
def review_tasks_with_second_thoughts(world: World) -> Task:
    """Review a list, and then again after the user has changed two of the rules."""
    review = _put_review(world)
    first, both = review.done(LOW), review.done(MIDDLE)
    second = [change_task(case.row, state="done") for case in both if case not in first]
    urgent = [case for case in review.cases if case.kind == "urgent dropped"]
    freed = []
    for case in urgent:
        gone = change_task(case.row, state="cancelled", reason=("not needed any more", Anything()))
        waits = change_task(case.row, state="waiting", reason=("not needed, but urgent", Anything()))
        freed.append((Deed((), waits.steps, (*waits.allowed, *waits.nodes)), gone))
    rest = [case for case in review.cases if case not in urgent]
    asked = [
        _ask(review) + "Set each task to what follows, and leave the others as they are.",
        f"I have talked to the others: without a receipt we now trust everything that cost less than {money(MIDDLE)}, "
        "and urgent tasks that nobody needs any more are cancelled like all others. Please bring the list in line with "
        "that, and tell me how many tasks are done now in all. Only the figure, please.",
    ]
    return Job(
        asked,
        TASK_TOOLS,
        review.looks,
        [
            *(change_task(case.row, state="done") for case in first),
            *_verdicts(review, rest),
            *(before for before, _ in freed),
        ],
        "The list is up to date.",
        [Number(len(both), "task")],
        review.rests_on,
        [
            (
                [*second, *(after for _, after in freed)],
                f"That is changed. The list has {len(both)} tasks now that are done.",
            )
        ],
    ).task()


# Both at once: wrong states of somebody in haste, and a limit that moves afterwards, so that some of what was just set
# back is done after all.
@scenario(apps=("tasks", "notes", "groups"))
def correct_states_with_second_thoughts(world: World) -> Task:
    """Correct a review that was begun carelessly, and correct it again after the user has raised a limit."""
    review = _put_review(world, started=True)
    first, both = review.done(LOW), review.done(MIDDLE)
    begun = [case for case in review.cases if case.row["state"] == "done"]
    wrong = [case for case in begun if case not in first]
    now, then = list[Deed](), list[Deed]()
    for case in wrong:
        back, again = change_task(case.row, state="open"), change_task(case.row, state="in_progress")
        node = change_task(case.row, state="in_progress", done_at=Anything()).nodes
        passing = change_task(case.row, state="open", done_at=Anything()).nodes
        allowed = (*back.allowed, *again.allowed, *passing)
        deed = Deed(node, (*back.steps, *again.steps), allowed)
        now.append(deed.for_now() if case in both else deed)
        if case in both:
            # It is done again: nothing is left of it but another moment.
            where = {"task_id": case.row["task_id"]}
            late, moment = change_task(case.row, state="done"), changed(TASKS, where, done_at=Anything())
            nodes = tuple(
                in_the_end(TASKS, [where | {"state": state}], there=False) for state in ("open", "in_progress")
            )
            then.append(Deed(nodes, late.steps, (*late.allowed, moment)))
    now += [change_task(case.row, state="done") for case in first if case not in begun]
    then += [change_task(case.row, state="done") for case in both if case not in first and case not in begun]
    asked = [
        _ask(review)
        + "Somebody has begun with it, in haste: some tasks are set to done that are not by our rules. Set "
        "those back to in progress (by way of open), complete the rest, and leave what is right. Then tell me how many "
        "tasks had been set to done wrongly. Only the figure, please.",
        f"I have talked to the others: without a receipt we now trust everything that cost less than {money(MIDDLE)}. "
        "Please bring the list in line with that, and tell me how many tasks are done now in all. "
        "Only the figure, please.",
    ]
    return Job(
        asked,
        TASK_TOOLS,
        review.looks,
        [*now, *_verdicts(review, review.cases)],
        f"The list is in order. I found {len(wrong)} tasks that had been set to done wrongly.",
        [Number(len(both), "task")],
        review.rests_on,
        [(then, f"That is changed. The list has {len(both)} tasks now that are done.")],
        [Number(len(wrong), "task")],
    ).task()


# What is finished without a receipt, what a supplier calls done and what was taken back all stay, each with a date by
# its priority, and one week later where it changes hands: a model dates what waits, or what is cheap.
@scenario(apps=("tasks", "notes", "groups"))
def date_tasks_that_stay_in_progress(world: World) -> Task:
    """Give those tasks of a list new dates that stay in progress under house rules, and sum up what they cost."""
    review, friday = _put_review(world), world.coming(5) + datetime.timedelta(days=7)
    done, weeks, deeds, total = review.done(LOW), {"urgent": 0, "high": 1, "normal": 3, "low": 3}, list[Deed](), 0
    for case in review.cases:
        if case in done or case.kind in ("dropped", "urgent dropped", "waiting"):
            continue
        moved = case.kind == "taken over"
        day = friday + datetime.timedelta(weeks=weeks[case.row["priority"]] + moved)
        cells = {"assignee": review.helpers[case.other]} if moved else {}
        deeds.append(change_task(case.row, due_on=day.isoformat(), **cells))
        total += case.cents
    return Job(
        _ask(review) + "Change no states. But give every task that stays in progress by that a due date: "
        f"{friday:%A, %d %B %Y} if it is urgent, a week later if its priority is high, and three weeks after that "
        "first date else. What a colleague has taken over is assigned to that person, and due one week later than it "
        "would be. The others get no date. Then tell me what the tasks cost in all that you gave a date. "
        "Only the figure, please.",
        TASK_TOOLS,
        review.looks,
        deeds,
        f"The tasks have their dates. They cost {money(total)} in all.",
        [Number(total / 100, "USD")],
        review.rests_on,
    ).task()


# The sums are of a dozen amounts to the cent that only the details tell, by who had the task in the end: one receipt
# too many or a task that was taken over, and the money is wrong.
@scenario(apps=("tasks", "notes", "groups", "wallet", "mail"))
def pay_helpers_for_finished_tasks(world: World) -> Task:
    """Transfer to each helper exactly what the tasks cost that are done by house rules."""
    review, draw = _put_review(world), world.draw("wallet")
    account = account_row(draw, f"{review.name} account", "current", "USD", 0, 900_000) | {"opening_balance": 300_000}
    world.put(ACCOUNTS, account)
    done, sums = review.done(LOW), dict.fromkeys(review.helpers, 0)
    by_email = {email: name for name, email in review.helpers.items()}
    for case in done:
        sums[by_email[case.row["assignee"]]] += case.cents
    first, *_, last = sums
    text = f"About the repairs: {first} has paid half of everything from the till, so only half of it goes back to "
    text += (
        f"{first.split()[0]}, an odd cent in favour of the till. {last} got {money(2_000)} in advance; take that off."
    )
    put_mail(world, world.boss.name, "Money for the repairs", text, -2)
    sums |= {first: sums[first] // 2, last: sums[last] - 2_000}
    payees = {name: world.put(PAYEES, payee_row(draw, name)) for name in sums}
    world.put(PAYEES, payee_row(draw, f"{first.split()[0]} {last.split()[1]}"))
    paid = {name: cents for name, cents in sums.items() if cents > 0}
    found = [look("search_payees", words=name) for name in paid]
    return Job(
        _ask(review)
        + "Change no task. But transfer to each of the helpers in one sum what those of their tasks cost that "
        f"count as done, as the details tell, from the {review.name} account to the payee of the same name; a mail "
        "about the money for the repairs has two exceptions. Then "
        "tell me the total that you transferred. Only the figure, please.",
        (
            *(*TASK_TOOLS, "search_mail", "get_mail", "search_bank_accounts", "search_payees", "create_money_transfer"),
            *("confirm_payment_with_code", "read_payment_codes", "cancel_money_transfer", "add_payee"),
        ),
        (*review.looks, mails("subject:repairs"), look("search_bank_accounts", words=account["name"]), *found),
        [transfer(account, payees[name], cents, review.name) for name, cents in paid.items()],
        f"I transferred {money(sum(paid.values()))} in total.",
        [Number(sum(paid.values()) / 100, "USD")],
        (*review.rests_on, text),
    ).task()
