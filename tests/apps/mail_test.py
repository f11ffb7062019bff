"""What somebody who uses the mail relies on."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tool_sandbox.apps import Draw, as_moment, rows_of, rows_with, seconds_of
from tool_sandbox.apps.mail.attachments import add_mail_attachment, remove_mail_attachment
from tool_sandbox.apps.mail.filters import apply_mail_filter, create_mail_filter, deliver
from tool_sandbox.apps.mail.labels import create_mail_label, delete_mail_label, get_mail_identities
from tool_sandbox.apps.mail.query import All, AnyOf, Not, Term, parse
from tool_sandbox.apps.mail.reading import get_mail, get_mail_thread, search_mail
from tool_sandbox.apps.mail.rows import attachment_row, mail_row, thread_row
from tool_sandbox.apps.mail.sending import (
    forward_mail,
    modify_mail_draft,
    reply_to_mail,
    send_mail,
    send_mail_draft,
    take_back_mail,
)
from tool_sandbox.apps.mail.sorting import delete_mail_forever, empty_mail_trash, label_mail, mark_mail, move_mail
from tool_sandbox.apps.mail.tables import ATTACHMENTS, IDENTITIES, MAILS, THREADS
from tool_sandbox.apps.registry import find_app
from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext, RoleType, new_context

from .conftest import START, make_context

NORA, CLUB = "nora@example.com", "club@example.org"
DRAW = Draw("mail test")


@pytest.fixture(autouse=True)
def mail() -> Iterator[ExecutionContext]:
    """A world with an empty mailbox and two own addresses."""
    context = make_context("mail")
    with new_context(context):
        context.add_to_database(
            IDENTITIES.name,
            [
                {"identity_id": "me", "name": "Nora", "address": NORA, "is_default": True, "hold_minutes": 2},
                {"identity_id": "club", "name": "Club", "address": CLUB, "is_default": False, "hold_minutes": 0},
            ],
        )
        yield context


def come_in(subject: str = "Lunch", body: str = "At noon?", **cells: Any) -> str:
    thread = thread_row(DRAW, subject)
    given = {"sender": ("Priya", "priya@example.com"), "to": [NORA], "read": False} | cells
    mail = mail_row(DRAW, thread["thread_id"], subject=subject, body=body, dated=as_moment(START), **given)
    return deliver(mail)


def pass_time(context: ExecutionContext, messages: int) -> None:
    """Lets five seconds pass with each message."""
    message = {"sender": RoleType.USER, "recipient": RoleType.AGENT, "content": "Go on."}
    for _ in range(messages):
        context.add_to_database(DatabaseNamespace.SANDBOX, [message])


def found(query: str) -> list[str]:
    return [row["mail_id"] for row in search_mail(query)["results"]]


def test_the_grammar() -> None:
    assert parse('a "b c" from:Priya') == All((Term("", "a"), Term("", "b c"), Term("from", "priya")))
    assert parse("a b OR -c") == AnyOf((All((Term("", "a"), Term("", "b"))), Not(Term("", "c"))))
    assert parse('(a OR subject:"x  Y") is:unread') == All(
        (AnyOf((Term("", "a"), Term("subject", "x y"))), Term("is", "unread"))
    )
    assert parse("re-use at 10:24 or later") == All(
        tuple(Term("", w) for w in ("re-use", "at", "10:24", "or", "later"))
    )


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("fromm:priya", "there is no operator fromm:"),
        ("from: priya", "nothing stands behind from:"),
        ("is:red", "is: takes read, unread"),
        ("before:yesterday", "before: must be a date such as 2025-05-14"),
        ('"open', "a quotation mark is not closed"),
        ("(a", "a ( is not closed"),
        ("a)", "a ) has no ( before it"),
        ("a OR", "something is missing beside OR"),
        ("a -OR", "nothing that can be left out"),
        ("larger:big", "a size is written such as 500k"),
        ("(" * 200, "more than 10 levels"),
        ("-" * 200 + "a", "nothing that can be left out"),
        ("label:none", "there is no label 'none'"),
    ],
)
def test_what_the_grammar_refuses(query: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^query: .*{re.escape(message)}"):
        search_mail(query)


def test_what_operators_find(mail: ExecutionContext) -> None:
    lunch = come_in(body="At noon, or if that is too\nearly, at one?")
    bill = come_in("Invoice for May", "74 dollars", sender=("Fernhill", "billing@fernhill.example"), cc=[CLUB])
    mail.add_to_database(ATTACHMENTS.name, [attachment_row(DRAW, bill, "invoice-7.pdf", 300_000)])
    label_mail([bill], [create_mail_label("To pay")])
    reply_to_mail(lunch, "Gladly.", reply_all=False)
    (answer,) = found("in:outbox")
    for query, wanted in {
        "from:fernhill OR noon": {bill, lunch},
        "from:me": {answer},
        '"too EARLY,"': {lunch},
        "to:me -subject:invoice": {lunch},
        "cc:me": {bill},
        'label:"to PAY"': {bill},
        "has:attachment filename:.pdf larger:299k -larger:1m": {bill},
        "smaller:1k from:priya": {lunch},
        "is:answered": {lunch},
        "is:unanswered in:inbox": {bill},
        "is:unread": {bill, lunch},
        "after:2025-05-14 before:2025-05-15": {bill, lunch, answer},
        "before:2025-05-14": set(),
        "in:sent": set(),
    }.items():
        assert {*found(query)} == wanted, query
    move_mail([bill], "trash")
    assert found("invoice") == []
    assert found("invoice in:anywhere") == found("in:trash") == [bill]
    mark_mail([lunch], read=True, starred=True)
    assert found("is:starred is:read from:priya") == [lunch]


def test_an_answer_goes_to_the_sender_or_to_all_in_its_thread() -> None:
    to, cc = [CLUB, "beth@example.com"], ["diego@example.com", NORA]
    asked = come_in("Re: Vote", "For or against?", to=to, cc=cc)
    one, all_ = (get_mail(reply_to_mail(asked, "For.", reply_all=each)) for each in (False, True))
    assert (one["to"], one["cc"], one["subject"], one["answers_id"]) == (["priya@example.com"], [], "Re: Vote", asked)
    assert (all_["to"], all_["cc"]) == (["priya@example.com", "beth@example.com"], ["diego@example.com"])
    assert one["from_address"] == CLUB, "an answer comes from the address that was written to"
    again = get_mail(reply_to_mail(one["mail_id"], "And who pays?", reply_all=False))
    assert again["to"] == ["priya@example.com"], "to an own mail, those who got it are answered"
    assert get_mail_thread(one["thread_id"])["total"] == 4


def test_a_mail_can_be_taken_back_until_it_leaves(mail: ExecutionContext) -> None:
    first = send_mail(["beth@example.com"], "Sunday", "At noon.")
    assert (get_mail(first)["state"], get_mail(first)["dated_at"]) == ("waiting", "2025-05-14T10:26:00-07:00")
    with pytest.raises(ValueError, match="has not left yet, take it back first"):
        move_mail([first], "trash")
    take_back_mail(first)
    assert get_mail(first)["state"] == "draft"
    modify_mail_draft(first, body="At one.")
    send_mail_draft(first)
    pass_time(mail, 10_000)
    assert get_mail(first)["state"] == "sent"
    with pytest.raises(ValueError, match="it cannot be taken back anymore"):
        take_back_mail(first)
    later = send_mail(["beth@example.com"], "Monday", "Good morning.", send_at="2025-05-19T08:00")
    assert found("in:outbox") == [later]
    take_back_mail(later)
    at_once = send_mail(["beth@example.com"], "Club", "Hello.", identity_id="club")
    assert get_mail(at_once)["state"] == "sent"


def test_a_promised_attachment_is_missed() -> None:
    with pytest.raises(ValueError, match="add one with add_mail_attachment"):
        send_mail(["beth@example.com"], "Photos", "They are attached.")
    assert len(rows_of(MAILS)) == len(rows_of(THREADS)) == 0
    draft = send_mail([], "Photos", "They are attached.", as_draft=True)
    with pytest.raises(ValueError, match="no recipients"):
        send_mail_draft(draft)
    modify_mail_draft(draft, to=["Beth@Example.com"])
    attachment = add_mail_attachment(draft, "photos.zip", 20_000_000)
    with pytest.raises(ValueError, match="at most 25000000 are accepted"):
        add_mail_attachment(draft, "more.zip", 6_000_000)
    send_mail_draft(draft)
    with pytest.raises(ValueError, match="is no draft"):
        remove_mail_attachment(attachment)
    forwarded = get_mail(forward_mail(draft, ["diego@example.com"], "See below."))
    assert forwarded["subject"] == "Fwd: Photos"
    assert "From: Nora <nora@example.com>" in forwarded["body"]
    assert [row["file_name"] for row in forwarded["attachments"]] == ["photos.zip"]


def test_filters_treat_what_comes_in() -> None:
    before, label = come_in("Newsletter 1", "News"), create_mail_label("Reading")
    rule = create_mail_filter("News", "subject:newsletter -from:beth", [label], folder="archive", marks_read=True)
    after = get_mail(come_in("Newsletter 2", "News"))
    assert (after["folder"], after["read"], after["labels"]) == ("archive", True, ["Reading"])
    assert get_mail(before)["labels"] == []
    assert (apply_mail_filter(rule), apply_mail_filter(rule)) == (1, 0)
    assert get_mail(come_in("Newsletter 3", "x", sender=("Beth", "beth@example.com")))["folder"] == "inbox"
    with pytest.raises(ValueError, match="delete that first"):
        delete_mail_label(label)
    with pytest.raises(ValueError, match="a filter cannot use label:"):
        create_mail_filter("Other", "label:reading", [label])


def test_deleting_takes_two_steps_and_a_number() -> None:
    asked = come_in()
    answer = reply_to_mail(asked, "Yes.", reply_all=False)
    with pytest.raises(ValueError, match="move it to trash first"):
        delete_mail_forever([asked])
    move_mail([asked], "trash")
    with pytest.raises(ValueError, match="1 mails are in trash, not 2"):
        empty_mail_trash(2)
    empty_mail_trash(1)
    assert get_mail(answer)["answers_id"] is None
    take_back_mail(answer)
    move_mail([answer], "trash")
    delete_mail_forever([answer])
    assert len(rows_of(THREADS)) == 0


def test_content_is_consistent() -> None:
    with new_context(make_context("mail")) as context:
        find_app("mail").fill(context, Draw("mail", 3), "large")  # type: ignore[arg-type]
        times = {row["mail_id"]: seconds_of(row["dated_at"]) for row in rows_of(MAILS)}
        assert all(times[row["answers_id"]] < times[row["mail_id"]] for row in rows_of(MAILS) if row["answers_id"])
        assert {row["thread_id"] for row in rows_of(THREADS)} == {*rows_of(MAILS).column("thread_id")}
        corrected = found('in:anywhere "was wrong"')
        assert corrected
        assert all("replaces it" in get_mail(mail_id)["body"] for mail_id in corrected)
        assert rows_with(MAILS, "folder", "spam")
        assert [row["is_default"] for row in get_mail_identities()] == [True, False]
