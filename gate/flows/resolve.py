"""Two refs of a repository become suites: arms each from its own ref, the exam from the baseline's."""

from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from gate.domain.case import Case
from gate.domain.deletion import Deletion
from gate.domain.model import ModelRef
from gate.domain.prompt import PromptVersion
from gate.domain.suite import Arm, Budget, CachePolicy, RunPolicy, Suite
from gate.errors import GateError, InputErrors, Problem
from gate.flows import strangers
from gate.flows.answers import of_config, of_suite, refused, replaced, unfit
from gate.flows.exam import ExamChanges, JudgeDefault, Rules, build, changes, stray_slices
from gate.flows.exam_edits import Edited, ExamEdit, differing, edit_of
from gate.flows.pairing import Pair, Sides, pair
from gate.flows.parts import part_notes, same_parts
from gate.inputs import cases as case_files
from gate.inputs import prompts
from gate.inputs.config import Config, load
from gate.inputs.parts import Library
from gate.inputs.source import FileSource
from gate.inputs.suites import SuiteConfig
from gate.inputs.text import decode

Parsed = TypeVar("Parsed")

_BOTH_SIDES = "a prompt needs a version on both sides to be compared"


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
        deleted: prompts that the base examines and that are gone.
        edits: what the change does to its own exam, suite by suite, those without a changed prompt among them.
        run_edits: what it does to the policy, the budget and the cache of the run: `policy.confidence`.
        adoption: the base has no configuration, so that all of the exam is the change's own.
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
    deleted: tuple[Deletion, ...] = ()
    edits: tuple[ExamEdit, ...] = ()
    run_edits: tuple[str, ...] = ()
    adoption: bool = False

    @property
    def touched(self) -> bool:
        """Does the change touch anything: a prompt, or the exam?"""
        return bool(self.suites or self.edits or self.run_edits)


def is_advisory(sides: Sides, config: str) -> bool:
    """Does the configuration that counts say that nothing fails yet? One that cannot be read does not.

    Args:
        sides: where to read; the head's counts only where the base has none.
        config: path of `gate.yaml`.
    """
    reader = _Reader(sides, config, [])
    with suppress(GateError):
        head, base = reader.configs()
        run = base or (None if reader.problems else head)
        return run is not None and run.policy.mode == "advisory"
    return False


def resolve(
    sides: Sides,
    config: str = "gate.yaml",
    names: Sequence[str] = (),
    *,
    everything: bool = False,
    only: Sequence[str] = (),
) -> Resolved:
    """Read both sides.

    Args:
        sides: where to read.
        config: path of `gate.yaml` in the repository.
        names: suites to look at; empty for all.
        everything: keep suites that the change does not touch.
        only: patterns of the prompts to look at; empty for all.

    Raises:
        InputErrors: mistakes in the files, all of them at once.
        GateError: no configuration, an unknown suite, or a change from outside that asks for what it may not have.
    """
    reader = _Reader(sides, config, [])
    head, base = reader.configs()
    reader.raise_problems()
    if head is None:
        raise _no_config(sides, config, deleted=base is not None)
    pairing = pair(sides, head, base, names)
    pairing = pairing.only(only) if only else pairing
    pairs, deleted = pairing.pairs, reader.deletions(pairing.deleted)
    # What is the same on both sides down to the byte is not even parsed: most changes touch no suite.
    differing = [one for one in pairs if everything or not _same_files(sides, one)]
    read = [reader.suite(one, base) for one in differing]
    reader.raise_problems()
    suites = [found for found in read if found is not None]
    touched = {one.suite.name: one.suite for one in suites if everything or one.compared}
    edits = reader.edits(suites, {one.current.name for one in pairs}, base) if base else ()
    reader.raise_problems()
    if sides.stranger:
        _check_stranger([*touched.values(), *(trial.suite for edit in edits for trial in edit.trials)], base)
    notes = [*map(str, deleted), *strangers.elsewhere(touched.values(), base)]
    notes += [] if base else [f"{config} is new: {sides.base.label} has none, so the exam is the change's own."]
    notes += _new_prompts(sides, pairs)
    notes += _notes(pairs, touched) if base else []
    notes += part_notes(touched.values())
    notes += [note for suite in touched.values() for note in stray_slices(suite)]
    run = base or head
    told = {*touched, *(edit.suite for edit in edits)}
    return Resolved(
        suites=_with_trials(pairs, touched) if base else tuple(touched.values()),
        changes={one.suite.name: one.changes for one in suites},
        untouched=tuple(one.current.name for one in pairs if one.current.name not in told),
        notes=tuple(notes),
        policy=run.policy,
        budget=run.budget,
        cache=run.cache,
        commit=sides.head.sha,
        config=config,
        deleted=deleted,
        edits=edits,
        run_edits=_run_edits(base, head) if base else (),
        adoption=base is None,
    )


