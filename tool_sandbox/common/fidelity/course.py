"""The course of a conversation: ended too early or never, questions left unanswered, the same thing said again."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

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
from tool_sandbox.common.script import Knows, UserScript

PATIENCE = 3
"""Fruitless tries after which a user without a script may give up."""

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


def ended_early(conversation: Conversation, script: UserScript | None) -> Iterator[Finding]:
    """Finds an end with a request not made, a question not answered, or before the agent has come to anything.

    A user whose patience is exhausted may end the conversation at any time.
    """
    heard = conversation.agent_lines
    if conversation.end_index is None or not heard:
        return
    unmade = _requests_not_made(conversation, script)
    if _is_exhausted(heard, script, len(unmade)):
        return
    last = heard[-1]
    if unmade:
        reason = f"ends the conversation before it has said {unmade[0]!r}"
    elif not last.text.strip() or is_unfinished(last.text):
        reason = "ends the conversation before the agent has come to anything"
    elif (question := _answerable(conversation, last, script)) is not None:
        reason = f"ends the conversation in place of answering {question!r}"
    else:
        return
    yield Finding(FindingKind.ENDED_EARLY, conversation.end_index, last.text, reason)


def _is_exhausted(heard: Sequence[Line], script: UserScript | None, unmade: int) -> bool:
    """Whether the agent has had more tries than a user is patient, not counting those that a new request followed."""
    statements = sum(
        bool(line.text.strip()) and not questions(line.text) and not is_unfinished(line.text) for line in heard
    )
    followed = min(len(script.turns) - unmade, statements) if script is not None else 0
    return len(heard) - followed > (script.patience if script is not None else PATIENCE)


def _requests_not_made(conversation: Conversation, script: UserScript | None) -> list[str]:
    """The later requests of a script that no message of the user covers."""
    if script is None:
        return []
    said = [line.text for _, line in conversation.replies]
    # Whoever has said as much as there was to ask for has probably done so in words of his own.
    has_said_enough = sum(not is_courtesy(text) for text in said) >= len(script.turns)
    least = 0.01 if has_said_enough else HINTED
    return [turn for turn in script.turns if max((share(turn, text) for text in said), default=0.0) < least]


def _answerable(conversation: Conversation, last: Line, script: UserScript | None) -> str | None:
    """The question in the last message of the agent that the user should have answered, if there is one."""
    asked = _questions(last.text, script)
    if not asked or is_offer_of_more(last.text, asked):
        return None
    told = [line.text for line in conversation.lines if line.by_user]
    for sentence in asked:
        if _facts(script, [sentence], told):
            return sentence
    request = told[-1] if script is None else " ".join((script.opening, *script.turns))
    is_about_change = proposes_change(request)
    for sentence in asked:
        if asks_permission(sentence) and (
            reports_obstacle(last.text) or (is_about_change and proposes_change(sentence) and not _is_report(last.text))
        ):
            return sentence
    if script is None or any(is_verdict(line.text) for _, line in conversation.replies):
        return None
    return next((sentence for sentence in asked if not asks_permission(sentence)), None)


def _is_report(text: str) -> bool:
    return reports_completion(text) or reports_failure(text)


def _questions(text: str, script: UserScript | None) -> list[str]:
    return questions(without_dictated_questions(text, script.lines) if script is not None else text)


def _facts(script: UserScript | None, asked: list[str], told: list[str], *, is_everyday: bool = False) -> list[Knows]:
    """The facts that questions are about and that the user has not told yet."""
    if script is None:
        return []
    return [
        fact
        for fact in (script.everyday if is_everyday else script.knows)
        if fact.reply not in script.turns
        and any(re.search(fact.topic, sentence, re.IGNORECASE) for sentence in asked)
        and not any(share(fact.reply, text) >= COVERED for text in told)
    ]


def never_ended(conversation: Conversation, script: UserScript | None) -> Iterator[Finding]:
    """Finds a user that went on although there was nothing left to say; for conversations that were cut off."""
    needless = [
        line
        for heard, line in conversation.replies
        if reports_completion(heard.text) and not questions(heard.text) and _is_needless(conversation, line, script)
    ]
    if len(needless) > 1:
        detail = f"goes on after the agent has reported {len(needless)} times that it is done"
        yield Finding(FindingKind.NEVER_ENDED, needless[-1].index, needless[-1].text, detail)
        return
    counts = Counter(tuple(words(line.text)) for line in conversation.agent_lines)
    times = max(counts.values(), default=0)
    replies = list(conversation.replies)
    if times >= _AGENT_REPEATS and replies:
        last = replies[-1][1]
        detail = f"goes on although the agent says the same thing {times} times"
        yield Finding(FindingKind.NEVER_ENDED, last.index, last.text, detail)


def _is_needless(conversation: Conversation, line: Line, script: UserScript | None) -> bool:
    if script is None:
        return is_courtesy(line.text) or _said_before(conversation, line) is not None
    return not any(share(turn, line.text) >= COVERED for turn in script.turns)


def ignored_questions(conversation: Conversation, script: UserScript | None) -> Iterator[Finding]:
    """Finds replies to a question about what the user knows, or for permission, that do not take it up."""
    for heard, line in conversation.replies:
        asked = _questions(heard.text, script)
        if not asked or is_offer_of_more(heard.text, asked) or "?" in line.text:
            continue
        told = [earlier.text for earlier in conversation.lines if earlier.by_user and earlier.index < line.index]
        facts = _facts(script, asked, told)
        everyday = _facts(script, [part for part in asked if not asks_permission(part)], told, is_everyday=True)
        if not facts and everyday and is_ignorance(line.text) and not _is_other_line(line.text, script):
            detail = f"does not know what everybody knows: {everyday[0].reply!r}"
            yield Finding(FindingKind.IGNORED_QUESTION, line.index, line.text, detail)
            continue
        takes_up = bool(content_words(line.text) & content_words(heard.text))
        is_bare_permission = not facts and all(map(asks_permission, asked))
        if facts:
            is_answer = is_verdict(line.text) or any(share(fact.reply, line.text) > 0 for fact in facts)
            # Figures, and words of the agent, choose from what it has offered.
            is_answer = is_answer or bool(re.search(r"\d", line.text)) or takes_up
        elif is_bare_permission:
            is_answer = is_reaction(line.text) or takes_up
        else:
            continue
        if not is_answer and not _is_other_line(line.text, script):
            detail = f"does not answer {asked[0]!r}"
            yield Finding(FindingKind.IGNORED_QUESTION, line.index, line.text, detail)


def commissions(conversation: Conversation, script: UserScript | None) -> Iterator[Finding]:
    """Finds consent to an offer that comes with what the user wanted; what its script has it say is none."""
    means = script.means if script is not None else ()
    for heard, line in conversation.replies:
        asked = _questions(heard.text, script)
        has_it = any(contains(words(heard.text), words(meant)) for meant in means if words(meant))
        is_offer = bool(asked) and is_offer_of_more(heard.text, asked, is_answered=has_it)
        if is_offer and is_consent(line.text) and not _is_other_line(line.text, script):
            detail = f"commissions more than its task: {asked[0]!r}"
            yield Finding(FindingKind.COMMISSION, line.index, line.text, detail)


def _is_other_line(text: str, script: UserScript | None) -> bool:
    """Whether a text is something that the script has the user say: it may change its mind in place of an answer."""
    return script is not None and any(share(own, text) >= COVERED for own in script.lines if content_words(own))


def repetitions(conversation: Conversation, script: UserScript | None) -> Iterator[Finding]:
    """Finds what a user says again after a message that neither asks for it nor speaks of a difficulty."""
    own = script.lines if script is not None else ()
    for heard, line in conversation.replies:
        earlier = _said_before(conversation, line)
        if earlier is None or is_courtesy(line.text):
            continue
        if _calls_for_insistence(heard.text):
            if _is_refrain(conversation, line) and not _is_other_line(line.text, script):
                detail = "says the same thing whatever it is asked"
                yield Finding(FindingKind.REPETITION, line.index, line.text, detail)
            continue
        is_new = any(
            likeness(text, line.text) >= ALIKE and likeness(text, earlier.text) < likeness(text, line.text)
            for text in own
        )
        if not is_new:
            detail = f"says again what it has said in message {earlier.index}"
            yield Finding(FindingKind.REPETITION, line.index, line.text, detail)


def _said_before(conversation: Conversation, line: Line) -> Line | None:
    """An earlier message of the user that says the same."""
    if len(content_words(line.text)) < _SHORTEST_REPETITION:
        return None
    before = (other for other in conversation.lines if other.by_user and other.index < line.index)
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
    return (
        len(words(text)) < _SHORTEST_STATEMENT
        or bool(questions(text))
        or is_unfinished(text)
        or reports_failure(text)
        or (reports_obstacle(text) and not reports_completion(text))
    )
