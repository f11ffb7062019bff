"""Mail: threads, labels, drafts, attachments, filters, searches by operators, and sending that can be taken back."""

from tool_sandbox.apps import App
from tool_sandbox.apps.mail.attachments import add_mail_attachment, remove_mail_attachment
from tool_sandbox.apps.mail.content import content
from tool_sandbox.apps.mail.filters import (
    apply_mail_filter,
    create_mail_filter,
    delete_mail_filter,
    search_mail_filters,
)
from tool_sandbox.apps.mail.labels import create_mail_label, delete_mail_label, get_mail_identities, search_mail_labels
from tool_sandbox.apps.mail.probes import PROBES
from tool_sandbox.apps.mail.reading import get_mail, get_mail_thread, search_mail
from tool_sandbox.apps.mail.sending import (
    forward_mail,
    modify_mail_draft,
    reply_to_mail,
    send_mail,
    send_mail_draft,
    take_back_mail,
)
from tool_sandbox.apps.mail.sorting import delete_mail_forever, empty_mail_trash, label_mail, mark_mail, move_mail
from tool_sandbox.apps.mail.tables import ATTACHMENTS, FILTERS, IDENTITIES, LABELS, MAILS, THREADS

APP = App(
    name="mail",
    title="Mail",
    tables=[IDENTITIES, THREADS, LABELS, MAILS, ATTACHMENTS, FILTERS],
    tools=[
        search_mail,
        get_mail,
        get_mail_thread,
        send_mail,
        modify_mail_draft,
        send_mail_draft,
        reply_to_mail,
        forward_mail,
        take_back_mail,
        add_mail_attachment,
        remove_mail_attachment,
        mark_mail,
        move_mail,
        label_mail,
        delete_mail_forever,
        empty_mail_trash,
        create_mail_label,
        search_mail_labels,
        delete_mail_label,
        create_mail_filter,
        search_mail_filters,
        apply_mail_filter,
        delete_mail_filter,
        get_mail_identities,
    ],
    content=content,
    words={
        IDENTITIES.name: ("identity", "identities"),
        THREADS.name: ("thread", "threads"),
        LABELS.name: ("label", "labels"),
        MAILS.name: ("mail", "mails"),
        ATTACHMENTS.name: ("attachment", "attachments"),
        FILTERS.name: ("filter", "filters"),
    },
    needs=("wifi",),
    probes=PROBES,
)
