"""What the site does with pages that are also read in the repository's file view."""

import posixpath
import re
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^]]+)\]\((\.\./[^)]+)\)")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Shows a link to a file outside of ``docs/`` as its text, since such files are no part of the site."""
    folder = posixpath.dirname(page.file.src_uri)

    def shown(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        return match[1] if target.startswith("../") else match[0]

    return _LINK.sub(shown, markdown)
