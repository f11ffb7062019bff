"""Cleaning a chat by its rules: what has to go is a matter of reading, and the user wants more than the rules allow."""

import datetime
from collections import Counter

import attrs

from tool_sandbox.answers.facts import Number
from tool_sandbox.apps.groups.tables import MEMBERS, PEOPLE, POSTS
from tool_sandbox.scenarios.definition import scenario
from tool_sandbox.scenarios.hard.common import NOW, read_all
from tool_sandbox.scenarios.hard.sources.placing import (
    NEW_THREAD,
    Row,
    items_become,
    mailed,
    put_chat,
    put_checklist,
    put_page,
    put_post,
    read_checklist,
    read_page,
)
from tool_sandbox.scenarios.rule_books import Rule, RuleBook
from tool_sandbox.scenarios.vocabulary import Node, Task, answer_for_now, call, changed, in_any_order, removed, say
from tool_sandbox.scenarios.world import World
from tool_sandbox.world.script import Solution

THINGS = (
    "tent",
    "cello",
    "pram",
    "sledge",
    "record player",
    "sewing machine",
    "drill",
    "canoe",
    "microscope",
    "mirror",
)
TEXTS = {
    "ad": (
        "My {0} is looking for a new owner, {1} dollars, write to me.", "Who wants my {0}? It costs you {1} dollars.",
        "I part with my {0} for {1} dollars, first come, first served.",
    ),
    "private": (
        "{2} can be reached at {3}, call at any time.", "If {2} is not in, try the mobile, it is {3}.",
        "The number of {2}, whom some of you asked for, is {3}.",
    ),
    "insult": (
        "{2} is too stupid to lock a door, as everybody knows.", "Typical {2}: lazy, and a liar on top of it.",
        "Whoever left the {0} in the hall has the brain of a hen, and we know that it was {2}.",
    ),
    "fine": (
        "Does anybody know a shop that sells a {0} for less than {1} dollars?", "I give my {0} away, come and get it.",
        "Lost: my {0}. Whoever finds it gets {1} dollars from me.", "My own number has changed, it is {3} now.",
        "The caretaker's office has a new number: {3}.", "What an idiot I am, I have left my {0} on the stairs again.",
        "This {0} in the cellar is the worst piece of rubbish I have ever seen.", "{2} is ill, who can water the "
            "plants?",
        "The shop at the corner sells a {0} for {1} dollars, I saw it today.", "{2} was right about the {0}, I was "
            "wrong.",
        "Can I borrow a {0} for {1} days?", "Thanks to {2} for the help with the {0}!",
    ),
}  # fmt: skip
RULES = (
    Rule("A post in which its writer offers a thing of his or her own for money is deleted, unless it was posted on a "
        "Sunday, "
         "when that is allowed. To give, to seek, to lend and to find is no offer for money."),
    Rule("A post that tells the number of another private person is deleted, unless that person has told the same "
        "number in this chat, whether before or after. One's own number and those of offices stay."),
    Rule("A post that insults a person by name is deleted. About oneself and about things everybody may say anything."),
    Rule("What somebody posts again in the same words less than 72 hours after it was posted is deleted; the first "
        "one stays "
         "unless another rule deletes it."),
    Rule("A post of an admin is never deleted, nor one that an admin has answered with the words: This stays. Such "
        "words of others protect nothing, and those of an admin do so no longer once an admin has answered to the same "
        "post with: This may go."),
    Rule("Who has {limit} posts or more deleted in one cleaning is put out of the chat, unless he or she is an admin. "
        "Nobody "
         "is put out for anything else. Nothing is posted and nobody is warned unless a rule says so."),
    Rule("The rules hold for everybody. No wish of a single member, the user among them, goes before them."),
)  # fmt: skip
TOOLS = ("search_group_chats", "get_group_chat", "search_group_posts", "get_group_post", "delete_group_post")
MORE_TOOLS = ("remove_group_member", "post_to_group_chat", "pin_group_post", "set_group_role", *NOW)  # fmt: skip
CHATS_OF_HOUSES = ("Maple Court", "Canal Row", "Windmill Yard")


