"""Finds which suite of the head belongs to which suite of the base, and what the change touches."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Protocol

from gate.config.documents import decode, quoted
from gate.config.gatefile import Config, SuiteConfig, expand
from gate.config.values import (
    StoreName,
    file_part,
    is_pointer,
    is_python,
    is_store,
    name_complaint,
    parse_store_name,
    prompt_parts,
)
from gate.errors import CannotEvaluate, GateError, InputErrors
from gate.files import is_glob
from gate.limits import NEW_SUITES
from gate.prompts import reading
from gate.prompts.files import FileSource, Moves, PromptBuilder, file_of
from gate.prompts.version import Library, PromptVersion, is_prompty
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
    """

    base: FileSource
    head: FileSource
    stranger: bool = False
    builder: PromptBuilder | None = None
    stored_suites: StoredSuiteReader | None = None


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
        other: the prompt may also be in another file, which has its own pair.
    """

    current: SuiteConfig
    exam: SuiteConfig
    source: FileSource
    own_exam: bool = False
    new_prompt: bool = False
    left_out: bool = False
    moved: bool = False
    other: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs to compare.

    Args:
        pairs: in the order of the head's suites, then those that it leaves out.
        deleted: suites of the base whose prompt is gone.
    """

    pairs: tuple[Pair, ...]
    deleted: tuple[SuiteConfig, ...] = ()


def pair(sides: Sides, head: Config, base: Config | None, names: Sequence[str]) -> Pairing:
    """Find the partner of each suite.

    A prompt that the base tests is tested even if the head drops its suite, points the suite at another file, or
    moves the prompt: otherwise a change could remove the cases that test it.

    Args:
        head, base: base is None if it has no configuration.
        names: suites to pair; empty for all.

    Raises:
        GateError: a name that neither side has, or more new suites than one change may add.
        CannotEvaluate: a deleted prompt may have moved to one of too many files, or to files not compared.
    """
    heads = _by_name(head, sides.head)
    bases = _by_name(base, sides.base) if base else {}
    known = {**bases, **heads}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise GateError(f"there is no suite named {', '.join(unknown)}", f"known suites: {', '.join(known)}")
    if base:
        _check_new_files(sides, heads, bases, base)
    moves = _moved(sides, heads, bases)
    moved = moves.found
    expected = _expected(base, bases, moved, sides) if base else {}
    partners = _partners(heads, bases, moved)
    if base:
        _check_count(len(heads) - len(partners))
    pairs = _of_head(heads, partners, list(expected.values()), sides)
    dropped = _dropped(pairs, bases.values(), moved)
    pairs += _left_out(pairs, bases.values(), moved, sides)
    pairs += _others(pairs, bases.values(), moves, sides)
    pairs += [replace(one, new_prompt=True) for one in _left_out(pairs, expected.values(), {}, sides)]
    if base:
        _check_count(sum(one.own_exam or one.new_prompt for one in pairs))
    examined = [one.exam for one in pairs]
    deleted = [old for old in bases.values() if old not in examined and _exists(sides.base, old.prompt)]
    deleted = [old for old in deleted if not names or old.name in names]
    _check_sure([*deleted, *(old for old in dropped if not names or old.name in names)], moves)
    asked = (one for one in pairs if not names or (one.exam if one.other else one.current).name in names)
    return Pairing(tuple(asked), tuple(deleted))


def _of_head(
    heads: dict[str, SuiteConfig], partners: dict[str, SuiteConfig], free: list[SuiteConfig], sides: Sides
) -> list[Pair]:
    """The head's suites, each with its partner, with an exam of the base that is `free`, or alone."""
    pairs = []
    for name, current in heads.items():
        if old := partners.get(name):
            gone = old.prompt != current.prompt and not _exists(sides.head, old.prompt)
            pairs.append(Pair(current, old, sides.base, moved=gone))
        elif exam := _exam_for(current, free):
            free.remove(exam)
            pairs.append(Pair(current, exam, sides.base, new_prompt=True))
        else:
            pairs.append(_unknown(sides, current))
    return pairs


