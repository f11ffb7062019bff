"""Who comes on which evening and eats what, said over three weeks in a chat and in mails, also for others."""

import itertools

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import Person
from tool_sandbox.apps.dining.tables import GUESTS
from tool_sandbox.apps.notes.tables import ITEMS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.discretion.sources import check_seen
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    Row,
    in_rounds,
    mailed,
    put_chat,
    put_checklist,
    put_mail,
    put_page,
    put_post,
    read_chat,
    read_checklist,
    read_mails,
    read_page,
)
from tool_sandbox.scenarios.matchers import OneOf
from tool_sandbox.scenarios.vocabulary import Task, answer_for_now, call, say, told
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

DIETS = ("vegan", "gluten-free", "no nuts", "halal", "lactose-free")
SAID = {
    "in": ("Count me in on {day}.", "I am coming on {day}.", "{day} works for me, I shall be there."),
    "out": ("I cannot make it on {day}.", "{day} is off for me.", "Do not wait for me on {day}."),
    "every": ("I come on all four evenings.", "Put me down for every evening."),
    "never": ("I cannot come on any of the evenings.", "Take me off all four evenings."),
    "maybe": ("I would love to come on {day}, if they let me off work.", "{day}? I shall see.", "Is {day} still on?"),
    "add": ("Note for my plate, beside what you have: {diet}.", "I am to eat {diet}, too, from now on."),
    "strike": ("You can strike {diet} for me.", "{diet} is over for me, strike it."),
    "only": (
        "It is {diet} for me now, and nothing else of what you have noted.",
        "Strike all that you have for me, and put {diet} there instead.",
    ),
    "relay in": ("{other} asks me to pass on: in on {day}.", "I am to tell you from {other}: {day} is fine."),
    "relay out": ("{other} asks me to pass on: not on {day}.", "I am to tell you from {other}: {day} is off."),
    "relay add": ("{other} asks me to pass on: {diet}, too, from now on.",),
    "heard in": ("{other} comes on {day}, as I hear.", "I met {other}: {day} is fixed, it seems."),
    "heard diet": ("Somebody told me that {other} is to eat {diet} now.", "Has {other} not become {diet}?"),
    "both in": ("We both come on {day}.", "{day} suits the two of us, count on us both."),
    "both out": ("We both cannot come on {day}.", "Neither of us is free on {day}."),
    "child in": ("{other} comes on {day}.", "I bring {other} on {day}."),
    "child out": ("{other} stays at home on {day}.", "Without {other} on {day}, please."),
    "child add": ("{other} is to eat {diet}, too, from now on.", "Note for {other}, beside what you have: {diet}."),
}
"""What is said; what was heard of others and what may be does not count."""

PAGE = (
    "How I count:\n1. What somebody says of himself or herself counts, in the chat and by mail alike; of two words "
    "about the same thing the later one holds.\n2. For {child} and {other} only {parent} speaks; what they say "
    "themselves does not count.\n3. {one} and {two} are a couple: who of them says it of both says it for both.\n4. "
    "{absent} has lost the telephone on {lost}: what {proxy} passed on after that day, not on the day itself, counts "
    "as if {absent} had said it.\n5. Nobody else speaks for anybody. What may be, and what is only asked, does not "
    "count.\n6. Whoever said nothing about an evening does not come.\n7. For {day} the food was bought on {limit}: "
    "what was said after that day gives nobody a plate on that evening, but who said later that he or she does not "
    "come on it has none."
)
NO_TABLE = told(r"\b(?:booked|reserved) (?:you )?(?:a|another) table\b")
COUNT = 96


@attrs.frozen
class Word:
    """Something that was said: when, what, by whom, of whom, and about which evening or food."""

    ago: int
    kind: str
    speaker: str
    other: str
    day: str
    diet: str


