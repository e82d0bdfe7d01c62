"""Resolves what there is to evaluate, from refs, files or one version; loads no model SDK and no numpy."""

import asyncio
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gate.config.values import FunctionName, StoreName
from gate.environment.settings import (
    DATABASE,
    Surroundings,
    database_url,
)
from gate.errors import GateError, InputErrors, MissingKey
from gate.files import STORE_FILE
from gate.git.places import DiskSource, folder_of, tree_of
from gate.git.repository import RefSource, Repo
from gate.prompts.files import CodePlace, FileSource, PromptBuilder
from gate.record.transcript import Failed
from gate.resolve.pairing import Sides, StoredCases
from gate.resolve.resolved import Resolved, rehearse
from gate.resolve.two_refs import resolve
from gate.values import JsonValue, digest

if TYPE_CHECKING:
    from gate.record.shard import GitInputs, NamedCommit
    from gate.resolve.one_version import Chosen
    from gate.resolve.two_files import FileRun, Files


def resolve_git_mode(
    refs: tuple[str, str | None],
    config: str,
    suites: Sequence[str],
    *,
    everything: bool,
    directory: Path = Path(),
) -> Resolved:
    """Read both sides from a repository.

    Args:
        refs: base, and head or None for the working tree.
    """
    repo = Repo.open(directory)
    base, head = refs
    with prompt_builder() as builder:
        to: FileSource = repo.at(head) if head is not None else repo.tree()
        start = repo.at(base)
        sides = Sides(start, to, builder=builder, stored_suites=store_case_reader(repo.root, start, to))
        return rehearsed(resolve(sides, config, suites, everything=everything))


def resolve_files_mode(files: "Files", run: "FileRun") -> Resolved:
    """Read three files by the paths that the user gave."""
    from gate.resolve.two_files import resolve_files

    return rehearsed(resolve_files(DiskSource(), files, run, folder_of))


def rehearsed(resolved: Resolved) -> Resolved:
    """The same, after every case was tried in every prompt and scorer.

    Raises:
        InputErrors: one does not fit.
    """
    trials = (trial.suite for edit in resolved.edits for trial in edit.trials if not trial.reason)
    rehearse((*resolved.suites, *trials))
    return resolved


def resolve_check(config: str, ref: str | None, chosen: "Chosen", directory: Path = Path()) -> Resolved:
    """Read one version of the prompts.

    Args:
        config: path of `gate.yaml` from the root of the repository, or from `directory` where there is none.
        ref: a commit; None for the working tree.

    Raises:
        InputErrors, GateError: errors in the files, or unknown names.
    """
    tree = tree_of(directory)
    source = tree if ref is None else Repo.open(directory).at(ref)
    if ref is None:
        _check_place(tree.root, config, directory)
    with prompt_builder() as builder:
        from gate.resolve.one_version import resolve_one

        return rehearsed(resolve_one(source, config, chosen, builder, store_case_reader(tree.root, source)))


def resolve_check_files(prompt: str, cases: str, run: "FileRun", chosen: "Chosen") -> Resolved:
    """Read a prompt and its cases by the paths that the user gave."""
    from gate.resolve.one_version import resolve_one_file

    return rehearsed(resolve_one_file(DiskSource(), (prompt, cases), run, chosen, folder_of))


def _check_place(root: Path, config: str, directory: Path) -> None:
    """Raises GateError if the configuration is in this folder but is looked for at the root."""
    here = (directory / config).resolve()
    if here.is_file() and not (root / config).is_file() and here.is_relative_to(root.resolve()):
        named = here.relative_to(root.resolve()).as_posix()
        hint = f"paths are relative to the root of the repository, {root}: --config {shlex.quote(named)}"
        raise GateError(f"there is no {config} at the root of the repository", hint)


def resolve_commits(inputs: "GitInputs") -> Resolved:
    """Read both sides again, from the commits that the shards read.

    Raises:
        GateError: a commit is not in this clone.
    """
    repo = Repo.open(Path())
    head = repo.tree() if inputs.head is None else _at(repo, inputs.head)
    with prompt_builder() as builder:
        base = _at(repo, inputs.base)
        sides = Sides(base, head, builder=builder, stored_suites=store_case_reader(repo.root, base, head))
        return rehearsed(resolve(sides, inputs.config, inputs.suites, everything=inputs.everything))


