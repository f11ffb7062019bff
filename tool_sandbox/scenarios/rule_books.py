"""Rule books: one text that the agent reads, and the checks that hold it to that text.

    BOOK = RuleBook(
        "Rules of the desk.",
        Rule("Refund at most {limit} without an approval code.", lambda say: added(REFUNDS, amount=Above(say.limit))),
        Rule("Write to customers in English."),
    )
    rules = BOOK.with_values(limit=Money(5000))
    Task(instructions=rules.text, never=rules.never, ...)

Text and checks take their values from the same place, so they cannot drift apart. A rule is a minefield; what a rule
demands is a milestone of the task.
"""

import string
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import attrs

from tool_sandbox.scenarios.vocabulary import Node
from tool_sandbox.world.errors import ScenarioError

Breach = Callable[[Any], Node]
"""What breaks a rule, made of the values of the book, which are its attributes."""


@attrs.frozen(init=False)
class Rule:
    """One rule.

    Attributes:
        text: What it says, with values of the book in braces.
        breaches: What breaks it: functions from the values to a node, one for each way of breaking it. None for a
            rule that milestones measure.
    """

    text: str
    breaches: tuple[Breach, ...]

    def __init__(self, text: str, *breaches: Breach) -> None:
        self.__attrs_init__(text, breaches)

    @property
    def values(self) -> set[str]:
        """Names of the values that its text mentions."""
        return {name for _, name, _, _ in string.Formatter().parse(self.text) if name}


@attrs.frozen
class Rules:
    """A rule book with its values.

    Attributes:
        text: What the agent is told: a numbered list.
        never: What breaks a rule.
    """

    text: str
    never: tuple[Node, ...]


@attrs.frozen(init=False)
class RuleBook:
    """Rules in the order in which they are told.

    Attributes:
        title: What stands above them.
        rules: The rules.
    """

    title: str
    rules: tuple[Rule, ...]

    def __init__(self, title: str, *rules: Rule) -> None:
        self.__attrs_init__(title, rules)

    def with_values(self, **values: Any) -> Rules:
        """The book of one world.

        Raises:
            ScenarioError: A rule mentions a value that is not given, or one is given that none mentions.
        """
        mentioned = {name for rule in self.rules for name in rule.values}
        if mentioned != values.keys():
            raise ScenarioError(f"{self.title}: the rules mention {sorted(mentioned)}, and {sorted(values)} are given")
        said = SimpleNamespace(**values)
        lines = [f"{number}. {rule.text.format(**values)}" for number, rule in enumerate(self.rules, 1)]
        breaches = tuple(breach(said) for rule in self.rules for breach in rule.breaches)
        return Rules("\n".join((self.title, *lines)), breaches)
