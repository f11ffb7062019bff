"""Tools for marking, filing and deleting mails."""

from typing import Any, Literal

from tool_sandbox.apps import NOT_GIVEN, NotGiven, change, get, remove, remove_with, rows_with, tool
from tool_sandbox.apps.mail.finding import is_waiting
from tool_sandbox.apps.mail.tables import ATTACHMENTS, FOLDERS, LABELS, MAILS, THREADS

MOST_AT_ONCE = 100
MOST_LABELS = 5


def _mails(mail_ids: list[str]) -> list[dict[str, Any]]:
    if not 1 <= len(mail_ids) <= MOST_AT_ONCE:
        raise ValueError(f"mail_ids must have from 1 to {MOST_AT_ONCE} entries, got {len(mail_ids)}")
    return [get(MAILS, mail_id) for mail_id in dict.fromkeys(mail_ids)]


def labelled(label_ids: list[str], more: list[str], fewer: list[str]) -> list[str]:
    """Labels of a mail after some were added and others removed."""
    labels = [each for each in dict.fromkeys([*label_ids, *more]) if each not in fewer]
    if len(labels) > MOST_LABELS:
        raise ValueError(f"a mail would have {len(labels)} labels, at most {MOST_LABELS} are accepted")
    return labels


def erase(mail_id: str) -> None:
    """Removes a mail with what is attached to it, and its thread if nothing else is in that."""
    mail = remove(MAILS, mail_id)
    remove_with(ATTACHMENTS, "mail_id", mail_id)
    for answer in rows_with(MAILS, "answers_id", mail_id):
        change(MAILS, answer["mail_id"], answers_id=None)
    if not rows_with(MAILS, "thread_id", mail["thread_id"]):
        remove(THREADS, mail["thread_id"])


@tool
def mark_mail(mail_ids: list[str], read: bool | NotGiven = NOT_GIVEN, starred: bool | NotGiven = NOT_GIVEN) -> None:
    """Mark mails as read or unread, and with or without a star. What is left out stays as it is.

    Args:
        mail_ids: Identifiers of the mails, at most 100.
        read: Whether they count as read.
        starred: Whether they have a star.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, or no mails or too many.
        NoDataError: No mail has one of these identifiers.
    """
    for mail in _mails(mail_ids):
        change(MAILS, mail["mail_id"], read=read, starred=starred)


@tool
def move_mail(mail_ids: list[str], folder: Literal["inbox", "archive", "spam", "trash", "sent", "drafts"]) -> None:
    """Move mails to a folder: all of them or, if one cannot go there, none.

    Mails that were received go to inbox, archive, spam and trash; those that were sent to sent and trash; drafts to
    drafts and trash.

    Args:
        mail_ids: Identifiers of the mails, at most 100.
        folder: Where they go.

    Returns:
        Nothing.

    Raises:
        ValueError: A mail cannot be in this folder or has not left yet, or there are no mails or too many.
        NoDataError: No mail has one of these identifiers.
    """
    for mail in _mails(mail_ids):
        if folder not in FOLDERS[mail["kind"]]:
            options = " or ".join(FOLDERS[mail["kind"]])
            raise ValueError(f"mail {mail['mail_id']} is a {mail['kind']} one, it can be in {options}")
        if is_waiting(mail) and mail["folder"] == "sent" and folder == "trash":
            raise ValueError(f"mail {mail['mail_id']} has not left yet, take it back first with take_back_mail")
        change(MAILS, mail["mail_id"], folder=folder)


@tool
def label_mail(mail_ids: list[str], label_ids: list[str], action: Literal["add", "remove"] = "add") -> None:
    """Put labels on mails, or take labels off them. Other labels that they have stay.

    Args:
        mail_ids: Identifiers of the mails, at most 100.
        label_ids: Identifiers of the labels; a mail has at most five.
        action: Whether the mails get the labels or lose them.

    Returns:
        Nothing.

    Raises:
        ValueError: No label was given, a mail would have too many, or there are no mails or too many.
        NoDataError: No mail or no label has one of these identifiers.
    """
    if not label_ids:
        raise ValueError("label_ids must not be empty")
    for label_id in label_ids:
        get(LABELS, label_id)
    more, fewer = (label_ids, []) if action == "add" else ([], label_ids)
    for mail in _mails(mail_ids):
        change(MAILS, mail["mail_id"], label_ids=labelled(mail["label_ids"], more, fewer))


@tool
def delete_mail_forever(mail_ids: list[str]) -> None:
    """Delete mails in trash or spam for good, with their attachments. Others have to be moved to trash first.

    Args:
        mail_ids: Identifiers of the mails, at most 100.

    Returns:
        Nothing.

    Raises:
        ValueError: A mail is neither in trash nor in spam, or there are no mails or too many.
        NoDataError: No mail has one of these identifiers.
    """
    for mail in _mails(mail_ids):
        if mail["folder"] not in ("trash", "spam"):
            raise ValueError(f"mail {mail['mail_id']} is in {mail['folder']}; move it to trash first with move_mail")
        erase(mail["mail_id"])


@tool
def empty_mail_trash(mails: int) -> None:
    """Delete all mails in trash for good.

    Args:
        mails: Number of mails that the user agreed to lose, which is the total of search_mail with in:trash.

    Returns:
        Nothing.

    Raises:
        ValueError: Another number of mails is in trash.
    """
    doomed = rows_with(MAILS, "folder", "trash")
    if mails != len(doomed):
        raise ValueError(f"{len(doomed)} mails are in trash, not {str(mails)[:20]}; ask the user before all are lost")
    for mail in doomed:
        erase(mail["mail_id"])
