"""From a specification to tests: written, expanded, without duplicates, validated, with expected outputs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from gate.calls.interface import together
from gate.config.specification import Discarded, GeneratedTest, Specification
from gate.errors import CannotEvaluate
from gate.record.transcript import Failed
from gate.testgen.cases.diversity import Diversity, diversity_of, without_duplicates
from gate.testgen.cases.inputs import CaseSource, MadeTests, validated_tests
from gate.testgen.cases.rule_tests import expanded_tests, write_rule_tests
from gate.testgen.effort import EffortSettings
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import Asker, problem_notes
from gate.values import counted

AnswerOf: TypeAlias = Callable[[GeneratedTest], Coroutine[Any, Any, str | Failed]]
"""The output of the prompt under test, with a reference model, for one test."""


async def with_expected(tests: Sequence[GeneratedTest], answer: AnswerOf) -> MadeTests:
    """The tests with a reference model's answers, asked concurrently; one without an answer gets a note.

    An expected output is what one model said once. A person has to read it before it counts.
    """
    replies = await together(map(answer, tests))
    problems: dict[str, list[str]] = defaultdict(list)
    answered: list[GeneratedTest] = []
    for test, reply in zip(tests, replies, strict=True):
        if isinstance(reply, Failed):
            problems[f"no expected output ({reply.reason})"].append(test.id)
        answered.append(test if isinstance(reply, Failed) else replace(test, expected=reply))
    return MadeTests(tuple(answered), problem_notes(problems))


@dataclass(frozen=True, slots=True)
class GenerationOptions:
    """How tests are generated.

    Args:
        tell: shows the user a line on what is being done.
        seed: of the order in which statements are shown.
        answer: the reference model, where `settings.expected` asks for its answers.
    """

    settings: EffortSettings = field(default_factory=EffortSettings)
    tell: Callable[[str], None] = lambda line: None
    seed: int = 0
    answer: AnswerOf | None = None


@dataclass(frozen=True, slots=True)
class Generation:
    """What was generated.

    Args:
        tests: for the case file, in the order of the rules; `valid` is True, or None where it is unknown.
        discarded: the others and why: duplicates, and inputs that break the input specification (`valid` is False).
        notes: what did not go as it should, a line each.
        diversity: of `tests`.
    """

    tests: tuple[GeneratedTest, ...]
    discarded: tuple[Discarded, ...]
    notes: tuple[str, ...]
    diversity: Diversity


class NoTests(CannotEvaluate):
    """No test is left; `found` is what there is instead."""

    def __init__(self, found: Generation) -> None:
        super().__init__("no test is left", _first(found))
        self.found = found


async def generate_tests(
    subject: PromptSubject, specification: Specification, generator: Asker, judge: Asker, work: GenerationOptions
) -> Generation:
    """Tests for each rule and each inverse rule.

    Args:
        judge: checks them against the input specification.

    Raises:
        NoTests: no test is left.
        CannotEvaluate: there is no rule.
    """
    if not specification.rules:
        raise CannotEvaluate("the specification holds no rule", "add rules to it, or state them in the prompt")
    settings, source = work.settings, CaseSource.of(subject, specification, work.settings)
    work.tell(f"writing tests for {counted(len(specification.rules), 'rule')}")
    made = await write_rule_tests(source, generator, work.seed)
    notes = list(made.notes)
    if settings.expansions and made.tests:
        work.tell(f"making {counted(len(made.tests), 'test')} harder")
        made = await expanded_tests(source, made.tests, generator)
        notes += made.notes
    distinct = without_duplicates(made.tests)
    tests, discarded = distinct.tests, list(distinct.discarded)
    if settings.validate and tests:
        work.tell(f"checking {counted(len(tests), 'input')}")
        made = await validated_tests(specification.components, tests, settings, judge)
        notes += made.notes
        tests = tuple(test for test in made.tests if test.valid is not False)
        discarded += [Discarded(test, _why(test)) for test in made.tests if test.valid is False]
    if settings.expected and tests and work.answer is not None:
        work.tell(f"asking for {counted(len(tests), 'expected output')}")
        made = await with_expected(tests, work.answer)
        tests, notes = made.tests, [*notes, *made.notes]
    notes += [*_fewer(tests, discarded, settings), *_unfit(source, work)]
    found = Generation(tests, tuple(discarded), tuple(notes), diversity_of(tests))
    if not tests:
        raise NoTests(found)
    return found


def _fewer(tests: Sequence[GeneratedTest], discarded: Sequence[Discarded], settings: EffortSettings) -> tuple[str, ...]:
    """Rules and inverse rules of which some written tests were discarded."""
    left = Counter(f"{test.rule}-{test.kind}" for test in tests)
    problems: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(f"{one.test.rule}-{one.test.kind}" for one in discarded):
        which = f"{left[name]} of {settings.tests_per_rule} tests left without duplicates and invalid inputs"
        problems[f"only {which}"].append(name)
    return problem_notes(problems)


def _unfit(source: CaseSource, work: GenerationOptions) -> Iterator[str]:
    """Settings that could not be applied."""
    if work.settings.documents and not source.shape.retrieved:
        yield "no stand-in documents: no component of the input is named as retrieved context"
    if work.settings.expected and work.answer is None:
        yield "no expected outputs: there is no reference model"


def _why(test: GeneratedTest) -> str:
    return f"breaks the input specification: {test.invalid}" if test.invalid else "breaks the input specification"


def _first(found: Generation) -> str:
    """What to look at first where no test is left."""
    told = [*(f"{one.test.id}: {one.why}" for one in found.discarded), *found.notes]
    return told[0] if told else "the model wrote nothing that can be used"
