"""How mails are written and sent, whichever tool does it."""

import re
from typing import Any

from tool_sandbox.apps import (
    NotGiven,
    add,
    as_moment,
    change,
    checked_moment,
    checked_text,
    checked_texts,
    current_device,
    get,
    need_setting,
    now,
    rows_of,
    rows_with,
    seconds_of,
)
from tool_sandbox.apps.mail.tables import ATTACHMENTS, IDENTITIES, MAILS, THREADS

LONGEST_SUBJECT = 150
LONGEST_BODY = 6_000
LONGEST_ADDRESS = 80
MOST_RECIPIENTS = 25
LATEST_DAYS = 366
FORWARDED = "---------- Forwarded mail ----------"

_ADDRESS = re.compile(r"[\w.+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+", re.ASCII)
_SPEAKS_OF_ATTACHMENT = re.compile(r"\b(attached|attachments?|enclosed)\b", re.IGNORECASE)


def own_addresses() -> set[str]:
    """All addresses of the owner."""
    return set(rows_of(IDENTITIES).column("address"))


def identity(identity_id: str | None) -> dict[str, Any]:
    """The identity with a key, or the default one."""
    if identity_id is not None:
        return get(IDENTITIES, identity_id)
    defaults = rows_with(IDENTITIES, "is_default", True)
    if not defaults:
        raise ValueError("there is no identity from which mail could be sent")
    return defaults[0]


def checked_recipients(**given: Any) -> dict[str, Any]:
    """Addresses of ``to``, ``cc`` and ``bcc``, in lower case; those that were left out stay out."""
    lists = {name: _checked_addresses(value, name) for name, value in given.items()}
    return {name: value for name, value in lists.items() if not isinstance(value, NotGiven)}


def _checked_addresses(value: Any, name: str) -> Any:
    if isinstance(value, NotGiven):
        return value
    addresses = [each.strip().lower() for each in value or []]
    for address in checked_texts(addresses, name, longest=LONGEST_ADDRESS, most=MOST_RECIPIENTS):
        if not _ADDRESS.fullmatch(address):
            raise ValueError(f"{name} takes addresses such as name@example.com, got {address[:40]!r}")
    return list(dict.fromkeys(addresses))


def checked_words(subject: Any, body: Any) -> None:
    """Checks a subject and a body, or what marks that they were left out."""
    if isinstance(subject, str) and "\n" in subject:
        raise ValueError("subject must be one line")
    checked_text(subject, "subject", LONGEST_SUBJECT)
    checked_text(body, "body", LONGEST_BODY)


def write_draft(
    recipients: dict[str, list[str]], subject: str, body: str, sender: dict[str, Any], answers: dict[str, Any] | None
) -> str:
    """Adds a draft, in a thread of its own or in that of the mail which it answers."""
    check_number(recipients)
    return add(
        MAILS,
        thread_id=answers["thread_id"] if answers else add(THREADS, subject=subject),
        answers_id=answers["mail_id"] if answers else None,
        kind="draft",
        folder="drafts",
        from_name=sender["name"],
        from_address=sender["address"],
        **{"to": [], "cc": [], "bcc": []} | recipients,
        subject=subject,
        body=body,
        dated_at=now(),
        read=True,
        starred=False,
        label_ids=[],
    )


def check_number(mail: dict[str, Any]) -> None:
    """Refuses a mail to too many."""
    number = sum(len(mail.get(name, ())) for name in ("to", "cc", "bcc"))
    if number > MOST_RECIPIENTS:
        raise ValueError(f"the mail would go to {number} recipients, at most {MOST_RECIPIENTS} are accepted")


def get_draft(mail_id: str) -> dict[str, Any]:
    """The draft with a key."""
    mail = get(MAILS, mail_id)
    if mail["kind"] != "draft" or mail["folder"] != "drafts":
        raise ValueError(f"mail {mail_id} is no draft in drafts (it is a {mail['kind']} one in {mail['folder']})")
    return mail


def send(mail_id: str, send_at: str | None, without_attachment: bool) -> None:
    """Sends a draft: it waits for a while, or until a given time, and leaves then."""
    need_setting("wifi", "sending mail")
    mail = get_draft(mail_id)
    if not (mail["to"] or mail["cc"] or mail["bcc"]):
        raise ValueError("the mail has no recipients; give it some first")
    has_attachment = without_attachment or rows_with(ATTACHMENTS, "mail_id", mail_id)
    if not has_attachment and _SPEAKS_OF_ATTACHMENT.search(mail["body"].partition(FORWARDED)[0]):
        raise ValueError(
            "the text speaks of an attachment, but there is none: write it with as_draft=True, add one with "
            "add_mail_attachment and use send_mail_draft, or send with without_attachment=True"
        )
    change(MAILS, mail_id, kind="sent", folder="sent", dated_at=_leaves_at(mail, send_at))


def _leaves_at(mail: dict[str, Any], send_at: str | None) -> str:
    begins = current_device().now()
    if send_at is None:
        own = rows_with(IDENTITIES, "address", mail["from_address"])
        return as_moment(begins + 60 * (own[0]["hold_minutes"] if own else 0))
    moment = checked_moment(send_at, "send_at")
    if not begins < seconds_of(moment) <= begins + LATEST_DAYS * 86_400:
        raise ValueError(f"send_at must be in the future and within a year, got {send_at[:40]!r}")
    return moment


# Answers --------------------------------------------------------------------------------------


def prefixed(prefix: str, subject: str) -> str:
    """A subject with ``Re:`` or ``Fwd:`` before it, once."""
    bare = re.sub(r"^((re|fwd):\s*)+", "", subject, flags=re.IGNORECASE)
    return f"{prefix} {bare}"[:LONGEST_SUBJECT].rstrip()


def answered(mail_id: str) -> dict[str, Any]:
    """The mail that is to be answered or forwarded."""
    mail = get(MAILS, mail_id)
    if mail["kind"] == "draft":
        raise ValueError("a draft cannot be answered or forwarded; change it with modify_mail_draft and send it")
    return mail


def answering_identity(mail: dict[str, Any]) -> dict[str, Any]:
    """The identity that a mail came to, or was sent from; the default one if it is none."""
    for address in (mail["from_address"], *mail["to"], *mail["cc"]):
        if own := rows_with(IDENTITIES, "address", address.lower()):
            return own[0]
    return identity(None)


def answer_recipients(mail: dict[str, Any], reply_all: bool) -> dict[str, list[str]]:
    """Who gets an answer: the sender, or all who have the mail, never the owner; of an own mail, those it went to."""
    own = own_addresses()
    is_own = mail["from_address"] in own
    to = mail["to"] if is_own else [mail["from_address"]]
    if reply_all and not is_own:
        to = [*to, *mail["to"]]
    to = [address for address in dict.fromkeys(to) if address not in own] or to[:1] or mail["cc"][:1]
    cc = [address for address in mail["cc"] if address not in own and address not in to] if reply_all else []
    if not to:
        raise ValueError("the mail went to hidden recipients only; send them a new mail")
    return {"to": to, "cc": cc}
