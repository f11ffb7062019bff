"""Notes: pages, checklists, and what was said in earlier conversations."""

from typing import Any

from tool_sandbox.answers.facts import Done, Number, Quote
from tool_sandbox.apps.notes.content import checklist_row, item_row, log_row, memory_row, page_row
from tool_sandbox.apps.notes.tables import CHECKLISTS, ITEMS, LOGS, MEMORIES, PAGES
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import Cells, found
from tool_sandbox.scenarios.matchers import SameWords
from tool_sandbox.scenarios.vocabulary import Task, added, answer, call, called, changed, removed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

NOTES = ("notes",)


def _put_page(world: World, title: str, text: str, days: int = -20, **more: Any) -> dict[str, Any]:
    """A page among the others, written some days ago."""
    draw = world.draw("notes")
    return world.put(PAGES, page_row(draw, title, text, draw.moment(days, 11), **more))


def _put_checklist(world: World, title: str, contents: tuple[str, ...], done: int = 0) -> list[dict[str, Any]]:
    """A checklist of three days ago whose first items are done; gives its items."""
    draw = world.draw("notes")
    checklist = world.put(CHECKLISTS, checklist_row(draw, title, draw.moment(-3, 9)))
    return [
        world.put(
            ITEMS,
            item_row(
                draw, checklist["checklist_id"], content, position, draw.moment(-2, 10) if position <= done else None
            ),
        )
        for position, content in enumerate(contents, start=1)
    ]


@scenario(apps=NOTES)
def write_note_page(world: World) -> Task:
    """Write a page with a title, a text and a tag."""
    title, text = world.choice(
        ("Balcony furniture", "Two chairs and a green bench, 240 dollars."),
        ("Locker at the station", "Number 218, key is in the blue jacket."),
        ("Cough medicine", "Two spoons before breakfast, none at night."),
        ("Parking at the airport", "Level four, row K, near the stairs."),
    )
    tag = world.phrase("summer", "practical", "family")
    return Task(
        user=world.phrase(
            f'Write a new page in my notes, please. Title: "{title}", text: "{text}" File it under the tag {tag}.',
            f'Please make a note page called "{title}" that says "{text}" and tag it {tag}.',
        ),
        tools=["create_note_page"],
        milestones=[added(PAGES, title=SameWords(title), content=SameWords(text), tags=[tag])],
        solution=[
            call("create_note_page", title=title, content=text, tags=[tag]),
            say(f'I\'ve created the page "{title}" with the tag {tag}.'),
        ],
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=NOTES)
def tick_off_checklist_items(world: World) -> Task:
    """Tick two items of one checklist off, where another checklist has items of the same names."""
    title, other, contents = world.choice(
        ("Camping on Friday", "Camping last year", ("tent", "head lamp", "gas stove", "sleeping bag", "mug")),
        ("School on Monday", "School last term", ("compass", "ruler", "gym shoes", "lunch box", "pencil case")),
        ("Flat in June", "Flat in January", ("mirror", "curtains", "door mat", "lamp shade", "shelf")),
    )
    _put_checklist(world, other, contents, done=1)
    items = _put_checklist(world, title, contents, done=1)
    first, second = (items[number] for number in world.choice((1, 3), (2, 4), (4, 1)))

    def solution() -> Solution:
        lists = yield call("search_checklists", words=title)
        rows = (yield call("get_checklist", checklist_id=lists["results"][0]["checklist_id"]))["items"]
        for content in (first["content"], second["content"]):
            item_id = next(row["item_id"] for row in rows if row["content"] == content)
            yield call("modify_checklist_item", item_id=item_id, done=True)
        yield say(f'{first["content"]} and {second["content"]} are ticked off on "{title}".')

    return Task(
        user=world.phrase(
            f'On my checklist "{title}", tick off {first["content"]} and {second["content"]}, I have them now.',
            f'I have got {first["content"]} and {second["content"]}. Mark both as done on the list "{title}", please.',
        ),
        tools=["search_checklists", "get_checklist", "modify_checklist_item"],
        milestones=[
            changed(ITEMS, {"item_id": first["item_id"]}, done=True),
            changed(ITEMS, {"item_id": second["item_id"]}, done=True).after(),
        ],
        solution=solution,
    )


