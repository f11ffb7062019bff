"""The page itself: assets of this package in one file, with a policy that lets nothing else run or load."""

import base64
import hashlib
import html
from collections.abc import Iterable, Mapping
from importlib.resources import files

_STYLES = ("base.css", "views.css", "conversation.css")
_SCRIPTS = (
    "dom.js",
    "moments.js",
    "store.js",
    "rows.js",
    "router.js",
    "overview.js",
    "maps.js",
    "board.js",
    "filters.js",
    "table.js",
    "conversation.js",
    "deciding.js",
    "timeline.js",
    "graph.js",
    "side.js",
    "live.js",
    "keys.js",
    "app.js",
)


def page(title: str, data: Mapping[str, str], *, connects: bool = False) -> Iterable[str]:
    """Gives the HTML in pieces."""
    style = "\n".join(map(_asset, _STYLES))
    # One scope for all modules, closed to the outside.
    script = '"use strict";\n(() => {\n' + "\n".join(map(_asset, _SCRIPTS)) + "\n})();\n"
    pieces: dict[str, Iterable[str]] = {
        "policy": [html.escape(policy(style, script, connects=connects))],
        "title": [html.escape(title)],
        "style": [style],
        "script": [script],
        "data": (f'<script type="text/plain" id="{name}">{text}</script>\n' for name, text in data.items()),
    }
    template = _asset("page.html").split("{{")
    yield template[0]
    for part in template[1:]:
        name, rest = part.split("}}", 1)
        yield from pieces[name]
        yield rest


def policy(style: str, script: str, *, connects: bool) -> str:
    """The content security policy: this style, this script, no network beyond the own server."""
    rules = {
        "default-src": "'none'",
        "script-src": _hash(script),
        "style-src": _hash(style),
        "img-src": "data:",
        "connect-src": "'self'" if connects else "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in rules.items())


def _asset(name: str) -> str:
    return files(__package__).joinpath("assets", name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
