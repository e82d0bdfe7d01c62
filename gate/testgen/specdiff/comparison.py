"""Two versions of a prompt in, the difference of their rules out; what that costs, and how a run records it."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from os.path import commonprefix

from gate.calls.prices import CHARS_PER_TOKEN
from gate.config.specification import Specification
from gate.errors import CannotEvaluate
from gate.prompts.version import Prompt
from gate.record.rules import RuleChange, SpecDiff
from gate.record.run import PromiseRecord, PromisesRecord
from gate.record.usage import Usage
from gate.testgen.effort import ASSUMED_RULES, EffortSettings
from gate.testgen.forecast import JUDGED_STAGES, ForecastModels, GenerationForecast, StageForecast
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import Asker
from gate.testgen.rules.compiler import compile_rule
from gate.testgen.specdiff.carryover import CarriedSpecification, carry_over, joined_specification, without_carried
from gate.testgen.specdiff.diff import DiffMeans, PromptVersion, identical_prompts, spec_diff
from gate.testgen.specdiff.places import version_sides
from gate.testgen.specification.extraction import RULES_PER_REQUEST, NoRules, find_components, find_rules
from gate.testgen.specification.pipeline import OTHER_VERSION, StageModels, specify
from gate.values import counted


@dataclass(frozen=True, slots=True)
class PromptVersions:
    """A prompt before and after, and the specification of the old version, where there is one."""

    base: PromptSubject
    head: PromptSubject
    given: Specification | None = None


@dataclass(frozen=True, slots=True)
class ComparisonModels:
    """The models that read both versions.

    Args:
        generator: extracts rules.
        judge: compares wordings that code cannot compare.
        tell: shows the user a line on what is being done.
    """

    generator: Asker
    judge: Asker
    settings: EffortSettings
    tell: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RuleComparison:
    """The result of a comparison.

    Args:
        base, head: the specifications; None where the prompts are the same and were not read.
        notes: what did not go as it should.
    """

    diff: SpecDiff
    base: Specification | None = None
    head: Specification | None = None
    notes: tuple[str, ...] = ()


_QUOTED = 80
"""Characters of a setting that a note quotes."""
MAYBE_REWORDED_NOTE = "What is shown as dropped may live on in other words."
NO_RULE_BEFORE = "No rule was found in the old version of the prompt."
NO_RULE_NOW = f"No rule was found in what is new in the prompt. {MAYBE_REWORDED_NOTE}"


async def compare_rules(versions: PromptVersions, readers: ComparisonModels) -> RuleComparison:
    """Which promises a change adds, drops, loosens and tightens.

    Prompts that are the same are not read. A version without rules promises nothing. What is
    unchanged of the old specification is carried over, so that a model reads only what is new, and no sentence gets a
    second wording.

    Raises:
        CannotEvaluate: the old prompt could not be read.
    """
    if identical_prompts(versions.base, versions.head):
        return RuleComparison(SpecDiff())
    base = versions.given
    notes: tuple[str, ...] = ()
    if base is not None and base.prompt not in (versions.base.digest, ""):
        notes = (OTHER_VERSION,)
    if base is None:
        base, notes = await _read_old(versions.base, readers)
    carried = carry_over(base, versions.base, versions.head)
    found, more = await _read_new(versions.head, carried, readers)
    head = joined_specification(base, carried, found)
    sides = PromptVersion(base, versions.base), PromptVersion(head, versions.head)
    diff = await spec_diff(*sides, DiffMeans(readers.judge, compile_rule, lineage=True))
    return RuleComparison(diff, base, head, (*diff.notes, *notes, *more))


def unread_messages(base: Prompt, head: Prompt) -> tuple[str, ...]:
    """Differences beside the words of the prompt, such as a schema of the answer; no promises are read there."""
    old, new = dict(base.unused), dict(head.unused)
    differing = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    return tuple(
        f"The file says something else of {key} now, where no promise is read: {_apart(old.get(key), new.get(key))}."
        for key in differing
    )


def _apart(old: str | None, new: str | None) -> str:
    """Two values, each from shortly before the place where they differ."""
    start = max(0, len(commonprefix([old or "", new or ""])) - _QUOTED // 4)
    return " → ".join(_from(value, start) for value in (old, new))


def _from(value: str | None, start: int) -> str:
    if value is None:
        return "nothing"
    return f"{'…' * bool(start)}{value[start : start + _QUOTED]}{'…' * (len(value) > start + _QUOTED)}"


async def _read_old(base: PromptSubject, readers: ComparisonModels) -> tuple[Specification, tuple[str, ...]]:
    settings = _plain(readers.settings)
    try:
        read = await specify(base, StageModels(readers.generator, readers.judge), settings, None, readers.tell)
    except NoRules:
        return Specification(base.digest, ""), (NO_RULE_BEFORE,)
    return read.specification, read.notes


def _plain(settings: EffortSettings) -> EffortSettings:
    """A comparison needs neither a review nor a judge of grounding."""
    return replace(settings, review=False, ground=False)


async def _read_new(
    head: PromptSubject, carried: CarriedSpecification, readers: ComparisonModels
) -> tuple[Specification, tuple[str, ...]]:
    """What the new version says that the old one did not; without a model where there is nothing new.

    A version that cannot be read hides nothing: what the old one promised is still looked for in its words.
    """
    blank = Specification(head.digest, "")
    if not carried.new:
        return blank, ()
    readers.tell(f"reading what is new: {counted(len(carried.new), 'passage')}")
    try:
        rules = await find_rules(head, readers.generator, readers.settings)
    except NoRules:
        return blank, (NO_RULE_NOW,)
    except CannotEvaluate as error:
        return blank, (f"What is new in the prompt was not read: {error.message}. {MAYBE_REWORDED_NOTE}",)
    inputs = await find_components(head, readers.generator, readers.settings.instructions.get("inputs", ""))
    found = without_carried(replace(blank, rules=rules.value, components=inputs.value), carried, head)
    return found, (*rules.notes, *inputs.notes)


def promises_record(suite: str, diff: SpecDiff, judge: str = "") -> PromisesRecord:
    """What the record holds of a comparison.

    Args:
        judge: the model that was to compare wordings, as `provider:name`; recorded only if it decided something.
    """
    return PromisesRecord(
        suite=suite,
        unchanged=len(diff.of("unchanged")),
        changes=[_promise(change) for change in diff.rules if change.state != "unchanged"],
        inputs=list(diff.inputs),
        notes=list(diff.notes),
        judge=judge if any(change.judged for change in diff.rules) else "",
    )


def _promise(change: RuleChange) -> PromiseRecord:
    base, head = change.base, change.head
    return PromiseRecord(
        state=change.state,
        rule=(base or change.rule).id,
        before=base.text if base is not None else None,
        after=head.text if head is not None else None,
        evidence=base.evidence if base is not None else "",
        new_evidence=head.evidence if head is not None else "",
        by=change.by,
        reason=change.reason,
        judged=change.judged,
    )


_FRAME_TOKENS = 500
"""Of the fixed text of a request."""
_WRITTEN: Mapping[str, int] = {"intent": 60, "inputs": 250, "rules": 900, "inverse": 300, "comparison": 200}
_OF_A_TEST = 180
_OF_AN_ANSWER = 300
_OF_A_VERDICT = 80


@dataclass(frozen=True, slots=True)
class PromptChange:
    """What is to be compared.

    Args:
        given: the specification of the old version; None where it is to be extracted.
        tried: the tests are answered by both versions.
        made: tests are made, for both or for the files.
    """

    base: PromptSubject
    head: PromptSubject
    given: Specification | None
    settings: EffortSettings
    tried: bool = False
    made: bool = False


def forecast_comparison(change: PromptChange, staff: ForecastModels) -> GenerationForecast:
    """Forecast a comparison; each new sentence counts as one rule, since the true number is not known yet.

    Args:
        staff: `tested` answers for both versions.
    """
    if identical_prompts(change.base, change.head):
        return GenerationForecast((), 0, False, 0)
    _, right = version_sides(change.base, change.head)
    rules = len(right.differing)
    tests = 2 * rules * change.settings.tests_per_rule if change.made else 0
    reading = math.ceil(len(change.head.text) / CHARS_PER_TOKEN) + _FRAME_TOKENS
    stages = []
    for stage, calls, written in (*_read(change, rules), *(_made(change, rules, tests) if tests else ())):
        members = staff.tested if stage == "outputs" else (staff.judge if _judged(stage) else staff.generator,)
        for member in members:
            cost = staff.price(*member, Usage(reading * calls, 0, 0, written * calls))
            stages.append(StageForecast(stage, calls, (reading + written) * calls, member[0], cost))
    return GenerationForecast(tuple(stages), rules, rules > 0, tests)


def _judged(stage: str) -> bool:
    return stage in (*JUDGED_STAGES, "comparison", "compliance")


def _read(change: PromptChange, rules: int) -> Iterator[tuple[str, int, int]]:
    """Both versions are read, the new one where it says something new, and compared in one request."""
    old = change.given is None
    calls = {
        "intent": int(old),
        "inputs": int(old) + bool(rules),
        "rules": int(old) + bool(rules),
        "inverse": math.ceil(ASSUMED_RULES / RULES_PER_REQUEST) if old else 0,
        "comparison": int(bool(rules)),
    }
    yield from ((stage, count, _WRITTEN[stage]) for stage, count in calls.items() if count)


def _made(change: PromptChange, rules: int, tests: int) -> Iterator[tuple[str, int, int]]:
    """Tests for new rules, and the answers to them."""
    yield "inverse", math.ceil(rules / RULES_PER_REQUEST), _WRITTEN["inverse"]
    for stage, calls in change.settings.calls_for_tests(rules).items():
        if calls and stage != "expected":
            yield stage, calls, math.ceil(_OF_A_TEST * tests / calls)
    if change.tried:
        yield "outputs", 2 * tests * change.settings.turns, _OF_AN_ANSWER
        yield "compliance", 2 * tests, _OF_A_VERDICT
