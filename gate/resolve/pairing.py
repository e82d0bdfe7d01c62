"""Finds which suite of the head belongs to which suite of the base, and what the change touches."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from gate.config.documents import quoted
from gate.config.gatefile import Config, SuiteConfig, expand
from gate.config.values import (
    AND,
    StoreName,
    file_part,
    is_python,
    is_store,
    name_complaint,
    parse_store_name,
    prompt_parts,
)
from gate.errors import GateError, InputErrors, Problem
from gate.limits import NEW_SUITES
from gate.prompts.files import FileSource, PromptBuilder, file_of
from gate.prompts.version import PromptVersion
from gate.record.findings.finding import Finding
from gate.record.findings.notes import IncludesChanged
from gate.suite import Suite


@dataclass(frozen=True, slots=True)
class StoredCases:
    """One version of a suite of a store, which never changes."""

    label: str
    digest: str
    text: str


class StoredSuiteReader(Protocol):
    """Suites of a store; they do not change during one run."""

    def read(self, name: StoreName) -> StoredCases:
        """A version of a suite; whatever others write meanwhile, the same name gives the same version.

        Raises:
            InputErrors: there is no such suite or version, or it has no cases.
            CannotEvaluate: the store does not answer.
            GateError: the store cannot be opened.
        """
        ...


def stored(stored_suites: StoredSuiteReader | None, cases: str) -> StoredCases | None:
    """The suite of a store that a suite's cases name; None where the name is that of a file.

    Raises:
        InputErrors, CannotEvaluate, GateError: see `StoredSuiteReader.read`.
    """
    name = parse_store_name(cases)
    if name is None:
        return None
    if stored_suites is None:
        raise GateError(f"{quoted(cases)} is in a store, and stores cannot be read here", "use a file of cases")
    return stored_suites.read(name)


def check_stranger(head: Config, base: Config | None) -> None:
    """Check that a change from outside names no cases of a store except those that the merge target names.

    The author of a prompt sees how it answers them, and could make it repeat them.

    Raises:
        GateError: it names others, which may be another version of the same suite.
    """
    known = {suite.cases for suite in base.suites} if base is not None else set()
    others = dict.fromkeys(one.cases for one in head.suites if is_store(one.cases) and one.cases not in known)
    if others:
        hint = "review it, then push it to a branch of this repository"
        message = f"{', '.join(map(quoted, others))}: a change from a fork uses cases of a store that"
        raise GateError(f"{message} the base branch does not use", hint)


@dataclass(frozen=True, slots=True)
class Sides:
    """The base (the merge target) and the head (the change as it would be merged) in one repository.

    Args:
        stranger: the change comes from a contributor who may not push to the repository.
        builder: builds prompts that are code; None if code must not run.
        stored_suites: suites of a store, the same for both sides; None where there is none.
        notes: sentences for the reader on how they were found.
    """

    base: FileSource
    head: FileSource
    stranger: bool = False
    builder: PromptBuilder | None = None
    stored_suites: StoredSuiteReader | None = None
    notes: tuple[Finding, ...] = ()


def errors_of_sides(errors: InputErrors, sides: Sides, folder: str = "") -> InputErrors:
    """The errors with the side of each file; those of the change by plain path, as their author and GitHub know them.

    Args:
        folder: of the working directory, which the paths are in.
    """
    base, change = f"{sides.base.label}:", f"{sides.head.label}:"
    problems: list[Problem] = []
    for problem in errors.problems:
        if problem.file.startswith(change):
            path = problem.file.removeprefix(change)
            problems.append(replace(problem, file=f"{folder}/{path}" if folder else path, side="change"))
        else:
            problems.append(replace(problem, side="base") if problem.file.startswith(base) else problem)
    return InputErrors(problems)


@dataclass(frozen=True, slots=True)
class Pair:
    """One suite as the head has it, with the configuration that its exam comes from.

    Args:
        current: the head's configuration of the suite; the base's own where the head has left the suite out.
        source: from which the exam is read.
        own_exam: the base does not know the suite, so the exam is the change's own.
        new_prompt: the base has neither the file nor a suite for it, so there is nothing to compare.
        left_out: the head no longer has a suite for this prompt.
        moved: the prompt has another path in the head.
    """

    current: SuiteConfig
    exam: SuiteConfig
    source: FileSource
    own_exam: bool = False
    new_prompt: bool = False
    left_out: bool = False
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs to compare.

    Args:
        pairs: in the order of the head's suites, then those that it leaves out.
        gone: suites of the base whose prompt the change removes without naming its successor.
    """

    pairs: tuple[Pair, ...]
    gone: tuple[SuiteConfig, ...] = ()


