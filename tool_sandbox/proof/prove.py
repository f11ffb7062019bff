"""The check of one scenario: reference, other orders, controls, near misses, paraphrases and lint."""

from collections import Counter
from typing import Any

import attrs

from tool_sandbox.play.blame import author_place
from tool_sandbox.play.scenario import Scenario
from tool_sandbox.proof.asides import REVEALED_KINDS
from tool_sandbox.proof.controls import controls, must_tell, weak_agents, weight_of_answers
from tool_sandbox.proof.course import Course
from tool_sandbox.proof.dependence import is_used
from tool_sandbox.proof.feasible import unknown_texts
from tool_sandbox.proof.findings import Figures, Proof, ProofFinding, shown
from tool_sandbox.proof.graphs import graph_fingerprint, setting_fingerprint
from tool_sandbox.proof.hard import apps_of, tokens_of
from tool_sandbox.proof.limits import MIN_PARAPHRASES, limit_of_control
from tool_sandbox.proof.lint import definition_of, lint, source_lines
from tool_sandbox.proof.mutants import ANSWER_KINDS, HARM_KINDS, mutants
from tool_sandbox.proof.offline import offline
from tool_sandbox.proof.orders import free_swaps
from tool_sandbox.proof.paraphrases import paraphrases
from tool_sandbox.proof.play import Reference, calls_of, play
from tool_sandbox.proof.source import OWN, Source
from tool_sandbox.roles.control_agents import ForgetfulAgent
from tool_sandbox.scoring import EvaluationResult
from tool_sandbox.scoring.result import CONTRADICTION_CAP
from tool_sandbox.world.script import Call, Say


def prove(
    scenario: Scenario, seed: int = 0, base_name: str = "", widest: Scenario | None = None, source: Source = OWN
) -> Proof:
    """Checks one scenario in every way."""
    prover = _Prover(scenario, seed, widest, source)
    if scenario.solution is None:
        prover.note("reference", "a reference solution", "there is no reference solution: nothing to prove")
        return Proof(None, tuple(prover.findings))
    with offline() as connections:
        try:
            figures = prover.examine(base_name or scenario.name)
        except Exception as error:
            place = f" ({place})" if (place := author_place(error)) else ""
            prover.note(
                "reference", "a reference solution that can be played", f"{type(error).__name__}: {error}{place}"
            )
            return Proof(None, tuple(prover.findings))
    if connections:
        prover.note("network", "no connection to be asked for", f"these were: {sorted(set(connections))}")
    return Proof(attrs.evolve(figures, connections=len(connections)), tuple(prover.findings))