def _check_new_files(
    sides: Sides, heads: Mapping[str, SuiteConfig], bases: Mapping[str, SuiteConfig], base: Config
) -> None:
    """Refuse too many new prompts before reading them; as many as are gone may have moved."""
    before = {suite.prompt for suite in bases.values()}
    named = {suite.prompt for suite in heads.values()}
    matched = {path for entry in base.suites if is_glob(entry.prompt) for path in sides.head.glob(entry.prompt)}
    _check_count(len((named | matched) - before) - len(before - named))


def _check_count(count: int) -> None:
    """Raises GateError if one change adds too many new suites: each costs time before any budget applies."""
    if count > NEW_SUITES:
        hint = "add them in several changes, or narrow the pattern that they match"
        raise GateError(f"the change adds more than {NEW_SUITES} new suites", hint)


def _check_sure(gone: Sequence[SuiteConfig], moves: Moves) -> None:
    """Raises CannotEvaluate for a prompt that may have moved to a file that nothing would test."""
    unsure = sorted({old.prompt for old in gone} & moves.unsure)
    if unsure:
        more = f" (nor for {len(unsure) - 1} more)" if len(unsure) > 1 else ""
        name = quoted(unsure[0])
        what = f"which file {name} is now" if unsure[0] in moves.found else f"whether {name} was deleted or has moved"
        why = "the change adds several similar files, or files of about its size that were not compared"
        message = f"cannot find out {what}{more}: {why} because they are too many, too large or have unusual names"
        hint = "delete it in a change that adds fewer files, or keep its suite and set the new path there"
        raise CannotEvaluate(message, hint)


def _dropped(found: Sequence[Pair], suites: Iterable[SuiteConfig], moved: Mapping[str, str]) -> list[SuiteConfig]:
    """Base suites whose prompt moved to a file that no suite of the head names, and whose exam none of them uses."""
    settled = {one.exam.prompt for one in found}
    return [old for old in suites if old.prompt in moved and old.prompt not in settled]


def _moved(sides: Sides, heads: Mapping[str, SuiteConfig], bases: Mapping[str, SuiteConfig]) -> Moves:
    """Old to new path of the prompts that the base examines, and that the head has elsewhere."""
    named = {suite.prompt for suite in heads.values()}
    before = {suite.prompt for suite in bases.values()}
    # Where the head's configuration still names a file that is gone, that is a mistake, and no move.
    gone = [path for path in before - named if _exists(sides.base, path) and not _exists(sides.head, path)]
    if not gone:
        return Moves({})
    from gate.resolve.renames import prompt_moves

    new = [path for path in named - before if _exists(sides.head, path) and not _exists(sides.base, path)]
    return prompt_moves(sides.base, sides.head, gone, new)


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
    heads: Mapping[str, SuiteConfig], bases: Mapping[str, SuiteConfig], moved: Mapping[str, str]
) -> dict[str, SuiteConfig]:
    """The base's suite for each suite of the head that has one.

    The prompt counts before the name, and it is the same prompt after a move. No suite of the base serves twice, with
    one exception: a name keeps its exam where its prompt moved elsewhere, since either the most similar file or the one
    that the name points at may be in use afterwards.
    """
    free = dict(bases)
    found: dict[str, SuiteConfig] = {}

    def take(suitable: Callable[[SuiteConfig, SuiteConfig], bool], among: Mapping[str, SuiteConfig]) -> None:
        for name, current in heads.items():
            fitting = (old for old in among.values() if name not in found and suitable(old, current))
            if (old := next(fitting, None)) is not None:
                found[name] = old
                free.pop(old.name, None)

    def same_prompt(old: SuiteConfig, current: SuiteConfig) -> bool:
        return moved.get(old.prompt, old.prompt) == current.prompt

    take(lambda old, current: same_prompt(old, current) and _called_alike(old, current), free)
    take(same_prompt, free)
    left = {**free, **{name: old for name, old in bases.items() if old.prompt in moved}}
    take(lambda old, current: old.name == current.name, left)
    return found


