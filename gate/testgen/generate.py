"""From a prompt to its specification and tests: written, expanded, without duplicates, validated, with answers."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gate.calls.interface import together
from gate.config.specification import CompiledRule, Discarded, GeneratedTest, Specification
from gate.errors import CannotEvaluate
from gate.record.transcript import Failed
from gate.testgen.cases.diversity import Diversity, diversity_of, without_duplicates
from gate.testgen.cases.inputs import CaseSource, MadeTests, validated_tests
from gate.testgen.cases.rule_tests import expanded_tests, write_rule_tests
from gate.testgen.effort import EffortSettings
from gate.testgen.forecast import GenerationForecast
from gate.testgen.prompt_under_test import PromptSubject
from gate.testgen.questions import AnswerOf, GenerationSetup, problem_notes
from gate.testgen.rules.compiler import compile_rules
from gate.testgen.specification.pipeline import specify
from gate.values import about_dollars, counted, listed

UNSURPRISING_CALLS = 200
"""Forecasts up to this many calls need no confirmation."""
EXTRA_CALLS = 100
"""Calls added to the suggested limit, for retries and earlier requests."""


@dataclass(frozen=True, slots=True)
class GeneratedTests:
    """The tests of a specification.

    Args:
        tests: for the case file, in the order of the rules; `valid` is True, or None where it is unknown.
        discarded: duplicates, and inputs that break the input specification (`valid` is False).
        notes: problems, one line each.
        diversity: of `tests`.
        compiled: the rules that code checks.
        left_out: rules beyond the limit.
        failure: why there is no test; None if there are tests.
    """

    specification: Specification
    tests: tuple[GeneratedTest, ...] = ()
    discarded: tuple[Discarded, ...] = ()
    notes: tuple[str, ...] = ()
    diversity: Diversity = diversity_of(())
    compiled: tuple[CompiledRule, ...] = ()
    left_out: tuple[str, ...] = ()
    failure: CannotEvaluate | None = None


class NoTests(CannotEvaluate):
    """No test is left; `generated` has the discarded tests and notes."""

    def __init__(self, generated: GeneratedTests) -> None:
        reasons = [*(f"{one.test.id}: {one.why}" for one in generated.discarded), *generated.notes]
        super().__init__("no usable test is left", reasons[0] if reasons else "the model wrote no usable tests")
        self.generated = generated


async def generate_tests(
    subject: PromptSubject, specification: Specification, setup: GenerationSetup
) -> GeneratedTests:
    """Tests for each rule and each inverse rule.

    Raises:
        NoTests: no test is left.
        CannotEvaluate: there is no rule.
    """
    if not specification.rules:
        raise CannotEvaluate("the specification has no rules", "add rules to it, or state them in the prompt")
    settings, tell = setup.settings, setup.tell
    source = CaseSource.of(subject, specification, settings)
    tell(f"writing tests for {counted(len(specification.rules), 'rule')}")
    made = await write_rule_tests(source, setup.generator)
    notes = list(made.notes)
    if settings.expansions and made.tests:
        tell(f"making {counted(len(made.tests), 'test')} harder")
        made = await expanded_tests(source, made.tests, setup.generator)
        notes += made.notes
    distinct = without_duplicates(made.tests)
    tests, discarded = distinct.tests, list(distinct.discarded)
    if settings.validate and tests:
        tell(f"checking {counted(len(tests), 'input')}")
        made = await validated_tests(specification.components, tests, settings, setup.judge)
        notes += made.notes
        tests = tuple(test for test in made.tests if test.valid is not False)
        discarded += [Discarded(test, _why(test)) for test in made.tests if test.valid is False]
    if settings.expected and tests and setup.answer is not None:
        tell(f"getting {counted(len(tests), 'expected output')}")
        made = await with_expected(tests, setup.answer)
        tests, notes = made.tests, [*notes, *made.notes]
    notes += [*_fewer(tests, discarded, settings), *_not_applied(source, setup)]
    generated = GeneratedTests(specification, tests, tuple(discarded), tuple(notes), diversity_of(tests))
    if not tests:
        raise NoTests(generated)
    return generated


async def with_expected(tests: Sequence[GeneratedTest], answer: AnswerOf) -> MadeTests:
    """The tests with a reference model's answers; a note for each missing answer.

    An expected output is one answer of one model. A person must review it.
    """
    replies = await together(map(answer, tests))
    problems: dict[str, list[str]] = defaultdict(list)
    answered: list[GeneratedTest] = []
    for test, reply in zip(tests, replies, strict=True):
        if isinstance(reply, Failed):
            problems[f"no expected output ({reply.reason})"].append(test.id)
        answered.append(test if isinstance(reply, Failed) else replace(test, expected=reply))
    return MadeTests(tuple(answered), problem_notes(problems))


def _fewer(tests: Sequence[GeneratedTest], discarded: Sequence[Discarded], settings: EffortSettings) -> tuple[str, ...]:
    """Rules and inverse rules of which some written tests were discarded."""
    left = Counter(f"{test.rule}-{test.kind}" for test in tests)
    problems: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(f"{one.test.rule}-{one.test.kind}" for one in discarded):
        which = (
            f"{left[name]} of {settings.tests_per_rule} tests left; the others were duplicates or had invalid inputs"
        )
        problems[f"only {which}"].append(name)
    return problem_notes(problems)


def _not_applied(source: CaseSource, setup: GenerationSetup) -> Iterator[str]:
    if setup.settings.documents and not source.shape.retrieved:
        yield "no documents were made: no part of the input is marked as retrieved context"
    if setup.settings.expected and setup.answer is None:
        yield "no expected outputs: there is no reference model"
    if source.shape.unsure:
        yield (
            f"asked for as text, since the template does not show their kind: {listed(source.shape.unsure)}; "
            "correct the cases where it is another one"
        )


def _why(test: GeneratedTest) -> str:
    return f"breaks the input specification: {test.invalid}" if test.invalid else "breaks the input specification"


async def specify_and_generate(
    subject: PromptSubject,
    given: Specification | None,
    setup: GenerationSetup,
    forecast: Callable[[Specification], GenerationForecast],
    shown_calls: int | None,
) -> GeneratedTests:
    """Extract the specification, and make tests for its rules.

    Args:
        given: an existing specification; None if it must be extracted.
        forecast: of the remaining stages, once there is a specification.
        shown_calls: the forecast for a user who set no limit; None if a limit is set.

    Raises:
        CannotEvaluate: no rule was found, or a limit was met.
    """
    extracted = await specify(subject, setup, given)
    remaining = forecast(extracted.specification)
    generated = GeneratedTests(extracted.specification)
    failure: CannotEvaluate | None = _surprise(remaining, shown_calls)
    if failure is None:
        setup.tell(f"now: {remaining.told}")
        try:
            generated = await generate_tests(subject, extracted.specification, setup)
        except NoTests as error:
            generated, failure = error.generated, error
    return replace(
        generated,
        notes=(*extracted.notes, *generated.notes),
        compiled=compile_rules(extracted.specification.rules),
        left_out=extracted.left_out,
        failure=failure,
    )


def _surprise(remaining: GenerationForecast, shown_calls: int | None) -> CannotEvaluate | None:
    """An error if far more calls are needed than the user was shown."""
    if shown_calls is None or remaining.calls <= max(UNSURPRISING_CALLS, 3 * shown_calls):
        return None
    rules = counted(remaining.rules, "rule")
    money = "" if remaining.dollars is None else f" and {about_dollars(remaining.dollars)}"
    return CannotEvaluate(
        f"the tests of its {rules} need about {remaining.calls:,} calls{money}, far more than estimated",
        f"allow them with --max-calls {remaining.calls + EXTRA_CALLS} or --max-usd, or make fewer: --effort low, "
        "--set max_rules=6 or --set tests_per_rule=1",
    )
