"""Tools for writing, sending, answering and forwarding mails, and for taking them back."""

from tool_sandbox.apps import NOT_GIVEN, NotGiven, add_all, change, get, now, rows_with, tool
from tool_sandbox.apps.mail.composing import (
    FORWARDED,
    LONGEST_BODY,
    answer_recipients,
    answered,
    answering_identity,
    check_number,
    checked_recipients,
    checked_words,
    get_draft,
    identity,
    prefixed,
    send,
    write_draft,
)
from tool_sandbox.apps.mail.finding import is_waiting, sender_of
from tool_sandbox.apps.mail.tables import ATTACHMENTS, IDENTITIES, MAILS


@tool
def modify_mail_draft(
    mail_id: str,
    subject: str | NotGiven = NOT_GIVEN,
    body: str | NotGiven = NOT_GIVEN,
    to: list[str] | NotGiven = NOT_GIVEN,
    cc: list[str] | NotGiven = NOT_GIVEN,
    bcc: list[str] | NotGiven = NOT_GIVEN,
    identity_id: str | NotGiven = NOT_GIVEN,
) -> None:
    """Change a draft. What is left out stays as it is.

    Args:
        mail_id: Identifier of the draft.
        subject: New subject.
        body: New text, all of it.
        to: All addresses to which it goes from now on.
        cc: All addresses that get a copy from now on.
        bcc: All addresses that get a hidden copy from now on.
        identity_id: Own address from which it is sent.

    Returns:
        Nothing.

    Raises:
        ValueError: Nothing to change was given, the mail is no draft, or a value is refused as by send_mail.
        NoDataError: No mail or no identity has this identifier.
    """
    draft = get_draft(mail_id)
    checked_words(subject, body)
    recipients = checked_recipients(to=to, cc=cc, bcc=bcc)
    check_number(draft | recipients)
    changes = {"subject": subject, "body": body, "to": NOT_GIVEN, "cc": NOT_GIVEN, "bcc": NOT_GIVEN, **recipients}
    sender = {}
    if not isinstance(identity_id, NotGiven):
        own = get(IDENTITIES, identity_id)
        sender = {"from_name": own["name"], "from_address": own["address"]}
    change(MAILS, mail_id, **changes, **sender)
    change(MAILS, mail_id, dated_at=now())


@tool
def send_mail_draft(mail_id: str, send_at: str | None = None, without_attachment: bool = False) -> None:
    """Send a draft, now or at a later time. Needs wifi. It can be taken back until it leaves, as with send_mail.

    Args:
        mail_id: Identifier of the draft.
        send_at: When it leaves, for example 2025-05-14T10:24 in the zone of the device; now if left out.
        without_attachment: Whether it goes out although its text speaks of an attachment and there is none.

    Returns:
        Nothing.

    Raises:
        ValueError: It is no draft, it has no recipients, its attachment is missing, or the time is wrong.
        NoDataError: No mail has this identifier.
        ConnectionError: Wifi is off.
    """
    send(mail_id, send_at, without_attachment)


@tool
def send_mail(
    to: list[str],
    subject: str,
    body: str,
    cc: list[str] | None = None,
    bcc: list[str] | None = None,
    identity_id: str | None = None,
    send_at: str | None = None,
    as_draft: bool = False,
    without_attachment: bool = False,
) -> str:
    """Send a new mail, now or at a later time, or write a draft. Needs wifi unless it becomes a draft.

    A mail that is sent waits for the hold minutes of its identity, or until send_at; until then take_back_mail makes it
    a draft again.

    Args:
        to: Addresses to which it goes; a draft can be without.
        subject: Subject, one line of at most 150 characters.
        body: Text, at most 6000 characters.
        cc: Addresses that get a copy.
        bcc: Addresses that get a copy which the others do not see.
        identity_id: Own address from which it is sent; the default one if left out.
        send_at: When it leaves, for example 2025-05-14T10:24 in the zone of the device; now if left out.
        as_draft: Whether it is kept as a draft, to be changed or to get attachments before it is sent.
        without_attachment: Whether it goes out although its text speaks of an attachment: a new mail has none.

    Returns:
        Identifier of the mail.

    Raises:
        ValueError: An address, a text or the time is refused, there are no recipients or more than 25, or the text
            speaks of an attachment.
        NoDataError: No identity has this identifier.
        ConnectionError: Wifi is off.
    """
    checked_words(subject, body)
    recipients = checked_recipients(to=to, cc=cc, bcc=bcc)
    mail_id = write_draft(recipients, subject, body, identity(identity_id), None)
    if not as_draft:
        send(mail_id, send_at, without_attachment)
    return mail_id


