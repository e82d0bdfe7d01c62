"""Puts every case into every prompt and scorer before anything is spent, so that no mistake shows up halfway."""

from collections.abc import Iterable

from gate.domain.case import Case, ScorerSpec
from gate.domain.suite import Suite
from gate.errors import InputErrors, Problem
from gate.inputs.patterns import complaint
from gate.inputs.render import fill, render


def rehearse(suites: Iterable[Suite]) -> None:
    """Render all templates with all cases.

    Raises:
        InputErrors: variables that a prompt or a scorer names and a case does not have, all of them at once.
    """
    problems: list[Problem] = []
    for suite in suites:
        for case in suite.exam.cases:
            specs = suite.exam.scorers if case.scorers is None else case.scorers
            texts = [(spec, value) for spec in specs for value in spec.options.values() if isinstance(value, str)]
            try:
                for arm in (suite.baseline, suite.candidate):
                    render(arm.version.prompt, case, arm.version.path)
                for spec, text in texts:
                    problems += _filled(spec, text, case)
            except InputErrors as errors:
                problems += errors.problems
    if problems:
        raise InputErrors(problems)


def _filled(spec: ScorerSpec, text: str, case: Case) -> list[Problem]:
    """Fill a scorer's text; a pattern that comes from a case must be one."""
    filled = fill(text, case)
    reason = complaint(filled) if spec.kind == "regex" and filled != text else ""
    if not reason:
        return []
    file, _, line = case.where.rpartition(":")
    message = f"the pattern of case {case.id!r} is not a regular expression: {reason}"
    return [
        Problem(
            file, int(line), message, "Python's re syntax; a backslash before a special character takes it literally"
        )
    ]