def pair(sides: Sides, head: Config, base: Config | None, names: Sequence[str]) -> Pairing:
    """Find the partner of each suite.

    A prompt that the base tests is tested even if the head drops its suite, points the suite at another file, or
    moves the prompt: otherwise a change could remove the cases that test it.

    Args:
        head, base: base is None if it has no configuration.
        names: suites to pair; empty for all.

    Raises:
        InputErrors: an entry of either configuration for which neither side has a file.
        GateError: a name that neither side has, or more new suites than one change may add.
    """
    heads = _by_name(head, sides.head)
    bases = _by_name(base, sides.base) if base else {}
    known = {**bases, **heads}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise GateError(f"there is no suite named {', '.join(unknown)}", f"known suites: {', '.join(known)}")
    if base:
        _check_new_files(sides, heads, bases, base)
    new_paths = _new_paths(sides, heads, bases, head.moved)
    expected = _expected(base, bases, new_paths, sides) if base else {}
    partners = _partners(heads, bases, new_paths)
    if base:
        _check_count(len(heads) - len(partners))
    pairs = _of_head(heads, partners, list(expected.values()), sides)
    pairs += _left_out(pairs, bases.values(), new_paths, sides)
    pairs += [replace(one, new_prompt=True) for one in _left_out(pairs, expected.values(), {}, sides)]
    if base:
        _check_count(sum(one.own_exam or one.new_prompt for one in pairs))
    followed = {one.exam.name for one in pairs if not one.own_exam}
    gone = [old for old in bases.values() if old.name not in followed and _exists(sides.base, old.prompt)]
    asked = (one for one in pairs if not names or one.current.name in names)
    return Pairing(tuple(asked), tuple(old for old in gone if not names or old.name in names))


def _of_head(
    heads: dict[str, SuiteConfig], partners: dict[str, SuiteConfig], free: list[SuiteConfig], sides: Sides
) -> list[Pair]:
    """The head's suites, each with its partner, with an exam of the base that is `free`, or alone."""
    pairs = []
    for name, current in heads.items():
        if old := partners.get(name):
            pairs.append(_with_partner(current, old, sides))
        elif exam := _exam_for(current, free):
            free.remove(exam)
            pairs.append(Pair(current, exam, sides.base, new_prompt=True))
        else:
            pairs.append(_unknown(sides, current))
    return pairs


def _with_partner(current: SuiteConfig, old: SuiteConfig, sides: Sides) -> Pair:
    """A suite with its exam. Where the base names a file that it does not have, the change's path counts for both."""
    if current.prompt == old.prompt or _exists(sides.base, old.prompt):
        gone = current.prompt != old.prompt and not _exists(sides.head, old.prompt)
        return Pair(current, old, sides.base, moved=gone)
    new = not _exists(sides.base, current.prompt)
    return Pair(current, replace(old, prompt=current.prompt), sides.base, new_prompt=new)


def _check_new_files(
    sides: Sides, heads: Mapping[str, SuiteConfig], bases: Mapping[str, SuiteConfig], base: Config
) -> None:
    """Refuse too many new prompts before reading them; as many as are gone may have moved."""
    before = {suite.prompt for suite in bases.values()}
    named = {suite.prompt for suite in heads.values()}
    matched = {path for entry in base.suites if entry.is_pattern for path in sides.head.glob(entry.prompt)}
    _check_count(len((named | matched) - before) - len(before - named))


def _check_count(count: int) -> None:
    """Raises GateError if one change adds too many new suites: each costs time before any budget applies."""
    if count > NEW_SUITES:
        hint = "add them in several changes, or narrow the pattern that they match"
        raise GateError(f"the change adds more than {NEW_SUITES} new suites", hint)


def _new_paths(
    sides: Sides, heads: Mapping[str, SuiteConfig], bases: Mapping[str, SuiteConfig], moved: Mapping[str, str]
) -> dict[str, str]:
    """The new paths of prompts that the change removes, by their suites' names in the base.

    Only the change's own gate.yaml says where a prompt went: under `moved`, or in the suite of the same name. A suite
    that the change drops follows another one of the same prompt.
    """
    gone = {
        old.name: old.prompt
        for old in bases.values()
        if _exists(sides.base, old.prompt) and not _exists(sides.head, old.prompt)
    }
    named: dict[str, str] = {}
    for name, prompt in gone.items():
        parts = prompt_parts(prompt)
        after = AND.join(moved.get(part, part) for part in parts)
        if after == prompt and name in heads:
            after = heads[name].prompt
        if after != prompt and _exists(sides.head, after):
            named[name] = after
    by_prompt = {gone[name]: after for name, after in named.items()}
    return {name: by_prompt[prompt] for name, prompt in gone.items() if prompt in by_prompt} | named


def _exists(source: FileSource, prompt: str) -> bool:
    return file_of(source, prompt) is not None


def is_there(source: FileSource, prompt: str) -> bool:
    """Does a side have it? A link, or something behind one, is an error to be reported.

    Raises:
        InputErrors: it is no plain file of bounded size.
    """
    files = () if is_python(prompt) else map(file_part, prompt_parts(prompt))
    return all(source.read(path) is not None for path in files) and _exists(source, prompt)