@tool
def reply_to_mail(
    mail_id: str, body: str, reply_all: bool, as_draft: bool = False, without_attachment: bool = False
) -> str:
    """Answer a mail in its thread, from the own address that it came to. Needs wifi unless it becomes a draft.

    The answer goes to the sender, or to all; to a mail of one's own it goes to those who got that. Hidden recipients
    never get it. It can be taken back as with send_mail.

    Args:
        mail_id: Identifier of the mail that is answered.
        body: Text of the answer, at most 6000 characters, without what is answered.
        reply_all: Whether it goes to all others who got the mail, too.
        as_draft: Whether it is kept as a draft, to be changed or to get attachments before it is sent.
        without_attachment: Whether it goes out although its text speaks of an attachment.

    Returns:
        Identifier of the answer.

    Raises:
        ValueError: The mail is a draft, there is nobody to answer, the text is blank or too long, or speaks of an
            attachment.
        NoDataError: No mail has this identifier.
        ConnectionError: Wifi is off.
    """
    mail = answered(mail_id)
    checked_words(NOT_GIVEN, body)
    subject = prefixed("Re:", mail["subject"])
    recipients = answer_recipients(mail, reply_all)
    answer_id = write_draft(recipients, subject, body, answering_identity(mail), mail)
    if not as_draft:
        send(answer_id, None, without_attachment)
    return answer_id


@tool
def forward_mail(mail_id: str, to: list[str], body: str | None = None, as_draft: bool = False) -> str:
    """Send a mail on to others, with its text and its attachments. Needs wifi unless it becomes a draft.

    It can be taken back as with send_mail.

    Args:
        mail_id: Identifier of the mail that is forwarded.
        to: Addresses to which it goes.
        body: What is written above it.
        as_draft: Whether it is kept as a draft, to be changed before it is sent.

    Returns:
        Identifier of the new mail.

    Raises:
        ValueError: The mail is a draft, an address is none, there are none or too many, or the text is blank or, with
            that of the mail, longer than 6000 characters.
        NoDataError: No mail has this identifier.
        ConnectionError: Wifi is off.
    """
    mail = answered(mail_id)
    checked_words(NOT_GIVEN, body)
    block = f"{FORWARDED}\nFrom: {sender_of(mail)}\nDate: {mail['dated_at']}\nSubject: {mail['subject']}\n\n"
    text = f"{body}\n\n{block}{mail['body']}" if body else f"{block}{mail['body']}"
    if len(text) > LONGEST_BODY:
        raise ValueError(f"the mail would have {len(text)} characters, at most {LONGEST_BODY} are accepted")
    subject = prefixed("Fwd:", mail["subject"])
    new_id = write_draft(checked_recipients(to=to), subject, text, answering_identity(mail), mail)
    change(MAILS, new_id, answers_id=None)
    attached = rows_with(ATTACHMENTS, "mail_id", mail_id)
    kept = ("file_name", "size_bytes")
    add_all(ATTACHMENTS, [{"mail_id": new_id} | {name: row[name] for name in kept} for row in attached])
    if not as_draft:
        send(new_id, None, without_attachment=True)
    return new_id


@tool
def take_back_mail(mail_id: str) -> None:
    """Take back a mail that was sent but has not left yet (in:outbox finds them): it becomes a draft again.

    Args:
        mail_id: Identifier of the mail.

    Returns:
        Nothing.

    Raises:
        ValueError: It has left already, or was not sent at all.
        NoDataError: No mail has this identifier.
    """
    mail = get(MAILS, mail_id)
    if mail["kind"] != "sent":
        raise ValueError(f"the mail is a {mail['kind']} one, only mails that were sent can be taken back")
    if not is_waiting(mail):
        raise ValueError(f"the mail left at {mail['dated_at']}, it cannot be taken back anymore")
    change(MAILS, mail_id, kind="draft", folder="drafts", dated_at=now())
