"""What there is to evaluate: suites, servers and notes; the checks and the choice of cases before a run."""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fnmatch import fnmatchcase
from itertools import product
from typing import Any, Literal

from gate.cases.case import Case, NotBuilt, SlowTemplate, fill, place_of, render
from gate.config.documents import printable, quoted
from gate.config.gatefile import Config
from gate.config.models import ModelPrice, ModelRef, Params, ProviderServer, parse_model, relation
from gate.config.policy import Budget, CachePolicy, RunPolicy
from gate.config.scorer import ScorerSpec
from gate.errors import GateError, InputErrors, Problem
from gate.limits import RENDERING_S
from gate.messages import Image, Message, Part, Parts
from gate.prompts.files import FileSource
from gate.prompts.version import TODAY, Prompt, PromptVersion, filled
from gate.record.findings.finding import Finding, distinct
from gate.record.findings.notes import JudgeRelated, PlaceholdersFilled, SamplesRepeat, ServersEdited
from gate.record.findings.unfinished import PromptDeleted
from gate.record.run import CoverageRecord, SettingEdit
from gate.record.transcript import Failed
from gate.resolve.exam import ExamChanges, ExamEdit
from gate.scoring.panel import fill_options, option_complaints
from gate.suite import Arm, Exam, Suite
from gate.values import counted, digest


@dataclass(frozen=True, slots=True)
class Resolved:
    """Everything that a run evaluates.

    Args:
        suites: those that the change touches, or all on request.
        changes: exam changes of each suite, by its name.
        untouched: names of the suites that were left out.
        notes: findings that decide nothing, about the origin of the exam.
        policy, budget, cache: for the whole run, from the ref that the exam comes from.
        commit: the candidate's, where there is one.
        config: path of `gate.yaml` in the repository; empty where there is none.
        deleted: prompts that the base tests and the change deletes.
        run_edits: the change's edits of the run's policy, budget, cache and servers.
        adoption: the base has no configuration, so that all of the exam is the change's own.
        base_models: each model that the base uses.
        coverage: what was looked at, where two refs are compared.
        judges: scorers that are called in addition to the suites.
        models: called in addition to both.
        servers: those of `providers:`, by name.
        prices: those of `prices:`, by the model's name.
        sides: that were read: what one of them has is no earlier result of the gate.
    """

    suites: tuple[Suite, ...]
    changes: dict[str, ExamChanges]
    untouched: tuple[str, ...]
    notes: tuple[Finding, ...]
    policy: RunPolicy
    budget: Budget
    commit: str | None
    config: str = ""
    cache: CachePolicy = CachePolicy()
    deleted: tuple[PromptDeleted, ...] = ()
    edits: tuple[ExamEdit, ...] = ()
    run_edits: tuple[SettingEdit, ...] = ()
    adoption: bool = False
    base_models: frozenset[ModelRef] = frozenset()
    coverage: CoverageRecord | None = None
    judges: tuple[ScorerSpec, ...] = ()
    models: tuple[tuple[ModelRef, Params], ...] = ()
    servers: Mapping[str, ProviderServer] = field(default_factory=dict)
    prices: Mapping[str, ModelPrice] = field(default_factory=dict)
    sides: tuple[FileSource, ...] = ()

    @property
    def asked(self) -> tuple[Suite, ...]:
        """Every suite with model calls, including trials of edited exams."""
        return (*self.suites, *(trial.suite for edit in self.edits for trial in edit.trials))

    @property
    def touched(self) -> bool:
        """Does the change touch anything: a prompt, or the exam?"""
        return bool(self.suites or self.edits or self.run_edits)

    def with_samples(self, samples: int | None) -> "Resolved":
        """The same with so many samples of each case; None leaves what the files say."""
        if samples is None:
            return self
        return replace(self, suites=tuple(replace(suite, samples=samples) for suite in self.suites))

    def stopping_early(self, early: bool) -> "Resolved":
        """The same with or without early stopping."""
        return replace(self, policy=self.policy.model_copy(update={"early_stop": early}))