@scenario(apps=NOTES, content="medium")
def look_up_invoice_in_notes(world: World) -> Task:
    """Find a number on one page of many, beside a page with nearly the same title."""
    thing, trade = world.choice(
        ("garage door", "The joiner"), ("water heater", "The plumber"), ("alarm system", "The electrician")
    )
    number, older = world.integer(48213, 40_000, 49_999), world.integer(31877, 30_000, 39_999)
    _put_page(world, f"House: {thing}, first visit", f"{trade} came to look at it.\nInvoice number {older}.", -300)
    page = _put_page(world, f"House: {thing}, new motor", f"{trade} put it in.\nInvoice number {number}.", -40)

    def solution() -> Solution:
        pages = yield call("search_note_pages", words=f"{thing} motor")
        yield call("get_note_page", page_id=pages["results"][0]["page_id"])
        yield say(f"The invoice number for the new motor of the {thing} is {number}.")

    return Task(
        user=world.phrase(
            f"What was the invoice number for the new motor of the {thing}? It should be in my notes.",
            f"Somewhere in my notes is the invoice number for the {thing}, the one for the new motor. Which is it?",
        ),
        tools=["search_note_pages", "get_note_page"],
        milestones=[
            found("search_note_pages", page_id=page["page_id"]),
            answer(Number(number, context=(older,))),
        ],
        secrets=(str(number), page["title"]),
        solution=solution,
    )


@scenario(apps=NOTES, content="medium")
def recall_latest_preference(world: World) -> Task:
    """Say what the user prefers, where what was said last replaces what was said earlier."""
    draw = world.draw("notes")
    subject, earlier, latest = world.choice(
        ("pillow", "I want a hard pillow in hotels", "I want a soft pillow in hotels now"),
        ("taxi", "I take the taxi from the north exit", "I take the taxi from the south exit these days"),
        ("newspaper", "I read the newspaper on paper", "I read the newspaper on the tablet from now on"),
    )
    for days, said in ((-90, earlier), (-6, latest)):
        world.put(MEMORIES, memory_row(draw, f"{said}.", "preference", draw.moment(days, 20)))
    world.stored(MEMORIES).sort(key=lambda row: str(row["told_at"]))

    def solution() -> Solution:
        memories = yield call("recall_earlier_conversations", words=subject)
        yield say(f'You told me last: "{memories["results"][0]["content"]}"')

    return Task(
        user=world.phrase(
            f"I told you some time ago what I prefer about the {subject}. What is the latest that I said about it?",
            f"Remind me: what did I say last about the {subject}? You wrote it down in an earlier conversation.",
        ),
        tools=["recall_earlier_conversations"],
        milestones=[
            found("recall_earlier_conversations", content=f"{latest}."),
            answer(Quote(latest, instead_of=(earlier,))),
        ],
        solution=solution,
    )


@scenario(apps=NOTES, content="medium")
def look_up_earlier_conversation(world: World) -> Task:
    """Say what was agreed in an earlier conversation, of which there is only the log."""
    draw = world.draw("notes")
    subject, word, question, agreed = world.choice(
        ("Choir robes", "robes", "Which size did we settle on for the robes?", "Order the robes in medium long."),
        ("Canoe rental", "canoe", "How many canoes shall I rent?", "Rent exactly three canoes."),
        ("Telescope", "telescope", "Where does the telescope go?", "Put the telescope in the loft."),
    )
    said = (question, "What did you decide?", agreed, "I'll remember that.")
    world.put(LOGS, log_row(draw, subject, said, draw.moment(-12, 18)))
    world.stored(LOGS).sort(key=lambda row: str(row["begun_at"]))

    def solution() -> Solution:
        page = yield call("search_conversation_logs", words=word)
        talk = yield call("read_conversation_log", conversation_id=page["results"][0]["conversation_id"])
        decided = talk["log"].split("\n")[2].removeprefix("user: ")
        yield say(f'You said then: "{decided}"')

    return Task(
        user=world.phrase(
            f"In an earlier conversation I told you what we decided about the {word}. What exactly did I say?",
            f"We talked about the {word} some days ago, and I told you my decision. How did I put it?",
        ),
        tools=["search_conversation_logs", "read_conversation_log"],
        milestones=[
            called("read_conversation_log").returning(Cells({"subject": subject})),
            answer(Quote(agreed)),
        ],
        secrets=(agreed,),
        solution=solution,
    )