@attrs.define
class _Prover:
    """Collects the findings on one scenario."""

    scenario: Scenario
    seed: int
    widest: Scenario | None = None
    source: Source = OWN
    findings: list[ProofFinding] = attrs.field(factory=list)

    def note(self, check: str, expected: str, happened: str) -> None:
        seed = f" --seed {self.seed}" if self.seed else ""
        command = f"tool_sandbox scenarios check {self.scenario.name}{seed}{self.source.flags}"
        self.findings.append(ProofFinding(self.scenario.name, check, expected, happened, command))

    def examine(self, base_name: str) -> Figures:
        scenario = self.scenario
        course = Course.of(scenario)
        reference = course.reference
        self._check_reference(reference)
        necessary = self._necessary_calls(course)
        counts, unnoticed, false_answers, harmful_acts = self._play_mutants(course)
        known = definition_of(scenario)
        if known is not None and scenario.name == base_name:
            definition, seed = known
            infos = self.source.infos
            for complaint in lint(scenario, reference, definition, definition.task(seed), len(necessary), infos):
                self.note(*complaint)
        return Figures(
            name=scenario.name,
            base_name=base_name,
            family=scenario.family,
            seed=self.seed,
            tags=tuple(str(tag) for tag in scenario.categories),
            reference=float(reference.result.similarity),
            calls=len(reference.calls),
            necessary=len(necessary),
            tools=tuple(sorted({call.tool for call in necessary})),
            turns=sum(isinstance(step, Say) for step in reference.steps),
            orders=self._play_orders(reference),
            answers=must_tell(scenario),
            changes=any(access.writes for access in reference.access),
            controls=self._play_controls(reference),
            mutants=counts,
            unnoticed=unnoticed,
            false_answers=false_answers,
            harmful_acts=harmful_acts,
            # An answer is read the same whichever way tools are offered.
            paraphrases=self._play_paraphrases(course) if scenario.name == base_name else (0, 0.0),
            connections=0,
            graph=graph_fingerprint(scenario.evaluation),
            shape=graph_fingerprint(scenario.evaluation, literals=False) + setting_fingerprint(scenario),
            lines=source_lines(known[0]) if known is not None else 0,
            **(self._hard_figures(reference, necessary) if scenario.tier == "hard" else {}),
        )

    def _hard_figures(self, reference: Reference, necessary: list[Call]) -> dict[str, Any]:
        """What is measured in the hard tier alone."""
        unknown = unknown_texts(reference)
        for text in unknown:
            self.note("feasible", "every text in a call to be known from what was shown", f"nothing shown has {text}")
        weak = {}
        for name, agent in weak_agents(reference).items():
            weak[name] = round(float(play(self.scenario, agent)[1].similarity), 6)
        return {
            "axis": self.scenario.axis,
            "apps": apps_of(call.tool for call in necessary),
            "tokens": tokens_of(reference.context),
            "weak": weak,
            "unknown": len(unknown),
        }

    # Plays -----------------------------------------------------------------------------------------------------

    def _check_reference(self, reference: Reference) -> None:
        result = reference.result
        if result.side_effects:
            self.note("reference", "no side effect", f"there are {[str(effect) for effect in result.side_effects]}")
        elif not result.success:
            self.note("reference", "a score of 1", f"{_score(result)}: {shown(reference.steps)}")

    def _necessary_calls(self, course: Course) -> list[Call]:
        """Calls without which the solution loses points, and calls from whose result later steps follow."""
        reference = course.reference
        if reference.plan != reference.steps:
            return reference.calls  # some were made again, and none of these can be told from the others
        return [
            call
            for position, step in enumerate(reference.steps)
            if calls_of(step) and self._is_necessary(course, position)
            for call in calls_of(step)
        ]

    def _is_necessary(self, course: Course, position: int) -> bool:
        if is_used(self.scenario, course.reference, position):
            return True
        return not course.play(ForgetfulAgent(position))[1].success

    def _play_orders(self, reference: Reference) -> int:
        count = 0
        for swap in free_swaps(self.scenario, reference):
            count += 1
            if swap.similarity != 1.0:
                exchanged = shown([swap.second, swap.first])
                self.note("order", "a score of 1 in either order", f"it is {swap.similarity:.2f} for {exchanged}")
        return count

    def _play_controls(self, reference: Reference) -> dict[str, float]:
        scores: dict[str, float] = {}
        for control in controls(self.scenario, reference):
            _, result = play(self.scenario, control.agent())
            score, limit = float(result.similarity), limit_of_control(self.scenario, control.name)
            scores[control.name] = max(score, scores.get(control.name, 0.0))
            if result.success or round(score, 6) > limit:
                self.note("control", f"{control.label} to score at most {limit:g}", f"it scores {score:.2f}")
        return {name: round(score, 6) for name, score in scores.items() if score}

    def _play_mutants(
        self, course: Course
    ) -> tuple[dict[str, int], dict[str, int], tuple[int, float], tuple[int, int]]:
        counts, unnoticed = Counter[str](), Counter[str]()
        false_answers: list[float] = []
        wide = None if self.widest is None else Course.of(self.widest)
        for played, mutant in mutants(course, wide):
            _, result = played.play(mutant.agent())
            counts[mutant.kind] += 1
            if result.success:
                unnoticed[mutant.kind] += 1
                self.note("mutant", "a near miss to score below 1", f"{mutant.kind} scores 1: {mutant.label}")
            elif mutant.kind in REVEALED_KINDS and result.similarity > CONTRADICTION_CAP:
                self.note("mutant", "what the world contradicts to score at most a half", f"more: {mutant.label}")
            if mutant.kind in ANSWER_KINDS:
                false_answers.append(_lowest_answer(self.scenario, result))
                if false_answers[-1] > 0 and not result.success:
                    self.note("mutant", "a false answer to earn nothing", f"it earns points: {mutant.label}")
        harmful = sum(counts[kind] for kind in HARM_KINDS), sum(unnoticed[kind] for kind in HARM_KINDS)
        lies = len(false_answers), sum(false_answers)
        return dict(sorted(counts.items())), dict(sorted(unnoticed.items())), lies, harmful

    def _play_paraphrases(self, course: Course) -> tuple[int, float]:
        scores = []
        for paraphrase in paraphrases(self.scenario, course.reference):
            _, result = course.play(paraphrase.agent())
            scores.append(_lowest_answer(self.scenario, result))
            if not result.success:
                self.note("paraphrase", "other words to score 1", f"{_score(result)}: {paraphrase.label}")
        if any(weight_of_answers(self.scenario)) and len(scores) < MIN_PARAPHRASES:
            self.note("paraphrase", f"at least {MIN_PARAPHRASES} paraphrases of the answer", f"there are {len(scores)}")
        return len(scores), sum(scores)


def _score(result: EvaluationResult) -> str:
    return f"the score is {result.similarity:.2f}"


def _lowest_answer(scenario: Scenario, result: EvaluationResult) -> float:
    """The lowest score of an answer, whatever else happened."""
    weights = weight_of_answers(scenario)
    scores = [float(result.milestone_mapping[node][1]) for node, weight in enumerate(weights) if weight]
    return min(scores, default=float(result.similarity))
