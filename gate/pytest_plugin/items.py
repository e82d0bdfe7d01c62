"""Suites and cases as pytest nodes, `gate.yaml::SUITE::CASE`, and their reports."""

from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pytest

from gate import numbers
from gate.cases.case import Case
from gate.errors import GateError, InputErrors
from gate.pytest_plugin.background import CaseAnswer
from gate.record.parts import CaseResult, CaseState, ScorerResult
from gate.record.transcript import Dollars, Failed, Reply, Sample
from gate.report.escape import terminal_text, visible
from gate.report.view.cases import value_text
from gate.report.view.scorers import (
    agreement_with_people,
    case_score,
    falls_short,
    mean_score,
    other_scores,
    score_and_mark,
    scorer_text,
)
from gate.resolve.resolved import Resolved, preference_notes, sampling_notes
from gate.suite import Suite
from gate.values import counted

_ESCAPES = ("%25", "%3A", "%5B")


def node_name(name: str, *, last: bool) -> str:
    """A name for one part of a node id; different names stay different.

    pytest splits a node id at `::`, and what follows the first `[` belongs to its last part.
    """
    breaks = "::" in name or name.startswith(":") or name.endswith(":") or ("[" in name and not last)
    if not breaks and not any(escape in name for escape in _ESCAPES):
        return name
    name = name.replace("%", "%25").replace(":", "%3A")
    return name if last else name.replace("[", "%5B")


Payload: TypeAlias = dict[str, Any]
"""Data that a worker of xdist can send: `suite`, `case`, `check`, `calls`, `cached`, `usd`."""

LINES, CHARS = 12, 4_000
"""Limits of one text in the report of a case."""


def payload_of(answer: CaseAnswer) -> Payload:
    """Data for the report of a test."""
    samples = answer.samples
    costs = [score.cost for sample in samples for score in sample.scores]
    calls = sum(score.calls for sample in samples for score in sample.scores)
    cached = sum(score.reused for sample in samples for score in sample.scores)
    for sample in samples:
        if isinstance(sample.reply, Reply):
            calls += not sample.reply.origin.reused
            cached += sample.reply.origin.reused
            costs += [] if sample.reply.origin.reused else [sample.reply.cost]
    dollars = [cost.amount for cost in costs if isinstance(cost, Dollars)]
    return {
        "suite": answer.suite,
        "case": answer.case,
        "check": answer.result.model_dump(mode="json"),
        "calls": calls,
        "cached": cached,
        "usd": fsum(dollars) if dollars else None,
    }


def short_result(payload: Payload) -> str:
    """`score 0.810; asks 0.000 < 1.000; rubric 4.1 of 5 (brevity 5.0, tone 3.0), 3 others 1.000`."""
    check = CaseResult.model_validate(payload["check"])
    if check.state is CaseState.UNSCORED:
        return terminal_text(f"no score: {_why(check)}")
    failing = [scorer_text(one) for one in check.scorers if falls_short(check, one)]
    return terminal_text("; ".join([f"score {case_score(check)}", *failing, *filter(None, [other_scores(check)])]))


def junit_properties(payload: Payload) -> list[tuple[str, object]]:
    """For JUnit: the score, that of each scorer and of each of its parts, all in [0, 1]; scales, reasons and cost."""
    check = CaseResult.model_validate(payload["check"])
    found: list[tuple[str, object]] = [("state", check.state.value)]
    found += [] if check.score is None else [("score", round(check.score, 6))]
    for one in check.scorers:
        found += [] if one.value is None else [(f"score:{one.name}", round(one.value, 6))]
        found += [] if one.scale is None else [(f"scale:{one.name}", f"{one.scale[0]:g} to {one.scale[1]:g}")]
        found += [(f"{part.kind}:{one.name}:{part.name}", round(part.value, 6)) for part in one.parts]
        found += [(f"reason:{one.name}", visible(one.reason))] if one.reason else []
    found += [("missing", visible(reason)) for reason in check.missing]
    found += [("calls", payload["calls"]), ("cached", payload["cached"])]
    return found + ([] if payload["usd"] is None else [("cost_usd", payload["usd"])])