@scenario(apps=NOTES, content="medium")
def note_what_was_said_before(world: World) -> Task:
    """Write down something that was only said in an earlier conversation."""
    draw = world.draw("notes")
    thing, number = world.choice("bicycle lock", "allotment gate", "cellar safe"), str(world.integer(4712, 1000, 9999))
    said = (f"The number of the {thing} is {number}.", "Shall I write it down?", "Not yet.", "As you like.")
    world.put(LOGS, log_row(draw, thing.capitalize(), said, draw.moment(-9, 19)))
    world.stored(LOGS).sort(key=lambda row: str(row["begun_at"]))
    title = thing.capitalize()

    def solution() -> Solution:
        page = yield call("search_conversation_logs", words=thing)
        talk = yield call("read_conversation_log", conversation_id=page["results"][0]["conversation_id"])
        told = talk["log"].split("\n")[0].removesuffix(".").split()[-1]
        yield call("create_note_page", title=title, content=told)
        yield say(f'I\'ve created the page "{title}" with the number.')

    return Task(
        user=world.phrase(
            f"In an earlier conversation I told you the number of the {thing}. Write a note page titled "
            f'"{title}" with just that number as its text.',
            f'Please make a note page "{title}" whose text is only the number of the {thing}, which I told you when we '
            "last talked about it.",
        ),
        tools=["search_conversation_logs", "read_conversation_log", "create_note_page"],
        milestones=[
            called("read_conversation_log").returning(Cells({"subject": title})),
            added(PAGES, title=SameWords(title), content=number, tags=[]),
        ],
        secrets=(number,),
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, ScenarioCategories.NEGATIVE_CONSTRAINT, apps=NOTES, content="medium")
def delete_drafts_but_pinned(world: World) -> Task:
    """Delete all pages with a tag but the pinned one, however many there are."""
    tag = world.phrase("draft", "scratch", "leftover")
    titles = (
        "Poem, first try",
        "Speech, opening",
        "Letter to the club",
        "Slogan ideas",
        "Invitation, long",
        "Menu card",
    )
    count = world.integer(5, 3, 6)
    kept = world.integer(2, 0, count - 1)
    pages = [
        _put_page(world, title, "To be continued.", -30 - number, tags=[tag], pinned=number == kept)
        for number, title in enumerate(titles[:count])
    ]
    gone = [page for number, page in enumerate(pages) if number != kept]

    def solution() -> Solution:
        rows = (yield call("search_note_pages", tag=tag, pinned=False))["results"]
        yield [call("delete_note_page", page_id=row["page_id"]) for row in rows]
        yield say(f"I've deleted {len(rows)} pages with the tag {tag}; the pinned one is still there.")

    return Task(
        user=world.phrase(
            f"Delete all pages of my notes with the tag {tag}, but keep the one that is pinned.",
            f"Please clear out my notes: everything tagged {tag} can be deleted, except what I have pinned.",
        ),
        tools=["search_note_pages", "get_note_page", "delete_note_page"],
        milestones=[removed(PAGES, page_id=page["page_id"]).after() for page in gone],
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=NOTES)
def carry_over_open_items(world: World) -> Task:
    """Make a new checklist of what is still open on another one."""
    title, contents = world.choice(
        ("Bathroom, March", ("fix the tap", "buy tiles", "paint the door", "order a cabinet", "hang the hooks")),
        ("Car, winter", ("change the tyres", "check the oil", "wash the mats", "top up antifreeze", "test the horn")),
        ("Club, autumn", ("book the hall", "print the posters", "borrow chairs", "find a singer", "order drinks")),
    )
    done = world.integer(2, 1, 3)
    items = _put_checklist(world, title, contents, done=done)
    still_open, new = contents[done:], f"{title.partition(',')[0]}, rest"

    def solution() -> Solution:
        lists = yield call("search_checklists", words=title)
        rows = (yield call("get_checklist", checklist_id=lists["results"][0]["checklist_id"]))["items"]
        left = [row["content"] for row in rows if not row["done"]]
        yield call("create_checklist", title=new, items=left)
        yield say(f'The new checklist "{new}" has {", ".join(left)}.')

    return Task(
        user=world.phrase(
            f'Make a checklist "{new}" with everything that is still open on "{title}", in the same order. Leave the '
            "old one as it is.",
            f'What is not done on my list "{title}" should go on a new one called "{new}", in that order. Do not '
            "change the old list.",
        ),
        tools=["search_checklists", "get_checklist", "create_checklist", "add_checklist_items"],
        milestones=[
            added(CHECKLISTS, title=SameWords(new)),
            *(
                added(ITEMS, content=SameWords(content), position=position, done=False)
                for position, content in enumerate(still_open, start=1)
            ),
            answer(Done("created", (new, "checklist", "list"))),
        ],
        never=[changed(ITEMS, {"item_id": items[-1]["item_id"]}, done=True)],
        solution=solution,
    )