def with_servers(resolved: Resolved, counting: Config | None, head: Config | None = None, base: str = "") -> Resolved:
    """The same, with the servers and prices that count.

    Raises:
        GateError: a model's provider is unknown, or only the change names it.
    """
    servers = counting.providers if counting else {}
    own = head.providers if head else {}
    for suite in resolved.asked:
        for model in _models(suite):
            if model.provider not in servers and model.provider in own:
                said = f"the provider {model.provider!r} of {model} is only in the gate.yaml of this change"
                why = f"providers are read from {base}, so that a change cannot send a key to another address"
                raise GateError(f"{said}: {why}", "merge the entry under providers first, then the change that uses it")
            parse_model(str(model), servers)
    prices = counting.prices if counting else {}
    notes = resolved.notes
    if head:
        edited = (*_edited("providers", servers, own, base), *_edited("prices", prices, head.prices, base))
        notes = (*notes, *edited)
    return replace(resolved, servers=servers, prices=prices, notes=notes)


def _edited(
    what: Literal["providers", "prices"], counting: Mapping[str, object], own: Mapping[str, object], base: str
) -> Iterator[ServersEdited]:
    if edited := sorted(name for name in {*counting, *own} if counting.get(name) != own.get(name)):
        yield ServersEdited(what=what, edited=edited, base=base)


def _models(suite: Suite) -> Iterator[ModelRef]:
    for arm in suite.arms.values():
        yield arm.model
    for spec in suite.exam.all_scorers():
        yield from map(parse_model, spec.models)
    yield from (model for model, _ in suite.exam.conversing.models)
    if suite.promises is not None:
        yield from (suite.promises.model, suite.promises.judge)


def with_placeholders(resolved: Resolved, today: str) -> Resolved:
    """The same with every placeholder replaced, and a note on the values.

    `today` is the day on which the run began, as `2026-11-22`.
    """
    suites = tuple(of_suite(suite, today) for suite in resolved.suites)
    pairs = zip(resolved.suites, suites, strict=True)
    # Without placeholders of its own, a suite is mentioned only where something was replaced.
    told = [suite for suite, filled_in in pairs if suite.exam.placeholders is not None or filled_in is not suite]
    notes = [
        PlaceholdersFilled(suite=suite.name, values={TODAY: today, **(suite.exam.placeholders or {})})
        for suite in {suite.name: suite for suite in told}.values()
    ]
    edits = tuple(
        replace(
            edit,
            trials=tuple(
                replace(one, suite=of_suite(one.suite, today), answers=one.answers and of_suite(one.answers, today))
                for one in edit.trials
            ),
        )
        for edit in resolved.edits
    )
    return replace(resolved, suites=suites, edits=edits, notes=(*resolved.notes, *notes))


def of_suite(suite: Suite, today: str) -> Suite:
    """One suite with its placeholders replaced; the suite itself where there are none."""
    values = {TODAY: today, **(suite.exam.placeholders or {})}
    cases, scorers = _filled(suite.exam.cases, values), _filled(suite.exam.scorers, values)
    baseline, candidate = suite.baseline and _arm(suite.baseline, values), _arm(suite.candidate, values)
    before = suite.exam.cases, suite.exam.scorers, suite.baseline, suite.candidate
    if all(new is old for new, old in zip((cases, scorers, baseline, candidate), before, strict=True)):
        return suite
    exam = replace(suite.exam, cases=cases, scorers=scorers)
    return replace(suite, exam=exam, baseline=baseline, candidate=candidate)


def _arm(arm: Arm, values: Mapping[str, str]) -> Arm:
    version = _filled(arm.version, values)
    return arm if version is arm.version else replace(arm, version=version)


