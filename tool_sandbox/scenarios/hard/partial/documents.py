"""Requests for documents of which some may not be fulfilled: each refusal is noted with its reason, or told."""

from tool_sandbox.answers.facts import Entity, Number
from tool_sandbox.apps import Person
from tool_sandbox.apps.files.tables import SHARES
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.rules.sharing import TOOLS, Archive, archive, read_archive
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    Node,
    items_become,
    mailed,
    put_checklist,
    put_mail,
    put_page,
    read_checklist,
    read_mails,
    read_page,
)
from tool_sandbox.scenarios.matchers import Anything
from tool_sandbox.scenarios.vocabulary import Task, added, answer, call, in_any_order, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

REASONS = {"wages": "wages", "client": "client", "draft": "not final"}
WORDS = (
    "What is not given away is noted with the first of these reasons that holds: wages (it says what somebody earns), "
    "not final "
    "(it says so), client (it names one), outsider (whoever asks is one, and it is not for everybody). What has been "
    "replaced "
    "counts as what replaces it; nobody is told more than that."
)


def _reason(file: Archive, title: str, person: Person) -> str:
    """Why somebody does not get a document, empty if he or she does."""
    if file.right(title, person):
        return ""
    paper = file.papers[title]
    return REASONS.get((file.papers[paper.newer] if paper.newer else paper).kind, "outsider")


def _requests(world: World, file: Archive, count: int) -> list[tuple[Person, list[str]]]:
    """Has everybody ask for some documents by mail."""
    draw, found = world.draw("mail"), list[tuple[Person, list[str]]]()
    for number, person in enumerate(file.people):
        titles = draw.sample(list(file.papers), count)
        text = f"Please let me have {', '.join(titles[:-1])} and {titles[-1]}. My address is {file.address(person)}."
        subject = f"{file.folder['name']}: documents"
        put_mail(world, Person(person.name, ""), subject, text, draw.moment(-9 + number % 5, 10, number))
        found.append((person, titles))
    return found


def _shared(file: Archive, asked: list[tuple[Person, list[str]]]) -> dict[tuple[str, str], tuple[str, str | None]]:
    """What is shared: document and address to role and end."""
    rights = [(file.right(title, person), file.address(person)) for person, titles in asked for title in titles]
    return {(right[0], address): right[1:] for right, address in rights if right}


def _goals(file: Archive, shared: dict[tuple[str, str], tuple[str, str | None]]) -> list[Node]:
    return [
        added(SHARES, file_id=file.papers[title].file["file_id"], person=address, role=role, expires_at=end,
              shared_at=Anything()) for (title, address), (role, end) in shared.items()
    ]  # fmt: skip


def _share(file: Archive, shared: dict[tuple[str, str], tuple[str, str | None]]) -> Solution:
    """Reads all, and shares what may be."""
    mails = yield from read_mails(f'subject:"{file.folder["name"]}: documents"')
    ids = yield from read_archive(file)
    for (title, address), (role, end) in shared.items():
        cells = {"file_id": ids[title], "person": address, "role": role} | ({"expires_at": end} if end else {})
        yield call("share_file", **cells)
    return mails


# Where a very good model slips: 27 requests are each judged by what a document says, and each refusal has the first of
# four reasons that holds, of what has replaced the document if something has.
@scenario(apps=("files", "mail", "notes"))
def note_why_documents_are_refused(world: World) -> Task:
    """Share what may be shared of what people ask for, and note behind every request how it ended."""
    file, topic = archive(world), world.phrase("Who wants what", "Asked for", "Requests")
    asked = _requests(world, file, 3)
    put_page(world, f"{topic}: reasons", WORDS)
    shared = _shared(file, asked)
    ends = {
        f"{person.name}, {title}": _reason(file, title, person) or "given"
        for person, titles in asked
        for title in titles
    }
    names = world.draw("notes").sample(list(ends), len(ends))
    items, refused = put_checklist(world, topic, names), sum(end != "given" for end in ends.values())

    def solution() -> Solution:
        yield from _share(file, shared)
        yield from read_page(f"{topic}: reasons")
        for item in (yield from read_checklist(topic)):
            yield call(
                "modify_checklist_item", item_id=item["item_id"], content=f"{item['content']}: {ends[item['content']]}"
            )
        yield say(f"All of it is noted; {refused} were refused.")

    return Task(
        instructions=file.book.text,
        user=f'People have asked by mail (the subject is "{file.folder["name"]}: documents") for documents of my '
            f'folder "{file.folder["name"]}". Give everybody what he or she may have of it, at the address that the '
            f'mail tells. All requests stand in my checklist "{topic}": write behind each of them "given", or the '
            f'reason in the one word or two of my page "{topic}: reasons", such as "Ann Lee, Roof: given". How many '
            'requests were refused?',
        tools=[*TOOLS, "search_checklists", "get_checklist", "modify_checklist_item"],
        milestones=[
            *in_any_order(*_goals(file, shared)),
            *items_become(items, (f"{name}: {ends[name]}" for name in names)),
            answer(Number(refused)),
        ],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: as above for 36 requests, and each mail names what that person does not get, and no
# more.
@scenario(apps=("files", "mail", "notes"))
def tell_who_does_not_get_documents(world: World) -> Task:
    """Share what may be shared, and tell each person which documents he or she does not get."""
    file = archive(world)
    asked = _requests(world, file, 4)
    shared = _shared(file, asked)
    missing = {person.name: [title for title in titles if _reason(file, title, person)] for person, titles in asked}
    given = {person.name: [title for title in titles if title not in missing[person.name]] for person, titles in asked}
    told = [person for person, _ in asked if missing[person.name]]
    total = sum(map(len, missing.values()))

    def solution() -> Solution:
        yield from _share(file, shared)
        for person in told:
            body = f"I am sorry, you cannot have these: {', '.join(missing[person.name])}."
            yield call("send_mail", to=[file.address(person)], subject="Documents", body=body)
        yield say(f"{total} requests were refused.")

    return Task(
        instructions=file.book.text,
        user=f'People have asked by mail (the subject is "{file.folder["name"]}: documents") for documents of my '
            f'folder "{file.folder["name"]}". Give everybody what he or she may have of it, at the address that the '
            'mail tells. Then write a new mail to each of those addresses of which something was refused: it names '
            'the documents that were asked for and refused (by the titles that were asked for), and none that was '
            'given. How many requests were refused in all?',
        tools=[*TOOLS, "send_mail", "reply_to_mail"],
        milestones=[
            *in_any_order(*_goals(file, shared)),
            *in_any_order(*(mailed(file.address(person), *map(Entity, missing[person.name]), never=given[person.name])
                            for person in told)),
            answer(Number(total)),
        ],
        allowed=[NEW_THREAD] * len(told),
        solution=solution,
    )  # fmt: skip
