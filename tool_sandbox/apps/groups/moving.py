"""What others do in group chats, for scenarios in a world that moves."""

from tool_sandbox.apps import add, effect, get, now
from tool_sandbox.apps.groups.rights import member, name_of
from tool_sandbox.apps.groups.tables import CHATS, POSTS


@effect
def post_arrives(chat_id: str, person_id: str, content: str, answers_id: str | None = None) -> str:
    """Somebody posts in a chat, unless the person has left it by then."""
    who, chat = name_of(person_id), get(CHATS, chat_id)["name"]
    if member(chat_id, person_id) is None:
        return f"{who} would have posted in {chat}, but is not in it"
    cells = {"chat_id": chat_id, "person_id": person_id, "answers_id": answers_id, "content": content}
    add(POSTS, **cells, pinned=False, posted_at=now())
    return f"{who} posted in {chat}: {content}"
