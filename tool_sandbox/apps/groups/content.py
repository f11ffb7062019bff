"""What is in the chats when a world begins: circles of people who know each other, and what they agree on."""

import datetime
from collections.abc import Callable, Sequence

import attrs

from tool_sandbox.apps import Draw, Size, as_money, seconds_of
from tool_sandbox.apps.groups import phrases
from tool_sandbox.apps.groups.rows import (
    Row,
    chat_row,
    invitation_row,
    member_row,
    option_row,
    person_row,
    poll_row,
    post_row,
    vote_row,
)
from tool_sandbox.apps.groups.tables import (
    CHATS,
    INVITATIONS,
    MEMBERS,
    OPTIONS,
    PEOPLE,
    POLLS,
    POSTS,
    REACTIONS,
    VOTES,
)

COUNTS: dict[Size, tuple[int, int]] = {"small": (6, 4), "medium": (12, 7), "large": (30, 36)}
"""Chats, and what is talked about in each."""


def content(draw: Draw, size: Size) -> dict[str, list[Row]]:
    """Draws the rows of all tables."""
    talk = _Talk(draw)
    chats, topics = COUNTS[size]
    talk.meet(10 if size == "small" else len(draw.people))
    talk.begin(chats)
    for number, chat in enumerate(talk.chats):
        talk.fill(chat, topics, number)
    talk.invite()
    return {
        PEOPLE.name: talk.people,
        CHATS.name: talk.chats,
        MEMBERS.name: talk.members,
        INVITATIONS.name: talk.invitations,
        POSTS.name: sorted(talk.posts, key=lambda row: seconds_of(row["posted_at"])),
        REACTIONS.name: talk.reactions,
        POLLS.name: talk.polls,
        OPTIONS.name: talk.options,
        VOTES.name: talk.votes,
    }


