"""The course of a conversation: ended too early or never, questions left unanswered, the same thing said again."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from tool_sandbox.answers import dialogue
from tool_sandbox.answers.dialogue import asks_permission, is_unfinished, questions, reports_completion
from tool_sandbox.fidelity import texts
from tool_sandbox.fidelity.conversation import AGENT, USER, Conversation, Line
from tool_sandbox.fidelity.texts import content_words, is_courtesy, likeness, share, words
from tool_sandbox.world.script import Knows

COVERED = 0.34
"""Share of the content words of a line by which a user who puts it in other words has said it."""
HINTED = 0.2
"""Share from which on a user who has said too little to have said all may have said it together with something else."""
ALIKE = 0.85
"""Likeness from which on two texts count as the same."""

_CORRECTION = re.compile(r"\b(?:a mistake|wrong)\b", re.IGNORECASE)
"""Whoever takes back what was done decides whether it goes on."""

_AGENT_REPEATS = 5
_SHORTEST_REPETITION = 3
_REFRAIN = 3
_SHORTEST_STATEMENT = 4


def ended_early(conversation: Conversation) -> Iterator[tuple[int, str, str]]:
    """Finds an end with a request not made, a question not answered, or before the agent has come to anything.

    A user whose patience is exhausted may end the conversation at any time: when the agent has had more tries than
    that, not counting those that a new request followed.
    """
    heard, turns = conversation.said(AGENT), conversation.script.turns
    if conversation.end_index is None or not heard:
        return
    said = [line.text for _, line in conversation.replies]
    # A user who said as much as there was to ask for probably did so in other words.
    least = 0.01 if sum(not is_courtesy(text) for text in said) >= len(turns) else HINTED
    unmade = [turn for turn in turns if max((share(turn, text) for text in said), default=0.0) < least]
    statements = sum(bool(text.strip()) and not questions(text) and not is_unfinished(text) for text in heard)
    followed = min(len(turns) - len(unmade), statements)
    if len(heard) - followed > conversation.script.patience:
        return
    end = conversation.end_index, heard[-1]
    if unmade:
        yield *end, f"ends the conversation before it has said {unmade[0]!r}"
    elif not heard[-1].strip() or is_unfinished(heard[-1]):
        yield *end, "ends the conversation before the agent has come to anything"
    elif (question := _answerable(conversation, heard[-1])) is not None:
        yield *end, f"ends the conversation in place of answering {question!r}"


def _answerable(conversation: Conversation, last: str) -> str | None:
    """The question in the last message of the agent that the user should have answered, if there is one."""
    asked, script, told = _questions(conversation, last), conversation.script, conversation.said(USER)
    if not asked or dialogue.is_offer_of_more(last, asked):
        return None
    task = (script.opening, *script.turns) if conversation.is_scripted else told[-1:]
    is_told = reports_completion(last) or texts.reports_failure(last)
    is_change = not is_told and dialogue.proposes_change(" ".join(task))
    is_decided = not conversation.is_scripted or any(texts.is_verdict(line.text) for _, line in conversation.replies)
    about_facts = [each for each in asked if _facts(conversation, script.knows, [each], told)]
    is_due = [dialogue.reports_obstacle(last) or (is_change and dialogue.proposes_change(each)) for each in asked]
    for_permission = [each for each, due in zip(asked, is_due, strict=True) if due and asks_permission(each)]
    others = [each for each in asked if not is_decided and not asks_permission(each)]
    return next(iter([*about_facts, *for_permission, *others]), None)


def _questions(conversation: Conversation, text: str) -> list[str]:
    return questions(dialogue.without_dictated_questions(text, conversation.script.lines))


def _facts(conversation: Conversation, known: Iterable[Knows], asked: list[str], told: list[str]) -> list[Knows]:
    """The facts that questions are about and that the user has not told yet."""
    return [
        fact
        for fact in known
        if fact.reply not in conversation.script.turns
        and any(re.search(fact.topic, sentence, re.IGNORECASE) for sentence in asked)
        and not any(share(fact.reply, text) >= COVERED for text in told)
    ]


def never_ended(conversation: Conversation) -> Iterator[tuple[int, str, str]]:
    """Finds a user that went on although there was nothing left to say; for conversations that were cut off."""
    replies = list(conversation.replies)
    done = [line for heard, line in replies if reports_completion(heard.text) and not questions(heard.text)]
    needless = [line for line in done if _is_needless(conversation, line)]
    times = max(Counter(tuple(words(text)) for text in conversation.said(AGENT)).values(), default=0)
    if len(needless) > 1:
        last, why = needless[-1], f"after the agent has reported {len(needless)} times that it is done"
        yield last.index, last.text, f"goes on {why}"
    elif times >= _AGENT_REPEATS and replies:
        last = replies[-1][1]
        yield last.index, last.text, f"goes on although the agent says the same thing {times} times"


def _is_needless(conversation: Conversation, line: Line) -> bool:
    if not conversation.is_scripted:
        return is_courtesy(line.text) or _said_before(conversation, line) is not None
    return not any(share(turn, line.text) >= COVERED for turn in conversation.script.turns)


def ignored_question(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds a reply to a question about what the user knows, or for permission, that does not take it up."""
    asked, script = _questions(conversation, heard.text), conversation.script
    is_offer = dialogue.is_offer_of_more(heard.text, asked)
    if not asked or is_offer or "?" in line.text or _is_other_line(conversation, line.text):
        return
    told = conversation.said(USER, before=line.index)
    facts = _facts(conversation, script.knows, asked, told)
    openly = [each for each in asked if not asks_permission(each)]
    everyday = _facts(conversation, script.everyday, openly, told)
    if not facts and everyday and texts.is_ignorance(line.text):
        yield f"does not know what everybody knows: {everyday[0].reply!r}"
        return
    if facts:
        is_told = any(share(fact.reply, line.text) > 0 for fact in facts)
        is_answer = is_told or texts.is_verdict(line.text) or bool(re.search(r"\d", line.text))
    else:
        is_answer = bool(openly) or texts.is_reaction(line.text) or bool(_CORRECTION.search(line.text))
    # Words of the agent choose from what it has offered, and so do figures.
    if not is_answer and content_words(line.text).isdisjoint(content_words(heard.text)):
        yield f"does not answer {asked[0]!r}"


