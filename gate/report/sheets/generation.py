"""What a generation takes and what came of it, as sheets."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.config.specification import CompiledRule, Discarded, GeneratedTest, OutputRule, Specification, TestKind
from gate.record.usage import Dollars, Effort
from gate.report.sheets.sheet import CodeBlock, Grid, Line, Remark, Sheet
from gate.stats.arrays import Undefined
from gate.testgen.forecast import GenerationForecast
from gate.values import about_dollars, counted

if TYPE_CHECKING:
    from gate.testgen.cases.diversity import Diversity

KINDS: tuple[TestKind, ...] = ("rule", "inverse")
LEFT = "English wordings of length, form and words are checked by code; the judge has the rest."
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
        compiled: rules that code checks, each with a sentence that says how.
        notes: problems on the way.
        warnings: what a reader should be careful about.
        written: files, with their contents in words.
        left_out: rules beyond the requested number.
        spent: calls and cost, in a sentence.
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
        Line((one.stage, str(one.model), f"{one.calls:,}", f"{one.tokens:,}", _cost(one.cost))) for one in found.stages
    ]
    below = [f"Rests on {found.rules} rules, which nobody has counted yet."] if found.assumed else []
    below.append("Requests that are repeated, and answers that are known from earlier runs, are not counted.")
    grid = Grid("", ("Stage", "Model", "Calls", "Tokens", "Cost"), tuple(lines), tuple(below))
    head = f"{prompt}: about {counted(found.calls, 'call')}{money} for up to {counted(found.tests, 'test')}"
    return Sheet(head, (), (grid,))


def _cost(cost: object) -> str:
    return about_dollars(cost.amount) if isinstance(cost, Dollars) else "no known price"


def generation_sheet(found: GenerationOutcome) -> Sheet:
    """The result of a generation."""
    tests, rules, by_code = len(found.tests), len(found.specification.rules), len(found.compiled)
    head = f"{found.prompt}: {counted(tests, 'test')} for {counted(rules, 'rule')}"
    head += f", {by_code} checked by code, {rules - by_code} by a judge"
    remarks = tuple(Remark(text) for text in (*found.warnings, *found.notes))
    grids = (_rules(found), *_checks(found), *_discarded(found), *_questions(found.specification))
    blocks = (CodeBlock(NEXT, found.suite, "yaml"),) if found.suite else ()
    return Sheet(head, remarks, grids, (*diversity_words(found.diversity), found.spent, *found.written), blocks)


def _rules(found: GenerationOutcome) -> Grid:
    kept = Counter((test.rule, test.kind) for test in found.tests)
    by_code = {one.rule for one, _ in found.compiled}
    lines = [
        Line(
            (f"{rule.id} {rule.text}", str(kept[rule.id, "rule"]), str(kept[rule.id, "inverse"]), *_how(rule, by_code))
        )
        for rule in found.specification.rules
    ]
    return Grid("Rules", ("Rule", "Tests", "Inverse", "Checked by", "In the prompt"), tuple(lines), wraps=True)


def _how(rule: OutputRule, by_code: set[str]) -> tuple[str, str]:
    return "code" if rule.id in by_code else "judge", _GROUNDING[rule.grounding]


def _checks(found: GenerationOutcome) -> Iterator[Grid]:
    if found.compiled:
        left = (LEFT,) if len(found.compiled) < len(found.specification.rules) else ()
        yield Grid("Checked by code", (), (), left, items=tuple(said for _, said in found.compiled))


def _discarded(found: GenerationOutcome) -> Iterator[Grid]:
    """Each reason once, that of most tests first."""
    if found.discarded:
        reasons = Counter(one.why for one in found.discarded)
        said = tuple(_reason(why, [one.test.id for one in found.discarded if one.why == why])
                     for why, _ in reasons.most_common())  # fmt: skip
        yield Grid(f"Discarded: {counted(len(found.discarded), 'test')}", (), (), items=said)


def _reason(why: str, tests: Sequence[str]) -> str:
    more = f" and {len(tests) - _NAMED:,} more" if len(tests) > _NAMED else ""
    named = f"{', '.join(tests[:_NAMED])}{more}"
    return f"{named if len(tests) == 1 else f'{len(tests):,} tests ({named})'}: {why}"


def _questions(specification: Specification) -> Iterator[Grid]:
    if specification.questions:
        said = tuple(
            f"{', '.join(one.about)}: {one.text}" if one.about else one.text for one in specification.questions
        )
        yield Grid("Questions to the author of the prompt", (), (), items=said)


def diversity_words(found: "Diversity") -> list[str]:
    """How different the kept tests are, and what is good or bad in it; empty where they are too few to say."""
    if isinstance(found.nearest, Undefined) or isinstance(found.lengths, Undefined):
        return []
    alike = "many are" if found.nearest > _ALIKE else "few are"
    sentences = [f"A test is {_whole(found.nearest)} like the one most like it: {alike} variants of each other."]
    words = ((found.distinct_1, "words"), (found.distinct_2, "pairs of words"))
    known = [f"{_whole(value)} of the {what}" for value, what in words if not isinstance(value, Undefined)]
    if known:
        sentences.append(f"{' and '.join(known)} are different ones, and more is richer.")
    shortest, longest = found.lengths.shortest, found.lengths.longest
    even = ": length was hardly tried" if longest <= _EVEN * shortest else ""
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
    known = f", {effort.reused:,} answers were known" if effort.reused else ""
    again = f", {effort.retries:,} sent again" if effort.retries else ""
    money = f", {about_dollars(effort.cost.amount)}" if isinstance(effort.cost, Dollars) else ""
    return f"{counted(effort.calls, 'call')}{again}{known}{money}."


def promises_plan_sheet(prompt: str, found: GenerationForecast) -> Sheet:
    """The forecast of a comparison of promises; `prompt` is a path."""
    if not found.stages:
        return Sheet(f"{prompt}: the prompt says what it said; nobody is asked", (), ())
    whole = generation_plan_sheet(prompt, found)
    money = f", about {about_dollars(found.dollars)}" if found.dollars is not None else ""
    tests = f", with {counted(found.tests, 'test')}" if found.tests else ""
    head = f"{prompt}: about {counted(found.calls, 'call')}{money} to compare what it promises{tests}"
    told = f"Rests on one rule for each new sentence, {found.rules:,} in all." if found.rules else ""
    below = tuple(filter(None, (told, whole.grids[0].below[-1])))
    return replace(whole, headline=head, grids=(replace(whole.grids[0], below=below),))
