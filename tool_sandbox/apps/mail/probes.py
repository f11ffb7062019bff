"""Errors that are not met by chance."""

from collections.abc import Callable

from tool_sandbox.apps import change, rows_of, rows_with, set_setting
from tool_sandbox.apps.mail.filters import apply_mail_filter, create_mail_filter
from tool_sandbox.apps.mail.reading import get_mail
from tool_sandbox.apps.mail.sending import forward_mail, reply_to_mail, send_mail, send_mail_draft
from tool_sandbox.apps.mail.sorting import move_mail
from tool_sandbox.apps.mail.tables import LABELS, MAILS


def _any(kind: str) -> str:
    return str(rows_with(MAILS, "kind", kind)[0]["mail_id"])


def _offline(call: Callable[[], object]) -> Callable[[], object]:
    """A probe that makes a call without wifi."""

    def probe() -> object:
        set_setting("wifi", on=False)
        return call()

    return probe


def label_too_often() -> None:
    """A filter that gives a sixth label."""
    mail_id, labels = _any("received"), rows_of(LABELS).column("label_id")
    move_mail([mail_id], "inbox")
    change(MAILS, mail_id, label_ids=labels[:5])
    apply_mail_filter(create_mail_filter("Sixth", get_mail(mail_id)["from_address"], [labels[5]]))


PROBES = (
    label_too_often,
    _offline(lambda: send_mail(["beth.novak@example.com"], "Sunday", "Shall I come at noon?")),
    _offline(lambda: send_mail_draft(_any("draft"))),
    _offline(lambda: reply_to_mail(_any("received"), "Yes, gladly.", reply_all=False)),
    _offline(lambda: forward_mail(_any("received"), ["beth.novak@example.com"])),
)