@attrs.define
class Party:
    """What was said, what it makes of everybody, and what it makes if the user thinks better of a rule."""

    topic: str
    names: list[str]
    days: list[str]
    noted: dict[str, set[str]]
    limit: int
    couple: tuple[str, ...]
    children: tuple[str, ...]
    relay: tuple[str, str, int]
    second: str
    words: list[Word] = attrs.field(factory=list)
    texts: list[str] = attrs.field(factory=list)

    def holds(self, dropped: str = "") -> tuple[dict[str, dict[str, bool]], dict[str, set[str]]]:
        """Who comes on which evening and who eats what, by all rules or without the one about a couple or children."""
        comes = {day: dict.fromkeys(self.names, False) for day in self.days}
        eats = {name: set(diets) for name, diets in self.noted.items()}
        for word in self.words:
            about, _, what = word.kind.rpartition(" ")
            spoken = word.speaker in self.children and dropped != "children"
            if about == "heard" or what == "maybe" or spoken or (about == "child" and dropped == "children"):
                continue
            if about == "relay" and (word.speaker, word.other, word.ago < self.relay[2]) != (*self.relay[:2], True):
                continue
            both = self.couple if dropped != "couple" else (word.speaker,)
            for name in {"both": both, "child": (word.other,), "relay": (word.other,)}.get(about, (word.speaker,)):
                for day in self.days if what in ("every", "never") else [word.day] if what in ("in", "out") else []:
                    is_in_time = day != self.days[0] or word.ago >= self.limit
                    comes[day][name] = what in ("in", "every") and (comes[day][name] or is_in_time)
                if what == "add":
                    eats[name].add(word.diet)
                elif what == "strike":
                    eats[name] -= {word.diet}
                elif what == "only":
                    eats[name] = {word.diet}
        return comes, eats

    @property
    def phases(self) -> list[str]:
        """Which rule is dropped, at first none."""
        return ["", self.second] if self.second else [""]

    def plates(self, day: str, diet: str, dropped: str) -> int:
        """How many come on an evening, of those who eat something if it is given."""
        comes, eats = self.holds(dropped)
        return sum(comes[day][name] and (not diet or diet in eats[name]) for name in self.names)

    def single(self, dropped: str) -> int:
        """How many come on an evening and eat one thing alone, over all evenings."""
        comes, eats = self.holds(dropped)
        return sum(comes[day][name] and len(eats[name]) == 1 for day in self.days for name in self.names)

    def user(self, request: str) -> tuple[str, ...]:
        """What the user says."""
        couple, children = " and ".join(self.couple), " and ".join(self.children)
        again = "Correct it all once more without rule {}, also for what was said before, and answer me again."
        later = {
            "couple": f"{couple} tell me that they are no couple at all, and that none of them ever spoke for the "
            f"other: who said something of both said it for himself or herself alone. {again.format(3)}",
            "children": f"{children} are grown up, as I hear: they speak for themselves, and nobody else for them. "
            f"{again.format(2)}",
        }
        return (request, later[self.second]) if self.second else (request,)

    def read(self) -> Solution:
        """Reads all sources."""
        yield from read_page(f"{self.topic}: how I count")
        mails = yield from read_mails(f'subject:"{self.topic}"')
        check_seen([mails, (yield from read_chat(self.topic))], *self.texts)


OWN = (
    *["in"] * 5, *["out"] * 4, *["add"] * 3, "every", "never", "maybe", "maybe", "strike", "strike", "only",
    "heard in", "heard diet", "relay in", "relay out",
)  # fmt: skip


