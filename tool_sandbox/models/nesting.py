"""JSON that is nested so deeply that nothing could read it."""

import json
import re

DEEPEST = 150
"""Levels of nesting that every reader accepts."""

_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)


def flattened(body: bytes) -> bytes:
    """JSON of bounded depth: what is nested more deeply becomes a text that holds it.

    A model can write arguments of any depth, and servers pass them on; without this its slip would look like one of
    the server.
    """
    if body.count(b"{") + body.count(b"[") <= DEEPEST:
        return body
    parts, depth, start, end = [], 0, 0, 0
    for token in _TOKEN.finditer(body):
        if token.group() in (b"{", b"["):
            depth += 1
            if depth == DEEPEST + 1:
                start = token.start()
        elif token.group() in (b"}", b"]"):
            if depth == DEEPEST + 1:
                text = body[start : token.end()].decode("utf-8", "replace")
                parts += [body[end:start], json.dumps(text).encode()]
                end = token.end()
            depth -= 1
    return b"".join((*parts, body[end:]))
