"""Typed facts: answers are graded by what they say, not by how they say it.

A fact reads a text and says whether the text states it, contradicts it, or is silent about it. Readers are
deterministic parsers of English; they never ask a model, the network or the clock. ``AnswerSimilarity`` turns facts
into a score for a message of a trajectory.

What was done is stated by ``Done``, what cannot be done by ``Cannot``, and what was deliberately left undone by
``NotDone(task, about, because)``: "I did not send it, because no rain is expected". Values of several things are
``Paired``, so that each must stand with its own thing; which of several comes first is a ``Leader``.
"""

from tool_sandbox.answers.facts._cannot import Cannot, CannotReason, is_refusal
from tool_sandbox.answers.facts._done import Done, NotDone
from tool_sandbox.answers.facts._entity import Entity, Leader
from tool_sandbox.answers.facts._listing import Absent, Listing, Paired
from tool_sandbox.answers.facts._number import AnyNumber, Duration, Number
from tool_sandbox.answers.facts._phone import AnyPhone, Phone, PhonePart
from tool_sandbox.answers.facts._quote import Quote
from tool_sandbox.answers.facts._reading import AnyOf, Fact, FactBase, Reading
from tool_sandbox.answers.facts._similarity import AnswerSimilarity
from tool_sandbox.answers.facts._states import Boolean, Switch
from tool_sandbox.answers.facts._temporal import Date, DateTime, Time, Weekday
from tool_sandbox.answers.facts._values import Derived, FromTrace

__all__ = ["Absent", "AnyOf", "Cannot", "CannotReason", "Done", "Leader", "Listing", "NotDone", "Paired"]
__all__ += ["AnyNumber", "AnyPhone", "Boolean", "Date", "DateTime", "Duration", "Entity", "Number", "Phone"]
__all__ += ["PhonePart", "Quote", "Switch", "Time", "Weekday"]
__all__ += ["AnswerSimilarity", "Derived", "Fact", "FactBase", "FromTrace", "Reading", "is_refusal"]
