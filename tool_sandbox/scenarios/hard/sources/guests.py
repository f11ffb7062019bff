"""Who comes on which evening and eats what, said over three weeks in a chat and in mails, also for others."""

import itertools

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps import Person
from tool_sandbox.apps.dining.tables import GUESTS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    items_become,
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
from tool_sandbox.scenarios.vocabulary import Task, answer, call, changed, in_any_order, say
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
    "clear": (
        "I may eat everything again, strike all that you have noted for me.",
        "No more diets of any kind for me!",
    ),
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
    "How I count:\\n1. What somebody says of himself or herself counts, in the chat and by mail alike; of two words "
    "about the "
    "same thing the later one holds.\\n2. For {child} and {other} only {parent} speaks; what they say themselves does "
    "not "
    "count.\\n3. {one} and {two} are a couple: who of them says it of both says it for both.\\n4. Nobody else speaks "
    "for "
    "anybody. What may be, and what is only asked, does not count.\\n5. Whoever said nothing about an evening does "
    "not come.\\n"
    "6. For {day} the food was bought on {limit}: what was said after that day gives nobody a plate on that evening, "
    "but who "
    "said later that he or she does not come on it has none."
)


@attrs.frozen
class Party:
    """What holds of everybody, and where it stands."""

    topic: str
    people: list[Person]
    days: list[str]
    comes: dict[str, dict[str, bool]]
    eats: dict[str, set[str]]
    noted: dict[str, set[str]]

    def plates(self, day: str, diet: str = "") -> int:
        """How many come on an evening, of those who eat something if it is given."""
        return sum(self.comes[day][name] and (not diet or diet in self.eats[name]) for name in self.eats)

    def read(self) -> Solution:
        """Reads all sources."""
        yield from read_page(f"{self.topic}: how I count")
        yield from read_mails(f'subject:"{self.topic}"')
        yield from read_chat(self.topic)


def party(world: World) -> Party:
    """Has ten people talk about four evenings and about food."""
    draw, people = world.draw("groups"), world.draw("groups").people[:10]
    topic, first = world.phrase("Harvest week", "Film week", "Summer table"), draw.integer(5, 9)
    dates = [world.in_days(first + 2 * number) for number in range(4)]
    days, by_name = [f"{date:%B} {date.day}" for date in dates], {each.name: each for each in people}
    couple, parent, children = people[:2], people[2], people[8:]
    noted = {each.name: set(draw.sample(DIETS, draw.integer(0, 2))) for each in people}
    comes, eats = (
        {day: dict.fromkeys(noted, False) for day in days},
        {name: set(diets) for name, diets in noted.items()},
    )
    chat, limit = put_chat(world, topic, people), -draw.integer(5, 7)
    own = (
        ["in"] * 5
        + ["out"] * 4
        + ["every", "never", "maybe", "maybe", "add", "add", "add", "strike", "strike", "clear"]
    )
    own += ["heard in", "heard diet"]
    for number in range(58):
        ago, speaker, day = 20 - number // 3, draw.choice(people), draw.choice(days)
        extra = ["both in", "both in", "both out"] * (speaker in couple)
        extra += ["child in", "child in", "child out", "child add"] * 2 * (speaker is parent)
        kind = draw.choice(own + extra * 2)
        other = draw.choice(children if kind.startswith("child") else [each for each in people if each is not speaker])
        has = sorted(eats[speaker.name])
        diet = draw.choice(has) if kind == "strike" and has else draw.choice(DIETS)
        whom = [each.name for each in {"b": couple, "c": [other]}.get(kind[0] if " " in kind else "", [speaker])]
        text = draw.choice(SAID[kind]).format(day=day, diet=diet, other=other.first_name)
        text, hour = f"{text[0].upper()}{text[1:]}", 8 + 4 * (number % 3)
        if number % 5 < 3:
            put_post(world, chat, speaker, text, draw.moment(-ago, hour, draw.integer(0, 59)))
        else:
            put_mail(world, speaker, topic, text, draw.moment(-ago, hour, draw.integer(0, 59)))
        if kind.startswith(("heard", "maybe")) or (speaker in children):
            continue
        for name in whom:
            for each in days if kind in ("every", "never") else [day] if kind.split()[-1] in ("in", "out") else []:
                says_yes = kind == "every" or kind.endswith("in")
                comes[each][name] = says_yes and (comes[each][name] or each != days[0] or -ago <= limit)
            if kind.endswith("add"):
                eats[name].add(diet)
            elif kind in ("strike", "clear"):
                eats[name] -= {diet} if kind == "strike" else set(DIETS)
    names = {"child": children[0].name, "other": children[1].name, "parent": parent.name}
    day = f"{world.in_days(limit):%B} {world.in_days(limit).day}"
    couple_names = {"one": couple[0].name, "two": couple[1].name}
    put_page(world, f"{topic}: how I count", PAGE.format(**names, **couple_names, day=days[0], limit=day))
    return Party(topic, list(by_name.values()), days, comes, eats, noted)


ASKING = ("search_mail", "get_mail", "search_group_chats", "search_group_posts", "search_note_pages", "get_note_page")


