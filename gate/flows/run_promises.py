"""Once the verdict is reached: what the change does to the promises of its prompts. It can no longer move it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gate.domain.case import ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.promises import Promises
from gate.domain.promptspec import CompiledRule, GeneratedTest, OutputRule
from gate.domain.record import RunRecord
from gate.domain.record_parts import CallsRecord
from gate.domain.record_promises import PromisesRecord, PromiseTrialRecord
from gate.domain.sample import ArmName
from gate.domain.specdiff import TO_TEST
from gate.domain.suite import Exam, RunPolicy, Suite
from gate.domain.usage import Dollars, Effort
from gate.engine.plan import count
from gate.engine.rows import Rows
from gate.engine.run import Stop
from gate.engine.samples import SampleTable
from gate.errors import GateError
from gate.flows.collect import Collector, Tools
from gate.flows.exam_trials import dollars_of, quietly
from gate.flows.generate import Bounded
from gate.flows.promises import Compared, Readers, Versions, compare_promises
from gate.flows.record_exam import added_up
from gate.flows.record_parts import calls_record
from gate.flows.resolved import Resolved
from gate.inputs.scorers.read import parse_scorers
from gate.testgen.asking import Asker
from gate.testgen.casing import case_of
from gate.testgen.compile.compile import compile_rule
from gate.testgen.effort import LEVELS
from gate.testgen.generation import Work, generate
from gate.testgen.specdiff.record import promises_record
from gate.testgen.subject import subject_of

KEPT = 0.7
"""The score at which a rule counts as kept: what a judge must give where nothing else is said."""


async def with_promises(run: RunRecord, resolved: Resolved, tools: Tools, seed: int, stop: Stop) -> RunRecord:
    """The record with what became of the promises; verdict, reasons and slices stay as they are.

    Args:
        run: the record of the finished run.
        resolved: what was evaluated.
        tools: calls, sink and progress.
        seed: of the order of the calls.
        stop: of the run; whatever ends this ends nothing else.
    """
    asked = [(suite, suite.promises) for suite in resolved.suites if suite.promises is not None and _differs(suite)]
    if not asked:
        return run
    own, quiet = quietly(tools, stop)
    found = [await _Reading(suite, wanted, resolved, quiet, seed, own).record() for suite, wanted in asked]
    calls = added_up([run.calls, *(one.calls for one in found)])
    spent = [run.spent_usd, *(one.spent_usd for one in found)]
    known = [amount for amount in spent if amount is not None]
    total = sum(known) if len(known) == len(spent) else None
    return run.model_copy(update={"promises": found, "calls": calls, "spent_usd": total})


def _differs(suite: Suite) -> bool:
    before = suite.baseline
    return before is not None and before.version.prompt.digest != suite.candidate.version.prompt.digest


@dataclass(slots=True)
class _Reading:
    """The promises of one suite's prompt."""

    suite: Suite
    wanted: Promises
    resolved: Resolved
    tools: Tools
    seed: int
    stop: Stop

    async def record(self) -> PromisesRecord:
        """What differs, and how both versions keep the rules that are new; a failure is a note."""
        calls = Bounded(self.tools.calls, self.tools.exhausted)
        generator = Asker(calls, self.wanted.model, self.wanted.params)
        judge = Asker(calls, self.wanted.judge, self.wanted.params)
        if self.stop.reason is not None:
            return PromisesRecord(suite=self.suite.name, notes=[f"The promises were not compared: {self.stop.reason}."])
        try:
            compared = await self._compared(generator, judge)
        except GateError as error:
            blank = PromisesRecord(suite=self.suite.name, notes=[f"The promises were not compared: {error.message}."])
            return _paid(blank, generator.effort + judge.effort)
        found = promises_record(self.suite.name, compared.diff, str(self.wanted.judge))
        found = found.model_copy(update={"notes": list(dict.fromkeys([*found.notes, *compared.notes]))})
        try:
            tests = await self._tests(compared, generator, judge)
        except GateError as error:
            tests = ()
            note = f"No tests were made for the new rules: {error.message}."
            found = found.model_copy(update={"notes": [*found.notes, note]})
        found = _paid(found, generator.effort + judge.effort)
        return await self._tried(found, compared, tests) if tests else found

    async def _compared(self, generator: Asker, judge: Asker) -> Compared:
        before = self.suite.baseline
        if before is None:
            raise GateError("there is no baseline")
        base, head = subject_of(before.version.prompt), subject_of(self.suite.candidate.version.prompt)
        readers = Readers(generator, judge, LEVELS["low"], lambda line: None)
        return await compare_promises(Versions(base, head, self.wanted.specification), readers)

    async def _tests(self, compared: Compared, generator: Asker, judge: Asker) -> tuple[GeneratedTest, ...]:
        rules = tuple(change.head for change in compared.diff.of(*TO_TEST) if change.head is not None)
        if not rules or compared.head is None or not self.wanted.tests:
            return ()
        subject = subject_of(self.suite.candidate.version.prompt)
        settings = LEVELS["low"].with_settings(tests_per_rule=self.wanted.tests)
        made = await generate(subject, replace(compared.head, rules=rules), generator, judge, Work(settings))
        return made.tests

    async def _tried(self, found: PromisesRecord, compared: Compared, tests: Sequence[GeneratedTest]) -> PromisesRecord:
        """Both versions answer the tests, and each answer is held against the rule that its test is for."""
        rules = {rule.id: rule for rule in compared.head.rules} if compared.head is not None else {}
        cases = tuple(replace(case_of(test), scorers=_scorers(rules[test.rule], self.wanted)) for test in tests)
        exam = Exam(ref="", digest="", cases=cases, scorers=(), conversing=self.suite.exam.conversing)
        trial = replace(self.suite, exam=exam, samples=1, promises=None)
        asked = replace(self.resolved, suites=(trial,), policy=RunPolicy(early_stop=False), edits=())
        collector = Collector(asked, self.tools, self.stop, self.seed)
        self.tools.progress.start(count((trial,)))
        try:
            await collector.collect()
        except GateError as error:
            self.stop.drain(error.message)
        finally:
            self.tools.progress.finish()
        table, rows = collector.found.samples, Rows(collector.found.samples, trial.name)
        spent = dollars_of(rows)
        total = None if spent is None or found.spent_usd is None else found.spent_usd + spent
        trials = [_trial(rule, tests, table) for rule in dict.fromkeys(test.rule for test in tests)]
        calls = added_up([found.calls, calls_record(rows)])
        return found.model_copy(update={"trials": trials, "calls": calls, "spent_usd": total})


