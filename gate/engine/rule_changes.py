"""What the change does to the rules of its prompts, compared after the verdict; it cannot change it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from gate.calls.interface import Stop
from gate.config.gatefile import TRIED, RuleComparisonOptions
from gate.config.policy import RunPolicy
from gate.config.scorer import ScorerSpec, parse_scorers
from gate.config.specification import GeneratedTest, OutputRule
from gate.engine.arrays import SampleGrid
from gate.engine.exam_trials import dollars_of, quietly
from gate.engine.record_parts import added_up, calls_record
from gate.engine.run import Collector, Tools
from gate.engine.schedule import count
from gate.errors import GateError
from gate.record.findings.unfinished import EvaluationFailed
from gate.record.parts import CallsRecord
from gate.record.run import PromisesRecord, PromiseTrialRecord, RunRecord
from gate.record.transcript import Dollars, Effort
from gate.resolve.resolved import Resolved
from gate.suite import Exam, Suite
from gate.testgen.effort import LEVELS, RULES, EffortSettings
from gate.testgen.evaluation.trials import case_of
from gate.testgen.files import untemplated
from gate.testgen.forecast import PromptChange
from gate.testgen.generate import generate_tests
from gate.testgen.prompt_under_test import subject_of
from gate.testgen.questions import Asker, BoundedCalls, GenerationSetup, until_stopped
from gate.testgen.rules.compiler import compile_rules
from gate.testgen.specdiff.comparison import (
    RuleComparison,
    compare_rules,
    promises_record,
    rules_to_test,
    unread_messages,
)
from gate.testgen.specification.extraction import find_inverse_rules
from gate.values import JsonValue, counted

KEPT = 0.7
"""The score at which a rule counts as followed, unless something else is set."""


async def with_promises(run: RunRecord, resolved: Resolved, tools: Tools, seed: int, stop: Stop) -> RunRecord:
    """The record with the comparison of rules; verdict, reasons and slices stay as they are."""
    asked = [(suite, suite.at_stake) for suite in resolved.suites if suite.at_stake is not None]
    if not asked:
        return run
    own, quiet = quietly(tools, stop)
    found = [
        await _told(PromiseComparison(suite, wanted, resolved, quiet, SeedAndStop(seed, own)))
        for suite, wanted in asked
    ]
    return _with(run, found)


def _with(run: RunRecord, found: Sequence[PromisesRecord]) -> RunRecord:
    calls = added_up([run.calls, *(one.calls for one in found)])
    free = not any([*(suite.cost.applicable for suite in run.suites), *(suite.priced for suite in run.new)])
    spent = [0.0 if free else run.spent_usd, *(one.spent_usd for one in found)]
    known = [amount for amount in spent if amount is not None]
    total = fsum(known) if len(known) == len(spent) else None
    if free and not total:  # money still means nothing
        total = run.spent_usd
    return run.model_copy(update={"promises": list(found), "calls": calls, "spent_usd": total})


def without_promises(run: RunRecord, resolved: Resolved, reason: str) -> RunRecord:
    """The record of a run that does not compare rules, with the reason where a suite has the setting."""
    blank = [_blank(suite, reason) for suite in resolved.suites if suite.at_stake is not None]
    return run.model_copy(update={"promises": blank}) if blank else run


def _blank(suite: Suite, reason: str) -> PromisesRecord:
    return PromisesRecord(suite=suite.name, notes=[f"The rules of the prompt were not compared: {reason}."])


async def _told(reading: "PromiseComparison") -> PromisesRecord:
    """The result; a failure becomes a note."""
    reason = reading.ended or reading.wanted.unable
    if not reason:
        try:
            return await until_stopped(_read(reading), reading.order.stop)
        except GateError as error:
            reason = reading.ended or error.message
    return _paid(_blank(reading.suite, reason), reading.effort)


async def _read(reading: "PromiseComparison") -> PromisesRecord:
    return await reading.record(await reading.compared())


@dataclass(frozen=True, slots=True)
class SeedAndStop:
    """The seed of the order of the calls, and the switch that ends them early."""

    seed: int
    stop: Stop


@dataclass(slots=True)
class PromiseComparison:
    """The rules of one suite's prompt, before and after."""

    suite: Suite
    wanted: RuleComparisonOptions
    resolved: Resolved
    tools: Tools
    order: SeedAndStop
    tell: Callable[[str], None] = lambda line: None
    settings: EffortSettings = LEVELS["low"]
    setup: GenerationSetup = field(init=False)

    def __post_init__(self) -> None:
        calls = BoundedCalls(self.tools.calls, self.tools.exhausted)
        generator = Asker(calls, self.wanted.model, self.wanted.params)
        judge = Asker(calls, self.wanted.judge, self.wanted.judge_params)
        self.setup = GenerationSetup(generator, judge, self.settings, self.tell)

    @property
    def effort(self) -> Effort:
        """The effort so far."""
        return self.setup.generator.effort + self.setup.judge.effort

    async def compared(self) -> RuleComparison:
        """What differs.

        Raises:
            GateError: the comparison failed.
        """
        before = self.suite.baseline
        if before is None:
            raise GateError("there is no baseline")
        old, new = before.version.prompt, self.suite.candidate.version.prompt
        setup = replace(self.setup, settings=replace(self.settings, max_rules=RULES))
        found = await compare_rules(PromptChange(subject_of(old), subject_of(new), self.wanted.specification), setup)
        return replace(found, notes=(*found.notes, *unread_messages(old, new)))

    async def record(self, compared: RuleComparison) -> PromisesRecord:
        """The comparison, and how both versions keep the new rules."""
        found = promises_record(self.suite.name, compared.diff, str(self.wanted.judge))
        rules, tests = rules_to_test(compared.diff), tuple[GeneratedTest, ...]()
        notes = [*found.notes, *compared.notes, *self._untried(rules)]
        try:
            tests = await self._tests(compared, rules[:TRIED])
        except GateError as error:
            notes.append(f"No tests were made for the new rules: {self.ended or error.message}.")
        found = _paid(found.model_copy(update={"notes": list(dict.fromkeys(notes))}), self.effort)
        return await self._tried(found, compared, tests) if tests else found

    def _untried(self, rules: Sequence[OutputRule]) -> Iterator[str]:
        """Why some rules have no tests."""
        if not rules or not self.wanted.tests:
            return
        if self._agents:
            yield "No tests were made for the new rules: the suite runs an agent, which a test could make do anything."
        elif len(rules) > TRIED:
            yield f"Tests were made for {TRIED} of {counted(len(rules), 'new rule')}."

    @property
    def _agents(self) -> bool:
        return any(arm.target is not None for arm in self.suite.arms.values())

    @property
    def ended(self) -> str:
        """What ended the work; empty where it goes on."""
        cause = self.order.stop.cause or self.tools.exhausted()
        return "" if cause is None else cause.phrase

    async def _tests(self, compared: RuleComparison, rules: Sequence[OutputRule]) -> tuple[GeneratedTest, ...]:
        """Tests for new rules, and for their inverses."""
        if not rules or compared.head is None or not self.wanted.tests or self._agents:
            return ()
        found = await find_inverse_rules(rules, self.setup.generator, self.setup.instructions("inverse"))
        named = tuple(replace(rule, inverse=found.value.get(rule.id, "")) for rule in rules)
        subject = subject_of(self.suite.candidate.version.prompt)
        setup = replace(self.setup, settings=replace(self.settings, tests_per_rule=self.wanted.tests))
        return (await generate_tests(subject, replace(compared.head, rules=named), setup)).tests

    async def _tried(
        self, found: PromisesRecord, compared: RuleComparison, tests: Sequence[GeneratedTest]
    ) -> PromisesRecord:
        """Both versions answer the tests, and each answer is scored by the rule of its test."""
        rules = {rule.id: rule for rule in compared.head.rules} if compared.head is not None else {}
        # All of them show whether one is about the whole output.
        by_code = {one.rule: one.scorers for one in compile_rules(rules.values())}
        cases = tuple(
            replace(case_of(test), scorers=by_code.get(test.rule) or _judged(rules[test.rule], self.wanted))
            for test in tests
        )
        exam = Exam(ref="", digest="", cases=cases, scorers=(), conversing=self.suite.exam.conversing)
        trial = replace(self.suite, exam=exam, samples=1, promises=None)
        asked = replace(self.resolved, suites=(trial,), policy=RunPolicy(early_stop=False), edits=())
        collector = Collector(asked, self.tools, self.order.stop, self.order.seed)
        self.tools.progress.start(count((trial,)))
        try:
            await collector.collect()
        except GateError as error:
            self.order.stop.drain(EvaluationFailed(message=error.message))
        finally:
            self.tools.progress.finish()
        spent = dollars_of(collector.samples)
        total = None if spent is None or found.spent_usd is None else found.spent_usd + spent
        grid = SampleGrid(trial, collector.samples)
        shown = {change.head.id: change.base.id for change in compared.diff.rules if change.head and change.base}
        made = dict.fromkeys(test.rule for test in tests)
        trials = [_trial(rule, tests, grid).model_copy(update={"rule": shown.get(rule, rule)}) for rule in made]
        calls = added_up([found.calls, calls_record(collector.samples)])
        return found.model_copy(update={"trials": trials, "calls": calls, "spent_usd": total})


