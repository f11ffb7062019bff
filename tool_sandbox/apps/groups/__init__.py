"""Groups: chats of several people, members and admins, invitations, polls, and who has read what."""

from tool_sandbox.apps import App
from tool_sandbox.apps.groups.chats import (
    create_group_chat,
    get_group_chat,
    leave_group_chat,
    modify_group_chat,
    search_group_chats,
)
from tool_sandbox.apps.groups.content import content
from tool_sandbox.apps.groups.members import (
    add_group_member,
    answer_group_invitation,
    invite_to_group_chat,
    remove_group_member,
    search_group_invitations,
    search_group_people,
    set_group_role,
)
from tool_sandbox.apps.groups.polls import (
    close_group_poll,
    create_group_poll,
    get_group_poll,
    search_group_polls,
    vote_in_group_poll,
    withdraw_group_vote,
)
from tool_sandbox.apps.groups.posts import (
    delete_group_post,
    edit_group_post,
    get_group_post,
    mark_group_chat_read,
    pin_group_post,
    post_to_group_chat,
    react_to_group_post,
    search_group_posts,
)
from tool_sandbox.apps.groups.probes import PROBES
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

APP = App(
    name="groups",
    title="Groups",
    tables=[PEOPLE, CHATS, MEMBERS, INVITATIONS, POSTS, REACTIONS, POLLS, OPTIONS, VOTES],
    tools=[
        create_group_chat,
        get_group_chat,
        search_group_chats,
        modify_group_chat,
        leave_group_chat,
        search_group_people,
        add_group_member,
        remove_group_member,
        set_group_role,
        invite_to_group_chat,
        search_group_invitations,
        answer_group_invitation,
        post_to_group_chat,
        search_group_posts,
        get_group_post,
        edit_group_post,
        pin_group_post,
        delete_group_post,
        react_to_group_post,
        mark_group_chat_read,
        create_group_poll,
        get_group_poll,
        search_group_polls,
        vote_in_group_poll,
        withdraw_group_vote,
        close_group_poll,
    ],
    content=content,
    words={
        PEOPLE.name: ("person", "people"),
        CHATS.name: ("chat", "chats"),
        MEMBERS.name: ("member", "members"),
        INVITATIONS.name: ("invitation", "invitations"),
        POSTS.name: ("post", "posts"),
        REACTIONS.name: ("reaction", "reactions"),
        POLLS.name: ("poll", "polls"),
        OPTIONS.name: ("option", "options"),
        VOTES.name: ("vote", "votes"),
    },
    needs=("wifi",),
    probes=PROBES,
)