def party(world: World, second: str) -> Party:
    """Has twelve people talk about four evenings and about food."""
    draw, more = world.draw("groups"), [Person(world.new_person().name, "") for _ in range(2)]
    people = [*draw.people[:10], *more]
    topic, first = world.phrase("Harvest week", "Film week", "Summer table"), draw.integer(5, 9)
    days = [f"{world.in_days(ahead):%B} {world.in_days(ahead).day}" for ahead in range(first, first + 8, 2)]
    couple, parent, proxy, absent, children = people[:2], people[2], people[3], people[4], people[10:]
    noted = {each.name: set(draw.sample(DIETS, draw.integer(1, 2))) for each in people}
    chat, limit, lost = put_chat(world, topic, people), draw.integer(5, 7), draw.integer(11, 14)
    named, spoken = (tuple(each.name for each in some) for some in (couple, children))
    file = Party(topic, list(noted), days, noted, limit, named, spoken, (proxy.name, absent.name, lost), second)
    for number in range(COUNT):
        while True:
            ago, speaker, day = COUNT // 4 - number // 4, draw.choice(people), draw.choice(days)
            extra = ("both in", "both in", "both in", "both out", "both out") * 2 * (speaker in couple)
            extra += ("child in", "child in", "child out", "child add") * 4 * (speaker is parent)
            extra += ("relay in", "relay in", "relay out", "relay out", "relay add") * 4 * (speaker is proxy)
            kind = draw.choice(OWN + extra)
            pool = children if kind.startswith("child") else [each for each in people if each is not speaker]
            pool = [absent] if kind.startswith("relay") and speaker is proxy else pool
            has, other = sorted(file.holds()[1][speaker.name]), draw.choice(pool)
            diet = draw.choice(has if kind == "strike" else DIETS)
            file.words.append(Word(ago, kind, speaker.name, other.name, day, diet))
            if all(all(file.holds(phase)[1].values()) for phase in ("", "children")):
                break
            file.words.pop()
        text = draw.choice(SAID[kind]).format(day=day, diet=diet, other=other.name)
        text, said = f"{text[0].upper()}{text[1:]}", draw.moment(-ago, 8 + 3 * (number % 4), draw.integer(0, 59))
        file.texts.append(text)
        if number % 5 < 3:
            put_post(world, chat, speaker, text, said)
        else:
            put_mail(world, speaker, topic, text, said)
    names = dict(zip(("one", "two", "child", "other"), (*file.couple, *file.children), strict=True))
    names |= {"parent": parent.name, "proxy": proxy.name, "absent": absent.name, "day": days[0]}
    for what, ago in (("limit", limit), ("lost", lost)):
        names[what] = f"{world.in_days(-ago):%B} {world.in_days(-ago).day}"
    page = PAGE.format(**names)
    put_page(world, f"{topic}: how I count", page)
    return file


ASKING = ("search_mail", "get_mail", "search_group_chats", "search_group_posts", "search_note_pages", "get_note_page")