def _judged(rule: OutputRule, wanted: RuleComparisonOptions) -> tuple[ScorerSpec, ...]:
    options: dict[str, JsonValue] = {
        "criteria": untemplated(rule.text),
        "model": str(wanted.judge),
        "params": wanted.judge_params.changed(),
        "sees_expected": False,
    }
    return parse_scorers([{"judge": options}], f"rule {rule.id}")


def _trial(rule: str, tests: Sequence[GeneratedTest], grid: SampleGrid) -> PromiseTrialRecord:
    """How both arms keep one rule; `tests` are the cases of the grid."""
    own = [position for position, test in enumerate(tests) if test.rule == rule]
    scored = grid.scored[:, own]
    kept = scored & (grid["score"][:, own] >= KEPT)
    (baseline_scored, candidate_scored), (baseline_kept, candidate_kept) = (
        flags.sum(axis=(1, 2)).tolist() for flags in (scored, kept)
    )
    return PromiseTrialRecord(
        rule=rule,
        tests=len(own),
        baseline_kept=baseline_kept,
        baseline_scored=baseline_scored,
        candidate_kept=candidate_kept,
        candidate_scored=candidate_scored,
    )


def _paid(found: PromisesRecord, effort: Effort) -> PromisesRecord:
    calls = CallsRecord(made=effort.calls, cached=effort.reused, retried=effort.retries, failed=0)
    if effort.cost is None:
        spent: float | None = 0.0
    else:
        spent = effort.cost.amount if isinstance(effort.cost, Dollars) else _nothing(effort)
    return found.model_copy(update={"calls": calls, "spent_usd": spent})


def _nothing(effort: Effort) -> float | None:
    """0 where no call has a price, None where a price is unknown."""
    cost = effort.cost
    return 0.0 if cost is not None and not isinstance(cost, Dollars) and cost.why == "n/a" else None
