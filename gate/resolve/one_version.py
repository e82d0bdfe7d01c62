"""Turns one version of every prompt into suites without a baseline."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.cases.case import Case
from gate.config.documents import did_you_mean, quoted
from gate.config.gatefile import Config
from gate.config.models import ModelRef
from gate.config.policy import SlicePolicy
from gate.config.scorer import ScorerSpec
from gate.config.values import OVERALL
from gate.errors import GateError
from gate.prompts.files import FileSource, PromptBuilder, source_place
from gate.record.findings.finding import Finding
from gate.record.findings.notes import CasesSelected
from gate.resolve.exam import ExamChanges, exam_notes
from gate.resolve.missing_files import unmatched_entries
from gate.resolve.own_settings import settings_notes
from gate.resolve.pairing import Pair, Sides, StoredSuiteReader, pair
from gate.resolve.reading import Reader
from gate.resolve.resolved import Resolved, picked, subset, with_servers
from gate.suite import Suite

if TYPE_CHECKING:
    from gate.resolve.two_files import FileRun

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
    stored_suites: StoredSuiteReader | None = None,
) -> Resolved:
    """Read one side.

    Raises:
        InputErrors: errors in the files, all of them at once.
        GateError: no configuration, an unknown suite or case, or a suite that cannot be checked.
    """
    sides = Sides(source, source, builder=builder, stored_suites=stored_suites)
    reader = Reader(sides, config, [], absent="check the name: paths and modules start at the root of the repository")
    found, _ = reader.configs()
    reader.raise_problems()
    if found is None:
        hint = "write one with prompts, cases and a model, or: gate check PROMPT --cases FILE --model MODEL"
        raise GateError(f"there is no {config} {source_place(source)}", hint)
    found = reader.completed(found, source) or found
    reader.problems.extend(unmatched_entries(sides, config, found, None))
    reader.raise_problems()
    pairs = _named(pair(sides, found, found, ()).pairs, chosen.suites)
    if chosen.instead:
        pairs = [_with_exam(one, chosen.instead) for one in pairs]
    read = reader.suites(pairs, found)
    reader.raise_problems()
    resolved = _resolved([one.suite for one in read], chosen, found, (config, source.sha))
    return with_servers(replace(resolved, sides=(source,)), found)


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
    notes: list[Finding] = [*settings_notes(suites), *(note for suite in suites for note in exam_notes(suite))]
    sizes = {suite.name: len(suite.exam.cases) for suite in suites}
    notes += [
        CasesSelected(suite=suite.name, selected=len(suite.exam.cases), total=sizes[suite.name])
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
        # The option is about all cases; thresholds of single slices stay.
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
        hint = "add a scorer that scores one answer, or compare two versions with gate diff"
        raise GateError(f"suite {suite.name} cannot be checked: {why}", hint)
    return replace(suite, exam=exam)