def _scorers(rule: OutputRule, wanted: Promises) -> tuple[ScorerSpec, ...]:
    compiled: CompiledRule | None = compile_rule(rule)
    if compiled is not None:
        return compiled.scorers
    options: dict[str, JsonValue] = {
        "criteria": _plain(rule.text),
        "model": str(wanted.judge),
        "sees_expected": False,
    }
    return parse_scorers([{"judge": options}], f"rule {rule.id}")


def _plain(text: str) -> str:
    """A rule is no template, even if it speaks of one."""
    return text.replace("{{", "{ {")


def _trial(rule: str, tests: Sequence[GeneratedTest], table: SampleTable) -> PromiseTrialRecord:
    ids = {test.id for test in tests if test.rule == rule}
    kept = {ArmName.BASELINE: 0, ArmName.CANDIDATE: 0}
    scored = dict(kept)
    for sample in table:
        if sample.case_id in ids and isinstance(sample.score, float):
            scored[sample.arm] += 1
            kept[sample.arm] += sample.score >= KEPT
    return PromiseTrialRecord(
        rule=rule,
        tests=len(ids),
        baseline_kept=kept[ArmName.BASELINE],
        baseline_scored=scored[ArmName.BASELINE],
        candidate_kept=kept[ArmName.CANDIDATE],
        candidate_scored=scored[ArmName.CANDIDATE],
    )


def _paid(found: PromisesRecord, effort: Effort) -> PromisesRecord:
    calls = CallsRecord(made=effort.calls, cached=effort.reused, retried=effort.retries, failed=0)
    if effort.cost is None:
        spent: float | None = 0.0
    else:
        spent = effort.cost.amount if isinstance(effort.cost, Dollars) else _nothing(effort)
    return found.model_copy(update={"calls": calls, "spent_usd": spent})


def _nothing(effort: Effort) -> float | None:
    """Where no price exists, nothing was spent; where it is unknown, nobody knows."""
    cost = effort.cost
    return 0.0 if cost is not None and not isinstance(cost, Dollars) and cost.why == "n/a" else None
