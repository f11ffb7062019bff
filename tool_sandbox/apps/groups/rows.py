"""Rows as content and scenarios make them."""

from typing import Any

from tool_sandbox.apps import Draw

Row = dict[str, Any]


def person_row(draw: Draw, name: str, phone_number: str, *, is_me: bool = False, wants_invitation: bool = False) -> Row:
    """Somebody whom the service knows."""
    row = {"person_id": draw.key("person"), "name": name, "phone_number": phone_number}
    return row | {"is_me": is_me, "wants_invitation": wants_invitation}


def chat_row(draw: Draw, name: str, about: str | None, created: str, posting: str = "everybody") -> Row:
    """A chat, still without members."""
    row = {"chat_id": draw.key("chat"), "name": name, "about": about, "posting": posting}
    return row | {"muted": False, "created_at": created}


def member_row(draw: Draw, chat_id: str, person_id: str, role: str, joined: str, read: str | None = None) -> Row:
    """A member of a chat."""
    row = {"member_id": draw.key("member"), "chat_id": chat_id, "person_id": person_id}
    return row | {"role": role, "joined_at": joined, "read_at": read}


def post_row(draw: Draw, chat_id: str, person_id: str, content: str, posted: str, answers_id: str | None = None) -> Row:
    """A post in a chat."""
    row = {"post_id": draw.key("post"), "chat_id": chat_id, "person_id": person_id, "answers_id": answers_id}
    return row | {"content": content, "pinned": False, "posted_at": posted, "edited_at": None}


def poll_row(draw: Draw, chat_id: str, person_id: str, question: str, asked: str, closes: str | None) -> Row:
    """A poll of one open answer, still without options."""
    row = {"poll_id": draw.key("poll"), "chat_id": chat_id, "person_id": person_id, "question": question}
    return row | {"several_answers": False, "secret": False, "asked_at": asked, "closes_at": closes}


def option_row(draw: Draw, poll_id: str, content: str, position: int) -> Row:
    """What can be voted for."""
    return {"option_id": draw.key("option"), "poll_id": poll_id, "content": content, "position": position}


def vote_row(draw: Draw, option: Row, person_id: str) -> Row:
    """A vote for an option."""
    row = {"vote_id": draw.key("vote"), "poll_id": option["poll_id"]}
    return row | {"option_id": option["option_id"], "person_id": person_id}


def invitation_row(draw: Draw, chat_id: str, person_id: str, by_id: str, expires: str, answer: str | None) -> Row:
    """An invitation to a chat."""
    row = {"invitation_id": draw.key("invitation"), "chat_id": chat_id, "person_id": person_id}
    return row | {"invited_by_id": by_id, "expires_at": expires, "answer": answer}