def _at(repo: Repo, commit: "NamedCommit") -> RefSource:
    try:
        return RefSource(commit.ref, repo.resolve(commit.sha), repo.git)
    except GateError as error:
        hint = f"merge in a clone that has it: git fetch origin {commit.sha}, or check out with a larger 'fetch-depth'"
        said = f"the shards compared {commit.ref} at {commit.sha}, and this clone has no such commit"
        raise GateError(said, hint) from error


def against_itself(config: str, suites: Sequence[str]) -> Resolved:
    """Every suite of the working tree, with the same prompt in both arms.

    Raises:
        GateError: no configuration, an unknown suite, errors in the files.
    """
    repo = Repo.open(Path())
    tree = repo.tree()
    if tree.read(config) is None:
        raise GateError(
            f"there is no {config} in the working tree", "write one with prompts, cases and a model (gate init does it)"
        )
    with prompt_builder() as builder:
        sides = Sides(tree, tree, builder=builder, stored_suites=store_case_reader(repo.root))
        return rehearsed(resolve(sides, config, suites, everything=True))


@dataclass(frozen=True, slots=True)
class StoreCaseReader:
    """See `gate.resolve.pairing.StoredSuiteReader`; the store is opened only when something is read."""

    root: Path
    url: str | None = field(repr=False)
    sides: tuple[FileSource, ...] = ()
    _known: dict[StoreName, StoredCases | InputErrors] = field(default_factory=dict)

    def read(self, name: StoreName) -> StoredCases:
        if name not in self._known:
            self._known[name] = self._looked_up(name)
        found = self._known[name]
        if isinstance(found, InputErrors):
            raise found
        return found

    def _looked_up(self, name: StoreName) -> StoredCases | InputErrors:
        if self.url is None and not (self.root / STORE_FILE).exists():
            hint = f"set {DATABASE} to the URL of the database; gate serve creates a database file"
            raise MissingKey(
                f"{name.text} is in a store, but there is none: {DATABASE} is not set, and {STORE_FILE} does not exist",
                hint,
            )
        # Nothing but a suite of a store needs what opens one.
        from gate.store.local_store import stored_cases

        try:
            return stored_cases(self.root, self.url, name, self.sides)
        except InputErrors as errors:
            return errors


def store_case_reader(root: Path, *sides: FileSource) -> StoreCaseReader:
    """Reader of the suites in the store that the environment names, or in the repository's own.

    Args:
        sides: of the comparison; a store that one of them has is not read.
    """
    return StoreCaseReader(root, database_url(), sides)


PromptTexts = tuple[str | Failed, ...]


@contextmanager
def prompt_builder() -> Iterator[PromptBuilder]:
    """The builder of prompts, for as long as both sides are read."""
    yield _Builder(Surroundings.from_environ())


@dataclass(slots=True)
class _Builder:
    """See `gate.prompts.files.PromptBuilder`; a prompt of two suites is built once.

    One function is called after the other, so that no files of a side are there while code of the other one runs.
    """

    here: Surroundings
    _known: dict[tuple[CodePlace, FunctionName, tuple[str, ...]], PromptTexts] = field(default_factory=dict)

    def place(self, source: FileSource, what: str) -> CodePlace:
        from gate.agents.code_folder import place_of, refuse_untrusted

        refuse_untrusted(self.here, what, "a validator that is not code")
        return place_of(source)

    def build(self, source: FileSource, entry: FunctionName, sessions: Sequence[dict[str, JsonValue]]) -> PromptTexts:
        from gate.agents.code_folder import code_folder, place_of, refuse_untrusted

        refuse_untrusted(self.here, str(entry), "a prompt that is a file")
        from gate.agents.functions import FunctionLimits, FunctionWorktree, prompt_texts

        place = place_of(source)
        key = place, entry, tuple(map(digest, sessions))
        if key not in self._known:
            with code_folder(place) as laid:
                worktree = FunctionWorktree(laid.root, place.checkout, laid.scratch, self.here.path)
                self._known[key] = asyncio.run(prompt_texts(entry, sessions, worktree, FunctionLimits()))
        return self._known[key]
