"""Requests for documents of which some may not be fulfilled: each refusal is noted with its reason, or told."""

from collections.abc import Generator, Iterator
from typing import Any

from tool_sandbox.answers.facts import Entity, Number
from tool_sandbox.apps import Person
from tool_sandbox.apps.files.tables import SHARES
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.recovery.stage import Row, Steps, together
from tool_sandbox.scenarios.hard.rules.sharing import PARTED, TOOLS, Archive, archive, read_archive
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    item_becomes,
    mailed,
    put_checklist,
    put_mail,
    put_page,
    read_checklist,
    read_mails,
    read_page,
)
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import Node, Task, added, answer, answer_for_now, call, in_any_order, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

REASONS = {"wages": "wages", "client": "client", "draft": "not final"}
Rights = dict[tuple[str, str], tuple[str, str | None]]
"""Documents and addresses, with a role and an end."""
WORDS = (
    "What is not given away is noted with the first of these reasons that holds: taken back (whoever asked has "
    "written that he or she does not want it any more), wages (it says what somebody earns), not final (it says "
    "so), client (it names one), outsider (whoever asks is one, and it is not for everybody). What has been "
    "replaced counts as what replaces it; nobody is told more than that."
)


def _reason(file: Archive, title: str, person: Person, former: str = "") -> str:
    """Why somebody does not get a document, empty if he or she does."""
    return "" if file.right(title, person, former) else REASONS.get(file.kind(title, former), "outsider")


SECOND = (
    "About the documents: {0} I have found myself, so I do not need it from you any more.",
    "Please forget {0}. My colleague has asked me for it, and I should not have passed that on.",
    "I have asked for {0} by mistake. But the others I still need.",
)


