"""Prompt formats of models whose servers know nothing of tools: a request as one text, and calls out of another."""

from collections.abc import Callable, Mapping

import attrs

from tool_sandbox.models.formats import cohere, gorilla, hermes, mistral
from tool_sandbox.models.formats.calls import Parsed, Tools
from tool_sandbox.models.messages import ModelRequest

__all__ = ["FORMATS", "Format", "Parsed", "Tools"]


@attrs.frozen
class Format:
    """One prompt format.

    Attributes:
        render: Writes a request as a prompt. Marks of the format that occur in its contents are broken up.
        parse: Reads the model's turn: what it said and called, given the tools that were offered. Raises nothing.
        stop: Texts at which the model's turn is over.
        max_tokens: Largest number of tokens of a reply by default.
        wants_to_answer: Whether a turn is the model's wish to be asked again for an answer in words.
    """

    render: Callable[[ModelRequest], str]
    parse: Callable[[str, Tools], Parsed]
    stop: tuple[str, ...]
    max_tokens: int = 1024
    wants_to_answer: Callable[[str], bool] = lambda text: False


FORMATS: Mapping[str, Format] = {
    "hermes": Format(hermes.render, hermes.parse, hermes.STOP, max_tokens=2048),
    "gorilla": Format(gorilla.render, gorilla.parse, gorilla.STOP),
    "mistral": Format(mistral.render, mistral.parse, mistral.STOP),
    "cohere": Format(cohere.render, cohere.parse, cohere.STOP, wants_to_answer=cohere.wants_to_answer),
}
"""Name to format."""
