"""Turns one version of every prompt into suites without a baseline, and selects cases of suites."""

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from gate.cases.case import Case, NotBuilt, SlowTemplate, place_of, render
from gate.config.documents import did_you_mean, printable, quoted
from gate.config.gatefile import Config
from gate.config.models import ModelRef
from gate.config.policy import RunPolicy, SlicePolicy
from gate.config.scorer import ScorerSpec
from gate.config.values import OVERALL
from gate.errors import GateError, InputErrors, Problem
from gate.limits import RENDERING_S
from gate.prompts.files import FileSource, PromptBuilder
from gate.resolve.exam import ExamChanges, exam_notes
from gate.resolve.pairing import CaseShelf, Pair, Sides, pair
from gate.resolve.reading import Reader
from gate.resolve.resolved import Resolved, settings_notes, with_servers
from gate.scoring.panel import fill_options, option_complaints
from gate.suite import Exam, Suite
from gate.values import digest

if TYPE_CHECKING:
    from gate.resolve.two_files import FileRun


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


BREAKAGE_SAMPLES = range(2, 6)
"""Samples per case that the breakage channel can permute."""


def check_method(policy: RunPolicy, suites: Sequence[Suite]) -> None:
    """Refuse a method that cannot test these suites; new prompts, which are not compared, are not checked.

    Raises:
        GateError: every reason at once.
    """
    reasons: list[str] = []
    suites = [suite for suite in suites if suite.baseline is not None]
    if policy.method == "mcnemar":
        reasons += [f"mcnemar, suite {suite.name}: {why}" for suite in suites for why in _mcnemar(suite)]
    if policy.breakage:
        reasons += [f"breakage, suite {suite.name}: {why}" for suite in suites for why in _breakage(suite)]
        if len({suite.samples for suite in suites}) > 1:
            reasons.append("breakage: all suites must take equally many samples")
    if reasons:
        raise GateError("; ".join(reasons), "change the policy, or leave it at method: maxt")


def _mcnemar(suite: Suite) -> Iterator[str]:
    if suite.samples != 1:
        yield f"it compares single answers, and samples is {suite.samples}"
    if any(len(scorers) != 1 or scorers[0].judged for scorers in _scorers(suite.exam)):
        yield "it needs right or wrong: one scorer for each case, and no judge"
    if _clustered(suite.exam):
        yield "it takes every case as independent, and some share a cluster"
    if _has_margin(suite.exam):
        yield "it knows no margin"


def _breakage(suite: Suite) -> Iterator[str]:
    if suite.samples not in BREAKAGE_SAMPLES:
        yield f"it needs 2 to 5 samples, and there are {suite.samples}"
    if any(arm.params.temperature == 0 for arm in suite.arms.values()):
        yield "temperature 0 repeats one answer, so that every rewording looks like breakage"
    if _clustered(suite.exam):
        yield "it takes every case as independent, and some share a cluster"
    if _has_margin(suite.exam):
        yield "it asks whether anything changed at all, which leaves no room for a margin"


def _scorers(exam: Exam) -> Iterator[Sequence[ScorerSpec]]:
    yield from map(exam.scorers_of, exam.cases)


def _clustered(exam: Exam) -> bool:
    named = [case.cluster for case in exam.cases if case.cluster is not None]
    return len(set(named)) < len(named)


def _has_margin(exam: Exam) -> bool:
    return exam.policy.margin > 0 or any((own.margin or 0) > 0 for own in exam.policy.slices.values())


_NAMED = 5