def failure_text(case: Case, answer: CaseAnswer) -> str:
    """Why a case does not pass: the question, the answer, and the result of each scorer."""
    check = answer.result
    lines = [_result(check), ""]
    lines += _block("question", case.question)
    if case.expected is not None:
        lines += _block("expected", value_text(case.expected))
    for sample in answer.samples:
        lines += _sample(sample, len(answer.samples))
    lines += ["", *(_scorer(one) for one in check.scorers)]
    return "\n".join(lines)


def _result(check: CaseResult) -> str:
    """A short result for pytest's final list: which thresholds are missed, and by how much."""
    if check.state is CaseState.UNSCORED:
        return terminal_text(f"This case has no score: {_why(check)}")
    if check.mark is not None:
        return f"score {case_score(check)}"
    missed = (one for one in check.scorers if one.passed is False)
    low = [f"{one.name} {score_and_mark(one.value or 0.0, one.mark, one.scale)}" for one in missed]
    score = f" (score {case_score(check)})" if len(check.scorers) > 1 else ""
    return terminal_text(f"{', '.join(low)}{score}")


def _scorer(one: ScorerResult) -> str:
    sign = {True: "+", False: "x", None: "-"}[one.passed]
    wanted = (
        "" if one.mark is None or one.passed is False else f" (threshold {score_and_mark(one.mark, None, one.scale)})"
    )
    reason = f": {one.reason}" if one.reason else ""
    return terminal_text(f"{sign} {scorer_text(one)}{wanted}{reason}")


def _sample(sample: Sample, total: int) -> list[str]:
    which = f" {sample.index + 1} of {total}" if total > 1 else ""
    if isinstance(sample.reply, Failed):
        return [terminal_text(f"no answer{which}: {sample.reply.reason}")]
    return _block(f"answer{which}", sample.reply.text)


def _block(label: str, text: str) -> list[str]:
    """Foreign text with a bar before every line, so that none looks like the plugin's own output."""
    found = terminal_text(visible(text[:CHARS]), lines=True).splitlines() or [""]
    more = ["  …"] if len(found) > LINES or len(text) > CHARS else []
    return [f"{label}:", *(f"  | {line}" for line in found[:LINES]), *more]


def _why(check: CaseResult) -> str:
    missing = len(check.missing)
    reason = check.missing[0] if check.missing else "for an unknown reason"
    return reason if missing < 2 else f"{reason} (and {missing - 1} more)"


def error_text(error: GateError) -> str:
    """An error with file, line and remedy of each problem."""
    if not isinstance(error, InputErrors):
        return _paragraph(error.message, error.hint)
    return "\n".join(_paragraph(f"{one.where}: {one.message}", one.hint) for one in error.shown)


def _paragraph(said: str, hint: str) -> str:
    return terminal_text(said) + (f"\n  hint: {terminal_text(hint)}" if hint else "")


def score_notes(suites: Iterable[Suite]) -> list[str]:
    """Notes on the scores of the suites: what weakens them, and how far each judge agrees with people."""
    suites = tuple(suites)
    quoted = [
        f"{suite.name}: the judge {one.scorer} {_standing(agreement_with_people(one))}"
        for suite in suites
        for one in suite.exam.judges
    ]
    return [note.text for note in (*sampling_notes(suites), *preference_notes(suites))] + quoted


def _standing(said: str) -> str:
    return f"is {said}" if said.startswith("not ") else said


