"""JUnit XML, as CI servers read it: the verdict, every slice, cost and latency, and every case as a test.

There is no standard for the format. This file satisfies the schema of Jenkins' xUnit plugin, and carries counts and
times as GitLab and GitHub's reporters show them. The file is red exactly when the gate is: in a run with the exit code
0 nothing is a failure or an error, whatever single cases did.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal, TypeAlias
from xml.etree import ElementTree as Xml

from gate import numbers
from gate.record.comparison import AxisComparison, Comparison, PassRate, PassState, State, Verdict
from gate.record.parts import CaseState, OutputRecord
from gate.record.run import CaseRecord, NewCaseRecord, NewSuiteRecord, RunRecord, SuiteRecord
from gate.record.transcript import mean_score
from gate.report.escape import one_line, shorten, visible, xml_text
from gate.report.slices import LONGEST_SENTENCE, movement, quality_change, short_line
from gate.report.view.comparisons import STATE_WORDS, over_limit
from gate.report.view.headline import plain_first_line
from gate.report.view.pass_rates import pass_rate_words
from gate.report.view.scorers import case_score, shortcomings
from gate.values import counted

Seconds: TypeAlias = Mapping[tuple[str, str], float]
"""How long the answers to a case took, by suite and id."""
LONGEST_TEXT = 2_000
"""Characters of one answer."""
LONGEST_NAME = 300
OUTPUTS_SHOWN = 3
"""Answers of one arm with a case."""
REASONS = 20
"""Reasons shown for a verdict; the record has them all."""
VERDICT = "verdict"
Outcome = Literal["passed", "failure", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class _Test:
    """One test; `message` is empty where it passed, `seconds` is 0 where unknown."""

    name: str
    outcome: Outcome = "passed"
    message: str = ""
    detail: str = ""
    seconds: float = 0.0


def render(run: RunRecord, seconds: Seconds | None = None) -> str:
    """The JUnit file of a finished run."""
    known = seconds or {}
    groups = [("Prompt Gate", [_verdict(run)], run.duration_s)]
    for suite in run.suites:
        slices = [_slice(run, row) for row in _rows(suite)]
        slices += [_axis(run, axis) for axis in (suite.cost, suite.latency)]
        groups += _groups(suite.name, slices, list(_cases(run, suite, known)))
    for new in run.new:
        rates = [_rate(run, row) for row in (new.overall, *new.slices)]
        groups += _groups(new.name, rates, list(_alone(run, new, known)))
    whole = {"name": "Prompt Gate", "time": f"{run.duration_s:.3f}", **_counts(groups)}
    root = Xml.Element("testsuites", whole)
    for name, tests, took in groups:
        counted = _counts([(name, tests, took)])
        attributes = {"name": name, "time": f"{took:.3f}", "timestamp": _plain(run.created), **counted}
        group = Xml.SubElement(root, "testsuite", attributes, skipped=str(_count(tests, "skipped")))
        for test in tests:
            _write(group, name, test)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


_Group: TypeAlias = tuple[str, list[_Test], float]


def _groups(name: str, slices: list[_Test], cases: list[_Test]) -> Iterator[_Group]:
    yield f"{_plain(name)} slices", slices, 0.0
    yield f"{_plain(name)} cases", cases, fsum(test.seconds for test in cases)


def _counts(groups: Sequence[_Group]) -> dict[str, str]:
    tests = [test for _, group, _ in groups for test in group]
    failures, errors = _count(tests, "failure"), _count(tests, "error")
    return {"tests": str(len(tests)), "failures": str(failures), "errors": str(errors)}


def _count(tests: Sequence[_Test], outcome: Outcome) -> int:
    return sum(test.outcome == outcome for test in tests)


def _write(group: Xml.Element, name: str, test: _Test) -> None:
    case = Xml.SubElement(
        group, "testcase", name=_plain(test.name) or "(empty)", classname=name, time=f"{test.seconds:.3f}"
    )
    detail = xml_text(test.detail)
    if test.outcome != "passed":
        told = Xml.SubElement(case, test.outcome, message=xml_text(test.message))
        if test.outcome != "skipped":
            told.set("type", test.outcome)
        told.text = detail or None
    elif detail:
        Xml.SubElement(case, "system-out").text = detail


def _verdict(run: RunRecord) -> _Test:
    first = one_line(plain_first_line(run))
    detail = "\n".join(f"{one.code}: {short_line(one.text, LONGEST_SENTENCE)}" for one in run.deciding[:REASONS])
    if run.exit_code:
        broken = run.verdict is Verdict.INCONCLUSIVE or run.exit_code != 1
        return _Test(VERDICT, "error" if broken else "failure", first, detail, run.duration_s)
    if run.waived_code or run.verdict is Verdict.SKIPPED:
        return _Test(VERDICT, "skipped", first, detail, run.duration_s)
    return _Test(VERDICT, detail=f"{first}\n{detail}", seconds=run.duration_s)


def _rows(suite: SuiteRecord) -> tuple[Comparison, ...]:
    return (suite.quality.overall, *suite.quality.slices)


def _bad(run: RunRecord, row: Comparison) -> bool:
    """Does the slice make the run fail?"""
    hold = run.verdict is Verdict.HOLD and row.state is State.SUSPECT
    return bool(run.exit_code) and row.blocking and (row.state is State.REGRESSION or hold)


def _slice(run: RunRecord, row: Comparison) -> _Test:
    if row.mean is None:
        return _Test(row.slice, "skipped", "no case has a score in both arms")
    said = f"{movement(row)}, interval {numbers.score_interval(row)} ({counted(row.n, 'case')})"
    if row.undetected(run.method.alpha) is not None:
        said = quality_change(row, run.method.alpha)
    said = f"{said}: {STATE_WORDS[row.state]}"
    if _bad(run, row):
        return _Test(row.slice, "failure", said)
    return _Test(row.slice, "skipped", said) if row.state is State.TOO_FEW else _Test(row.slice, detail=said)


def _axis(run: RunRecord, axis: AxisComparison) -> _Test:
    if not axis.compared or axis.change is None:
        return _Test(
            axis.axis, "skipped", f"not compared: {short_line(axis.reason)}" if axis.reason else "not compared"
        )
    if axis.exceeded:
        said = over_limit(axis)
        bad = run.exit_code and run.verdict is Verdict.HOLD
        return _Test(axis.axis, "failure", said) if bad else _Test(axis.axis, detail=said)
    return _Test(axis.axis, detail=numbers.relative_change(axis.change, axis.lower, axis.upper))


def _cases(run: RunRecord, suite: SuiteRecord, seconds: Seconds) -> Iterator[_Test]:
    bad = {suite.quality.local(row) for row in _rows(suite) if _bad(run, row)}
    for case in suite.cases:
        took = seconds.get((suite.name, case.id), 0.0)
        missing = [*_failures(case.candidate_outputs), *_failures(case.baseline_outputs)]
        said = f"{_mean(case.baseline)} → {_mean(case.candidate)}"
        if case.delta is None:
            broken = any(score is None for score in (*case.baseline, *case.candidate))
            why = f"no score in both arms ({said}){f': {missing[0]}' if missing else ''}"
            # What is missing is an error only where the run is red; a green verdict does not rest on it.
            yield _Test(case.id, "error" if run.exit_code and broken else "skipped", why, _told(case), took)
        elif case.delta < -numbers.ZERO and bad and _within(case, bad):
            yield _Test(case.id, "failure", f"score {said}", _told(case), took)
        else:
            yield _Test(case.id, detail=f"score {said}", seconds=took)


def _within(case: CaseRecord, bad: set[str]) -> bool:
    """Is the case in a slice that dropped? If only `overall` did, every case that dropped counts."""
    named = {f"{dimension}={value}" for dimension, value in case.slices.items()}
    return bool(named & bad) or bad == {"overall"}


def _told(case: CaseRecord) -> str:
    arms = (("baseline", case.baseline_outputs), ("candidate", case.candidate_outputs))
    parts = [] if case.input is None else [f"input:\n{_cut(case.input)}"]
    parts += [_answer(arm, output) for arm, outputs in arms for output in outputs[:OUTPUTS_SHOWN]]
    return "\n\n".join([*parts, *([f"from {one_line(case.where)}"] if case.where else [])])


def _answer(arm: str, output: OutputRecord) -> str:
    score = "no score" if output.score is None else f"score {numbers.score(output.score)}"
    if output.failure is not None:
        return f"{arm} {output.index + 1}: failed: {short_line(output.failure, LONGEST_SENTENCE)}"
    reasons = "".join(f"\n- {short_line(reason.line, LONGEST_SENTENCE)}" for reason in output.reasons)
    return f"{arm} {output.index + 1} ({score}):\n{_cut(output.text or '')}{reasons}"


def _failures(outputs: Sequence[OutputRecord]) -> Iterator[str]:
    for output in outputs:
        if output.failure is not None:
            yield short_line(output.failure, LONGEST_SENTENCE)


def _rate(run: RunRecord, row: PassRate) -> _Test:
    if row.rate is None:
        return _Test(row.slice, "skipped", "no case has a score")
    said = pass_rate_words(row)
    hold = run.verdict is Verdict.HOLD and row.doubtful
    bad = run.exit_code and (row.blocking and row.state is PassState.MISSED or hold)
    return _Test(row.slice, "failure", said) if bad else _Test(row.slice, detail=said)


def _alone(run: RunRecord, new: NewSuiteRecord, seconds: Seconds) -> Iterator[_Test]:
    for case in new.cases:
        took = seconds.get((new.name, case.id), 0.0)
        yield _checked(run, case, took) if case.check else _passing(run, case, took)


def _checked(run: RunRecord, case: NewCaseRecord, took: float) -> _Test:
    check = case.check
    if check is None or check.state is CaseState.PASSED:
        return _Test(case.id, detail=f"score {case_score(check)}" if check else "", seconds=took)
    said = "; ".join((*shortcomings(check), *(short_line(why, LONGEST_SENTENCE) for why in check.missing)))
    detail = "\n\n".join(_answer("answer", output) for output in case.outputs[:OUTPUTS_SHOWN])
    red = bool(run.exit_code) and check.counts
    if check.state is CaseState.UNSCORED:
        return _Test(case.id, "error" if red else "skipped", f"no score: {said}" if said else "no score", detail, took)
    if red:
        return _Test(case.id, "failure", said, detail, took)
    return _Test(case.id, "skipped", f"failed, but does not count: {said}", detail, took)


def _passing(run: RunRecord, case: NewCaseRecord, took: float) -> _Test:
    scores = f"score {_mean(case.scores)}"
    detail = "\n\n".join(_answer("answer", output) for output in case.outputs[:OUTPUTS_SHOWN])
    known = [passed for passed in case.passed if passed is not None]
    if not known:
        return _Test(case.id, "error" if run.exit_code else "skipped", "no score", detail, took)
    if all(known):
        return _Test(case.id, detail=scores, seconds=took)
    said = f"{scores}; {sum(known)} of {counted(len(known), 'sample')} pass"
    red = bool(run.exit_code) and run.verdict in (Verdict.BLOCK, Verdict.HOLD)
    return _Test(case.id, "failure" if red else "skipped", said if red else f"does not count: {said}", detail, took)


def _mean(scores: Sequence[float | None]) -> str:
    mean = mean_score(scores)
    return "no score" if mean is None else numbers.score(mean)


def _cut(text: str) -> str:
    return shorten(visible(text), LONGEST_TEXT)


def _plain(name: str) -> str:
    return xml_text(shorten(one_line(name), LONGEST_NAME))
