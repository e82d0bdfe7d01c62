"""Makes tests for rules and inverse rules, and harder versions of them; the model does not see which are inverse."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from gate.config.specification import GeneratedTest, Scenario, Specification
from gate.record.transcript import Failed
from gate.testgen.cases.diversity import identity
from gate.testgen.cases.inputs import CaseSource, MadeTests, in_batches, shown_input
from gate.testgen.questions import (
    REMARK_SCHEMA,
    TEXT_SCHEMA,
    Asker,
    MalformedAnswer,
    Question,
    choice_schema,
    list_schema,
    object_schema,
    problem_notes,
    read_each,
    read_text,
)
from gate.values import JsonValue

SCENARIOS: tuple[Scenario, ...] = get_args(Scenario)
_TAKEN_CHARS = 400
"""Characters shown of an existing input."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A rule (by its id) or its inverse, as a sentence about outputs that tests are made for."""

    rule: str
    kind: Literal["rule", "inverse"]
    text: str

    @property
    def name(self) -> str:
        """The start of the names of its tests: `R3-rule`."""
        return f"{self.rule}-{self.kind}"


@dataclass(frozen=True, slots=True)
class _Wanted:
    """One request: tests wanted per statement, inputs that exist, and whether it repeats one that gave too few."""

    counts: Mapping[Statement, int]
    taken: tuple[str, ...] = ()
    index: int = 0
    again: bool = False

    @property
    def ids(self) -> dict[str, Statement]:
        return {f"S{number}": one for number, one in enumerate(self.counts, start=1)}

    def missing(self, drafts: Mapping[Statement, Sequence[GeneratedTest]]) -> int:
        """How many tests are not among the drafts."""
        return sum(max(0, count - len(drafts.get(one, ()))) for one, count in self.counts.items())