def summary_lines(payloads: Sequence[Payload], notes: Sequence[str]) -> Iterator[str]:
    """A row for each suite, then the cost."""
    suites: dict[str, list[Payload]] = {}
    for payload in payloads:
        suites.setdefault(payload["suite"], []).append(payload)
    rows: list[tuple[str, ...]] = [("suite", "cases", "passed", "failed", "no score", "mean score")]
    for name, found in suites.items():
        checks = [CaseResult.model_validate(payload["check"]) for payload in found]
        counts = [sum(check.state is state for check in checks)
                  for state in (CaseState.PASSED, CaseState.FAILED, CaseState.UNSCORED)]  # fmt: skip
        counted = (f"{count:,}" for count in counts)
        rows.append((terminal_text(name), f"{len(found):,}", *counted, mean_score(checks)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if payloads:
        for row in rows:
            first, *others = (cell.ljust(width) if place == 0 else cell.rjust(width)
                              for place, (cell, width) in enumerate(zip(row, widths, strict=True)))  # fmt: skip
            yield "  ".join([first, *others])
        yield _spent(payloads)
    yield from map(terminal_text, dict.fromkeys(notes))


def _spent(payloads: Sequence[Payload]) -> str:
    known = [payload["usd"] for payload in payloads if payload["usd"] is not None]
    cost = f", {numbers.dollars(fsum(known))}" if known else ""
    calls, cached = (sum(payload[key] for payload in payloads) for key in ("calls", "cached"))
    return f"{counted(calls, 'call')}, {cached:,} answers from the cache{cost}"


class CaseSource(Protocol):
    """Gives the suites, and the answers to cases."""

    def resolve(self) -> Resolved:
        """The resolved configuration; raises GateError for errors in it."""
        ...

    def wait(self, item: "CaseItem") -> CaseAnswer:
        """The answer to a case; raises GateError where there is none."""
        ...


class CaseFailed(Exception):
    """A case does not pass; the text is the reason."""


class ConfigFile(pytest.File):
    """The configuration."""

    evals: "CaseSource"

    def collect(self) -> Iterator["SuiteNode"]:
        """Its suites.

        Raises:
            CollectError: all errors of the files.
        """
        try:
            resolved = self.evals.resolve()
        except GateError as error:
            raise self.CollectError(error_text(error)) from None
        for suite in resolved.suites:
            node = SuiteNode.from_parent(self, name=node_name(suite.name, last=False))
            node.suite, node.evals = suite, self.evals
            yield node


class SuiteNode(pytest.Collector):
    """One suite."""

    suite: Suite
    evals: "CaseSource"

    def collect(self) -> Iterator["CaseItem"]:
        """Its cases, in the order of their file."""
        for case in self.suite.exam.cases:
            item = CaseItem.from_parent(self, name=node_name(case.id, last=True))
            item.begin(self.evals, self.suite, case)
            yield item


class CaseItem(pytest.Item):
    """One case: started ahead, awaited in the setup, evaluated in the test itself."""

    evals: "CaseSource"
    suite: Suite
    case: Case
    gate_payload: Payload | None = None

    def begin(self, evals: "CaseSource", suite: Suite, case: Case) -> None:
        """Set its case; its slices can be picked with `-k`."""
        self.evals, self.suite, self.case = evals, suite, case
        self.add_marker("eval")
        self.extra_keyword_matches.update(case.slices.values())

    def setup(self) -> None:
        """Wait for the answers; where they cannot be scored, that is an error, not a failure."""
        try:
            answer = self.evals.wait(self)
        except GateError as error:
            pytest.fail(error_text(error), pytrace=False)
        self.gate_payload = payload_of(answer)
        self.user_properties += junit_properties(self.gate_payload)
        if answer.result.state is CaseState.UNSCORED:
            pytest.fail(failure_text(self.case, answer), pytrace=False)

    def runtest(self) -> None:
        """Raises CaseFailed where the case does not pass."""
        answer = self.evals.wait(self)
        if answer.result.state is CaseState.FAILED:
            raise CaseFailed(failure_text(self.case, answer))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of a case that does not pass, in place of a trace."""
        if isinstance(excinfo.value, CaseFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Its place; pytest takes no skipped test without a line, so it is the first."""
        return self.path, 0, f"{self.suite.name}::{self.case.id}"