def _notes(world: World, second: str = "") -> Task:
    """Bring what is noted about what twelve people eat up to date, and keep the remarks."""
    file, draw = party(world, second), world.draw("dining")
    remarks = draw.sample(
        ("sits at the window", "comes late", "brings a dog", "likes it hot", "left-handed", "tall"), 6
    )
    rows = dict[str, Row]()
    for number, (name, diets) in enumerate(file.noted.items()):
        known = [row for row in world.stored(GUESTS) if row["name"] == name]
        rows[name] = known[0] if known else world.put(GUESTS, {"guest_id": draw.key("guest")})
        remark = remarks[number // 2] if number % 2 else None
        rows[name].update({"name": name, "diets": sorted(diets), "remark": remark})
    found = [file.holds(phase)[1] for phase in file.phases]
    diet = max(DIETS, key=lambda each: sum(each in diets for diets in found[-1].values()))
    counts = [sum(diet in diets for diets in eats.values()) for eats in found]

    def solution() -> Solution:
        yield from file.read()
        for eats, count in zip(found, counts, strict=True):
            for row in (yield call("search_what_guests_eat", limit=50))["results"]:
                if row["name"] in eats and {*row["diets"]} != eats[row["name"]]:
                    cells = {"name": row["name"], "diets": sorted(eats[row["name"]]), "remark": row["remark"]}
                    yield call("note_what_guest_eats", **cells)
            yield say(f"The number of those people is {count}.")

    def listed(diets: set[str]) -> OneOf:
        return OneOf(tuple(map(list, itertools.permutations(sorted(diets)))))

    facts = [Number(count, "person", context=(len(file.names),)) for count in counts]
    nodes, allowed = in_rounds(GUESTS, rows, "diets", [file.noted, *found], facts, listed)
    return Task(
        user=file.user(
            f'Twelve people have told what they eat in the chat "{file.topic}" and in mails with that subject, some of '
            f'it twice or three times: {", ".join(file.names[:-1])} and {file.names[-1]}. Bring what is noted in the '
            f'dining app about what they eat up to date; remarks stay. Whose word counts is on my page "{file.topic}: '
            f'how I count". Then tell me how many of these people eat {diet}.'
        ),
        tools=[*ASKING, "search_what_guests_eat", "note_what_guest_eats", "forget_what_guest_eats"],
        milestones=nodes,
        allowed=allowed,
        never=[NO_TABLE],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: 96 words in two media have to be put into one order of time, and each is weighed: of
# whom it is, who may say it, whether it is meant; sets grow and shrink, and a remark is lost if it is not repeated.
@scenario(apps=("dining", "groups", "mail", "notes"))
def note_what_guests_eat_now(world: World) -> Task:
    """Bring what is noted about what twelve people eat up to date, and keep the remarks."""
    return _notes(world)


# The same; then the words of two people count after all, and those of a third no longer, from the beginning on.
@scenario(apps=("dining", "groups", "mail", "notes"))
def note_what_guests_eat_and_hear_children(world: World) -> Task:
    """Bring what is noted about what twelve people eat up to date, then once more with another rule."""
    return _notes(world, "children")


def _plates(world: World, second: str = "") -> Task:
    """Count who comes on each of four evenings and eats what, and order the plates."""
    file, draw = party(world, second), world.draw("dining")
    cook = world.phrase("kitchen@larderandco.example", "orders@longtable.example", "cook@paneandsalt.example")
    for name, diets in file.noted.items():
        known = [row for row in world.stored(GUESTS) if row["name"] == name]
        row = known[0] if known else world.put(GUESTS, {"guest_id": draw.key("guest"), "remark": None})
        row.update({"name": name, "diets": sorted(diets)})
    lines = [(day, diet) for day in file.days for diet in ("", *draw.sample(DIETS, 3))]
    found = [{f"{day}, {diet or 'all'}": file.plates(day, diet, each) for day, diet in lines} for each in file.phases]
    totals = [sum(file.plates(day, "", each) for day in file.days) for each in file.phases]
    items = dict(
        zip(found[0], put_checklist(world, f"{file.topic}: plates", [f"{name}: ?" for name in found[0]]), strict=True)
    )
    states = [{name: f"{name}: {count}" for name, count in counts.items()} for counts in found]
    facts, single = [Number(total, "plate", context=(4,)) for total in totals], file.single(file.phases[-1])
    nodes, allowed = in_rounds(ITEMS, items, "content", [dict.fromkeys(items, ""), *states], facts)

    def solution() -> Solution:
        yield from file.read()
        yield call("search_what_guests_eat", limit=50)
        for counts, total in zip(found, totals, strict=True):
            for item in (yield from read_checklist(f"{file.topic}: plates")):
                name, _, said = item["content"].partition(": ")
                if said != f"{counts[name]}":
                    yield call("modify_checklist_item", item_id=item["item_id"], content=f"{name}: {counts[name]}")
            yield say(f"The sum of the lines is {total} plates.")
        yield call("send_mail", to=[cook], subject=file.topic, body=f"The number of such plates is {single}.")
        yield say("The plates are ordered.")

    return Task(
        user=(
            *file.user(
                f'Who comes on which of our four evenings ({", ".join(file.days)}) stands in the chat "{file.topic}" '
                'and in mails with that subject, and so does what they eat, beside what the dining app has noted of '
                f'it (leave that as it is). My page "{file.topic}: how I count" says whose word counts. Fill in my '
                f'checklist "{file.topic}: plates": put how many people it is in place of each question mark ("all" is '
                'everybody who comes on that evening, the other lines are those of them who eat that). Tell me how '
                'many plates the four "all" lines are together; I need none myself. Only the figure, please.'
            ),
            f"Good. Now mail {cook} how many of these plates, over all four evenings, are for people of whom just one "
            "such thing holds by now (only vegan, say, and nothing else).",
        ),
        tools=[*ASKING, "search_what_guests_eat", "note_what_guest_eats", "search_checklists", "get_checklist",
               "modify_checklist_item", "send_mail"],
        milestones=[*nodes[:-1], answer_for_now(facts[-1]), mailed(cook, Number(single, "plate"))],
        allowed=[NEW_THREAD, *allowed],
        never=[NO_TABLE],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: as above, for 48 pairs of a person and an evening, then twelve counts of both together.
@scenario(apps=("groups", "mail", "notes", "dining"))
def count_plates_of_four_evenings(world: World) -> Task:
    """Count who comes on each of four evenings and eats what, and order the plates."""
    return _plates(world)


# The same; then nobody speaks for two, and all that was said for two holds for one only.
@scenario(apps=("groups", "mail", "notes", "dining"))
def count_plates_and_part_a_couple(world: World) -> Task:
    """Count who comes on each of four evenings and eats what, then once more with another rule."""
    return _plates(world, "couple")


# The same; then two speak for themselves who did not count, and what was said for them does not count.
@scenario(apps=("groups", "mail", "notes", "dining"))
def count_plates_and_hear_children(world: World) -> Task:
    """Count who comes on each of four evenings and eats what, then once more as two speak for themselves."""
    return _plates(world, "children")