def picked(suites: Iterable[Suite], patterns: Sequence[str]) -> tuple[Suite, ...]:
    """The suites that have such cases, with those alone.

    Raises:
        GateError: a pattern that no case matches: a typing error would pass without a test.
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
            raise GateError(f"no case fits {quoted(pattern)}", near(pattern, ids))


def near(name: str, ids: Sequence[str]) -> str:
    """A hint that names the ids closest to an unknown one, or else the first of them."""
    folded = {one.casefold(): one for one in ids}
    close = [folded[key] for key in difflib.get_close_matches(name[:100].casefold(), folded, n=_NAMED, cutoff=0.6)]
    listed = ", ".join(map(quoted, close or ids[:_NAMED]))
    more = ", …" * (len(ids) > _NAMED)
    return f"did you mean {listed}?" if close else f"cases of these suites: {listed}{more}"


FILE_SUITE = "check"
"""Name of the suite where files are named, and no configuration."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which suites and cases of a configuration are checked, and what overrides it.

    Args:
        cases: ids, or patterns with `*` and `?`; empty for all.
        model: instead of each suite's own.
        samples: k instead of each suite's own.
        min_pass_rate: of all cases of a suite, in (0, 1], instead of the policy's.
        instead: replaces the cases of each suite, as `gate.yaml` names cases; empty for its own.
    """

    suites: Sequence[str] = ()
    cases: Sequence[str] = ()
    model: ModelRef | None = None
    samples: int | None = None
    min_pass_rate: float | None = None
    instead: str = ""


def resolve_one(
    source: FileSource,
    config: str,
    chosen: Chosen,
    builder: PromptBuilder | None = None,
    shelf: CaseShelf | None = None,
) -> Resolved:
    """Read one side.

    Raises:
        InputErrors: errors in the files, all of them at once.
        GateError: no configuration, an unknown suite or case, or a suite that cannot be checked.
    """
    sides = Sides(source, source, builder=builder, shelf=shelf)
    reader = Reader(sides, config, [], absent="check the name: paths and modules begin at the root")
    found, _ = reader.configs()
    reader.raise_problems()
    if found is None:
        where = "in the working tree" if source.sha is None else f"at {source.label}"
        hint = "write one that names prompts, cases and a model, or: gate check PROMPT --cases FILE --model MODEL"
        raise GateError(f"there is no {config} {where}", hint)
    found = reader.completed(found, source) or found
    reader.raise_problems()
    pairs = _named(pair(sides, found, found, ()).pairs, chosen.suites)
    if chosen.instead:
        pairs = [_with_exam(one, chosen.instead) for one in pairs]
    read = reader.suites(pairs, found)
    reader.raise_problems()
    return with_servers(_resolved([one.suite for one in read], chosen, found, (config, source.sha)), found)


def with_cases(resolved: Resolved, wanted: Mapping[str, Collection[str]]) -> Resolved:
    """The same with some of its cases.

    `wanted` has ids of cases by suite; other suites are left out.
    """
    picked = (
        subset(suite, tuple(case for case in suite.exam.cases if case.id in wanted[suite.name]))
        for suite in resolved.suites
        if suite.name in wanted
    )
    return replace(resolved, suites=tuple(suite for suite in picked if suite.exam.cases))


def resolve_one_file(
    source: FileSource, files: tuple[str, str], run: "FileRun", chosen: Chosen, beside: Callable[[str], FileSource]
) -> Resolved:
    """Read one prompt and its cases. Raises InputErrors, GateError: as `resolve_one`."""
    prompt, cases = files
    from gate.resolve.two_files import Files, resolve_files

    both = resolve_files(source, Files(prompt, prompt, cases), run, beside)
    suites = _checkable([replace(suite, name=FILE_SUITE, baseline=None) for suite in both.suites], chosen)
    notes = tuple(settings_notes(suites))
    return replace(both, suites=suites, changes={suite.name: ExamChanges() for suite in suites}, notes=notes)


def _resolved(suites: Sequence[Suite], chosen: Chosen, config: Config, place: tuple[str, str | None]) -> Resolved:
    kept = _checkable(suites, chosen)
    notes = [*settings_notes(suites), *(note for suite in suites for note in exam_notes(suite))]
    sizes = {suite.name: len(suite.exam.cases) for suite in suites}
    notes += [
        f"{suite.name}: {len(suite.exam.cases):,} of {sizes[suite.name]:,} cases were picked."
        for suite in kept
        if len(suite.exam.cases) < sizes[suite.name]
    ]
    return Resolved(
        suites=kept,
        changes={suite.name: ExamChanges() for suite in kept},
        untouched=(),
        notes=tuple(notes),
        policy=config.policy,
        budget=config.budget,
        cache=config.cache,
        commit=place[1],
        config=place[0],
    )


def _named(pairs: Sequence[Pair], names: Sequence[str]) -> list[Pair]:
    """One pair for each prompt, without a baseline."""
    known = {one.current.name: one for one in pairs}
    unknown = [name for name in names if name not in known]
    if unknown:
        hint = did_you_mean(unknown[0], known)
        raise GateError(f"there is no suite named {', '.join(map(quoted, unknown))}", hint)
    return [replace(one, new_prompt=True) for name, one in known.items() if not names or name in names]


def _with_exam(one: Pair, cases: str) -> Pair:
    return replace(one, current=replace(one.current, cases=cases), exam=replace(one.exam, cases=cases))


def _checkable(suites: Iterable[Suite], chosen: Chosen) -> tuple[Suite, ...]:
    return picked((_overridden(_absolute(suite), chosen) for suite in suites), chosen.cases)


def _overridden(suite: Suite, chosen: Chosen) -> Suite:
    exam, arm = suite.exam, suite.candidate
    if chosen.min_pass_rate is not None:
        # The option is about all cases; what the policy asks of single slices stays.
        own = {**exam.policy.slices, OVERALL: SlicePolicy().model_copy(update={"min_pass_rate": chosen.min_pass_rate})}
        exam = replace(exam, policy=exam.policy.model_copy(update={"slices": own}))
    return replace(
        suite,
        candidate=arm if chosen.model is None else replace(arm, model=chosen.model),
        samples=chosen.samples or suite.samples,
        exam=exam,
    )


def _absolute(suite: Suite) -> Suite:
    """The suite without scorers that need a second answer."""

    def alone(specs: tuple[ScorerSpec, ...]) -> tuple[ScorerSpec, ...]:
        return tuple(spec for spec in specs if not spec.comparative)

    def of(case: Case) -> Case:
        own = None if case.scorers is None else alone(case.scorers)
        return replace(case, scorers=own, extra_scorers=alone(case.extra_scorers))

    exam = replace(suite.exam, scorers=alone(suite.exam.scorers), cases=tuple(map(of, suite.exam.cases)))
    bare = next((case.id for case in exam.cases if not exam.scorers_of(case)), None)
    if bare is not None:
        which = ", ".join(spec.name for spec in suite.exam.scorers if spec.comparative)
        why = f"its only scorer {which} compares two answers" if which else f"the case {quoted(bare)} has no scorer"
        hint = "add a scorer that judges one answer alone, or compare two versions with gate diff"
        raise GateError(f"suite {suite.name} cannot be checked: {why}", hint)
    return replace(suite, exam=exam)
