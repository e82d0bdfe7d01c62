"""The forecast and the result of a generation, as sheets and as JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gate.config.specification import (
    Discarded,
    GeneratedTest,
    OutputRule,
    Scenario,
    Specification,
    TestKind,
)
from gate.record.transcript import Dollars, Effort, masked
from gate.report.sheet import CodeBlock, Remark, Sheet, SheetRow, SheetTable, figure_columns, text_columns
from gate.stats.arrays import Undefined
from gate.testgen.cases.diversity import Lengths
from gate.testgen.evaluation.metrics import OutcomeRow
from gate.testgen.forecast import GenerationForecast
from gate.values import Amount, Count, JsonValue, RecordPart, Share, about_dollars, counted, listed

if TYPE_CHECKING:
    from gate.testgen.cases.diversity import Diversity
    from gate.testgen.generate import GeneratedTests

KINDS: tuple[TestKind, ...] = ("rule", "inverse")
NEXT = "Next: review the cases, copy this suite into gate.yaml, and run gate check"
_GROUNDING = {
    "verbatim": "word for word",
    "judged": "by its meaning",
    "edited": "by a person",
    "ungrounded": "no",
    "unknown": "not checked",
}
_ALIKE = 0.3
"""Likeness from which on many tests are variants of each other: see `gate.testgen.cases.diversity.Diversity`."""
_EVEN = 1.2
"""Where the longest input is at most this many times the shortest, length was hardly varied."""


@dataclass(frozen=True, slots=True)
class GenerationOutcome:
    """What the summary of a generation shows.

    Args:
        checks: what the code of each compiled rule checks.
        warnings, written: one line each.
        suite: a configuration for the tests, to copy; may be empty.
        evaluation: one row for each test and model; None without an evaluation.
    """

    prompt: str
    generated: "GeneratedTests"
    checks: Sequence[str]
    warnings: Sequence[str]
    written: Sequence[str]
    effort: Effort
    suite: str = ""
    evaluation: Sequence[OutcomeRow] | None = None


def generation_plan_sheet(prompt: str, found: GenerationForecast) -> Sheet:
    """The forecast of a generation, before anything is spent; `prompt` is a path."""
    dollars = found.dollars
    money = f", about {about_dollars(dollars)}" if dollars is not None else ""
    lines = [
        SheetRow((one.stage, str(one.model), f"{one.calls:,}", f"{one.tokens:,}", _cost(one.cost)))
        for one in found.stages
    ]
    below = [f"Assumes {found.rules} rules; their number is not known yet."] if found.assumed else []
    below.append("Not counted: retries, and answers that are already cached.")
    grid = SheetTable(
        "", (*text_columns("Stage", "Model"), *figure_columns("Calls", "Tokens", "Cost")), tuple(lines), tuple(below)
    )
    head = f"{prompt}: about {counted(found.calls, 'call')}{money} for up to {counted(found.tests, 'test')}"
    return Sheet(head, (), (grid,))


def _cost(cost: object) -> str:
    return about_dollars(cost.amount) if isinstance(cost, Dollars) else "unknown"


def generation_sheet(outcome: GenerationOutcome) -> Sheet:
    """The result of a generation."""
    generated = outcome.generated
    rules, by_code = len(generated.specification.rules), len(generated.compiled)
    head = f"{outcome.prompt}: {counted(len(generated.tests), 'test')} for {counted(rules, 'rule')}"
    head += f", {by_code} checked by code, {rules - by_code} by a judge"
    remarks = tuple(Remark(text) for text in (*outcome.warnings, *generated.notes))
    grids = (
        _rules(generated),
        *_checks(generated, outcome.checks),
        *_discarded(generated.discarded),
        *_questions(generated.specification),
    )
    blocks = (CodeBlock(NEXT, outcome.suite, "yaml"),) if outcome.suite else ()
    lines = (*diversity_words(generated.diversity), effort_words(outcome.effort), *outcome.written)
    return Sheet(head, remarks, grids, lines, blocks)


def _rules(generated: "GeneratedTests") -> SheetTable:
    counts = Counter((test.rule, test.kind) for test in generated.tests)
    by_code = {compiled.rule for compiled in generated.compiled}
    rows = [
        SheetRow(
            (
                f"{rule.id} {rule.text}",
                str(counts[rule.id, "rule"]),
                str(counts[rule.id, "inverse"]),
                *_how(rule, by_code),
            )
        )
        for rule in generated.specification.rules
    ]
    head = (*text_columns("Rule"), *figure_columns("Tests", "Inverse"), *text_columns("Checked by", "In the prompt"))
    return SheetTable("Rules", head, tuple(rows), wraps=True)


def _how(rule: OutputRule, by_code: set[str]) -> tuple[str, str]:
    return "code" if rule.id in by_code else "judge", _GROUNDING[rule.grounding]


def _checks(generated: "GeneratedTests", checks: Sequence[str]) -> Iterator[SheetTable]:
    if checks:
        by_judge = len(generated.specification.rules) - len(checks)
        left = (f"The judge checks {counted(by_judge, 'rule')} for which there is no check by code.",) * bool(by_judge)
        yield SheetTable("Checked by code", (), (), left, items=tuple(checks))


def _discarded(discarded: Sequence[Discarded]) -> Iterator[SheetTable]:
    """Each reason once, that of most tests first."""
    if discarded:
        reasons = Counter(test.why for test in discarded)
        sentences = tuple(
            _reason(why, [test.test.id for test in discarded if test.why == why]) for why, _ in reasons.most_common()
        )
        yield SheetTable(f"Discarded: {counted(len(discarded), 'test')}", (), (), items=sentences)


def _reason(why: str, tests: Sequence[str]) -> str:
    named = listed(tests)
    return f"{named if len(tests) == 1 else f'{len(tests):,} tests ({named})'}: {why}"


def _questions(specification: Specification) -> Iterator[SheetTable]:
    if specification.questions:
        said = tuple(
            f"{', '.join(one.about)}: {one.text}" if one.about else one.text for one in specification.questions
        )
        yield SheetTable("Questions for the author of the prompt", (), (), items=said)


def diversity_words(found: "Diversity") -> list[str]:
    """How different the kept tests are, with an assessment; empty where there are too few tests."""
    if isinstance(found.nearest, Undefined) or isinstance(found.lengths, Undefined):
        return []
    alike = "many are" if found.nearest > _ALIKE else "few are"
    sentences = [
        f"A test is on average {_whole(found.nearest)} similar to the one most like it: {alike} variants of each other."
    ]
    words = ((found.distinct_1, "words"), (found.distinct_2, "pairs of words"))
    known = [f"{_whole(value)} of the {what}" for value, what in words if not isinstance(value, Undefined)]
    if known:
        sentences.append(f"{' and '.join(known)} are distinct; more means more varied tests.")
    shortest, longest = found.lengths.shortest, found.lengths.longest
    even = ": length hardly varies" if longest <= _EVEN * shortest else ""
    sentences.append(f"Inputs of {shortest:,.0f} to {longest:,.0f} characters{even}.")
    if found.scenarios:
        sentences.append(
            f"Scenarios: {', '.join(f'{_whole(share)} {name}' for name, share in found.scenarios.items())}."
        )
    return [" ".join(sentences)]


def _whole(share: float) -> str:
    return f"{100 * share:.0f} %"


def effort_words(effort: Effort) -> str:
    """Calls, and dollars where known, in a sentence."""
    known = f", {effort.reused:,} cached" if effort.reused else ""
    again = f", {effort.retries:,} repeated" if effort.retries else ""
    money = f", {about_dollars(effort.cost.amount)}" if isinstance(effort.cost, Dollars) else ""
    return f"{counted(effort.calls, 'call')}{again}{known}{money}."


def rules_plan_sheet(prompt: str, found: GenerationForecast) -> Sheet:
    """The forecast of a comparison of rules; `prompt` is a path."""
    if not found.stages:
        return Sheet(f"{prompt}: the prompt did not change; no calls", (), ())
    whole = generation_plan_sheet(prompt, found)
    money = f", about {about_dollars(found.dollars)}" if found.dollars is not None else ""
    tests = f", with {counted(found.tests, 'test')}" if found.tests else ""
    head = f"{prompt}: about {counted(found.calls, 'call')}{money} to compare its rules{tests}"
    assumed = f"Assumes one rule for each new sentence, {found.rules:,} in all." if found.rules else ""
    below = tuple(filter(None, (assumed, whole.grids[0].below[-1])))
    return replace(whole, headline=head, grids=(replace(whole.grids[0], below=below),))


SCHEMA = "prompt-gate/generation/1"

Value = TypeVar("Value")


def _null(figure: object) -> object:
    return None if isinstance(figure, Undefined) else figure


Known: TypeAlias = Annotated[Value | None, BeforeValidator(_null)]
"""Null where so few tests do not give the figure."""


class CheckedRule(RecordPart):
    """A rule that code checks, and how."""

    rule: str
    checks: str


class DiversityRecord(RecordPart):
    """How different the tests are from each other."""

    model_config = ConfigDict(from_attributes=True)

    tests: Count
    distinct_1: Known[Share]
    distinct_2: Known[Share]
    nearest: Known[Share]
    lengths: Known[Lengths]
    scenarios: dict[Scenario, Share]


class CallsMade(RecordPart):
    """Of models, those of an evaluation among them."""

    made: Count
    cached: Count
    retried: Count


class Generation(RecordPart):
    """What gate generate saves.

    Args:
        prompt: path.
        left_out: rules over the limit.
        written: files, with what they are.
        spent_usd: null where a price is not known.
        evaluation: one row for each test and model; left out without an evaluation.
    """

    schema_id: Literal["prompt-gate/generation/1"] = Field(default="prompt-gate/generation/1", alias="schema")
    prompt: str
    specification: Specification
    compiled: list[CheckedRule]
    tests: list[GeneratedTest]
    discarded: list[Discarded]
    diversity: DiversityRecord
    warnings: list[str]
    notes: list[str]
    left_out: list[str]
    written: list[str]
    calls: CallsMade
    spent_usd: Amount | None
    evaluation: list[OutcomeRow] | None = Field(default=None, exclude_if=lambda rows: rows is None)


class PlannedStage(RecordPart):
    """One stage of a plan; null where a price is unknown."""

    stage: str
    model: str
    calls: Count
    tokens: Count
    usd: Amount | None


class Plan(RecordPart):
    """The forecast of a generation."""

    schema_id: Literal["prompt-gate/generation-plan/1"] = Field(default="prompt-gate/generation-plan/1", alias="schema")
    prompt: str
    calls: Count
    tokens: Count
    usd: Amount | None
    tests: Count
    rules: Count
    rules_assumed: bool
    stages: list[PlannedStage]


def generation_schema() -> dict[str, JsonValue]:
    """The JSON Schema of `generation.json`."""
    schema = Generation.model_json_schema(mode="serialization")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"https://prompt-gate.dev/schemas/{SCHEMA}",
    }
    return {**head, **schema, "title": "generation.json"}


def generation_json(outcome: GenerationOutcome) -> str:
    """The text of the document, with a line break at its end."""
    generated, effort = outcome.generated, outcome.effort
    return _printable(
        Generation(
            prompt=outcome.prompt,
            specification=generated.specification,
            compiled=[
                CheckedRule(rule=compiled.rule, checks=check)
                for compiled, check in zip(generated.compiled, outcome.checks, strict=True)
            ],
            tests=list(generated.tests),
            discarded=list(generated.discarded),
            diversity=DiversityRecord.model_validate(generated.diversity),
            warnings=list(outcome.warnings),
            notes=list(generated.notes),
            left_out=list(generated.left_out),
            written=list(outcome.written),
            calls=CallsMade(made=effort.calls, cached=effort.reused, retried=effort.retries),
            spent_usd=effort.cost.amount if isinstance(effort.cost, Dollars) else None,
            evaluation=None if outcome.evaluation is None else list(outcome.evaluation),
        )
    )


def plan_json(prompt: str, found: GenerationForecast) -> str:
    """The forecast of a generation, as JSON."""
    stages = [
        PlannedStage(
            stage=one.stage,
            model=str(one.model),
            calls=one.calls,
            tokens=one.tokens,
            usd=one.cost.amount if isinstance(one.cost, Dollars) else None,
        )
        for one in found.stages
    ]
    return _printable(
        Plan(
            prompt=prompt,
            calls=found.calls,
            tokens=found.tokens,
            usd=found.dollars,
            tests=found.tests,
            rules=found.rules,
            rules_assumed=found.assumed,
            stages=stages,
        )
    )


def _printable(document: BaseModel) -> str:
    text = json.dumps(document.model_dump(mode="json", by_alias=True), ensure_ascii=False, indent=2)
    # It may be printed, and a terminal obeys more characters than JSON escapes.
    return "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text) + "\n"


def printable_json(document: Mapping[str, JsonValue]) -> str:
    """A document that is safe in a terminal and in a runner's log, with what looks like a key masked.

    Args:
        document: what to print; a reader of the JSON gets the same texts, apart from keys.
    """
    text = json.dumps(_masked(dict(document)), ensure_ascii=False, indent=2)
    text = "".join(char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1] for char in text)
    return text.replace("##[", "#\\u0023[").replace("::", ":\\u003a")


def _masked(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {key: _masked(inner) for key, inner in value.items()}
    return [_masked(inner) for inner in value] if isinstance(value, list) else value