# Where a very good model slips: 58 words in two media have to be put into one order of time, and each is weighed: of
# whom it is, who may say it, whether it is meant; sets grow and shrink, and a remark is lost if it is not repeated.
@scenario(apps=("dining", "groups", "mail", "notes"))
def note_what_guests_eat_now(world: World) -> Task:
    """Bring what is noted about what ten people eat up to date, and keep the remarks."""
    file, draw = party(world), world.draw("dining")
    rows, remarks = (
        {},
        draw.sample(("sits at the window", "comes late", "brings a dog", "likes it hot", "left-handed"), 5),
    )
    for number, (name, diets) in enumerate(file.noted.items()):
        cells = {"name": name, "diets": sorted(diets), "remark": remarks[number // 2] if number % 2 else None}
        known = [row for row in world.stored(GUESTS) if row["name"] == name]
        rows[name] = known[0] if known else world.put(GUESTS, {"guest_id": draw.key("guest")})
        rows[name].update(cells)
    wrong = {name: diets for name, diets in file.eats.items() if diets != file.noted[name]}
    diet = max(DIETS, key=lambda each: sum(each in diets for diets in file.eats.values()))
    count = sum(diet in diets for diets in file.eats.values())

    def solution() -> Solution:
        yield from file.read()
        for row in (yield call("search_what_guests_eat", limit=50))["results"]:
            if row["name"] in wrong:
                cells = {"name": row["name"], "diets": sorted(wrong[row["name"]]), "remark": row["remark"]}
                yield call("note_what_guest_eats", **cells)
        yield say(f"It is up to date now. Of these ten, {count} eat {diet}.")

    return Task(
        user=f'Ten people have told what they eat in the chat "{file.topic}" and in mails with that subject, some of '
            f'it twice or three times; {", ".join(each.name for each in file.people[:-1])} and '
            f'{file.people[-1].name}. Bring what is noted in the dining app about what they eat up to date; remarks '
            f'stay. Whose word counts is on my page "{file.topic}: how I count". Then tell me how many of these ten '
            f'eat {diet}.',
        tools=[*ASKING, "search_what_guests_eat", "note_what_guest_eats", "forget_what_guest_eats"],
        milestones=[
            *in_any_order(*(changed(GUESTS, {"guest_id": rows[name]["guest_id"]}, diets=_any_order(diets))
                            for name, diets in wrong.items())),
            answer(Number(count, context=(10,))),
        ],
        solution=solution,
    )  # fmt: skip


def _any_order(diets: set[str]) -> OneOf:
    return OneOf(tuple(map(list, itertools.permutations(sorted(diets)))))


# Where a very good model slips: as above, for 40 pairs of a person and an evening, then twelve counts of both together.
@scenario(apps=("groups", "mail", "notes", "dining"))
def count_plates_of_four_evenings(world: World) -> Task:
    """Count who comes on each of four evenings and eats what, and order the plates."""
    file, draw = party(world), world.draw("dining")
    cook = world.phrase("kitchen@larderandco.example", "orders@longtable.example", "cook@paneandsalt.example")
    for name, diets in file.noted.items():
        known = [row for row in world.stored(GUESTS) if row["name"] == name]
        row = known[0] if known else world.put(GUESTS, {"guest_id": draw.key("guest"), "remark": None})
        row.update({"name": name, "diets": sorted(diets)})
    diets = draw.sample(DIETS, 3)
    counts = {f"{day}, {diet or 'all'}": file.plates(day, diet) for day in file.days for diet in ("", *diets)}
    items = put_checklist(world, f"{file.topic}: plates", [f"{name}: ?" for name in counts])
    total = sum(file.plates(day) for day in file.days)

    def solution() -> Solution:
        yield from file.read()
        yield call("search_what_guests_eat", limit=50)
        for item in (yield from read_checklist(f"{file.topic}: plates")):
            name = item["content"].partition(":")[0]
            yield call("modify_checklist_item", item_id=item["item_id"], content=f"{name}: {counts[name]}")
        yield call("send_mail", to=[cook], subject=file.topic, body=f"We need {total} plates on the four evenings.")
        yield say(f"The list is filled in, and {total} plates are ordered.")

    return Task(
        user=f'Who comes on which of our four evenings ({", ".join(file.days)}) stands in the chat "{file.topic}" and '
            'in mails with that subject, and so does what they eat, beside what the dining app has noted of it. My '
            f'page "{file.topic}: how I count" says whose word counts. Fill in my checklist "{file.topic}: plates": '
            'put the number of people in place of each question mark ("all" is everybody who comes on that evening, '
            f'the other lines are those of them who eat that). Then mail {cook} how many plates we need on all four '
            'evenings together.',
        tools=[*ASKING, "search_what_guests_eat", "note_what_guest_eats", "search_checklists", "get_checklist",
               "modify_checklist_item", "send_mail"],
        milestones=[
            *items_become(items, (f"{name}: {count}" for name, count in counts.items())),
            mailed(cook, Number(total)),
        ],
        allowed=[NEW_THREAD],
        solution=solution,
    )  # fmt: skip