class _Kept:
    """Tests by statement: no more than wanted, no duplicates."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._found: dict[Statement, dict[object, GeneratedTest]] = defaultdict(dict)

    def add(self, drafts: Mapping[Statement, Sequence[GeneratedTest]]) -> None:
        for statement, tests in drafts.items():
            for test in tests:
                if self.missing(statement):
                    self._found[statement].setdefault(identity(test), test)

    def missing(self, statement: Statement) -> int:
        return self._count - len(self._found[statement])

    def tests(self, statement: Statement) -> tuple[GeneratedTest, ...]:
        numbered = enumerate(self._found[statement].values(), start=1)
        return tuple(replace(test, id=f"{statement.name}-{number}") for number, test in numbered)


def statements_of(specification: Specification) -> tuple[Statement, ...]:
    """Each rule, followed by its inverse where it has one."""
    found: list[Statement] = []
    for rule in specification.rules:
        found.append(Statement(rule.id, "rule", _one_line(rule.text)))
        if rule.inverse:
            found.append(Statement(rule.id, "inverse", _one_line(rule.inverse)))
    return tuple(found)


def _one_line(text: str) -> str:
    return " ".join(text.split())


async def write_rule_tests(source: CaseSource, generator: Asker, seed: int = 0) -> MadeTests:
    """The wanted number of tests for each rule and each inverse rule; missing ones are requested once more.

    Returns:
        Tests in the order of the rules, and which statements have too few.
    """
    settings, statements = source.settings, statements_of(source.specification)
    mixed = list(statements)
    random.Random(f"{source.specification.digest}/{seed}").shuffle(mixed)  # noqa: S311 an order is no secret
    kept, seen = _Kept(settings.tests_per_rule), Counter[tuple[str, ...]]()
    asked: list[_Wanted] = []
    for batch in in_batches(mixed, settings.rules_per_call):
        words = tuple(one.text for one in batch)
        asked.append(_Wanted(dict.fromkeys(batch, settings.tests_per_rule), index=seen[words]))
        seen[words] += 1
    reasons: dict[Statement, str] = {}
    for _ in range(2):
        replies = await generator.ask_all([_tests_question(source, wanted) for wanted in asked])
        again: list[_Wanted] = []
        for wanted, reply in zip(asked, replies, strict=True):
            if isinstance(reply, Failed):
                reasons.update(dict.fromkeys(wanted.counts, reply.reason))
            else:
                kept.add(reply)
                for statement in wanted.counts:
                    reasons.pop(statement, None)
            again += _again(wanted, kept, failed=isinstance(reply, Failed))
        asked = again
    tests = tuple(test for statement in statements for test in kept.tests(statement))
    return MadeTests(tests, _short(statements, kept, settings.tests_per_rule, reasons))


def _again(wanted: _Wanted, kept: _Kept, *, failed: bool) -> Iterator[_Wanted]:
    """What to request once more. Statements that gave nothing together are requested one by one; a single one that gave
    nothing is not requested again."""
    short = {statement: kept.missing(statement) for statement in wanted.counts if kept.missing(statement)}
    if failed and len(wanted.counts) == 1:
        return
    for counts in [{one: count} for one, count in short.items()] if failed else [short] if short else []:
        taken = (text for one in counts for test in kept.tests(one) for _, text in shown_input(test))
        yield _Wanted(counts, tuple(text[:_TAKEN_CHARS] for text in taken), wanted.index, again=True)


def _tests_question(source: CaseSource, wanted: _Wanted) -> Question[dict[Statement, list[GeneratedTest]]]:
    statements = [{"id": name, "text": one.text, "count": wanted.counts[one]} for name, one in wanted.ids.items()]
    view = {
        **source.view(*(one.text for one in wanted.counts), *wanted.taken),
        "statements": statements,
        "taken": wanted.taken,
    }
    ordered = [name for name, one in wanted.ids.items() for _ in range(wanted.counts[one])]
    each = [_item(source, name) for name in ordered]
    return Question(
        "tests",
        view,
        object_schema({"tests": list_schema(_item(source, *wanted.ids), each=each)}),
        lambda found: _read_tests(source, wanted, found),
        source.settings.instructions.get("tests", ""),
        wanted.index,
        lambda drafts: wanted.missing(drafts) if wanted.again else 0,
    )


def _item(source: CaseSource, *ids: str) -> dict[str, JsonValue]:
    """JSON Schema of one test of one of these statements."""
    return object_schema(
        {
            "statement": choice_schema(*ids),
            "reasoning": REMARK_SCHEMA,
            "scenario": choice_schema(*SCENARIOS),
            **source.shape.schema(),
            "behaviour": REMARK_SCHEMA,
        }
    )


def _read_tests(
    source: CaseSource, wanted: _Wanted, found: Mapping[str, JsonValue]
) -> dict[Statement, list[GeneratedTest]]:
    drafts: dict[Statement, list[GeneratedTest]] = defaultdict(list)
    for statement, test in read_each(found, "tests", lambda item: _test(source, wanted.ids, item)):
        drafts[statement].append(test)
    return drafts


def _test(
    source: CaseSource, ids: Mapping[str, Statement], item: Mapping[str, JsonValue]
) -> tuple[Statement, GeneratedTest]:
    statement = ids.get(str(item.get("statement")))
    if statement is None:
        raise MalformedAnswer("a test names a statement that was not asked for")
    scenario = next((one for one in SCENARIOS if one == item.get("scenario")), None)
    if scenario is None:
        raise MalformedAnswer(f"scenario is none of {', '.join(SCENARIOS)}")
    reasoning, behaviour = read_text(item, "reasoning"), read_text(item, "behaviour")
    test = GeneratedTest("", statement.kind, statement.rule, "", {}, (), {}, scenario, reasoning, behaviour)
    return statement, source.shape.fill(test, source.shape.read(item))


def _short(
    statements: Sequence[Statement], kept: _Kept, count: int, reasons: Mapping[Statement, str]
) -> tuple[str, ...]:
    problems: dict[str, list[str]] = defaultdict(list)
    for statement in statements:
        missing = kept.missing(statement)
        if missing:
            why = reasons.get(statement, "the model wrote no more usable tests")
            problems[f"only {count - missing} of {count} tests written ({why})"].append(statement.name)
    return problem_notes(problems)


async def expanded_tests(source: CaseSource, tests: tuple[GeneratedTest, ...], generator: Asker) -> MadeTests:
    """The tests after `settings.expansions` rounds, with one request for each test and round.

    Where a round gives nothing usable, a test keeps its input.
    """
    problems: dict[str, list[str]] = defaultdict(list)
    for turn in range(source.settings.expansions):
        replies = await generator.ask_all([_expansion_question(source, test, turn) for test in tests])
        for test, reply in zip(tests, replies, strict=True):
            if isinstance(reply, Failed):
                problems[f"not made harder ({reply.reason})"].append(test.id)
        tests = tuple(test if isinstance(reply, Failed) else reply for test, reply in zip(tests, replies, strict=True))
    return MadeTests(tests, problem_notes(problems))


def _expansion_question(source: CaseSource, test: GeneratedTest, turn: int) -> Question[GeneratedTest]:
    rule = source.specification.rule(test.rule)
    statement = "" if rule is None else rule.inverse if test.kind == "inverse" else rule.text
    texts = shown_input(test)
    view = {**source.view(statement, *(text for _, text in texts)), "statement": statement, "input": texts}
    schema: dict[str, Mapping[str, JsonValue]] = {
        "reasoning": dict(TEXT_SCHEMA),
        **source.shape.schema(),
        "behaviour": dict(TEXT_SCHEMA),
    }

    def read(found: Mapping[str, JsonValue]) -> GeneratedTest:
        told = replace(test, reasoning=read_text(found, "reasoning"), behaviour=read_text(found, "behaviour"))
        return source.shape.fill(told, source.shape.read(found))

    instructions = source.settings.instructions.get("expansion", "")
    return Question("expansion", view, object_schema(schema), read, instructions, turn)
