"""Says where a run comes from: the GitHub event that started it, or the repository that it was made in by hand."""

import re
from collections.abc import Mapping
from pathlib import Path

from gate.bootstrap.person import git_name
from gate.domain.history import Context
from gate.errors import GateError
from gate.git.repo import Repo
from gate.inputs.event import (
    DispatchEvent,
    Event,
    MergeGroupEvent,
    PullRequestEvent,
    PushEvent,
    WorkflowRunEvent,
    parse_event,
)
from gate.inputs.problems import printable
from gate.inputs.text import decode
from gate.settings.runner import Runner
from gate.settings.surroundings import Surroundings

_LARGEST_EVENT = 64 * 2**20
_LONGEST = 200
_REMOTE = re.compile(r"[/:]([^/:]+/[^/:]+?)(?:\.git)?/?$")


def context_here(directory: Path, environ: Mapping[str, str] | None = None) -> Context:
    """Where a run of this process comes from.

    Args:
        directory: somewhere in the repository, or anywhere.
        environ: the variables; the process's own when None.

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
    """Where a run comes from that answers an event.

    Args:
        runner: what GitHub's runner says.
        event: that started it.
        pull_request: its number, where the event does not say it.
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
    return Context(_short(name), _short(branch), pushed_by=_short(git_name(repo)))


def _said(repo: Repo, *arguments: str) -> str:
    """What git says in one line; empty where it has nothing to say."""
    answer = repo.git.ask(*arguments)
    return answer.out.decode(errors="replace").strip() if answer.code == 0 else ""


def _short(text: str) -> str:
    return printable(text)[:_LONGEST]