def commission(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
    """Finds consent to an offer that comes with what the user wanted; what its script has it say is none."""
    asked, told = _questions(conversation, heard.text), words(heard.text)
    has_it = any(texts.contains(told, words(meant)) for meant in conversation.script.means)
    is_offer = bool(asked) and dialogue.is_offer_of_more(heard.text, asked, is_answered=has_it)
    if is_offer and texts.is_consent(line.text) and not _is_other_line(conversation, line.text):
        yield f"commissions more than its task: {asked[0]!r}"


def _is_other_line(conversation: Conversation, text: str) -> bool:
    """Whether a text is something that the script has the user say: it may change its mind in place of an answer."""
    return any(share(own, text) >= COVERED for own in conversation.script.lines if content_words(own))


def repetition(conversation: Conversation, heard: Line, line: Line) -> Iterator[str]:
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
    before = [other for other in conversation.lines if other.speaker == USER and other.index < line.index]
    return next((other for other in before if likeness(other.text, line.text) >= ALIKE), None)


def _is_refrain(conversation: Conversation, line: Line) -> bool:
    """Whether a line is the third of its kind, each to something else that the agent said."""
    heard = {
        tuple(words(before.text))
        for before, said in conversation.replies
        if said.index <= line.index and likeness(said.text, line.text) >= ALIKE
    }
    return len(heard - {()}) == _REFRAIN


def _calls_for_insistence(text: str) -> bool:
    if len(words(text)) < _SHORTEST_STATEMENT or questions(text) or is_unfinished(text) or texts.reports_failure(text):
        return True
    return dialogue.reports_obstacle(text) and not reports_completion(text)