def _called_alike(old: SuiteConfig, current: SuiteConfig) -> bool:
    """The same name, or the same pattern, under which the name follows the file."""
    return old.name == current.name or old.pattern == current.pattern != ""


def _expected(
    base: Config, bases: Mapping[str, SuiteConfig], moved: Mapping[str, str], sides: Sides
) -> dict[str, SuiteConfig]:
    """The base's exams for new files: those of its patterns that match one, whatever the change's patterns say."""
    # A file that moved within its pattern is not new: it sits the exam that it had.
    kept = {(old.pattern, moved.get(old.prompt)) for old in bases.values()}
    out: dict[str, SuiteConfig] = {}
    for entry in (entry for entry in base.suites if is_glob(entry.prompt)):
        for suite in expand(entry, sides.head.glob(entry.prompt)):
            if not _exists(sides.base, suite.prompt) and (suite.pattern, suite.prompt) not in kept:
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
        for suite in expand(entry, source.glob(entry.prompt) if is_glob(entry.prompt) else ()):
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
    found: Sequence[Pair], suites: Iterable[SuiteConfig], moved: Mapping[str, str], sides: Sides
) -> list[Pair]:
    """Base suites whose prompt no suite of the head examines any more, wherever the prompt is now."""
    names = {one.current.name for one in found}
    pairs = []
    for old in suites:
        now = moved.get(old.prompt, old.prompt)
        sat = any(one.exam is old and one.current.prompt == now for one in found)
        if not sat and is_there(sides.head, now):
            name = f"{old.name} at {now}" if old.name in names else old.name
            kept = replace(old, name=name, prompt=now)
            pairs.append(Pair(kept, old, sides.base, left_out=True, moved=now != old.prompt))
    return pairs


def _others(found: Sequence[Pair], suites: Iterable[SuiteConfig], moves: Moves, sides: Sides) -> list[Pair]:
    """Base suites for each further file that their prompt may have moved to: the worst of them decides."""
    places = [(old, now) for old in suites for now in moves.others.get(old.prompt, ())]
    pairs = [one for old, now in places for one in _left_out(found, [old], {old.prompt: now}, sides)]
    return [replace(one, other=True) for one in pairs]


_NAMED = 5


def same_parts(sides: Sides, suite: SuiteConfig) -> bool:
    """Do both sides have the same parts for a prompt whose own file is the same on both?

    Only a template that may include something is read; of the base no file is.
    """
    ending = PurePosixPath(suite.prompt).suffix.lower()
    if suite.roles or is_pointer(suite.prompt) or not (suite.template or reading.may_pull_in(suite.prompt)):
        return True
    try:
        data = sides.head.read(suite.prompt) or b""
        # In a chat file the word may be written with escapes, and front matter names files in other ways.
        named = ending in reading.CHAT_ENDINGS or is_prompty(suite.prompt)
        if b"include" not in data and not named:
            return True
        text, library = decode(data, suite.prompt), Library(suite.prompt, sides.head.read)
        parts = reading.parse(text, suite.prompt, template=bool(suite.template), library=library).parts
    except InputErrors:
        # Mistakes are told where the suite is read in full.
        return False
    return all(sides.head.fingerprint(part.path) == sides.base.fingerprint(part.path) for part in parts.files)


def part_notes(suites: Iterable[Suite]) -> list[str]:
    """A sentence for each prompt that changes only through its parts, which it names."""
    return [
        f"{suite.candidate.version.path} itself did not change; {_listed(changed)}, which it includes, did."
        for suite in suites
        if suite.baseline is not None and (changed := _changed(suite.baseline.version, suite.candidate.version))
    ]


def _changed(old: PromptVersion, new: PromptVersion) -> list[str]:
    before, after = old.prompt, new.prompt
    if (before.messages, before.template, before.chat) != (after.messages, after.template, after.chat):
        return []
    differing = set(before.parts.files) ^ set(after.parts.files)
    return sorted({part.path for part in differing})


def _listed(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")
