"""Details of conversations as compressed pages of text, within a limit."""

import base64
import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import attrs

from tool_sandbox.analysis.report.index import encode

PAGE_BYTES = 400_000
"""Uncompressed size at which a page is full: few enough to open one at once, many enough to compress well."""


@attrs.frozen
class DetailsLocation:
    """Where the details of a conversation are.

    Attributes:
        page: Number of the page.
        slot: Position in the page.
    """

    page: int
    slot: int


@attrs.frozen
class Packed:
    """Pages that fit.

    Attributes:
        pages: Texts, each a gzip file in base64 that holds a JSON list.
        places: Key of a conversation to its place; those that did not fit are missing.
        goals: Base scenario to what its user wants.
    """

    pages: list[str]
    places: dict[int, DetailsLocation]


def compressed(value: Any) -> str:
    """A JSON value as a gzip file in base64; equal values give equal texts."""
    return base64.b64encode(gzip.compress(encode(value), 9, mtime=0)).decode("ascii")


def pack(keys: Sequence[int], read: Callable[[int], Any], limit: int) -> Packed:
    """Packs details, most wanted first, until the limit is reached."""
    pages: list[str] = []
    places: dict[int, DetailsLocation] = {}
    for page in _pages(keys, read):
        text = compressed([details for _, details in page])
        if limit < len(text):
            break
        limit -= len(text)
        places.update({key: DetailsLocation(len(pages), slot) for slot, (key, _) in enumerate(page)})
        pages.append(text)
    return Packed(pages, places)


def _pages(keys: Iterable[int], read: Callable[[int], Any]) -> Iterator[list[tuple[int, Any]]]:
    page: list[tuple[int, Any]] = []
    size = 0
    for key in keys:
        details = read(key)
        if details is None:
            continue
        length = len(encode(details))
        if page and size + length > PAGE_BYTES:
            yield page
            page, size = [], 0
        page.append((key, details))
        size += length
    if page:
        yield page
