"""What a generation would take, and what came of it, as sheets."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.domain.promptspec import CompiledRule, Discarded, GeneratedTest, OutputRule, Specification, TestKind
from gate.domain.usage import Dollars, Effort, about_dollars
from gate.report.sheet import Block, Grid, Line, Remark, Sheet
from gate.stats.undefined import Undefined
from gate.testgen.forecast import GenerationForecast

if TYPE_CHECKING:
    from gate.testgen.diversity import Diversity

KINDS: tuple[TestKind, ...] = ("rule", "inverse")
NEXT = "Next: review the cases, copy this suite into gate.yaml, and run gate check"
_GROUNDING = {
    "verbatim": "in the prompt's words",
    "judged": "in the prompt, says a judge",
    "edited": "written by a person",
    "ungrounded": "not in the prompt",
    "unknown": "not looked up",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a summary tells.

    Args:
        prompt: path.
        specification: of it.
        compiled: rules that code checks, each with the sentence that says how.
        tests: that were kept.
        discarded: that were not.
        notes: what did not go as it should.
        warnings: what a reader should be careful about.
        written: files, with what they are.
        diversity: figures of how different the tests are.
        left_out: rules beyond those that were wanted.
        spent: what it took, in a sentence.
        suite: a configuration for the tests, to copy; empty where there is none.
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


def plan_sheet(prompt: str, found: GenerationForecast) -> Sheet:
    """Before anything is spent.

    Args:
        prompt: path.
        found: the forecast.
    """
    dollars = found.dollars
    money = f", about {about_dollars(dollars)}" if dollars is not None else ""
    lines = [
        Line((one.stage, str(one.model), f"{one.calls:,}", f"{one.tokens:,}", _cost(one.cost))) for one in found.stages
    ]
    below = [f"Rests on {found.rules} rules, which nobody has counted yet."] if found.assumed else []
    below.append("Requests that are repeated, and answers that are known from earlier runs, are not counted.")
    grid = Grid("", ("Stage", "Model", "Calls", "Tokens", "Cost"), tuple(lines), tuple(below))
    head = f"{prompt}: about {found.calls:,} calls{money} for up to {found.tests:,} tests"
    return Sheet(head, (), (grid,))


def _cost(cost: object) -> str:
    return about_dollars(cost.amount) if isinstance(cost, Dollars) else "no known price"


def summary_sheet(found: Outcome) -> Sheet:
    """What came out.

    Args:
        found: it.
    """
    tests, rules = len(found.tests), len(found.specification.rules)
    head = f"{found.prompt}: {_count(tests, 'test')} for {_count(rules, 'rule')}, {len(found.compiled)} checked by code"
    remarks = tuple(Remark(text) for text in (*found.warnings, *found.notes))
    grids = (_rules(found), *_checks(found), *_discarded(found), *_questions(found.specification))
    blocks = (Block(NEXT, found.suite, "yaml"),) if found.suite else ()
    return Sheet(head, remarks, grids, (*diversity_told(found.diversity), found.spent, *found.written), blocks)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _rules(found: Outcome) -> Grid:
    kept = Counter((test.rule, test.kind) for test in found.tests)
    by_code = {one.rule for one, _ in found.compiled}
    lines = [
        Line(
            (f"{rule.id} {rule.text}", str(kept[rule.id, "rule"]), str(kept[rule.id, "inverse"]), *_how(rule, by_code))
        )
        for rule in found.specification.rules
    ]
    return Grid("Rules", ("Rule", "Tests", "Inverse", "Checked by", "Stands"), tuple(lines))


def _how(rule: OutputRule, by_code: set[str]) -> tuple[str, str]:
    return "code" if rule.id in by_code else "judge", _GROUNDING[rule.grounding]


def _checks(found: Outcome) -> Iterator[Grid]:
    if found.compiled:
        yield Grid("Checked by code", (), (), tuple(said for _, said in found.compiled))


def _discarded(found: Outcome) -> Iterator[Grid]:
    if found.discarded:
        lines = tuple(Line((one.test.id, one.why)) for one in found.discarded)
        yield Grid(f"Discarded: {_count(len(lines), 'test')}", ("Test", "Why"), lines)


def _questions(specification: Specification) -> Iterator[Grid]:
    if specification.questions:
        said = tuple(
            f"{', '.join(one.about)}: {one.text}" if one.about else one.text for one in specification.questions
        )
        yield Grid("Questions to the author of the prompt", (), (), said)


def diversity_told(found: "Diversity") -> list[str]:
    """How different the tests are, in a sentence; nothing where they are too few to say."""
    if isinstance(found.nearest, Undefined) or isinstance(found.lengths, Undefined):
        return []
    words = [
        f"{figure:.0%} of the {name} are different ones"
        for name, figure in (("words", found.distinct_1), ("pairs of words", found.distinct_2))
        if not isinstance(figure, Undefined)
    ]
    shares = ", ".join(f"{share:.0%} {name}" for name, share in found.scenarios.items())
    lengths = f"{found.lengths.shortest:,.0f} to {found.lengths.longest:,.0f} characters"
    return [
        f"Inputs of {lengths}; each is {found.nearest:.0%} like the one most like it{'; ' if shares else ''}{shares}.",
        *([f"{' and '.join(words)}."] if words else []),
    ]


def spent_told(effort: Effort) -> str:
    """What it took, in a sentence."""
    known = f", {effort.reused:,} answers were known" if effort.reused else ""
    again = f", {effort.retries:,} sent again" if effort.retries else ""
    money = f", {about_dollars(effort.cost.amount)}" if isinstance(effort.cost, Dollars) else ""
    return f"{_count(effort.calls, 'call')}{again}{known}{money}."
