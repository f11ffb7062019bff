"""A judge decides what the readers of answers call unclear, as a person does in ``tool_sandbox review``."""

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import attrs

from tool_sandbox.conversation.execution_context import DatabaseNamespace, ExecutionContext
from tool_sandbox.helpers.counting import counted
from tool_sandbox.models.session import Session
from tool_sandbox.records.result import JudgeReport
from tool_sandbox.runner.fact_checking import false_statements
from tool_sandbox.runner.judging import INSTRUCTION, Judge, failure_text, prompt_of
from tool_sandbox.runner.review import Decision, Place, Verdicts, as_decisions, decide

if TYPE_CHECKING:
    from tool_sandbox.answers.facts._reading import Doubt
    from tool_sandbox.play.scenario import Scenario
    from tool_sandbox.scoring import EvaluationResult

SETTLING_INSTRUCTION = f"""\
{INSTRUCTION}

Fixed rules could not tell what this message says about these facts. Each fact has the value that is true, and the
sentence in question stands behind it. If that can be taken either way, answer "unclear"."""


@attrs.frozen
class Settlement:
    """What a judge made of the unclear readings of a conversation.

    Attributes:
        score: The score by what is decided now.
        decisions: What the judge decided.
        error: Why a reading is open still, ``None`` if the judge could answer all that it was asked.
    """

    score: "EvaluationResult"
    decisions: tuple[Decision, ...] = ()
    error: str | None = None


def judge_conversation(
    judge: Judge,
    session: Session,
    directory: str,
    scenario: "Scenario",
    context: ExecutionContext,
    score: "EvaluationResult",
) -> tuple[JudgeReport, Settlement]:
    """A second opinion on a conversation, what is false in it, and decisions on what is unclear and moves its score."""
    opinion = judge(scenario, context, score, session)
    if opinion["error"] is not None:
        return opinion, Settlement(score)
    settled = settle(judge, session, directory, scenario, context, score)
    opinion["error"] = settled.error
    try:
        opinion["false_statements"] = false_statements(judge, context, session)
    except Exception as failure:
        opinion["false_statements"] = None
        opinion["error"] = opinion["error"] or failure_text(failure)
    return opinion, settled


def settle(
    judge: Judge,
    session: Session,
    directory: str,
    scenario: "Scenario",
    context: ExecutionContext,
    score: "EvaluationResult",
    known: Verdicts | None = None,
) -> Settlement:
    """Asks a judge about the readings that a score depends on, until none is left or the judge cannot tell."""
    verdicts = dict(known or {})
    asked: set[Place] = set(verdicts)
    new: list[Decision] = []
    error: str | None = None
    while error is None and (questions := dict(_questions(score, asked))):
        for index, doubts in questions.items():
            asked.update((doubt.message, doubt.fact, doubt.sentence) for doubt in doubts)
            try:
                decided = list(_decided(judge, session, directory, _text(context, index), doubts))
            except Exception as failure:
                # As with a second opinion: the conversation is worth more.
                error = failure_text(failure)
                break
            new += decided
            verdicts |= {each.place: each for each in decided}
            if missing := len(doubts) - len(decided):
                error = f"no verdict on {counted(missing, 'unclear reading')} of message {index}"
        score = scenario.evaluation.evaluate(context, scenario.max_messages, as_decisions(verdicts))
    return Settlement(score, tuple(new), error if score.score_interval else None)


def _questions(score: "EvaluationResult", asked: set[Place]) -> "Iterator[tuple[int, list[Doubt]]]":
    """Messages with the readings that a score depends on and that were not asked about."""
    found: dict[int, list[Doubt]] = {}
    for doubt in (score.unclear or ()) if score.score_interval else ():
        if doubt.is_stated is None and (doubt.message, doubt.fact, doubt.sentence) not in asked:
            found.setdefault(doubt.message, []).append(doubt)
    yield from found.items()


def _decided(judge: Judge, session: Session, directory: str, text: str, doubts: "list[Doubt]") -> Iterator[Decision]:
    facts = [f"{each.fact}; the sentence: {json.dumps(each.sentence, ensure_ascii=False)}" for each in doubts]
    verdicts = judge.verdicts(SETTLING_INSTRUCTION, prompt_of(facts, text), len(doubts), session)
    for doubt, verdict in zip(doubts, verdicts, strict=True):
        if verdict is not None:
            is_stated = verdict == "stated"
            yield decide(directory, doubt.to_dict(), is_stated=is_stated, by=judge.name, is_judge=True)


def _text(context: ExecutionContext, index: int) -> str:
    """What a message says."""
    rows: Iterator[Mapping[str, str | None]] = (
        row for at, table in context.get_history(DatabaseNamespace.SANDBOX) if at == index for row in table.dicts()
    )
    return next((row["content"] or "" for row in rows), "")
