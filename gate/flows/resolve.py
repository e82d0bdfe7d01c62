"""Two refs of a repository become suites: arms each from its own ref, the exam from the baseline's."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from gate.domain.case import Case
from gate.domain.model import ModelRef
from gate.domain.prompt import PromptVersion
from gate.domain.suite import Arm, Budget, CachePolicy, RunPolicy, Suite
from gate.errors import GateError, InputErrors, Problem
from gate.flows.answers import of_config, of_suite, refused, replaced
from gate.flows.exam import ExamChanges, JudgeDefault, Rules, build, changes, stray_slices
from gate.flows.pairing import Pair, Sides, pair
from gate.inputs import cases as case_files
from gate.inputs import prompts
from gate.inputs.config import Config, load
from gate.inputs.source import FileSource
from gate.inputs.suites import SuiteConfig
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
        policy, budget, cache: for the whole run, from the ref that the exam comes from.
        commit: the candidate's commit, where there is one.
        config: path of `gate.yaml` in the repository; empty where there is none.
    """

    suites: tuple[Suite, ...]
    changes: dict[str, ExamChanges]
    untouched: tuple[str, ...]
    notes: tuple[str, ...]
    policy: RunPolicy
    budget: Budget
    commit: str | None
    config: str = ""
    cache: CachePolicy = CachePolicy()


def resolve(
    sides: Sides, config: str = "gate.yaml", names: Sequence[str] = (), *, everything: bool = False
) -> Resolved:
    """Read both sides.

    Args:
        sides: where to read.
        config: path of `gate.yaml` in the repository.
        names: suites to look at; empty for all.
        everything: keep suites that the change does not touch.

    Raises:
        InputErrors: mistakes in the files, all of them at once.
        GateError: no configuration, or an unknown suite.
    """
    reader = _Reader(sides, config, [])
    head, base = reader.configs()
    reader.raise_problems()
    if head is None:
        raise _no_config(sides, config, deleted=base is not None)
    pairs = pair(sides, head, base, names)
    # What is the same on both sides down to the byte is not even parsed: most changes touch no suite.
    differing = [one for one in pairs if everything or not _same_files(sides, one)]
    read = [reader.suite(one, base) for one in differing]
    reader.raise_problems()
    suites = [(one, *found) for one, found in zip(differing, read, strict=True) if found is not None]
    touched = {one.current.name: suite for one, suite, delta in suites if everything or _touched(one, suite, delta)}
    notes = [] if base else [f"{config} is new: {sides.base.label} has none, so the exam is the change's own."]
    notes += _new_prompts(sides, pairs)
    notes += _notes(pairs) if base else []
    if base and (head.policy, head.budget, head.cache) != (base.policy, base.budget, base.cache):
        notes.append("The change edits the policy, the budget or the cache of the run; the base's are used.")
    notes += [note for suite in touched.values() for note in stray_slices(suite)]
    run = base or head
    return Resolved(
        suites=_with_trials(pairs, touched) if base else tuple(touched.values()),
        changes={suite.name: delta for _, suite, delta in suites},
        untouched=tuple(one.current.name for one in pairs if one.current.name not in touched),
        notes=tuple(notes),
        policy=run.policy,
        budget=run.budget,
        cache=run.cache,
        commit=sides.head.sha,
        config=config,
    )


def _new_prompts(sides: Sides, pairs: Sequence[Pair]) -> list[str]:
    """A sentence for each prompt that stands alone, with whose exam it sits."""
    told = []
    for one in (one for one in pairs if one.new_prompt):
        exam = "the change's own exam" if one.own_exam else f"{one.source.label}'s exam of {one.exam.pattern}"
        told.append(
            f"{one.current.prompt} is a new prompt: {sides.base.label} has nothing to compare it with, so it is judged "
            f"by the share of its answers that pass {exam}."
        )
    return told


def _no_config(sides: Sides, config: str, *, deleted: bool) -> GateError:
    if deleted:
        return GateError(f"the change deletes {config}, which {sides.base.label} has", "put it back")
    hint = "write one that names prompts, cases and a model, or compare two files: gate diff --baseline A --candidate B"
    return GateError(f"there is no {config}, neither at {sides.base.label} nor at {sides.head.label}", hint)


def _with_trials(pairs: Sequence[Pair], touched: dict[str, Suite]) -> tuple[Suite, ...]:
    """Beside suites that the base examines, those that the change brings have no part in the verdict.

    Their exam is the change's own, and in the joint test they would widen the intervals of the others. New prompts
    stand outside of that test and can make no verdict better, so what their author asks of them counts.
    """
    new = {one.current.name for one in pairs if one.own_exam and not one.new_prompt}
    if new.issuperset(name for name, suite in touched.items() if suite.baseline is not None):
        return tuple(touched.values())
    return tuple(replace(suite, trial=True) if name in new else suite for name, suite in touched.items())