def _check_stranger(suites: Sequence[Suite], base: Config | None) -> None:
    """Raises GateError where a change from outside asks for what it may not have."""
    if found := strangers.refused(suites, base):
        hint = "a change from outside may name another model of a service, and no other server and no file"
        raise GateError("; ".join(found), hint)


def _run_edits(base: Config, head: Config) -> tuple[str, ...]:
    kinds = (("policy.", base.policy, head.policy), ("budget.", base.budget, head.budget))
    found = [name for prefix, old, new in kinds for name in differing(old, new, prefix)]
    return (*found, *differing(base.cache, head.cache, "cache."))


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


def _notes(pairs: Sequence[Pair], touched: Container[str]) -> list[str]:
    trial = any(not one.own_exam for one in pairs)
    aside = "; beside suites that the base examines it is shown and does not decide" if trial else ""
    own = [one.current.name for one in pairs if one.own_exam and not one.new_prompt]
    new = [f"{name} is a new suite, so its exam is the change's own{aside}." for name in own]
    left = [
        f"The change has no suite for {one.exam.prompt} any more; the base's stays until the merge, and examines it."
        for one in pairs
        # Where its prompt is the same, the edits of the exam say all there is to say.
        if one.left_out and not one.new_prompt and one.current.name in touched
    ]
    moved = [
        f"{one.exam.prompt} is now {one.current.prompt}; it is compared with what it was." for one in pairs if one.moved
    ]
    return list(dict.fromkeys(moved)) + new + left


def _same_files(sides: Sides, pair: Pair) -> bool:
    """Configuration, prompt, cases and model files are the same on both sides; a missing file is never the same."""
    current, exam = (replace(config, name="", line=0) for config in (pair.current, pair.exam))
    if pair.own_exam or pair.new_prompt or pair.left_out or current != exam or replaced(sides, of_config(pair)):
        return False
    fingerprints = [
        (sides.base.fingerprint(path), sides.head.fingerprint(path)) for path in (current.prompt, current.cases)
    ]
    return all(old is not None and old == new for old, new in fingerprints) and same_parts(sides, current)


def _compared(pair: Pair, suite: Suite) -> bool:
    """Is there anything to compare or to judge: where only the exam changed, both arms are the same."""
    if suite.baseline is None or pair.own_exam:
        return True
    arms = (suite.baseline, suite.candidate)
    versions = [(arm.version.path, arm.version.prompt.digest) for arm in arms]
    settings = [(arm.model, arm.params) for arm in arms]
    return versions[0] != versions[1] or settings[0] != settings[1]


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

    def edits(self, read: Sequence[Edited], names: set[str], base: Config) -> tuple[ExamEdit, ...]:
        """What the change does to the exams that it did not bring."""
        taken = set(names)

        def fit(suite: Suite) -> str:
            return unfit(self.sides, suite, base)

        found = [self._parsed(partial(edit_of, one, taken, fit)) for one in read]
        return tuple(edit for edit in found if edit is not None)

    def suite(self, pair: Pair, base: Config | None) -> Edited | None:
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
        delta, label = changes(cases, head_cases), self.sides.head.label
        return Edited(pair, suite, delta, head_cases, label, judge, _compared(pair, suite))

    def deletions(self, suites: Sequence[SuiteConfig]) -> tuple[Deletion, ...]:
        """One for each prompt, with the cases of all suites that examine it."""
        counts: dict[str, int | None] = {}
        for suite in suites:
            known, more = counts.get(suite.prompt, 0), self._count(suite)
            counts[suite.prompt] = None if known is None or more is None else known + more
        return tuple(Deletion(prompt, self.sides.base.label, count) for prompt, count in counts.items())

    def _count(self, suite: SuiteConfig) -> int | None:
        """Cases of the base; None where they cannot be read: it is the base's own mistake, and nothing rests on it."""
        try:
            data = self.sides.base.read(suite.cases)
            return None if data is None else len(case_files.parse(decode(data, suite.cases), suite.cases))
        except InputErrors:
            return None

    def _head_cases(self, pair: Pair) -> tuple[Case, ...] | None:
        """The head's cases, to say what it changed; a suite that was left out may have lost its cases, too."""
        if pair.left_out and self.sides.head.read(pair.current.cases) is None:
            return ()
        return self._cases(self.sides.head, pair.current)

    def _version(self, source: FileSource, config: SuiteConfig) -> PromptVersion | None:
        data, where = source.read(config.prompt), _at(source, config.prompt)
        if data is None:
            gone = source is self.sides.head and self.sides.base.fingerprint(config.prompt) is not None
            need = "to delete the prompt, take its suite out, too" if gone else _BOTH_SIDES
            hint = f"suite {config.name} names it; {need}"
            self.problems.append(Problem(config.prompt, 0, f"there is no such prompt at {source.label}", hint))
            return None
        library = Library(config.prompt, source.read, lambda path: _at(source, path))
        prompt = self._parsed(
            lambda: prompts.parse(decode(data, where), where, template=config.template, library=library)
        )
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
