"""Two refs of a repository become suites: arms each from its own ref, the exam from the baseline's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from gate.domain.case import Case
from gate.domain.model import ModelRef
from gate.domain.prompt import PromptVersion
from gate.domain.suite import Arm, Budget, RunPolicy, Suite
from gate.errors import GateError, InputErrors, Problem
from gate.flows.exam import ExamChanges, JudgeDefault, Rules, build, changes
from gate.inputs import cases as case_files
from gate.inputs import prompts
from gate.inputs.config import Config, load
from gate.inputs.paths import is_glob
from gate.inputs.source import FileSource
from gate.inputs.suites import SuiteConfig, expand
from gate.inputs.text import decode

Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Resolved:
    """What there is to evaluate.

    Args:
        suites: suites that the change touches, or all of them when asked for.
        changes: exam changes of each suite, by its name.
        untouched: names of the suites that were left out.
        notes: sentences for the reader about how the exam was found.
        policy, budget: for the whole run, from the ref that the exam comes from.
        commit: the candidate's commit, where there is one.
    """

    suites: tuple[Suite, ...]
    changes: dict[str, ExamChanges]
    untouched: tuple[str, ...]
    notes: tuple[str, ...]
    policy: RunPolicy
    budget: Budget
    commit: str | None


@dataclass(frozen=True, slots=True)
class Refs:
    """The two sides of a comparison in one repository.

    Args:
        base: the merge target.
        head: the change as it would be merged.
        config: path of `gate.yaml` in the repository.
    """

    base: FileSource
    head: FileSource
    config: str = "gate.yaml"


def resolve(refs: Refs, names: Sequence[str] = (), *, everything: bool = False) -> Resolved:
    """Read both sides.

    Args:
        refs: where to read.
        names: suites to look at; empty for all.
        everything: keep suites that the change does not touch.

    Raises:
        InputErrors: mistakes in the files, all of them at once.
        GateError: no configuration, or an unknown suite.
    """
    reader = _Reader(refs, [])
    head, base = reader.config(refs.head), reader.config(refs.base)
    reader.raise_problems()
    if head is None:
        raise GateError(
            f"there is no {refs.config} at {refs.head.label}",
            "write one, or compare two files: gate diff --baseline A --candidate B --cases C",
        )
    notes = [] if base else [f"{refs.config} is new: {refs.base.label} has none, so the exam is the change's own."]
    pairs = _pairs(refs, head, base, names)
    read = [reader.suite(pair) for pair in pairs]
    reader.raise_problems()
    notes += [
        f"{pair.current.name} is a new suite, so its exam is the change's own."
        for pair in pairs
        if pair.is_new and base
    ]
    suites = [(pair, *found) for pair, found in zip(pairs, read, strict=True) if found is not None]
    touched = [suite for pair, suite, delta in suites if everything or _touched(pair, suite, delta)]
    run = base or head
    return Resolved(
        suites=tuple(touched),
        changes={suite.name: delta for _, suite, delta in suites},
        untouched=tuple(suite.name for _, suite, _ in suites if suite not in touched),
        notes=tuple(notes),
        policy=run.policy,
        budget=run.budget,
        commit=refs.head.sha,
    )


@dataclass(frozen=True, slots=True)
class _Pair:
    """One suite as the head has it, with the configuration and the source that its exam comes from."""

    current: SuiteConfig
    exam: SuiteConfig
    source: FileSource
    is_new: bool


def _pairs(refs: Refs, head: Config, base: Config | None, names: Sequence[str]) -> list[_Pair]:
    heads = {suite.name: suite for entry in head.suites for suite in _expand(entry, refs.head)}
    bases = {suite.name: suite for entry in (base.suites if base else ()) for suite in _expand(entry, refs.base)}
    unknown = [name for name in names if name not in heads]
    if unknown:
        raise GateError(f"there is no suite named {', '.join(unknown)}", f"known suites: {', '.join(heads)}")
    pairs = []
    for name, current in heads.items():
        if not names or name in names:
            known = name in bases
            pairs.append(_Pair(current, bases.get(name, current), refs.base if known else refs.head, not known))
    return pairs


def _expand(entry: SuiteConfig, source: FileSource) -> tuple[SuiteConfig, ...]:
    return expand(entry, source.glob(entry.prompt) if is_glob(entry.prompt) else ())


def _model(config: SuiteConfig) -> ModelRef:
    if config.model is None:
        raise GateError(f"suite {config.name} has no model", "name one in the suite, or under defaults")
    return config.model


def _touched(pair: _Pair, suite: Suite, delta: ExamChanges) -> bool:
    arms = (suite.baseline, suite.candidate)
    prompts_differ = arms[0].version.prompt.digest != arms[1].version.prompt.digest
    models_differ = (arms[0].model, arms[0].params) != (arms[1].model, arms[1].params)
    rules = [(config.scorers, config.policy, config.slices, config.samples) for config in (pair.current, pair.exam)]
    return prompts_differ or models_differ or rules[0] != rules[1] or bool(delta)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads files of both sides and gathers every mistake."""

    refs: Refs
    problems: list[Problem]

    def raise_problems(self) -> None:
        if self.problems:
            raise InputErrors(self.problems)

    def config(self, source: FileSource) -> Config | None:
        data = source.read(self.refs.config)
        if data is None:
            return None
        where = _at(source, self.refs.config)
        return self._parsed(lambda: load(decode(data, where), where))

    def suite(self, pair: _Pair) -> tuple[Suite, ExamChanges] | None:
        baseline = self._version(self.refs.base, pair.exam)
        candidate = self._version(self.refs.head, pair.current)
        cases = self._cases(pair.source, pair.exam)
        head_cases = cases if pair.is_new else self._cases(self.refs.head, pair.current)
        if baseline is None or candidate is None or cases is None or head_cases is None:
            return None
        rules = Rules(pair.exam.scorers, pair.exam.slices, pair.exam.policy)
        judge = JudgeDefault(_model(pair.exam), pair.exam.params)
        suite = Suite(
            name=pair.current.name,
            baseline=Arm(baseline, _model(pair.exam), pair.exam.params),
            candidate=Arm(candidate, _model(pair.current), pair.current.params),
            exam=build(cases, rules, pair.source.label, judge),
            samples=pair.exam.samples,
        )
        return suite, changes(cases, head_cases)

    def _version(self, source: FileSource, config: SuiteConfig) -> PromptVersion | None:
        data, where = source.read(config.prompt), _at(source, config.prompt)
        if data is None:
            hint = f"suite {config.name} names it; a prompt needs a version on both sides to be compared"
            self.problems.append(Problem(config.prompt, 0, f"there is no such prompt at {source.label}", hint))
            return None
        prompt = self._parsed(lambda: prompts.parse(decode(data, where), where, template=config.template))
        return None if prompt is None else PromptVersion(config.prompt, source.label, source.sha, prompt)

    def _cases(self, source: FileSource, config: SuiteConfig) -> tuple[Case, ...] | None:
        data, where = source.read(config.cases), _at(source, config.cases)
        if data is None:
            hint = f"suite {config.name} names it"
            self.problems.append(Problem(config.cases, 0, f"there is no such case file at {source.label}", hint))
            return None
        return self._parsed(lambda: case_files.parse(decode(data, where), where))

    def _parsed(self, parse: Callable[[], Parsed]) -> Parsed | None:
        try:
            return parse()
        except InputErrors as errors:
            self.problems.extend(errors.problems)
            return None


def _at(source: FileSource, path: str) -> str:
    """A path as the user should read it: working-tree files by their plain path, others with their ref."""
    return path if source.sha is None else f"{source.label}:{path}"
