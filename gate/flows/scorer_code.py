"""Scorers that are functions of the repository: which code they are, whose, and where it must not be run."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from gate.config.functions import PREFIX
from gate.config.scorerspec import ScorerSpec
from gate.domain.case import Case
from gate.domain.suite import Exam, Suite
from gate.errors import InputErrors, Problem
from gate.flows.pairing import Sides
from gate.inputs.builders import file_of, missing
from gate.inputs.problems import one_problem
from gate.inputs.source import FileSource

NOT_LOOKED_UP = "scorers that look up something else are not tried: databases are asked it once the change is merged"
NOT_TRIED = "scorers that are code are not tried: what the change makes of them runs once it is merged"


def with_code(spec: ScorerSpec, source: FileSource) -> ScorerSpec:
    """A scorer that knows its code by the digest of its module; any other as it is.

    What the module imports is no part of that.

    Args:
        spec: a scorer.
        source: the side that names it.

    Raises:
        InputErrors: there is no such function.
    """
    if not spec.coded:
        return spec
    prompt = PREFIX + spec.function
    path = file_of(source, prompt)
    data = None if path is None else source.read(path)
    if data is None:
        hint = f"the scorer {spec.name} names it, as module:function from the root of the repository"
        raise one_problem(prompt, 0, f"{missing(source, prompt)} at {source.label}", hint)
    return replace(spec, options={**spec.options, "digest": hashlib.sha256(data).hexdigest()})


def case_with_code(case: Case, source: FileSource) -> Case:
    """A case whose own scorers know their code."""
    if not any(spec.coded for spec in (*(case.scorers or ()), *case.extra_scorers)):
        return case

    def completed(specs: Iterable[ScorerSpec]) -> tuple[ScorerSpec, ...]:
        return tuple(with_code(spec, source) for spec in specs)

    own = None if case.scorers is None else completed(case.scorers)
    return replace(case, scorers=own, extra_scorers=completed(case.extra_scorers))


def coded(exam: Exam) -> Iterator[ScorerSpec]:
    """The scorers of an exam, and of its cases, that are code."""
    return (spec for spec in exam.all_scorers() if spec.coded)


def placed(exam: Exam, sides: Sides, source: FileSource, where: Callable[[str, str], Problem]) -> Exam:
    """The exam with the place of its code, where it has any.

    Args:
        exam: as it counts.
        sides: with what runs code, and whether the change comes from outside.
        source: where the exam comes from: a change cannot rewrite the code that it is scored by.
        where: makes a problem of a message and a hint.

    Raises:
        InputErrors, GateError: no code is run here.
        CannotEvaluate: the side is in no checkout.
    """
    spec = next(coded(exam), None)
    if spec is None:
        return exam
    said = f"the scorer {spec.name} is code, {PREFIX}{spec.function}"
    if sides.stranger:
        hint = "once somebody has read it, push it to a branch of the repository itself"
        raise InputErrors([where(f"{said}, and no code is run for a change from outside", hint)])
    if sides.builder is None:
        raise InputErrors([where(f"{said}, and nothing here runs it", "score by another validator")])
    return replace(exam, code=sides.builder.place(source, f"{PREFIX}{spec.function}"))


def untried(counts: Exam, trial: Suite) -> str:
    """Why a trial of an edited exam must not be scored; empty where it may.

    Neither by code that is not that of the exam, nor by what the exam does not look up in a database.

    Args:
        counts: the exam that counts.
        trial: with scorers, or cases, of the change.
    """
    known = [spec.options for spec in coded(counts)]
    if any(spec.options not in known for spec in coded(trial.exam)):
        return NOT_TRIED
    # What was found goes by the name of the scorer that asked.
    asked = {(spec.name, spec.lookup) for spec in counts.all_scorers()}
    asking = {(spec.name, spec.lookup) for spec in trial.exam.all_scorers() if spec.lookup}
    return "" if asking <= asked else NOT_LOOKED_UP