def _model(config: SuiteConfig) -> ModelRef:
    if config.model is None:
        raise GateError(f"suite {config.name} has no model", "name one in the suite, or under defaults")
    return config.model


def _notes(pairs: Sequence[Pair]) -> list[str]:
    trial = any(not one.own_exam for one in pairs)
    aside = "; beside suites that the base examines it is shown and does not decide" if trial else ""
    own = [one.current.name for one in pairs if one.own_exam and not one.new_prompt]
    new = [f"{name} is a new suite, so its exam is the change's own{aside}." for name in own]
    left = [
        f"The change has no suite for {one.exam.prompt} any more; it is examined as before."
        for one in pairs
        if one.left_out and not one.new_prompt
    ]
    edited = [
        f"The change edits {' and '.join(what)} of {one.current.name}; the base's are used."
        for one in pairs
        if not one.own_exam and not one.left_out and (what := _rules_edited(one))
    ]
    return new + left + edited


def _rules_edited(pair: Pair) -> list[str]:
    """What the change edits of a suite's exam, cases aside."""
    fields = ("scorers", "slices", "samples", "policy", "threshold")
    return [name for name in fields if getattr(pair.current, name) != getattr(pair.exam, name)]


def _same_files(sides: Sides, pair: Pair) -> bool:
    """Configuration, prompt, cases and model files are the same on both sides; a missing file is never the same."""
    current, exam = (replace(config, name="", line=0) for config in (pair.current, pair.exam))
    if pair.own_exam or pair.new_prompt or pair.left_out or current != exam or replaced(sides, of_config(pair)):
        return False
    fingerprints = [
        (sides.base.fingerprint(path), sides.head.fingerprint(path)) for path in (current.prompt, current.cases)
    ]
    return all(old is not None and old == new for old, new in fingerprints)


def _touched(pair: Pair, suite: Suite, delta: ExamChanges) -> bool:
    if suite.baseline is None or pair.own_exam or pair.left_out:
        return True
    arms = (suite.baseline, suite.candidate)
    versions = [(arm.version.path, arm.version.prompt.digest) for arm in arms]
    settings = [(arm.model, arm.params) for arm in arms]
    return versions[0] != versions[1] or settings[0] != settings[1] or bool(_rules_edited(pair)) or bool(delta)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads files of both sides and gathers every mistake."""

    sides: Sides
    config_path: str
    problems: list[Problem]

    def raise_problems(self) -> None:
        if self.problems:
            raise InputErrors(self.problems)

    def configs(self) -> tuple[Config | None, Config | None]:
        """The head's and the base's; one that is the same on both sides is parsed once."""
        old, new = (source.fingerprint(self.config_path) for source in (self.sides.base, self.sides.head))
        base = self._config(self.sides.base)
        return base if old is not None and old == new else self._config(self.sides.head), base

    def _config(self, source: FileSource) -> Config | None:
        data, where = source.read(self.config_path), _at(source, self.config_path)
        if data is None:
            return None
        return self._parsed(lambda: load(decode(data, where), where))

    def suite(self, pair: Pair, base: Config | None) -> tuple[Suite, ExamChanges] | None:
        baseline = None if pair.new_prompt else self._version(self.sides.base, pair.exam)
        candidate = self._version(self.sides.head, pair.current)
        cases = self._cases(pair.source, pair.exam)
        head_cases = self._head_cases(pair) if cases is not None else None
        if (baseline is None and not pair.new_prompt) or candidate is None or cases is None or head_cases is None:
            return None
        if message := refused(pair, base):
            hint = "made-up answers would pass any exam, and a model file lies in the repository's folder"
            self.problems.append(Problem(_at(self.sides.head, self.config_path), pair.current.line, message, hint))
            return None
        rules = Rules(pair.exam.scorers, pair.exam.slices, pair.exam.policy, pair.exam.threshold)
        judge = JudgeDefault(_model(pair.exam), pair.exam.params)
        exam = self._parsed(lambda: build(cases, rules, pair.source.label, judge))
        if exam is None:
            return None
        suite = Suite(
            name=pair.current.name,
            baseline=None if baseline is None else Arm(baseline, _model(pair.exam), pair.exam.params),
            candidate=Arm(candidate, _model(pair.current), pair.current.params),
            exam=exam,
            samples=pair.exam.samples,
            own_exam=pair.own_exam,
        )
        hint = f"suite {suite.name} answers or judges with it, for both arms; change it in a change of its own"
        for path in replaced(self.sides, of_suite(suite)):
            self.problems.append(Problem(path, 0, "the change replaces this file, or it lies behind a link", hint))
        return suite, changes(cases, head_cases)

    def _head_cases(self, pair: Pair) -> tuple[Case, ...] | None:
        """The head's cases, to say what it changed; a suite that was left out may have lost its cases, too."""
        if pair.left_out and self.sides.head.read(pair.current.cases) is None:
            return ()
        return self._cases(self.sides.head, pair.current)

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
