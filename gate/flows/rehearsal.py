"""Puts every case into every prompt and scorer before anything is spent, so that no mistake shows up halfway."""

from collections.abc import Iterable

from gate.domain.suite import Suite
from gate.errors import InputErrors, Problem
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
            texts = [value for spec in specs for value in spec.options.values() if isinstance(value, str)]
            try:
                for arm in (suite.baseline, suite.candidate):
                    render(arm.version.prompt, case, arm.version.path)
                for text in texts:
                    fill(text, case)
            except InputErrors as errors:
                problems += errors.problems
    if problems:
        raise InputErrors(problems)
