"""Files: folders, documents with earlier versions, the trash, and what others share."""

from typing import Any

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import as_money
from tool_sandbox.apps.files.content import file_row, share_row, with_edit
from tool_sandbox.apps.files.tables import FILES, SHARES, VERSIONS
from tool_sandbox.conversation.execution_context import ScenarioCategories
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.evidence import Mentions, found
from tool_sandbox.scenarios.matchers import Anything, SameWords
from tool_sandbox.scenarios.vocabulary import TOOL_MISSING, Task, added, answer, call, cannot, changed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution, ToolCallFailed

Row = dict[str, Any]

APPS = ("files",)


def _put_file(world: World, name: str, kind: str, folder: Row | None, days: int, **more: Any) -> Row:
    """A folder or document among the others, saved some days ago."""
    draw = world.draw("files")
    folder_id = folder["file_id"] if folder else None
    return world.put(FILES, file_row(draw, name, kind, folder_id, draw.moment(days, 11), **more))


def _put_folder(world: World, name: str, days: int = -200, **more: Any) -> Row:
    """A folder on the top level."""
    return _put_file(world, name, "folder", None, days, **more)


@scenario(apps=APPS)
def write_document_in_folder(world: World) -> Task:
    """Write a document with a given text in a folder that has to be found."""
    place, name, text = world.choice(
        ("Allotment", "Gate code", "The gate code is 4471, the shed has a padlock."),
        ("Sailing club", "Mooring", "Our mooring is berth 19, second pontoon."),
        ("Beekeeping", "Hive two", "New queen in May, marked with a blue dot."),
        ("Violin lessons", "Strings", "Change the E string every three months."),
    )
    folder = _put_folder(world, place)

    def solution() -> Solution:
        rows = (yield call("search_files", words=place, kind="folder"))["results"]
        yield call("create_document", name=name, content=text, folder_id=rows[0]["file_id"])
        yield say(f'I\'ve written the document "{name}" in the folder {place}.')

    return Task(
        user=world.phrase(
            f'Write a text document called "{name}" in my folder {place}, please. It says: "{text}"',
            f'In my files there is a folder {place}. Please make a text document "{name}" in it with the text "{text}"',
        ),
        tools=["search_files", "create_document"],
        milestones=[
            added(
                FILES,
                name=SameWords(name),
                kind="text",
                folder_id=folder["file_id"],
                owner="me",
                content=SameWords(text),
                size=Anything(),
                version=1,
                created_at=Anything(),
                changed_at=Anything(),
                changed_by="me",
            )
        ],
        solution=solution,
    )


@scenario(apps=APPS)
def rename_scan_in_folder(world: World) -> Task:
    """Rename one scan, where another folder has one of the same name."""
    place, other, name, new = world.choice(
        ("Motorcycle", "Caravan", "Scan 0007", "Inspection report"),
        ("Cello", "Accordion", "Scan 0012", "Appraisal"),
        ("Canary Islands", "Lapland", "Scan 0031", "Ferry tickets"),
    )
    wrong = _put_folder(world, other)
    folder = _put_folder(world, place, -190)
    scan = _put_file(world, name, "scan", folder, -50, size=world.integer(412, 300, 800) * 1000)
    _put_file(world, name, "scan", wrong, -45, size=377_000)

    def solution() -> Solution:
        rows = (yield call("search_files", words=name, kind="scan"))["results"]
        [row] = [row for row in rows if row["path"] == f"{place} / {name}"]
        yield call("modify_file", file_id=row["file_id"], name=new)
        yield say(f'The scan in the folder {place} is now called "{new}".')

    return Task(
        user=world.phrase(
            f'Rename "{name}" in my folder {place}: it should be called "{new}".',
            f'The scan "{name}" that is in the folder {place} needs a better name, please call it "{new}".',
        ),
        tools=["search_files", "get_file_details", "modify_file"],
        milestones=[changed(FILES, {"file_id": scan["file_id"]}, name=SameWords(new))],
        solution=solution,
    )