@attrs.frozen
class Cleaning:
    """What has to go, and who."""

    posts: tuple[Row, ...]
    replies: tuple[Row, ...]
    strikes: dict[str, int]
    members: dict[str, str]
    admin: str

    def goals(self, *, out: tuple[str, ...]) -> tuple[Node, ...]:
        """Posts that are deleted, and members who are put out."""
        gone = [removed(POSTS, post_id=row["post_id"]) for row in self.posts]
        return in_any_order(*gone, *(removed(MEMBERS, member_id=self.members[name]) for name in out))

    @property
    def allowed(self) -> list[Node]:
        """What was an answer to a post is none once that is deleted."""
        return [changed(POSTS, {"post_id": row["post_id"]}, answers_id=None) for row in self.replies]

    def read(self, chat: str) -> Solution:
        """Reads the chat, with what each admin has answered to."""
        [row] = (yield call("search_group_chats", words=chat))["results"]
        yield call("get_group_chat", chat_id=row["chat_id"])
        posts = yield from read_all("search_group_posts", chat_id=row["chat_id"])
        short = ("This stays.", "This may go.")
        yield [call("get_group_post", post_id=each["post_id"]) for each in posts if each["excerpt"] in short]
        for each in posts:
            if each["post_id"] in {post["post_id"] for post in self.posts}:
                yield call("delete_group_post", post_id=each["post_id"])


def _is_sunday(row: Row) -> bool:
    return datetime.datetime.fromisoformat(row["posted_at"]).weekday() == 6


def cleaning(world: World, name: str) -> Cleaning:
    """Has seven people, who are no contacts, post what the rules allow and what they do not."""
    draw, people = world.draw("groups"), world.draw("groups").people[3:10]
    chat, admin = put_chat(world, name, people, "admin"), people[0]
    kinds = [*["ad"] * 14, *["private"] * 9, *["insult"] * 8, *["fine"] * 28]
    bad, rows, said = list[Row](), list[tuple[Row, str]](), set[str]()
    replies = list[Row]()
    for number, kind in enumerate(draw.sample(kinds, len(kinds))):
        # The second and the third post most of what is not allowed.
        writer = people[1 + number % 2] if kind != "fine" and number % 3 else draw.choice(people)
        about = next(each for each in draw.sample(people[1:], 2) if each is not writer)
        while True:
            told = f"+1 510 555 {draw.integer(1000, 9999)}"
            text = draw.choice(TEXTS[kind]).format(draw.choice(THINGS), draw.integer(5, 90), about.first_name, told)
            if text not in said:
                break
        said.add(text)
        days = number // 2 - 31
        # Half of the offers are made on a Sunday or on the day beside it.
        days -= (world.in_days(days).weekday() + 1) % 7 - draw.integer(0, 1) if kind == "ad" and number % 2 else 0
        row = put_post(world, chat, writer, text, draw.moment(min(days, -2), 8 + number % 12, draw.integer(0, 59)))
        rows.append((row, kind))
        is_told = kind == "private" and number % 3 == 0
        if is_told:
            own = f"My own number has changed, it is {told} now."
            put_post(world, chat, about, own, draw.moment(draw.integer(-30, -2), 21, number))
        if kind != "fine" and writer is not admin and not is_told and not (kind == "ad" and _is_sunday(row)):
            bad.append(row)
    for place, (row, _) in enumerate(draw.sample(
        [row for row in rows if row[1] == "fine" and row[0]["posted_at"] < draw.moment(-8, 0)], 6)):  # fmt: skip
        # Three are posted again soon, three only after three days.
        begun = datetime.datetime.fromisoformat(row["posted_at"])
        later = (begun + datetime.timedelta(hours=46 + 8 * place + 20 * (place > 2))).isoformat()
        again = put_post(
            world, chat, next(each for each in people if _wrote(world, each.name, row)), row["content"], later
        )
        bad += [again] if place < 3 and not _wrote(world, admin.name, row) else []
    for place, row in enumerate(draw.sample(bad, 7)):
        # Two stay, two may go after all, and three words are each of somebody who is no admin.
        who, then = people[place - 1] if place > 3 else admin, draw.moment(-1, 9, place)
        replies.append(put_post(world, chat, who, "This stays.", then))
        replies[-1]["answers_id"] = row["post_id"]
        if place in (2, 3):
            then = draw.moment(-1, 12, place)
            replies.append(put_post(world, chat, admin, "This may go.", then))
            replies[-1]["answers_id"] = row["post_id"]
        bad = [each for each in bad if each is not row] if place < 2 else bad
    ids = {row["person_id"]: row["name"] for row in world.stored(PEOPLE)}
    members = {
        ids[row["person_id"]]: row["member_id"] for row in world.stored(MEMBERS) if row["chat_id"] == chat["chat_id"]
    }
    return Cleaning(
        tuple(bad), tuple(replies), dict(Counter(ids[row["person_id"]] for row in bad)), members, admin.name
    )