@attrs.define
class _Talk:
    """Rows as they are made, and the chat that is being filled: its members by key, the leader first."""

    draw: Draw
    people: list[Row] = attrs.field(factory=list)
    chats: list[Row] = attrs.field(factory=list)
    members: list[Row] = attrs.field(factory=list)
    invitations: list[Row] = attrs.field(factory=list)
    posts: list[Row] = attrs.field(factory=list)
    reactions: list[Row] = attrs.field(factory=list)
    polls: list[Row] = attrs.field(factory=list)
    options: list[Row] = attrs.field(factory=list)
    votes: list[Row] = attrs.field(factory=list)
    _of_kind: dict[str, list[str]] = attrs.field(factory=dict)
    _circles: dict[str, list[str]] = attrs.field(factory=dict)
    _in_chat: dict[tuple[str, str], Row] = attrs.field(factory=dict)
    _here: list[str] = attrs.field(factory=list)
    _chat: str = ""
    _told: set[datetime.date] = attrs.field(factory=set)

    def meet(self, count: int) -> None:
        """The owner, the people, and two who are called nearly like others."""
        known = [(each.name, each.phone_number, each.relationship or "other") for each in self.draw.people[:count]]
        for person, name in zip(self.draw.people[:2], ("Hartley", "Moreau"), strict=True):
            phone = f"{person.phone_number[:-3]}9{person.phone_number[-2:]}"
            known.append((f"{person.first_name} {name}", phone, "other"))
        owner = self.draw.owner
        self.people = [person_row(self.draw, owner.name, owner.phone_number, is_me=True)]
        for number, (name, phone, kind) in enumerate(known):
            self.people.append(person_row(self.draw, name, phone, wants_invitation=number % 5 == 3))
            self._of_kind.setdefault(kind, []).append(self.people[-1]["person_id"])

    def _some(self, count: int, *kinds: str) -> list[str]:
        """People of some kinds, made up to a number by others."""
        wanted = [key for kind in kinds for key in self._of_kind.get(kind, ())]
        others = [row["person_id"] for row in self.people[1:] if row["person_id"] not in wanted]
        return [*wanted, *self.draw.sample(others, max(0, count - len(wanted)))][: max(count, len(wanted))]

    def _name(self, person_id: str) -> str:
        return next(str(row["name"]).split()[0] for row in self.people if row["person_id"] == person_id)

    # Chats -----------------------------------------------------------------------------------

    def begin(self, count: int) -> None:
        """Circles of people: some led by the owner, one without the person whom it is about."""
        me, family = self.people[0]["person_id"], self._some(4, "partner", "sister", "brother", "aunt")
        heroine = family[1]
        her = self._name(heroine)
        fixed = (
            ("Family", "Who comes when, and with what", [me, *family], 2),
            (f"Gift for {her}", f"{her} must not know of it", [me, family[0], *family[2:]], 1),
            (
                "Harbour Street neighbours",
                "The house and the yard",
                [*self._some(5, "neighbour")[:2], me, *self._some(3)],
                3,
            ),
            ("Thursday choir", "Rehearsals on Thursdays at 19:00", [*self._some(7), me], 1),
            ("Book club", "Once a month, at somebody's home", [me, *self._some(5)], 1),
            ("Second floor", "Who lives there, and who cleans when", self._some(4), 1),
            (f"{her}'s birthday", "The party itself", [heroine, me, *self._some(5)], 1),
            ("Team", "Lunch, shifts and cake; work goes by mail", [*self._some(5, "boss", "coworker"), me], 1),
        )
        for number in range(count):
            if number < len(fixed):
                name, about, circle, admins = fixed[number]
                self._begin(name, about, circle, admins, -700 + number * 20, "admins" if number == 3 else "everybody")
            else:
                city, friends = self.draw.choice(phrases.CITIES), self._some(self.draw.integer(2, 6))
                leader = [me, *friends] if self.draw.chance(0.5) else [*friends, me]
                year = self.draw.today.year - number % 2
                self._begin(f"{city} {year}", "Who books what, and who owes whom", leader, 1, -500 + number * 8)

    def _begin(
        self, name: str, about: str, circle: Sequence[str], admins: int, days: int, posting: str = "everybody"
    ) -> None:
        """A chat, of whose members the first few are admins."""
        here = list(dict.fromkeys(circle))
        created = self.draw.moment(days, 18, self.draw.integer(0, 59))
        chat = chat_row(self.draw, name, about, created, posting)
        self.chats.append(chat)
        self._circles[chat["chat_id"]] = here
        for place, person in enumerate(here):
            # The owner has not looked into some chats for days.
            behind = self.draw.choice((0, 0, 1, 3, 9) if person != self.people[0]["person_id"] else (0, 2, 5, 9))
            read = self.draw.moment(-1 - behind, 22)
            role = "admin" if place < admins else "member"
            self.members.append(member_row(self.draw, chat["chat_id"], person, role, created, read))
            self._in_chat[chat["chat_id"], person] = self.members[-1]

    def invite(self) -> None:
        """Invitations to the owner and to others, open, expired and answered."""
        me = self.people[0]["person_id"]
        for number, name in enumerate(("Garden share", "Sunday hikes", "Sunday hikes (old)")):
            host, *others = self._some(4)
            self._begin(name, "Everybody is welcome", [host, *others], 1, -90 - number)
            expires = self.draw.moment(-20 if "old" in name else 2 + number, 12)
            self.invitations.append(invitation_row(self.draw, self.chats[-1]["chat_id"], me, host, expires, None))
        for number, chat in enumerate(each for each in self.chats if self._circles[each["chat_id"]][0] == me):
            inside = self._circles[chat["chat_id"]]
            guest = self.draw.choice([row["person_id"] for row in self.people if row["person_id"] not in inside])
            answer = self.draw.choice((None, "declined"))
            expires = self.draw.moment(3 - number * 4, 9)
            self.invitations.append(invitation_row(self.draw, chat["chat_id"], guest, me, expires, answer))

    # What is talked about --------------------------------------------------------------------

    def fill(self, chat: Row, topics: int, number: int) -> None:
        """Talk from the oldest to the newest, which ended long ago in a chat that the owner has left."""
        self._chat, self._here = chat["chat_id"], self._circles[chat["chat_id"]]
        kinds: list[Callable[[int], None]] = [self._question, self._cost, self._dishes, self._poll, self._found]
        if chat["posting"] == "admins":
            kinds = [self._rehearsal]
        me = self.people[0]["person_id"]
        since = 0 if me in self._here else 200
        for topic in range(topics):
            day = -since - 2 - (topics - 1 - topic) * 7 - self.draw.integer(0, 1)
            kind = kinds[(topic + number) % len(kinds)] if topic < len(kinds) else self.draw.choice(kinds)
            kind(day)
        if chat["posting"] == "everybody" and number < 4:
            text = self.draw.choice(("I will be a little late today.", "I have the list with me.", "Thank you all!"))
            self._put(post_row(self.draw, self._chat, me, text, self.draw.ago(8 + number * 11)))
        if number % 6 == 2:
            self._post(self._here[-2], self.draw.choice(phrases.SCAMS), -1, 6)

    def _put(self, post: Row) -> None:
        """Adds a post; who writes has read what is there."""
        self.posts.append(post)
        member = self._in_chat[self._chat, post["person_id"]]
        member["read_at"] = max(member["read_at"], post["posted_at"], key=seconds_of)

    def _post(self, person: str, text: str, day: int, hour: int, answers: Row | None = None) -> Row:
        moment = self.draw.moment(day, hour, self.draw.integer(0, 59))
        row = post_row(self.draw, self._chat, person, text, moment, answers["post_id"] if answers else None)
        self._put(row)
        for other in self._here:
            if other != person and self.draw.chance(0.08):
                sign = self.draw.choice(("yes", "heart", "thanks", "laugh"))
                cells = {"post_id": row["post_id"], "person_id": other, "reaction": sign}
                self.reactions.append({"reaction_id": self.draw.key("reaction"), **cells})
        return row

    def _question(self, day: int) -> None:
        asks, knows = self.draw.sample(self._here, 2)
        question, answer = self.draw.choice(phrases.QUESTIONS)
        self._post(knows, answer, day, 12, self._post(asks, question, day, 10))

    def _cost(self, day: int) -> None:
        """Somebody paid for all; some have sent their share."""
        payer, number = self.draw.choice(self._here), len(self._here)
        share = self.draw.integer(8, 90) * 50
        total, each = as_money(share * number, "USD"), as_money(share, "USD")
        text = f"I paid {total} for {self.draw.choice(phrases.COSTS)}, that is {each} for each of the {number} of us."
        post = self._post(payer, text, day, 19)
        post["pinned"] = day > -8
        for person in self._here:
            if person != payer and self.draw.chance(0.6):
                thanks = self.draw.choice(("Sent.", "Done, thank you!", f"{each} are on their way."))
                self._post(person, thanks, day, 20, post)

    def _dishes(self, day: int) -> None:
        """Who brings what, each the usual; one changes their mind."""
        asks, *others = self.draw.sample(self._here, 3)
        post = self._post(asks, "What does everybody bring this time?", day, 9)
        for person in others:
            self._post(person, f"I bring {self._usual(person)}, as always.", day, 11, post)
        other = self.draw.choice(phrases.DISHES)
        if other != self._usual(others[0]) and self.draw.chance(0.4):
            self._post(others[0], f"Sorry, {other} instead, just this once.", day, 18, post)

    def _usual(self, person_id: str) -> str:
        return phrases.DISHES[sum(map(ord, self._name(person_id))) % len(phrases.DISHES)]

    def _found(self, day: int) -> None:
        finder, owner = self.draw.sample(self._here, 2)
        post = self._post(finder, f"Whose is {self.draw.choice(phrases.THINGS)}? It was left at my place.", day, 8)
        if self.draw.chance(0.7):
            self._post(owner, "Mine! I come by tomorrow.", day, 13, post)

    def _rehearsal(self, day: int) -> None:
        """A series of Thursdays, told on Mondays, and now and then another day."""
        today = self.draw.today + datetime.timedelta(days=day)
        monday = today - datetime.timedelta(days=today.weekday())
        if monday in self._told:
            return
        self._told.add(monday)
        thursday, wednesday = (monday + datetime.timedelta(days=days) for days in (3, 2))
        text = f"Rehearsal on Thursday, {thursday:%-d %B}, at 19:00 as usual."
        if self.draw.chance(0.2):
            text = f"This week on Wednesday, {wednesday:%-d %B}, at 18:30: the hall is taken on Thursday."
        self._post(self._here[0], text, day - today.weekday(), 9)

    def _poll(self, day: int) -> None:
        """A question to all; the last ones are still open, and not all have voted."""
        question, texts = self.draw.choice(phrases.POLLS)
        asks, is_old = self.draw.choice(self._here), day < -9
        closes = self.draw.moment(day + 3, 20) if is_old else self.draw.moment(self.draw.integer(1, 4), 18)
        closes_at = closes if is_old or self.draw.chance(0.8) else None
        asked = self.draw.moment(day, 12, self.draw.integer(0, 59))
        poll = poll_row(self.draw, self._chat, asks, question, asked, closes_at)
        poll |= {"several_answers": self.draw.chance(0.2), "secret": self.draw.chance(0.15)}
        options = [option_row(self.draw, poll["poll_id"], text, place) for place, text in enumerate(texts, start=1)]
        self.polls.append(poll)
        self.options += options
        me = self.people[0]["person_id"]
        for person in self._here:
            if self.draw.chance(0.9 if is_old else 0.2 if person == me else 0.6):
                chosen = self.draw.sample(options, 2 if poll["several_answers"] else 1)
                self.votes += [vote_row(self.draw, option, person) for option in chosen]