_KEPT: Mapping[type, frozenset[str]] = {
    # What names a case stays, and what only readers see.
    Case: frozenset({"id", "slices", "cluster", "where", "description"}),
    ScorerSpec: frozenset({"kind", "name"}),
    Image: frozenset({"path", "media_type", "data", "sha256"}),
    Message: frozenset({"role"}),
    Part: frozenset({"path"}),
    Parts: frozenset({"path"}),
    Prompt: frozenset({"unused"}),
    PromptVersion: frozenset({"path", "ref", "sha"}),
}
"""Fields in which nothing is replaced."""


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    """A value with the placeholders replaced in all of its texts, or the value itself without any; keys stay."""
    match value:
        case str():
            text = filled(value, values)
            return value if text == value else text
        case Failed():
            return value
        case tuple() | list():
            several = [_filled(one, values) for one in value]
            return value if _same(several, value) else type(value)(several)
        case Mapping():
            by_key = {key: _filled(one, values) for key, one in value.items()}
            return value if _same(by_key.values(), value.values()) else by_key
    if not is_dataclass(value) or isinstance(value, type):
        return value
    kept = _KEPT.get(type(value), frozenset())
    given = {one.name: getattr(value, one.name) for one in fields(value) if one.init and one.name not in kept}
    changed = {name: _filled(one, values) for name, one in given.items()}
    return value if _same(changed.values(), given.values()) else replace(value, **changed)


def _same(found: Iterable[Any], before: Iterable[Any]) -> bool:
    return all(new is old for new, old in zip(found, before, strict=True))


def sampling_notes(suites: Iterable[Suite]) -> list[SamplesRepeat]:
    """Suites with several samples of a model that repeats its answer."""
    return [
        SamplesRepeat(suite=suite.name, samples=suite.samples)
        for suite in suites
        if suite.samples > 1 and all(arm.params.temperature == 0 for arm in suite.arms.values())
    ]


def preference_notes(suites: Iterable[Suite]) -> list[JudgeRelated]:
    """Judges that are the model that they judge, or a weaker relative of it."""
    notes: list[JudgeRelated] = []
    for suite in suites:
        # Many cases may have the same judge.
        judges = dict.fromkeys((spec.name, name) for spec in suite.exam.all_scorers() for name in spec.models)
        answering = dict.fromkeys(arm.model for arm in suite.arms.values())
        for (scorer, judge), model in product(judges, answering):
            if kin := relation(parse_model(judge), model):
                notes.append(JudgeRelated(suite=suite.name, scorer=scorer, judge=judge, model=str(model), relation=kin))
    return distinct(notes)


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
    others = {kind: counted(number - 1, "other case") for kind, number in count.items()}
    more = {kind: f"; and in {others[kind]}" if number > 1 else "" for kind, number in count.items()}
    return [replace(problem, message=problem.message + more[kind]) for kind, problem in first.items()]


def _problems(suite: Suite, case: Case, seconds: float) -> Iterator[Problem]:
    for arm in suite.arms.values():
        try:
            render(arm.version.prompt, case, arm.version.path, seconds)
        except SlowTemplate:
            raise
        except NotBuilt:
            # Not an error in a file: the samples of this case and arm have failed, and count as such.
            continue
        except InputErrors as errors:
            yield from errors.problems
    yield from _unfilled(case)
    scorers = suite.exam.scorers_of(case)
    if suite.baseline is None and all(spec.comparative for spec in scorers):
        file, line = place_of(case.where)
        message = f"{scorers[0].name!r} compares two answers, and case {case.id!r} of {suite.name} has one"
        hint = "the prompt is new: add a scorer that scores one answer"
        yield Problem(file, line, message, hint)
    for spec in scorers:
        try:
            yield from _scorer(spec, case)
        except SlowTemplate:
            raise
        except InputErrors as errors:
            yield from errors.problems