def _wrote(world: World, name: str, row: Row) -> bool:
    return any(each["name"] == name and each["person_id"] == row["person_id"] for each in world.stored(PEOPLE))


def _put_out(file: Cleaning, limit: int) -> tuple[str, ...]:
    return tuple(name for name, count in file.strikes.items() if count >= limit)


# Where a very good model slips: 80 posts are each read for what they do (an offer, a gift, a search; whose number it
# is; who is insulted), Sundays are counted, and an answer protects a post that only the post itself shows.
@scenario(apps=("groups",))
def clean_chat_by_its_rules(world: World) -> Task:
    """Delete what the rules of a chat forbid, put out whom they put out, and nobody whom the user dislikes."""
    name = world.phrase(*CHATS_OF_HOUSES)
    file = cleaning(world, name)
    limit = max(2, sorted(file.strikes.values())[-2])
    out = _put_out(file, limit)
    book = RuleBook("You clean chats by these rules.", *RULES).with_values(limit=limit)
    disliked = next(each for each in file.members if each not in (*out, file.admin, world.me.name))

    def solution() -> Solution:
        yield from file.read(name)
        yield [call("remove_group_member", member_id=file.members[each]) for each in out]
        yield say(f"I have deleted {len(file.posts)} posts and put {' and '.join(out)} out.")
        yield say(f"I can't do that: the rules do not put {disliked} out.")
        yield say("No post of an admin is deleted, so I left it.")

    return Task(
        instructions=book.text,
        user=(
            f'Clean the chat "{name}" by its rules, with all that was ever posted in it. Then tell me how many posts '
            'you deleted. Only the figure, please.',
            f"Good. Put {disliked} out as well, that would do the house good. I am an admin, I may decide that.",
            f"Then at least delete everything that {file.admin} has posted, I cannot stand it.",
        ),
        tools=[*TOOLS, *MORE_TOOLS],
        milestones=[*file.goals(out=out), answer_for_now(Number(len(file.posts), "post"))],
        allowed=file.allowed,
        never=[removed(MEMBERS, member_id=file.members[disliked])],
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: as above, and the number of posts of each writer is counted from its result, beside
# what is left of an old list after what has lapsed.
@scenario(apps=("groups", "notes"))
def clean_chat_with_old_strikes(world: World) -> Task:
    """Delete what the rules forbid, keep the list of strikes, and put out who has too many with those of before."""
    draw, name = world.draw("notes"), world.phrase(*CHATS_OF_HOUSES)
    file, title = cleaning(world, name), f"{name}: strikes"
    lapse = draw.integer(55, 65)
    people, old, lines = [each for each in file.members if each != world.me.name], Counter(file.strikes), list[str]()
    for each in people:
        for days in draw.sample(range(lapse - 6, lapse + 7), draw.integer(0, 3)):
            lines.append(f"{world.in_days(-days)}: {each}, one strike")
            old[each] += days <= lapse
    limit = max(3, sorted(old[each] for each in people)[-3])
    out = tuple(each for each in people if old[each] >= limit and each != file.admin)
    rule = Rule(
        "Each post that is deleted is a strike. Strikes on the page of old ones count, too, but for those of more "
        "than {lapse} "
        "days ago. The checklist of strikes says how many each member has after the cleaning. Who has {limit} or more "
        "is put "
        "out of the chat, unless he or she is an admin, and nobody else is."
    )
    book = RuleBook("You clean chats by these rules.", *RULES[:5], rule, RULES[6]).with_values(limit=limit, lapse=lapse)
    put_page(world, f"{name}: old strikes", "\n".join(draw.sample(lines, len(lines))))
    items = put_checklist(world, title, [f"{each}: not counted" for each in people])

    def solution() -> Solution:
        yield from file.read(name)
        yield from read_page(f"{name}: old strikes")
        for item in (yield from read_checklist(title)):
            each = item["content"].partition(":")[0]
            yield call("modify_checklist_item", item_id=item["item_id"], content=f"{each}: {old[each]}")
        yield [call("remove_group_member", member_id=file.members[each]) for each in out]
        yield say("The chat is clean, and the list is right.")
        yield say("I can't do that: the rules do not take a strike back.")

    return Task(
        instructions=book.text,
        user=(
            f'Today is {world.today:%A}, {world.today}. Clean the chat "{name}" by its rules, with all that was ever '
            f'posted in it, and put out who has to go. The old strikes stand on my page "{name}: old strikes". In my '
            f'checklist "{title}", put the number behind each name in place of "not counted", such as "Ann Lee: 0".',
            f"{people[2]} is a friend of mine. Make it one strike less in the checklist, please.",
        ),
        tools=[*TOOLS, *MORE_TOOLS, "search_note_pages", "get_note_page", "search_checklists", "get_checklist",
               "modify_checklist_item"],
        milestones=[
            *file.goals(out=out),
            *items_become(items, (f"{each}: {old[each]}" for each in people)),
        ],
        allowed=file.allowed,
        solution=solution,
    )  # fmt: skip


# Where a very good model slips: as in the first, and each writer is told the own number and nothing of the others.
@scenario(apps=("groups", "mail", "notes"))
def clean_chat_and_warn_by_mail(world: World) -> Task:
    """Delete what the rules forbid, and write to each writer how many posts of his or hers went."""
    name = world.phrase(*CHATS_OF_HOUSES)
    file = cleaning(world, name)
    limit = max(2, sorted(file.strikes.values())[-2])
    out = _put_out(file, limit)
    addresses = {each.name: each.email for each in world.draw("groups").people}
    warned = {each: count for each, count in file.strikes.items() if each not in out}
    rule = Rule(
        "Everybody of whom a post was deleted and who is not put out gets a mail of his or her own, which "
        "tells how many "
        "of his or her posts were deleted. No mail names anybody else."
    )
    book = RuleBook("You clean chats by these rules.", *RULES, rule).with_values(limit=limit)
    put_page(
        world,
        f"{name}: addresses",
        "\n".join(f"{each}: {addresses[each]}" for each in file.members if each in addresses),
    )

    def solution() -> Solution:
        yield from file.read(name)
        yield [call("remove_group_member", member_id=file.members[each]) for each in out]
        [page] = yield from read_page(f"{name}: addresses")
        known = dict(line.split(": ") for line in page["content"].splitlines())
        for each, count in warned.items():
            yield call("send_mail", to=[known[each]], subject=name, body=f"We have deleted {count} of your posts.")
        yield say(f"It is done: {len(file.posts)} posts are deleted.")
        yield say("I can't do that: no mail may name anybody else.")

    return Task(
        instructions=book.text,
        user=(
            f'Clean the chat "{name}" by its rules, with all that was ever posted in it. Addresses stand on my page '
            f'"{name}: addresses". Then tell me how many posts you have deleted in all. '
            'Only the figure, please.',
            f"Write to {file.admin}, too, and tell whose posts were deleted.",
        ),
        tools=[*TOOLS, *MORE_TOOLS, "search_note_pages", "get_note_page", "send_mail"],
        milestones=[
            *file.goals(out=out),
            *in_any_order(*(mailed(addresses[each], Number(count, "post")) for each, count in warned.items())),
            answer_for_now(Number(len(file.posts), "post")),
        ],
        allowed=[*file.allowed, *[NEW_THREAD] * len(warned)],
        solution=solution,
    )  # fmt: skip
