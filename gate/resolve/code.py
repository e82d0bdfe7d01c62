"""Code and files of the repository that suites name: prompts, scorers and agents that run, and rubrics and tools."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.cases.case import Case, session_of
from gate.config.documents import decode, one_problem, quoted
from gate.config.gatefile import Config, SuiteConfig
from gate.config.rubrics import parse_rubric
from gate.config.scorer import ScorerSpec
from gate.config.targets import CommandAgent, HttpAgent, PythonAgent, Target, ToolLoop, parse_tools, runs_code
from gate.config.values import PYTHON_PREFIX, function_named, is_python
from gate.errors import GateError, InputErrors, Problem
from gate.files import matches, normal
from gate.limits import PROMPT_CHARS
from gate.prompts.files import CannotLoad, FileSource, file_of, missing, source_place
from gate.prompts.version import TEMPLATE_ENDINGS, FunctionTexts, Prompt, PromptVersion
from gate.record.findings.notes import PromptNotBuilt
from gate.resolve.imports import module_files
from gate.resolve.pairing import Pair, Sides
from gate.suite import Arm, Exam, Suite
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, digest

NOT_LOOKED_UP = "scorers with a changed database query are not tried: the query only runs after the change is merged"
NOT_TRIED = "scorers that are code are not tried: changed code only runs after the change is merged"


def with_code(spec: ScorerSpec, source: FileSource) -> ScorerSpec:
    """A scorer with the digest of its code, and of the repository's modules that this imports; any other as it is.

    Raises:
        InputErrors: there is no such function, or its module is not Python.
    """
    if not spec.coded:
        return spec
    prompt = PYTHON_PREFIX + spec.function
    path = file_of(source, prompt)
    if path is None:
        hint = f"the scorer {spec.name} uses it, as module:function from the root of the repository"
        raise one_problem(prompt, 0, f"{missing(source, prompt)} {source_place(source)}", hint)
    files = {name: hashlib.sha256(data).hexdigest() for name, data in module_files(source, path).items()}
    return replace(spec, options={**spec.options, "digest": digest(dict(files))})


def case_with_code(case: Case, source: FileSource) -> Case:
    """A case whose own scorers have the digests of their code."""
    if not any(spec.coded for spec in (*(case.scorers or ()), *case.extra_scorers)):
        return case

    def completed(specs: Iterable[ScorerSpec]) -> tuple[ScorerSpec, ...]:
        return tuple(with_code(spec, source) for spec in specs)

    own = None if case.scorers is None else completed(case.scorers)
    return replace(case, scorers=own, extra_scorers=completed(case.extra_scorers))


def code_scorers(exam: Exam) -> Iterator[ScorerSpec]:
    """The scorers of an eval set, and of its cases, that are code."""
    return (spec for spec in exam.all_scorers() if spec.coded)


def with_code_place(exam: Exam, sides: Sides, source: FileSource, where: Callable[[str, str], Problem]) -> Exam:
    """The eval set with the place of its code, if it has any.

    Raises:
        InputErrors, GateError: code does not run here.
        CannotEvaluate: the side is not checked out.
    """
    spec = next(code_scorers(exam), None)
    if spec is None:
        return exam
    said = f"the scorer {spec.name} is code, {PYTHON_PREFIX}{spec.function}"
    if sides.stranger:
        hint = "review it, then push it to a branch of this repository"
        raise InputErrors([where(f"{said}, and code does not run for a change from a fork", hint)])
    if sides.builder is None:
        raise InputErrors([where(f"{said}, which does not run here", "use another validator")])
    return replace(exam, code=sides.builder.place(source, f"{PYTHON_PREFIX}{spec.function}"))


def untried(counts: Exam, trial: Suite) -> str:
    """Why a trial of an edited eval set must not be scored; empty if it may.

    A trial only runs code, and only makes database queries, of the pinned eval set.
    """
    known = [spec.options for spec in code_scorers(counts)]
    if any(spec.options not in known for spec in code_scorers(trial.exam)):
        return NOT_TRIED
    # The result of a query is stored under the name of its scorer.
    asked = {(spec.name, spec.lookup) for spec in counts.all_scorers()}
    asking = {(spec.name, spec.lookup) for spec in trial.exam.all_scorers() if spec.lookup}
    return "" if asking <= asked else NOT_LOOKED_UP


@dataclass(frozen=True, slots=True)
class NamedFilesReader:
    """Reads the files that the scorers and agents of one side use.

    Their contents become part of the scorers' options, and so of the eval set's digest, of the edits of the change, and
    of the trials of those edits.
    """

    source: FileSource
    config: str
    named: Callable[[str], str]
    problems: list[Problem]
    _known: dict[tuple[str, str], Mapping[str, JsonValue]] = field(default_factory=dict)

    def of(self, config: Config) -> Config:
        """The configuration with the file contents in its scorers, and with the recorded answers of its tools."""
        return replace(config, suites=tuple(map(self._suite, config.suites)))

    def _suite(self, suite: SuiteConfig) -> SuiteConfig:
        # Without errors in it the configuration has one line for each scorer.
        lines = suite.scorer_lines or (suite.line,) * len(suite.scorers)
        return replace(suite, scorers=tuple(map(self._spec, suite.scorers, lines)), target=self._target(suite))

    def _target(self, suite: SuiteConfig) -> Target | None:
        target = suite.target
        if not isinstance(target, ToolLoop) or not target.fixtures:
            return target
        path, where = target.fixtures, self.named(target.fixtures)
        try:
            data = self.source.read(path)
            if data is None:
                message = f"suite {suite.name} has the fixtures {quoted(path)}, and there is no such file there"
                raise one_problem(
                    self.named(self.config), suite.line, message, "use an existing file of tools, or add this one"
                )
            return target.with_recorded(parse_tools(decode(data, where), where))
        except InputErrors as errors:
            self.problems.extend(errors.problems)
            return target

    def _spec(self, spec: ScorerSpec, line: int) -> ScorerSpec:
        try:
            spec = with_code(spec, self.source)
        except InputErrors as errors:
            self.problems.extend(errors.problems)
        found: dict[str, JsonValue] = dict(spec.options)
        for option in ("file", "template"):
            path = spec.options.get(option)
            if spec.judged and isinstance(path, str):
                if (option, path) not in self._known:
                    self._known[option, path] = self._read(option, path, line)
                found |= self._known[option, path]
        return replace(spec, options=found)

    def _read(self, option: str, path: str, line: int) -> Mapping[str, JsonValue]:
        try:
            return self._parsed(option, path, line)
        except InputErrors as errors:
            self.problems.extend(errors.problems)
            return {}

    def _parsed(self, option: str, path: str, line: int) -> Mapping[str, JsonValue]:
        data, where = self.source.read(path), self.named(path)
        if data is None:
            what = "rubric" if option == "file" else "judge prompt"
            hint = "write the file, or use another one, as a path from the root of the repository"
            said = f"there is no {what} {quoted(path)} {source_place(self.source)}"
            raise one_problem(self.named(self.config), line, said, hint)
        text = decode(data, where)
        if len(text) > PROMPT_CHARS:
            raise one_problem(where, 0, f"is longer than {PROMPT_CHARS:,} characters")
        if option == "file":
            return parse_rubric(text, where)
        _check_prompt(text, path, where)
        return {"instructions": text}


def _check_prompt(text: str, path: str, where: str) -> None:
    if not text.strip():
        raise one_problem(where, 0, "is an empty judge prompt", "write what the judge must look for")
    if not path.lower().endswith(TEMPLATE_ENDINGS):
        return
    try:
        compile_template(text)
    except BadTemplate as error:
        raise one_problem(where, error.line, error.message) from None


_INSTALL = "it runs in the gate's own environment, without environment variables; install what it imports there"


def is_code(pair: Pair) -> bool:
    """Is one of the two prompts of a pair code?"""
    return is_python(pair.current.prompt) or (not pair.new_prompt and is_python(pair.exam.prompt))


def built_version(sides: Sides, source: FileSource, config: SuiteConfig, cases: Iterable[Case]) -> PromptVersion:
    """The prompt that a function of one side builds.

    Raises:
        InputErrors: the function cannot be had, or a case gives it nothing to be called with.
        CannotEvaluate: the side's files cannot be had.
    """
    sessions = {digest(session): session for session in map(session_of, cases)}
    place = file_of(source, config.prompt) or config.prompt
    where = place if source.sha is None else f"{source.label}:{place}"
    if sides.builder is None:
        raise one_problem(where, 0, f"{config.prompt} is code, which does not run here", "use a file")
    try:
        texts = sides.builder.build(source, function_named(config.prompt), tuple(sessions.values()))
    except CannotLoad as error:
        raise one_problem(where, 0, f"{error.message} ({source_place(source)})", error.hint or _INSTALL) from None
    built = FunctionTexts(dict(zip(sessions, texts, strict=True)))
    return PromptVersion(config.prompt, source.label, source.sha, Prompt((), built=built))


def build_notes(suites: Iterable[Suite]) -> list[PromptNotBuilt]:
    """A note for each prompt that could not be built for every case."""
    return [_not_built(arm.version) for suite in suites for arm in suite.arms.values() if _failures(arm.version)]


def incomplete(versions: Sequence[PromptVersion]) -> bool:
    """Could a prompt not be built for some case? Then it is unknown whether it would be the same."""
    return any(_failures(version) for version in versions)


def _failures(version: PromptVersion) -> tuple[str, ...]:
    return tuple(failed.reason for failed in version.prompt.built.failures) if version.prompt.built else ()


def _not_built(version: PromptVersion) -> PromptNotBuilt:
    reasons = _failures(version)
    total = len(version.prompt.built.texts) if version.prompt.built else 0
    return PromptNotBuilt(path=version.path, ref=version.ref, failed=len(reasons), total=total, reason=reasons[0])


def arm_of(sides: Sides, source: FileSource, config: SuiteConfig, version: PromptVersion) -> Arm:
    """One arm of a suite.

    Raises:
        GateError: the suite has no model, no program may run here, or there is no such Python agent.
        CannotEvaluate: the side is not checked out.
    """
    if config.model is None:
        raise GateError(f"suite {config.name} has no model", "set one in the suite, or under defaults")
    if isinstance(config.target, PythonAgent):
        _check_function(PYTHON_PREFIX + config.target.function, source, config)
    arm = Arm(version, config.model, config.params, config.target)
    if not runs_code(config.target):
        return arm
    if sides.builder is None:
        raise GateError(f"suite {config.name} has an agent that is code, which does not run here")
    place = sides.builder.place(source, f"the agent of suite {config.name}")
    return replace(arm, place=place, code=_code(source, config))


def _check_function(function: str, source: FileSource, config: SuiteConfig) -> None:
    if file_of(source, function) is None:
        hint = f"suite {config.name} uses it as its agent, as module:name from the root of the repository"
        raise one_problem(function, 0, f"{missing(source, function)} {source_place(source)}", hint)


def _code(source: FileSource, config: SuiteConfig) -> str:
    """A digest of the files that an agent depends on: those that it lists, and its own program."""
    target = config.target
    patterns = () if isinstance(target, HttpAgent | None) else target.files
    if not patterns:
        return code_of(source)
    files = source.listing()
    if lost := [one for one in patterns if not any(matches(path, one) for path in files)]:
        names = ", ".join(lost)
        message = f"the agent of suite {config.name} depends on {names}; there is no such file {source_place(source)}"
        raise GateError(message, "fix 'files' of its target, or remove it: then the agent depends on all files")
    return code_of(source, (*patterns, *_programs(source, target)))


def _programs(source: FileSource, target: Target | None) -> Iterator[str]:
    """The files of the repository that an agent is started from."""
    match target:
        case PythonAgent():
            path = file_of(source, PYTHON_PREFIX + target.function)
            yield from module_files(source, path) if path is not None else ()
        case CommandAgent():
            yield from (normal(word) for word in target.run if normal(word) in source.listing())
        case ToolLoop():
            words = (word for server in target.servers.values() for word in server.command)
            yield from (normal(word) for word in words if normal(word) in source.listing())


_EVERYTHING = ("**", "**/.*", "**/.*/**")


def code_of(source: FileSource, patterns: Sequence[str] = ()) -> str:
    """A digest of the files of a side; empty for a working tree, where programs also see files that git ignores.

    Args:
        patterns: of the files that count; empty for all.
    """
    files = source.listing()
    if source.sha is None:
        return ""
    if patterns:
        files = {path: known for path, known in files.items() if any(matches(path, one) for one in patterns)}
    links = {path: kind for one in patterns or _EVERYTHING for path, kind in source.links(one).items()}
    content: dict[str, JsonValue] = {**links, **files}
    return digest(content)
