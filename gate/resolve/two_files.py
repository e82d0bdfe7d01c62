"""Turns two prompt files and a case file into one suite, without any configuration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from gate.cases import reading as case_files
from gate.cases.case import Case
from gate.config.documents import decode, one_problem
from gate.config.models import ModelRef, Params, parse_model
from gate.config.policy import Budget, RunPolicy, SuitePolicy
from gate.config.scorer import JUDGED, ScorerSpec, parse_scorers
from gate.config.values import file_part, is_python, pointer_complaint, pointer_of
from gate.errors import GateError, InputErrors, Problem
from gate.prompts import reading
from gate.prompts.files import FileSource
from gate.prompts.version import Library, PromptVersion
from gate.resolve.case_keys import CaseReaders, unread_keys
from gate.resolve.contradicting import contradicting_scorers
from gate.resolve.exam import ExamChanges, JudgeDefault, ScoringRules, build, with_quotes, with_simulated_users
from gate.resolve.own_settings import settings_notes
from gate.resolve.pairing import part_notes
from gate.resolve.resolved import Resolved, with_servers
from gate.suite import Arm, Suite
from gate.values import JsonValue


@dataclass(frozen=True, slots=True)
class Files:
    """The three files of file mode."""

    baseline: str
    candidate: str
    cases: str


@dataclass(frozen=True, slots=True)
class FileRun:
    """How the files are compared."""

    baseline_model: ModelRef
    candidate_model: ModelRef
    params: Params
    scorers: tuple[ScorerSpec, ...]
    judge: ModelRef
    samples: int
    policy: RunPolicy
    suite_policy: SuitePolicy


def resolve_files(source: FileSource, files: Files, run: FileRun, beside: Callable[[str], FileSource]) -> Resolved:
    """Read the files.

    Args:
        source: reads the files by the paths that the user gave.
        beside: the files in the folder of a prompt and below; a prompt can only include these.

    Raises:
        InputErrors: errors in any of the files, all of them at once.
    """
    problems: list[Problem] = []
    texts = {path: _read(source, path, problems) for path in (files.baseline, files.candidate, files.cases)}
    versions = []
    for path in (files.baseline, files.candidate):
        try:
            if (text := texts[path]) is not None:
                versions.append(_version(path, text, beside))
        except InputErrors as errors:
            problems += errors.problems
    cases: tuple[Case, ...] = ()
    try:
        if (text := texts[files.cases]) is not None:
            library = _library(files.cases, beside(files.cases))
            cases = case_files.with_images(case_files.parse(text, files.cases), library)
    except InputErrors as errors:
        problems += errors.problems
    if problems:
        raise InputErrors(problems)
    if problem := _code([*run.scorers, *(spec for case in cases for spec in _own(case))], files.cases):
        raise InputErrors([problem])
    rules = ScoringRules(run.scorers, None, run.suite_policy)
    exam = with_simulated_users(build(cases, rules, files.cases, JudgeDefault(run.judge, run.params)))
    suite = Suite(
        name="diff",
        baseline=Arm(versions[0], run.baseline_model, run.params),
        candidate=Arm(versions[1], run.candidate_model, run.params),
        exam=with_quotes(exam, source),
        samples=run.samples,
    )
    readers = CaseReaders(suite.name, run.scorers, None, exam.conversing, tuple(suite.arms.values()))
    place = suite.name, files.cases, 0
    if idle := [*unread_keys(readers, exam.cases), *contradicting_scorers(place, run.scorers, exam.cases)]:
        raise InputErrors(idle)
    notes = (*settings_notes([suite], of_command=True), *part_notes([suite]))
    found = Resolved((suite,), {suite.name: ExamChanges()}, (), notes, run.policy, Budget(), None)
    return with_servers(found, None)


def read_prompt(source: FileSource, path: str, beside: Callable[[str], FileSource]) -> PromptVersion:
    """One prompt file by the path that the user gave; `beside` as for `resolve_files`.

    Raises:
        InputErrors: it does not exist, is code, or has errors.
    """
    problems: list[Problem] = []
    text = _read(source, path, problems)
    if text is None:
        raise InputErrors(problems)
    return _version(path, text, beside)


def _version(path: str, text: str, beside: Callable[[str], FileSource]) -> PromptVersion:
    if pointer := pointer_of(path):
        return PromptVersion(path, "file", None, reading.parse_pointed(text, pointer, pointer.path))
    return PromptVersion(path, "file", None, reading.parse(text, path, library=_library(path, beside(path))))


def _own(case: Case) -> tuple[ScorerSpec, ...]:
    return (*(case.scorers or ()), *case.extra_scorers)


def _code(scorers: Sequence[ScorerSpec], cases: str) -> Problem | None:
    """A problem where a scorer is code, which runs only from a repository: there it is known who may write to it."""
    for spec in scorers:
        if spec.coded:
            hint = "set it in gate.yaml, and compare two commits: gate diff --base origin/main"
            said = f"the scorer {spec.name} is code, python:{spec.function}"
            return Problem(cases, 0, f"{said}, and code does not run when files are compared", hint)
    return None


def _library(path: str, source: FileSource) -> Library:
    prompt = PurePath(path)
    return Library(prompt.name, source.read, lambda part: str(prompt.parent / part))


def _read(source: FileSource, name: str, problems: list[Problem]) -> str | None:
    if is_python(name):
        hint = "set it in gate.yaml, and compare two commits: gate diff --base origin/main"
        problems.append(
            Problem(name, 0, "is code: it only runs from a repository, so it cannot be compared as a file", hint)
        )
        return None
    path = file_part(name)
    try:
        _check_pointer(name)
        data = source.read(path)
        if data is not None:
            return decode(data, path)
        problems.append(Problem(path, 0, "this file does not exist", "check the path"))
    except InputErrors as errors:
        problems += errors.problems
    return None


def _check_pointer(name: str) -> None:
    pointer = pointer_of(name)
    if pointer is not None and (reason := pointer_complaint(pointer)):
        raise one_problem(name, 0, reason, "write path::NAME, such as app/prompts.py::SYSTEM_PROMPT")


DEFAULT_SAMPLES = 3


def file_mode_run(
    scorers: Sequence[str],
    criteria: str | None,
    model: str | None,
    baseline_model: str | None = None,
    candidate_model: str | None = None,
) -> FileRun:
    """Models, scorers and policy of file mode.

    Args:
        scorers: kinds; empty for the default.
        model: of both arms and of the judge.
        baseline_model, candidate_model: instead of `model` for one arm.

    Raises:
        GateError: no model, or a judge without criteria.
    """
    baseline = _model(baseline_model or model)
    candidate = _model(candidate_model or model)
    kinds = scorers or (("judge",) if criteria else ("contains",))
    asking = [kind for kind in kinds if kind in JUDGED]
    if asking and not criteria:
        raise GateError("a judge needs criteria", "describe a good answer: --criteria 'Polite, and names the price'")
    if criteria and not asking:
        raise GateError("--criteria is for a judge", "add --scorer judge, or --scorer pairwise")
    return FileRun(
        baseline_model=baseline,
        candidate_model=candidate,
        params=Params(),
        scorers=parse_scorers([_scorer(kind, criteria) for kind in dict.fromkeys(kinds)], "--scorer"),
        judge=parse_model(model) if model else baseline,
        samples=DEFAULT_SAMPLES,
        policy=RunPolicy(),
        suite_policy=SuitePolicy(),
    )


def _scorer(kind: str, criteria: str | None) -> JsonValue:
    """The scorer as `gate.yaml` would have it."""
    if kind in JUDGED:
        return {kind: {"criteria": criteria}}
    return {"regex": {"pattern": "{{ expected }}"}} if kind == "regex" else kind


def _model(text: str | None) -> ModelRef:
    if text is None:
        raise GateError("no model is set", "add --model PROVIDER:NAME, for example --model openai:gpt-5-mini")
    return parse_model(text)
