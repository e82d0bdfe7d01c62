"""Renders every prompt and scorer with every case before anything is spent, to find all errors early."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from gate.cases.case import Case, place_of
from gate.cases.rendering import NotBuilt, SlowTemplate, render
from gate.config.documents import printable
from gate.config.scorer import ScorerSpec
from gate.errors import InputErrors, Problem
from gate.limits import RENDERING_S
from gate.scoring.validators.registry import fill_options, option_complaints
from gate.suite import Suite


def rehearse(suites: Iterable[Suite], seconds: float = RENDERING_S) -> None:
    """Render all templates with all cases.

    Args:
        seconds: processor time that one rendering of a prompt may take.

    Raises:
        InputErrors: variables that a prompt or a scorer names and a case does not have, invalid patterns, values that
            every answer contains; the same error in many cases is reported once, with their number. A template that
            takes too long ends the check.
    """
    first: dict[str, Problem] = {}
    count: dict[str, int] = {}
    for suite in suites:
        for case in suite.exam.cases:
            try:
                for problem in _problems(suite, case, seconds):
                    kind = problem.message.replace(repr(case.id), "").replace(case.where, "")
                    first.setdefault(kind, problem)
                    count[kind] = count.get(kind, 0) + 1
            except SlowTemplate as slow:
                # Each of the other cases would take as long.
                raise InputErrors([*_counted(first, count), *slow.problems]) from None
    if first:
        raise InputErrors(_counted(first, count))


def _counted(first: Mapping[str, Problem], count: Mapping[str, int]) -> list[Problem]:
    more = {kind: f"; and {number - 1} more like it" if number > 1 else "" for kind, number in count.items()}
    return [replace(problem, message=problem.message + more[kind]) for kind, problem in first.items()]


def _problems(suite: Suite, case: Case, seconds: float) -> Iterator[Problem]:
    for arm in suite.arms.values():
        try:
            render(arm.version.prompt, case, arm.version.path, seconds)
        except SlowTemplate:
            raise
        except NotBuilt:
            # No mistake in a file: the samples of this case and arm have failed, and count as such.
            continue
        except InputErrors as errors:
            yield from errors.problems
    scorers = suite.exam.scorers_of(case)
    if suite.baseline is None and all(spec.comparative for spec in scorers):
        file, line = place_of(case.where)
        message = f"{scorers[0].name!r} compares two answers, and case {case.id!r} of {suite.name} has one"
        hint = "the prompt is new: add a scorer that judges one answer alone"
        yield Problem(file, line, message, hint)
    for spec in scorers:
        try:
            yield from _scorer(spec, case)
        except SlowTemplate:
            raise
        except InputErrors as errors:
            yield from errors.problems


def _scorer(spec: ScorerSpec, case: Case) -> Iterator[Problem]:
    """Fill a scorer's texts; the values of a case must be usable by the scorer."""
    if spec.judged:
        yield from _judge(spec, case)
        return
    filled = fill_options(spec.options, case)
    if filled == spec.options:
        return  # it holds nothing of a case, and was checked when it was read
    file, line = place_of(case.where)
    for what, hint in option_complaints(spec.kind, filled):
        yield Problem(file, line, f"the scorer {spec.name!r} cannot score case {case.id!r}: {printable(what)}", hint)


def _judge(spec: ScorerSpec, case: Case) -> Iterator[Problem]:
    from gate.scoring.judge_prompt import criteria_of, instructions_of

    instructions_of(spec, case)
    if spec.kind != "rubric" and not criteria_of(spec, case).strip():
        file, line = place_of(case.where)
        message = f"the judge {spec.name!r} has no criteria, and case {case.id!r} brings none"
        yield Problem(file, line, message, "give the suite's judge criteria, or the case")
