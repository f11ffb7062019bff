"""The course of a conversation: ended too early or never, questions left unanswered, the same thing said again."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tool_sandbox.common.dialogue import (
    asks_permission,
    is_offer_of_more,
    is_unfinished,
    proposes_change,
    questions,
    reports_completion,
    reports_obstacle,
    without_dictated_questions,
)
from tool_sandbox.common.fidelity.conversation import Conversation, Line
from tool_sandbox.common.fidelity.finding import Finding, FindingKind
from tool_sandbox.common.fidelity.texts import (
    contains,
    content_words,
    is_consent,
    is_courtesy,
    is_ignorance,
    is_reaction,
    is_verdict,
    likeness,
    reports_failure,
    share,
    words,
)
from tool_sandbox.common.script import Knows

COVERED = 0.34
"""Share of the content words of a line by which a user who puts it in other words has said it."""

HINTED = 0.2
"""Share from which on a user who has said too little to have said all may have said it together with something else."""

ALIKE = 0.85
"""Likeness from which on two texts count as the same."""

_AGENT_REPEATS = 5
_SHORTEST_REPETITION = 3
_REFRAIN = 3
_SHORTEST_STATEMENT = 4


def ended_early(conversation: Conversation) -> Iterator[Finding]:
    """Finds an end with a request not made, a question not answered, or before the agent has come to anything.

    A user whose patience is exhausted may end the conversation at any time.
    """
    heard = conversation.agent_lines
    if conversation.end_index is None or not heard:
        return
    unmade = _requests_not_made(conversation)
    if _is_exhausted(conversation, len(unmade)):
        return
    last = heard[-1].text
    if unmade:
        reason = f"ends the conversation before it has said {unmade[0]!r}"
    elif not last.strip() or is_unfinished(last):
        reason = "ends the conversation before the agent has come to anything"
    elif (question := _answerable(conversation, last)) is not None:
        reason = f"ends the conversation in place of answering {question!r}"
    else:
        return
    yield Finding(FindingKind.ENDED_EARLY, conversation.end_index, last, reason)


def _is_exhausted(conversation: Conversation, unmade: int) -> bool:
    """Whether the agent has had more tries than a user is patient, not counting those that a new request followed."""
    heard = [line.text for line in conversation.agent_lines]
    statements = sum(bool(text.strip()) and not questions(text) and not is_unfinished(text) for text in heard)
    followed = min(len(conversation.script.turns) - unmade, statements)
    return len(heard) - followed > conversation.script.patience


def _requests_not_made(conversation: Conversation) -> list[str]:
    """The later requests of a script that no message of the user covers."""
    said, turns = [line.text for _, line in conversation.replies], conversation.script.turns
    # Whoever has said as much as there was to ask for has probably done so in words of his own.
    has_said_enough = sum(not is_courtesy(text) for text in said) >= len(turns)
    least = 0.01 if has_said_enough else HINTED
    return [turn for turn in turns if max((share(turn, text) for text in said), default=0.0) < least]


def _answerable(conversation: Conversation, last: str) -> str | None:
    """The question in the last message of the agent that the user should have answered, if there is one."""
    asked, script = _questions(conversation, last), conversation.script
    if not asked or is_offer_of_more(last, asked):
        return None
    told = [line.text for line in conversation.user_lines()]
    is_report = reports_completion(last) or reports_failure(last)
    is_about_change = proposes_change(
        " ".join((script.opening, *script.turns)) if conversation.is_scripted else told[-1]
    )
    about_facts = (each for each in asked if _facts(script.knows, conversation, [each], told))
    for_permission = (
        each
        for each in asked
        if asks_permission(each)
        and (reports_obstacle(last) or (is_about_change and proposes_change(each) and not is_report))
    )
    if (found := next(itertools.chain(about_facts, for_permission), None)) is not None:
        return found
    is_decided = not conversation.is_scripted or any(is_verdict(line.text) for _, line in conversation.replies)
    return None if is_decided else next((each for each in asked if not asks_permission(each)), None)


def _questions(conversation: Conversation, text: str) -> list[str]:
    return questions(without_dictated_questions(text, conversation.script.lines))


def _facts(known: Iterable[Knows], conversation: Conversation, asked: list[str], told: Sequence[str]) -> list[Knows]:
    """The facts that questions are about and that the user has not told yet."""
    return [
        fact
        for fact in known
        if fact.reply not in conversation.script.turns
        and any(re.search(fact.topic, sentence, re.IGNORECASE) for sentence in asked)
        and not any(share(fact.reply, text) >= COVERED for text in told)
    ]


def never_ended(conversation: Conversation) -> Iterator[Finding]:
    """Finds a user that went on although there was nothing left to say; for conversations that were cut off."""
    replies = list(conversation.replies)
    needless = [
        line
        for heard, line in replies
        if reports_completion(heard.text) and not questions(heard.text) and _is_needless(conversation, line)
    ]
    counts = Counter(tuple(words(line.text)) for line in conversation.agent_lines)
    times = max(counts.values(), default=0)
    if len(needless) > 1:
        last, detail = needless[-1], f"goes on after the agent has reported {len(needless)} times that it is done"
    elif times >= _AGENT_REPEATS and replies:
        last, detail = replies[-1][1], f"goes on although the agent says the same thing {times} times"
    else:
        return
    yield Finding(FindingKind.NEVER_ENDED, last.index, last.text, detail)


def _is_needless(conversation: Conversation, line: Line) -> bool:
    if not conversation.is_scripted:
        return is_courtesy(line.text) or _said_before(conversation, line) is not None
    return not any(share(turn, line.text) >= COVERED for turn in conversation.script.turns)


def ignored_questions(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds a reply to a question about what the user knows, or for permission, that does not take it up."""
    asked, script = _questions(conversation, heard.text), conversation.script
    is_offer = is_offer_of_more(heard.text, asked)
    if not asked or is_offer or "?" in line.text or _is_other_line(conversation, line.text):
        return
    told = [earlier.text for earlier in conversation.user_lines(line.index)]
    facts = _facts(script.knows, conversation, asked, told)
    everyday = _facts(script.everyday, conversation, [each for each in asked if not asks_permission(each)], told)
    if not facts and everyday and is_ignorance(line.text):
        yield f"does not know what everybody knows: {everyday[0].reply!r}"
        return
    # Words of the agent choose from what it has offered, and so do figures.
    is_answer = bool(content_words(line.text) & content_words(heard.text))
    if facts:
        is_told = any(share(fact.reply, line.text) > 0 for fact in facts)
        is_answer = is_answer or is_told or is_verdict(line.text) or bool(re.search(r"\d", line.text))
    elif all(map(asks_permission, asked)):
        is_answer = is_answer or is_reaction(line.text)
    else:
        return
    if not is_answer:
        yield f"does not answer {asked[0]!r}"