@scenario(apps=APPS)
def trash_oldest_video(world: World) -> Task:
    """Put the oldest video of one folder into the trash."""
    place, names = world.choice(
        ("Kite festival", ("Launch", "Tangle", "Landing", "Prize giving")),
        ("Puppet theatre", ("Curtain", "Dragon", "Wolf", "Bows")),
        ("Ice rink", ("Warm up", "Spin", "Fall", "Race")),
    )
    folder = _put_folder(world, place)
    oldest = world.integer(2, 0, 3)
    videos = [
        _put_file(world, name, "video", folder, -120 if number == oldest else -80 + number, size=(70 + number) * 10**6)
        for number, name in enumerate(names)
    ]

    def solution() -> Solution:
        folders = yield call("search_files", words=place, kind="folder")
        rows = (yield call("search_files", folder_id=folders["results"][0]["file_id"], kind="video"))["results"]
        row = rows[-1]
        yield call("trash_file", file_id=row["file_id"])
        yield say(f"I've put the oldest video into the trash: {row['path']}.")

    return Task(
        user=world.phrase(
            f"Put the oldest of the videos in my folder {place} into the trash, please. The others stay.",
            f"I need space. Of the videos in the folder {place}, only the oldest one should go into the trash.",
        ),
        tools=["search_files", "get_file_details", "trash_file"],
        milestones=[
            changed(FILES, {"file_id": videos[oldest]["file_id"]}, trashed_at=Mentions(world.today.isoformat()))
        ],
        solution=solution,
    )


@scenario(apps=APPS)
def look_up_earlier_amount(world: World) -> Task:
    """Tell what an amount in a table was in the version before the newest."""
    title, item, rest = world.choice(
        ("Greenhouse costs", "Glass panes", "Gravel;120.00 USD"),
        ("Canoe trip costs", "Paddles", "Ferry;64.00 USD"),
        ("Drum kit costs", "Cymbals", "Sticks;18.00 USD"),
    )
    amounts = [world.integer(canonical, 300, 900) for canonical in (412, 655, 738)]
    if len(set(amounts)) < len(amounts):
        amounts = [amounts[0], amounts[0] + 47, amounts[0] + 93]
    draw = world.draw("files")
    texts = [f"Item;Amount\n{item};{as_money(100 * amount, 'USD')}\n{rest}" for amount in amounts]
    table = _put_file(world, title, "table", None, -60, content=texts[0])
    for text, days in zip(texts[1:], (-30, -9), strict=True):
        world.put(VERSIONS, with_edit(draw, table, text, draw.moment(days, 15), comment=f"{item} corrected"))

    def solution() -> Solution:
        rows = (yield call("search_files", words=title))["results"]
        newest = yield call("get_document", file_id=rows[0]["file_id"])
        version_id = newest["earlier_versions"][0]["version_id"]
        yield call("get_document", file_id=rows[0]["file_id"], version_id=version_id)
        yield say(f"Before the last change, the amount for {item} was {amounts[1]}.00 USD.")

    return Task(
        user=world.phrase(
            f'In my document "{title}", what was the amount for {item} before the last change of the document?',
            f'I changed the amount for {item} in the document "{title}". What was it in the version just before?',
        ),
        tools=["search_files", "get_document"],
        milestones=[
            found("search_files", file_id=table["file_id"]),
            answer(Number(amounts[1], unit="USD", context=(amounts[0], amounts[2]))),
        ],
        secrets=(str(amounts[1]),),
        solution=solution,
    )