def _partners(
    heads: Mapping[str, SuiteConfig], bases: Mapping[str, SuiteConfig], new_paths: Mapping[str, str]
) -> dict[str, SuiteConfig]:
    """The base's suite for each suite of the head that has one, which serves no other.

    The prompt counts before the name, and it is the same prompt after a move.
    """
    free = dict(bases)
    partners: dict[str, SuiteConfig] = {}

    def take(suitable: Callable[[SuiteConfig, SuiteConfig], bool]) -> None:
        for name, current in heads.items():
            fitting = (old for old in free.values() if name not in partners and suitable(old, current))
            if (old := next(fitting, None)) is not None:
                partners[name] = free.pop(old.name)

    def same_prompt(old: SuiteConfig, current: SuiteConfig) -> bool:
        return new_paths.get(old.name, old.prompt) == current.prompt

    take(lambda old, current: same_prompt(old, current) and _called_alike(old, current))
    take(same_prompt)
    take(lambda old, current: old.name == current.name)
    return partners


def _called_alike(old: SuiteConfig, current: SuiteConfig) -> bool:
    """The same name, or the same pattern, under which the name follows the file."""
    return old.name == current.name or old.pattern == current.pattern != ""


def _expected(
    base: Config, bases: Mapping[str, SuiteConfig], new_paths: Mapping[str, str], sides: Sides
) -> dict[str, SuiteConfig]:
    """The base's exams for new files: those of its patterns that match one, whatever the change's patterns say."""
    # A file that moved within its pattern is not new: it keeps the exam that it had.
    kept = {(old.pattern, new_paths.get(old.name)) for old in bases.values()}
    out: dict[str, SuiteConfig] = {}
    for entry in (entry for entry in base.suites if entry.is_pattern):
        for suite in expand(entry, sides.head.glob(entry.prompt)):
            if not _exists(sides.base, suite.prompt) and (entry.prompt, suite.prompt) not in kept:
                taken = suite.name in bases or suite.name in out
                name = f"{suite.name} at {suite.prompt}" if taken else suite.name
                out[name] = replace(suite, name=name)
    return out


def _exam_for(current: SuiteConfig, waiting: Sequence[SuiteConfig]) -> SuiteConfig | None:
    fitting = [exam for exam in waiting if exam.prompt == current.prompt]
    return next((exam for exam in fitting if exam.name == current.name), fitting[0] if fitting else None)


def _unknown(sides: Sides, current: SuiteConfig) -> Pair:
    """A suite that the base does not have: its prompt is new, or has had no exam so far."""
    found = [_exists(source, current.prompt) for source in (sides.base, sides.head)]
    return Pair(current, current, sides.head, own_exam=True, new_prompt=found == [False, True])


def _by_name(config: Config, source: FileSource) -> dict[str, SuiteConfig]:
    """The suites of one side, one for each file that a pattern matches."""
    out: dict[str, SuiteConfig] = {}
    for entry in config.suites:
        for suite in expand(entry, source.glob(entry.prompt) if entry.is_pattern else ()):
            if reason := name_complaint(suite.name):
                hint = "rename the file, or give it its own suite"
                raise GateError(f"{source.label}: {quoted(suite.prompt)} cannot name a suite, it {reason}", hint)
            if suite.name in out:
                both = f"{quoted(out[suite.name].prompt)} and {quoted(suite.prompt)}"
                hint = "rename one of them, or give it its own suite"
                raise GateError(f"{source.label}: {both} would both be the suite {suite.name}", hint)
            out[suite.name] = suite
    return out


def _left_out(
    pairs: Sequence[Pair], suites: Iterable[SuiteConfig], new_paths: Mapping[str, str], sides: Sides
) -> list[Pair]:
    """Base suites whose prompt no suite of the head examines any more, wherever the prompt is now."""
    names = {one.current.name for one in pairs}
    left_out = []
    for old in suites:
        now = new_paths.get(old.name, old.prompt)
        followed = any(one.exam is old and one.current.prompt == now for one in pairs)
        if not followed and is_there(sides.head, now):
            name = f"{old.name} at {now}" if old.name in names else old.name
            kept = replace(old, name=name, prompt=now)
            left_out.append(Pair(kept, old, sides.base, left_out=True, moved=now != old.prompt))
    return left_out


def part_notes(suites: Iterable[Suite]) -> list[IncludesChanged]:
    """A note for each prompt that changes only through its parts, which it names."""
    return [
        IncludesChanged(path=suite.candidate.version.path, files=changed)
        for suite in suites
        if suite.baseline is not None and (changed := _changed(suite.baseline.version, suite.candidate.version))
    ]


def _changed(old: PromptVersion, new: PromptVersion) -> list[str]:
    before, after = old.prompt, new.prompt
    if (before.messages, before.template, before.chat) != (after.messages, after.template, after.chat):
        return []
    differing = set(before.parts.files) ^ set(after.parts.files)
    return sorted({part.path for part in differing})