def commissions(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds consent to an offer that comes with what the user wanted; what its script has it say is none."""
    asked, told = _questions(conversation, heard.text), words(heard.text)
    has_it = any(contains(told, words(meant)) for meant in conversation.script.means)
    is_offer = bool(asked) and is_offer_of_more(heard.text, asked, is_answered=has_it)
    if is_offer and is_consent(line.text) and not _is_other_line(conversation, line.text):
        yield f"commissions more than its task: {asked[0]!r}"


def _is_other_line(conversation: Conversation, text: str) -> bool:
    """Whether a text is something that the script has the user say: it may change its mind in place of an answer."""
    return any(share(own, text) >= COVERED for own in conversation.script.lines if content_words(own))


def repetitions(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds what a user says again after a message that neither asks for it nor speaks of a difficulty."""
    earlier = _said_before(conversation, line)
    if earlier is None or is_courtesy(line.text):
        return
    if _calls_for_insistence(heard.text):
        if _is_refrain(conversation, line) and not _is_other_line(conversation, line.text):
            yield "says the same thing whatever it is asked"
        return
    # Two requests of a script may be alike.
    likenesses = [(likeness(own, line.text), likeness(own, earlier.text)) for own in conversation.script.lines]
    if not any(now >= ALIKE and before < now for now, before in likenesses):
        yield f"says again what it has said in message {earlier.index}"


def _said_before(conversation: Conversation, line: Line) -> Line | None:
    """An earlier message of the user that says the same."""
    if len(content_words(line.text)) < _SHORTEST_REPETITION:
        return None
    before = conversation.user_lines(line.index)
    return next((other for other in before if likeness(other.text, line.text) >= ALIKE), None)


def _is_refrain(conversation: Conversation, line: Line) -> bool:
    """Whether a line is the third of its kind, each to something else that the agent said."""
    heard = {
        tuple(words(before.text))
        for before, said in conversation.replies
        if said.index <= line.index and likeness(said.text, line.text) >= ALIKE and words(before.text)
    }
    return len(heard) == _REFRAIN


def _calls_for_insistence(text: str) -> bool:
    if len(words(text)) < _SHORTEST_STATEMENT or questions(text) or is_unfinished(text) or reports_failure(text):
        return True
    return reports_obstacle(text) and not reports_completion(text)
