"""What a verdict rests on, one finding for each rule and suite, for programs that put remarks beside lines."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gate.domain.comparison import AxisComparison
from gate.domain.passrate import PassRate, PassState
from gate.domain.record import RunRecord
from gate.domain.record_compared import SuiteRecord
from gate.domain.record_new import NewSuiteRecord
from gate.domain.verdict import State, Verdict
from gate.report import numbers
from gate.report.compared.axes import over_allowance
from gate.report.slices import Named, fallen, in_state, of_suite, short

FindingLevel: TypeAlias = Literal["error", "warning", "notice"]
Lines: TypeAlias = Mapping[str, Sequence[tuple[int, int]]]
"""The changed lines of files, by path in the repository: first and last of each place, 1-based."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding.

    Args:
        id: stable, as programs keep it.
        title: a few words.
        text: what it means, in a sentence.
    """

    id: str
    title: str
    text: str


RULES = (
    Rule("regression", "Quality fell", "A slice that can block fell, by the joint test over all slices."),
    Rule("suspect", "Quality may have fallen", "A slice may have fallen; the cases are too few to be sure."),
    Rule("cost", "Cost beyond its allowance", "Calls cost more, by more than the policy allows."),
    Rule("latency", "Latency beyond its allowance", "Answers take longer, by more than the policy allows."),
    Rule("pass-rate", "Too few cases pass", "A prompt that stands alone misses the pass rate that is asked for."),
    Rule("pass-rate-unproven", "Pass rate not proven", "The pass rate is reached, but not beyond doubt."),
)
_DECISIVE = {
    Verdict.BLOCK: frozenset({"regression", "pass-rate"}),
    Verdict.HOLD: frozenset({"suspect", "cost", "latency", "pass-rate-unproven"}),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule that one suite meets.

    Args:
        rule: id of one of `RULES`.
        level: `error` where it makes the run fail, `notice` where the verdict is set aside.
        suite: its name.
        path: of the candidate's prompt.
        message: plain text on one line, keys masked.
    """

    rule: str
    level: FindingLevel
    suite: str
    path: str
    message: str


def findings(run: RunRecord) -> tuple[Finding, ...]:
    """All of them, in the order of the suites.

    Args:
        run: finished.
    """
    found: list[Finding] = []
    for suite in run.suites:
        path = suite.candidate.path
        found += (Finding(rule, _level(run, rule), suite.name, path, said) for rule, said in _compared(run, suite))
    for new in run.new:
        path = new.candidate.path
        told = ((rule, said) for rule, said in _alone(new) if run.kind != "check" or rule == "pass-rate")
        found += (Finding(rule, _level(run, rule), new.name, path, said) for rule, said in told)
    return tuple(found)


def _level(run: RunRecord, rule: str) -> FindingLevel:
    if run.waived:
        return "notice"
    return "error" if run.exit_code and rule in _DECISIVE.get(run.verdict, ()) else "warning"


def _compared(run: RunRecord, suite: SuiteRecord) -> Iterator[tuple[str, str]]:
    blocking = [named for named in of_suite(run, suite) if named.record.blocking]
    for rule, state in (("regression", State.REGRESSION), ("suspect", State.SUSPECT)):
        if rows := in_state(blocking, state):
            yield rule, _fell(rows)
    axes: tuple[AxisComparison, ...] = (suite.cost, suite.latency)
    for axis in axes:
        if axis.exceeded:
            yield axis.axis, f"{short(suite.name)}: {axis.axis} {over_allowance(axis)}"


def _fell(rows: Sequence[Named]) -> str:
    return f"{fallen(rows[0].record, short(rows[0].full))}{_more(len(rows) - 1)}"


def _alone(new: NewSuiteRecord) -> Iterator[tuple[str, str]]:
    rows = (new.overall, *new.slices)
    missed = [row for row in rows if row.blocking and row.state is PassState.MISSED]
    doubtful = [row for row in rows if row.doubtful and row.state is PassState.UNPROVEN]
    if missed:
        yield "pass-rate", _passed(new, missed)
    if doubtful:
        yield "pass-rate-unproven", _passed(new, doubtful)


def _passed(new: NewSuiteRecord, rows: Sequence[PassRate]) -> str:
    worst = min(rows, key=lambda row: (row.rate or 0.0) - (row.wanted or 0.0))
    return f"{short(new.name)}/{short(worst.slice)}: {passing(worst)}{_more(len(rows) - 1)}"


def passing(row: PassRate) -> str:
    """`62.5 % pass (8 cases), 90 % are asked for`."""
    rate = "none" if row.rate is None else numbers.share(row.rate)
    wanted = "" if row.wanted is None else f", {numbers.share(row.wanted)} are asked for"
    return f"{rate} pass ({numbers.counted(row.n, 'case')}){wanted}"


def _more(count: int) -> str:
    return f", and {numbers.counted(count, 'more slice')}" if count else ""
