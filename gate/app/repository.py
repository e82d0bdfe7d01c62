"""The repository or folder that a command works in, who works there, and which event started it."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gate.app.environment.action import Runner
from gate.app.environment.settings import Surroundings
from gate.config.documents import decode, printable
from gate.errors import GateError
from gate.git.command import Git
from gate.git.repository import Repo, UntrustedOwner
from gate.git.sources import TreeSource
from gate.github.events import (
    DispatchEvent,
    Event,
    MergeGroupEvent,
    PullRequestEvent,
    PushEvent,
    WorkflowRunEvent,
    parse_event,
)
from gate.record.history import Context
from gate.store.files import GATE_FOLDER


@dataclass(frozen=True, slots=True)
class Place:
    """A folder whose files a configuration names."""

    root: Path
    repo: Repo | None

    @property
    def tree(self) -> TreeSource:
        """Its files, as they are on disk."""
        return TreeSource(self.root, Git(self.root))

    @property
    def branch(self) -> str:
        """The branch that changes are compared with: the server's main branch, or else one of this clone.

        It is written into files and shown: one that a screen or YAML would take for more than a name is `HEAD`.
        """
        found = self._branch()
        return found if found.isprintable() else "HEAD"

    def _branch(self) -> str:
        if self.repo is None:
            return "main"
        known = self.repo.git.ask("symbolic-ref", "--short", "--quiet", "refs/remotes/origin/HEAD")
        if known.code == 0:
            return known.out.decode("utf-8", "replace").strip()
        local = self.repo.git.ask("for-each-ref", "--format=%(refname:short)", "refs/heads").out
        names = local.decode("utf-8", "replace").split()
        current = self.repo.git.ask("symbolic-ref", "--short", "--quiet", "HEAD").out.decode("utf-8", "replace").strip()
        return next((name for name in ("main", "master") if name in (*names, current)), current or "HEAD")


def root_of(directory: Path) -> Path:
    """The folder that paths in `gate.yaml` are relative to: the repository's root, or the folder itself without one.

    Raises:
        UntrustedOwner: git does not trust the repository.
    """
    try:
        return Repo.open(directory).root
    except UntrustedOwner:
        raise
    except GateError:
        return directory.resolve()


def tree_of(directory: Path) -> TreeSource:
    """The files there, as they are on disk; see `root_of`."""
    root = root_of(directory)
    return TreeSource(root, Git(root))


def own_folder(directory: Path = Path()) -> Path:
    """`.gate` of the repository that a folder lies in, or of that folder, as it is named from there.

    What was paid for in a subfolder is known at the root, too.
    """
    try:
        root = Repo.open(directory).root
    except GateError:
        return directory / GATE_FOLDER
    return directory / os.path.relpath(root, directory.resolve()) / GATE_FOLDER


def place_here(directory: Path = Path()) -> Place:
    """The repository that a folder is in, or the folder.

    Raises:
        GateError: the repository is bare, or git does not trust its owner.
    """
    try:
        repo = Repo.open(directory)
    except UntrustedOwner:
        raise
    except GateError as error:
        if "bare" in error.message:
            raise
        return Place(directory.resolve(), None)
    return Place(repo.root, repo)


def git_user_name(repo: Repo) -> str:
    """The author name of commits in a repository; empty where git has none."""
    answer = repo.git.ask("config", "--get", "user.name")
    return answer.out.decode(errors="replace").strip() if answer.code == 0 else ""


_LARGEST_EVENT = 64 * 2**20
_LONGEST = 200
_REMOTE = re.compile(r"[/:]([^/:]+/[^/:]+?)(?:\.git)?/?$")


def context_here(directory: Path, environ: Mapping[str, str] | None = None) -> Context:
    """Where a run of this process comes from.

    Raises:
        GateError: a workflow's event cannot be read.
    """
    if not Surroundings.from_environ(environ).event:
        return _local(directory)
    runner = Runner.from_environ(environ)
    path = runner.event_path
    try:
        if path.stat().st_size > _LARGEST_EVENT:
            raise GateError(f"the event {path} is larger than {_LARGEST_EVENT // 2**20} MiB")
        text = decode(path.read_bytes(), str(path))
    except OSError as error:
        raise GateError(f"cannot read the event {path}: {error.strerror}") from None
    return context_of(runner, parse_event(runner.event_name, text, str(path)))


def context_of(runner: Runner, event: Event, pull_request: int | None = None) -> Context:
    """The origin of a run that answers an event.

    Args:
        pull_request: its number, where the event does not have it.
    """
    branch, number = _branch(runner, event)
    return Context(
        runner.repository,
        _short(branch),
        runner.event_name,
        pull_request if number is None else number,
        _short(runner.actor),
    )


def _branch(runner: Runner, event: Event) -> tuple[str, int | None]:
    """The branch that was judged, and the pull request that it belongs to."""
    match event:
        case PullRequestEvent(pull=pull):
            return runner.head_ref, pull.number
        case MergeGroupEvent():
            return event.base_ref, event.number
        case PushEvent():
            return event.branch, None
        case DispatchEvent():
            return event.ref.removeprefix("refs/heads/").removeprefix("refs/tags/"), None
        case WorkflowRunEvent():
            return event.head_branch, None


def _local(directory: Path) -> Context:
    try:
        repo = Repo.open(directory)
    except GateError:
        return Context(_short(directory.resolve().name))
    remote = _REMOTE.search(_said(repo, "config", "--get", "remote.origin.url"))
    name = remote[1] if remote else repo.root.resolve().name
    branch = _said(repo, "symbolic-ref", "--quiet", "--short", "HEAD")
    return Context(_short(name), _short(branch), pushed_by=_short(git_user_name(repo)))


def _said(repo: Repo, *arguments: str) -> str:
    """Git's output on one line; empty where there is none."""
    answer = repo.git.ask(*arguments)
    return answer.out.decode(errors="replace").strip() if answer.code == 0 else ""


def _short(text: str) -> str:
    return printable(text)[:_LONGEST]
