"""The forecast and the result of a generation, as sheets and as JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from gate.config.specification import (
    CompiledRule,
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
from gate.values import Amount, Count, JsonValue, RecordPart, Share, about_dollars, counted

if TYPE_CHECKING:
    from gate.testgen.cases.diversity import Diversity

KINDS: tuple[TestKind, ...] = ("rule", "inverse")
LEFT = "Code checks English rules on length, format and words. The judge checks the others."
"""Why a rule is not checked by code."""
NEXT = "Next: review the cases, copy this suite into gate.yaml, and run gate check"
_GROUNDING = {
    "verbatim": "word for word",
    "judged": "by its meaning",
    "edited": "by a person",
    "ungrounded": "no",
    "unknown": "not checked",
}
_NAMED = 12
"""Discarded tests that a reason names; the JSON document has all of them."""
_ALIKE = 0.3
"""Likeness from which on many tests are variants of each other: see `gate.testgen.cases.diversity.Diversity`."""
_EVEN = 1.2
"""Where the longest input is at most this many times the shortest, length was hardly varied."""


@dataclass(frozen=True, slots=True)
class GenerationOutcome:
    """What the summary of a generation shows.

    Args:
        suite: a configuration for the tests, to copy; may be empty.
    """

    prompt: str
    specification: Specification
    compiled: Sequence[tuple[CompiledRule, str]]
    tests: Sequence[GeneratedTest]
    discarded: Sequence[Discarded]
    notes: Sequence[str]
    warnings: Sequence[str]
    written: Sequence[str]
    diversity: "Diversity"
    left_out: Sequence[str]
    spent: str
    suite: str = ""


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


def generation_sheet(found: GenerationOutcome) -> Sheet:
    """The result of a generation."""
    tests, rules, by_code = len(found.tests), len(found.specification.rules), len(found.compiled)
    head = f"{found.prompt}: {counted(tests, 'test')} for {counted(rules, 'rule')}"
    head += f", {by_code} checked by code, {rules - by_code} by a judge"
    remarks = tuple(Remark(text) for text in (*found.warnings, *found.notes))
    grids = (_rules(found), *_checks(found), *_discarded(found), *_questions(found.specification))
    blocks = (CodeBlock(NEXT, found.suite, "yaml"),) if found.suite else ()
    return Sheet(head, remarks, grids, (*diversity_words(found.diversity), found.spent, *found.written), blocks)


def _rules(found: GenerationOutcome) -> SheetTable:
    kept = Counter((test.rule, test.kind) for test in found.tests)
    by_code = {one.rule for one, _ in found.compiled}
    lines = [
        SheetRow(
            (f"{rule.id} {rule.text}", str(kept[rule.id, "rule"]), str(kept[rule.id, "inverse"]), *_how(rule, by_code))
        )
        for rule in found.specification.rules
    ]
    head = (*text_columns("Rule"), *figure_columns("Tests", "Inverse"), *text_columns("Checked by", "In the prompt"))
    return SheetTable("Rules", head, tuple(lines), wraps=True)


def _how(rule: OutputRule, by_code: set[str]) -> tuple[str, str]:
    return "code" if rule.id in by_code else "judge", _GROUNDING[rule.grounding]


def _checks(found: GenerationOutcome) -> Iterator[SheetTable]:
    if found.compiled:
        left = (LEFT,) if len(found.compiled) < len(found.specification.rules) else ()
        yield SheetTable("Checked by code", (), (), left, items=tuple(said for _, said in found.compiled))


def _discarded(found: GenerationOutcome) -> Iterator[SheetTable]:
    """Each reason once, that of most tests first."""
    if found.discarded:
        reasons = Counter(one.why for one in found.discarded)
        said = tuple(_reason(why, [one.test.id for one in found.discarded if one.why == why])
                     for why, _ in reasons.most_common())  # fmt: skip
        yield SheetTable(f"Discarded: {counted(len(found.discarded), 'test')}", (), (), items=said)


def _reason(why: str, tests: Sequence[str]) -> str:
    more = f" and {len(tests) - _NAMED:,} more" if len(tests) > _NAMED else ""
    named = f"{', '.join(tests[:_NAMED])}{more}"
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
    """How different the tests are from each other; see `gate.testgen.cases.diversity.Diversity`."""

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


def generation_json(found: GenerationOutcome, effort: Effort, rows: Sequence[OutcomeRow] | None = None) -> str:
    """The text of the document, with a line break at its end.

    Args:
        rows: of an evaluation; None without an evaluation.
    """
    return _printable(
        Generation(
            prompt=found.prompt,
            specification=found.specification,
            compiled=[CheckedRule(rule=one.rule, checks=said) for one, said in found.compiled],
            tests=list(found.tests),
            discarded=list(found.discarded),
            diversity=DiversityRecord.model_validate(found.diversity),
            warnings=list(found.warnings),
            notes=list(found.notes),
            left_out=list(found.left_out),
            written=list(found.written),
            calls=CallsMade(made=effort.calls, cached=effort.reused, retried=effort.retries),
            spent_usd=effort.cost.amount if isinstance(effort.cost, Dollars) else None,
            evaluation=None if rows is None else list(rows),
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