@scenario(ScenarioCategories.BATCH_EDIT, apps=APPS)
def move_scans_to_folder(world: World) -> Task:
    """Move all scans of one folder into another one, and leave its other documents there."""
    source, target, names = world.choice(
        ("Sorting tray", "Notary", ("Deed", "Power of attorney", "Land register", "Affidavit")),
        ("Shoe box", "Orthodontist", ("Retainer bill", "X-ray jaw", "Treatment plan", "Referral")),
        ("Drop box", "Adoption of Rex", ("Vet record", "Chip number", "Shelter contract", "Vaccination")),
    )
    tray, goal = _put_folder(world, source), _put_folder(world, target, -150)
    count = world.integer(3, 2, 4)
    scans = [
        _put_file(world, name, "scan", tray, -40 - number, size=(310 + 17 * number) * 1000)
        for number, name in enumerate(names[:count])
    ]
    _put_file(world, "Collage", "photo", tray, -33, size=4_200_000)
    _put_file(world, "Read me", "text", tray, -70, content="Things that I have to sort.")

    def solution() -> Solution:
        folders = yield [call("search_files", words=place, kind="folder") for place in (source, target)]
        from_id, to_id = (found["results"][0]["file_id"] for found in folders)
        rows = (yield call("search_files", folder_id=from_id, kind="scan"))["results"]
        yield [call("move_file", file_id=row["file_id"], folder_id=to_id) for row in rows]
        yield say(f"I've moved {len(rows)} scans from {source} to {target}.")

    return Task(
        user=world.phrase(
            f"Move all scans from my folder {source} into the folder {target}. Everything else stays where it is.",
            f"Please sort my files: the scans in the folder {source} belong into {target}, but only the scans.",
        ),
        tools=["search_files", "move_file"],
        milestones=[changed(FILES, {"file_id": scan["file_id"]}, folder_id=goal["file_id"]).after() for scan in scans],
        solution=solution,
    )


def _correct_text(world: World, *, possible: bool) -> Task:
    """Wants another text in a document of somebody else, which the user may change or only read."""
    draw = world.draw("files")
    place, name, old, new = world.choice(
        ("Rehearsals", "Start time", "We start at 18:30 at the chapel.", "We start at 19:00 at the chapel."),
        ("Chess league", "Venue", "Home games are at the library.", "Home games are at the museum."),
        ("Street fair", "Stall", "Our stall is number 14.", "Our stall is number 41."),
    )
    owner = world.choice(*draw.people[:3])
    folder = _put_folder(world, place, owner=owner.email)
    world.put(SHARES, share_row(draw, folder, "me", "editor" if possible else "viewer", draw.moment(-100, 12)))
    document = _put_file(
        world, name, "text", folder, -90, content=old, size=len(old), owner=owner.email, changed_by=owner.email
    )

    def solution() -> Solution:
        rows = (yield call("search_files", words=name, owner=owner.email))["results"]
        [row] = [row for row in rows if row["path"] == f"{place} / {name}"]
        try:
            yield call("save_document_text", file_id=row["file_id"], content=new)
            yield say(f'The document "{name}" has the new text.')
        except ToolCallFailed:
            yield say(
                f'I could not change the document "{name}": you have no permission to edit it, your role is viewer. '
                f"Only its owner {row['owner']} can change that."
            )

    cells: dict[str, Any] = {"content": SameWords(new), "size": Anything(), "version": 2, "comment": Anything()}
    edited = changed(FILES, {"file_id": document["file_id"]}, **cells, changed_at=Anything(), changed_by="me")
    kept = {"file_id": document["file_id"], "version": 1, "content": old, "size": len(old)}
    version = added(VERSIONS, **kept, saved_at=Anything(), saved_by=owner.email)
    about = (name, "document", "text", "edit", "change", "viewer", "permission")
    return Task(
        user=world.phrase(
            f'Replace the text of the document "{name}" in the shared folder {place} by "{new}"',
            f'In the folder {place}, which is shared with me, the document "{name}" should say "{new}" from now on.',
        ),
        tools=["search_files", "get_file_details", "get_document", "save_document_text"],
        milestones=[edited, version.after()]
        if possible
        else [
            found("search_files", file_id=document["file_id"]),
            answer(cannot(TOOL_MISSING, about=about)),
        ],
        solution=solution,
    )


@scenario(apps=APPS)
def correct_shared_document(world: World) -> Task:
    """Change a document of somebody else, which the user may edit."""
    return _correct_text(world, possible=True)


@scenario(ScenarioCategories.INSUFFICIENT_INFORMATION, apps=APPS, twin="correct_shared_document")
def correct_shared_document_insufficient_information(world: World) -> Task:
    """Change a document of somebody else, which the user may only read."""
    return _correct_text(world, possible=False)