def _requests(world: World, file: Archive, count: int) -> tuple[list[tuple[Person, list[str]]], set[tuple[str, str]]]:
    """Has everybody ask for some documents by mail; some then take one back, and one takes that back, too."""
    draw, found, back = world.draw("mail"), list[tuple[Person, list[str]]](), set[tuple[str, str]]()
    subject = f"{file.folder['name']}: documents"
    for number, person in enumerate(file.people):
        titles = draw.sample(list(file.papers), count)
        text = f"Please let me have {', '.join(titles[:-1])} and {titles[-1]}. My address is {file.address(person)}."
        put_mail(world, Person(person.name, ""), subject, text, draw.moment(-9 + number % 5, 10, number))
        found.append((person, titles))
        if number % 3 == 0:
            said = SECOND[number // 3].format(titles[1])
            put_mail(world, Person(person.name, ""), subject, said, draw.moment(-2, 10, number))
            back.add((person.name, titles[1]))
    person, titles = found[3]
    back.discard((person.name, titles[1]))
    said = f"I have to ask for {titles[1]} once more, it was not my colleague but my boss who wants it."
    put_mail(world, Person(person.name, ""), subject, said, draw.moment(-1, 10))
    return found, back


def _shared(
    file: Archive, asked: list[tuple[Person, list[str]]], back: set[tuple[str, str]], former: str = ""
) -> Rights:
    """What is shared: document and address to role and end."""
    rights = [(file.right(title, person, former), file.address(person)) for person, titles in asked for title in titles
              if (person.name, title) not in back]  # fmt: skip
    return {(right[0], address): right[1:] for right, address in rights if right}


def _goals(file: Archive, shared: Rights) -> list[Node]:
    return [
        added(SHARES, file_id=file.papers[title].file["file_id"], person=address, role=role, expires_at=end,
              shared_at=Anything()) for (title, address), (role, end) in shared.items()
    ]  # fmt: skip


def _share(file: Archive, shared: Rights) -> Generator[Any, Any, dict[str, str]]:
    """Reads all, and shares what may be; gives the identifiers of the documents."""
    yield from read_mails(f'subject:"{file.folder["name"]}: documents"')
    ids = yield from read_archive(file)
    yield from _give(ids, shared)
    return ids


def _give(ids: dict[str, str], rights: Rights) -> Steps:
    cells = [{"file_id": ids[title], "person": address, "role": role} | ({"expires_at": end} if end else {})
             for (title, address), (role, end) in rights.items()]  # fmt: skip
    yield from together(call("share_file", **each) for each in cells)


def _noted(world: World, *, parts: bool) -> Task:
    """Share what may be shared of what people ask for, and note behind every request how it ended."""
    file, topic = archive(world), world.phrase("Who wants what", "Asked for", "Requests")
    formers = ["", file.former] if parts else [""]
    asked, back = _requests(world, file, 3)
    put_page(world, f"{topic}: reasons", WORDS)
    shared = [_shared(file, asked, back, former) for former in formers]
    ends = [
        {
            f"{person.name}, {title}": "taken back"
            if (person.name, title) in back
            else _reason(file, title, person, former) or "given"
            for person, titles in asked
            for title in titles
        }
        for former in formers
    ]
    names = world.draw("notes").sample(list(ends[0]), len(ends[0]))
    items = dict(zip(names, put_checklist(world, topic, names), strict=True))
    refused = [sum(end not in ("given", "taken back") for end in each.values()) for each in ends]

    def solution() -> Solution:
        ids = yield from _share(file, shared[0])
        yield from read_page(f"{topic}: reasons")
        for number, end in enumerate(ends):
            if number:
                yield from _give(ids, {key: right for key, right in shared[1].items() if key not in shared[0]})
            rows = [(item, item["content"].partition(":")[0]) for item in (yield from read_checklist(topic))]
            lines = [(item["item_id"], f"{name}: {end[name]}") for item, name in rows
                     if item["content"] != f"{name}: {end[name]}"]  # fmt: skip
            yield from together(call("modify_checklist_item", item_id=key, content=line) for key, line in lines)
            yield say(f"There are {refused[number]} requests that were refused.")

    return Task(
        instructions=file.book.text,
        user=(
            f'People have asked by mail (the subject is "{file.folder["name"]}: documents") for documents of my '
            f'folder "{file.folder["name"]}". Give everybody what he or she may have of it, at the address that the '
            f'mail tells. All requests stand in my checklist "{topic}": write behind each of them "given", or the '
            f'reason in the words of my page "{topic}: reasons", such as "Ann Lee, Roof: given". How many requests '
            "were refused, without those that were taken back? Only the figure, please.",
            *([PARTED.format(file.former)] if parts else []),
        ),
        tools=[*TOOLS, "search_checklists", "get_checklist", "modify_checklist_item"],
        milestones=[
            *in_any_order(*_goals(file, shared[-1])),
            *_passed(items, ends),
            *([answer_for_now(Number(refused[0], "request")).after()] if parts else []),
            answer(Number(refused[-1], "request")).after(*(f"end {name}" for name in ends[-1])),
        ],
        allowed=[item_becomes(items[name], f"{name}: {end}") for name, end in ends[0].items() if end != ends[-1][name]],
        solution=solution,
    )  # fmt: skip


def _passed(items: dict[str, Row], ends: list[dict[str, str]]) -> Iterator[Node]:
    """That each item says how it ended in the end, and before that how it had ended at first."""
    for name, end in ends[-1].items():
        node, before = item_becomes(items[name], f"{name}: {end}").named(f"end {name}"), ends[0][name]
        if before != end:
            yield item_becomes(items[name], f"{name}: {before}").passing().named(f"first {name}").after()
        yield node.after(*([f"first {name}"] if before != end else []))


# Where a very good model slips: 27 requests are each judged by what a document says, and each refusal has the first of
# four reasons that holds, of what has replaced the document if something has.
@scenario(apps=("files", "mail", "notes"))
def note_why_documents_are_refused(world: World) -> Task:
    """Share what may be shared of what people ask for, and note behind every request how it ended."""
    return _noted(world, parts=False)


# The same; then what was refused for one client is given to some, and has another reason for others.
@scenario(apps=("files", "mail", "notes"))
def note_why_documents_are_refused_without_client(world: World) -> Task:
    """Note how every request ended, once more after somebody has ceased to be a client."""
    return _noted(world, parts=True)


# Where a very good model slips: as above for 36 requests, and each mail names what that person does not get, and no
# more.
@scenario(apps=("files", "mail", "notes"))
def tell_who_does_not_get_documents(world: World) -> Task:
    """Share what may be shared, and tell each person which documents he or she does not get."""
    file = archive(world)
    asked, back = _requests(world, file, 4)
    shared = _shared(file, asked, back)
    missing = {
        person.name: [each for each in titles if _reason(file, each, person) and (person.name, each) not in back]
        for person, titles in asked
    }
    given = {person.name: [title for title in titles if title not in missing[person.name]] for person, titles in asked}
    told = [person for person, _ in asked if missing[person.name]]
    total = sum(map(len, missing.values()))

    def solution() -> Solution:
        yield from _share(file, shared)
        bodies = [
            (person, f"I am sorry, these are not given to you: {', '.join(missing[person.name])}.") for person in told
        ]
        yield from together(call("send_mail", to=[file.address(person)], subject="Documents", body=body)
                            for person, body in bodies)  # fmt: skip
        yield say(f"There are {total} requests that were refused.")

    return Task(
        instructions=file.book.text,
        user=f'People have asked by mail (the subject is "{file.folder["name"]}: documents") for documents of my '
            f'folder "{file.folder["name"]}". Give everybody what he or she may have of it, at the address that the '
            'mail tells. Then write a new mail to each of those addresses of which something was refused: it names '
            'the documents that were asked for and refused (by the titles that were asked for), and none that was '
            'given or is not wanted any more. How many requests were refused in all, without those that were taken '
            "back?",
        tools=[*TOOLS, "send_mail", "reply_to_mail"],
        milestones=[
            *in_any_order(*_goals(file, shared)),
            *in_any_order(*(mailed(file.address(person), *map(Entity, missing[person.name]), never=given[person.name])
                            for person in told)),
            answer(Number(total, "request")),
        ],
        allowed=[NEW_THREAD] * len(told),
        solution=solution,
    )  # fmt: skip