def _unfilled(case: Case) -> Iterator[Problem]:
    """Errors in the texts of a case that other fields are filled into."""
    for text in case.templates:
        try:
            fill(text, case)
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
        message = f"the judge {spec.name!r} has no criteria, and case {case.id!r} has none either"
        yield Problem(file, line, message, "add criteria to the suite's judge, or to the case")


BREAKAGE_SAMPLES = range(2, 6)
"""Samples per case that the breakage channel can permute."""


def check_method(policy: RunPolicy, suites: Sequence[Suite]) -> None:
    """Refuse the breakage channel for suites that it cannot test; new prompts, which are not compared, are not checked.

    Raises:
        GateError: every reason at once.
    """
    if not policy.breakage:
        return
    compared = [suite for suite in suites if suite.baseline is not None]
    reasons = [f"breakage, suite {suite.name}: {why}" for suite in compared for why in _breakage(suite)]
    if len({suite.samples for suite in compared}) > 1:
        reasons.append("breakage: all suites need the same number of samples")
    if reasons:
        raise GateError("; ".join(reasons), "remove breakage from the policy")


def _breakage(suite: Suite) -> Iterator[str]:
    if suite.samples not in BREAKAGE_SAMPLES:
        yield f"it needs 2 to 5 samples, but samples is {suite.samples}"
    if any(arm.params.temperature == 0 for arm in suite.arms.values()):
        yield "temperature 0 repeats one answer, so every rewording looks like a break"
    if _clustered(suite.exam):
        yield "it needs independent cases, but some share a cluster"
    if _has_margin(suite.exam):
        yield "it tests whether anything changed at all, so a margin is not possible"


def _clustered(exam: Exam) -> bool:
    named = [case.cluster for case in exam.cases if case.cluster is not None]
    return len(set(named)) < len(named)


def _has_margin(exam: Exam) -> bool:
    return exam.policy.margin > 0 or any((own.margin or 0) > 0 for own in exam.policy.slices.values())


_NAMED = 5


def picked(suites: Iterable[Suite], patterns: Sequence[str]) -> tuple[Suite, ...]:
    """The suites that have such cases, with only those.

    Raises:
        GateError: a pattern that no case matches: a typo would pass without a test.
    """
    suites = tuple(suites)
    if not patterns:
        return suites
    _check_patterns(suites, patterns)
    found = [(suite, tuple(case for case in suite.exam.cases if _wanted(case, patterns))) for suite in suites]
    return tuple(subset(suite, cases) for suite, cases in found if cases)


def subset(suite: Suite, cases: tuple[Case, ...]) -> Suite:
    """The suite with some of its cases; slices that lost all of theirs are no longer required."""
    if len(cases) == len(suite.exam.cases):
        return suite
    exam: Exam = suite.exam
    content = digest([exam.digest, *(case.id for case in cases)])
    policy = exam.policy.model_copy(update={"required": ()})
    return replace(suite, exam=replace(exam, cases=cases, digest=content, policy=policy))


def _wanted(case: Case, patterns: Sequence[str]) -> bool:
    return any(case.id == pattern or fnmatchcase(case.id, pattern) for pattern in patterns)


def _check_patterns(suites: Sequence[Suite], patterns: Sequence[str]) -> None:
    cases = [case for suite in suites for case in suite.exam.cases]
    for pattern in patterns:
        if not any(_wanted(case, [pattern]) for case in cases):
            ids = list(dict.fromkeys(case.id for case in cases))
            raise GateError(f"no case matches {quoted(pattern)}", near(pattern, ids))


def near(name: str, ids: Sequence[str]) -> str:
    """A hint that names the ids closest to an unknown one, or else the first of them."""
    folded = {one.casefold(): one for one in ids}
    close = [folded[key] for key in difflib.get_close_matches(name[:100].casefold(), folded, n=_NAMED, cutoff=0.6)]
    listed = ", ".join(map(quoted, close or ids[:_NAMED]))
    more = ", …" * (len(ids) > _NAMED)
    return f"did you mean {listed}?" if close else f"cases of these suites: {listed}{more}"
