"""The payloads of GitHub's events, as far as the gate needs them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from gate.config.documents import BadJson, Problems, one_problem, parse_json, quoted
from gate.errors import GateError
from gate.values import JsonValue


@dataclass(frozen=True, slots=True)
class PostedComment:
    """A comment on the pull request; `body` is Markdown."""

    id: int
    author: str
    body: str
    url: str


@dataclass(frozen=True, slots=True)
class LabelEvent:
    """A label was set or removed.

    Args:
        is_set: False where it was removed.
        by: login; None where the account is gone.
        at: ISO 8601, UTC.
        bot: not a person's account.
        app: the GitHub App that acted for somebody; empty where there was none.
    """

    label: str
    is_set: bool
    by: str | None
    at: str | None
    bot: bool = False
    app: str = ""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request at one moment.

    Args:
        head_sha: the newest commit of the change.
        base_ref: name of the branch it goes into.
        base_sha: of that branch at the time of the event; it may have moved since.
        author: login; empty where the account is gone.
        fork: the change comes from another repository, or from one that is gone.
        merge_sha: GitHub's merge of head and base; None where there is none yet.
        head_repository: `owner/name` that the change comes from; empty where it is gone.
        head_ref: its branch there.
    """

    number: int
    head_sha: str
    base_ref: str
    base_sha: str
    state: str = "open"
    labels: tuple[str, ...] = ()
    author: str = ""
    fork: bool = False
    merge_sha: str | None = None
    default_branch: str = ""
    head_repository: str = ""
    head_ref: str = ""

    @property
    def merge_ref(self) -> str:
        """The change as it would be merged."""
        return f"refs/pull/{self.number}/merge"


SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
"""A whole commit id."""

REF = re.compile(r"(?!.*(\.\.|@\{))[^\x00-\x20\x7f~^:?*\[\\]{1,255}")
"""Name of a branch, or of any other ref."""

_REPOSITORY = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)
_QUEUED = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-(\d{1,12})-[0-9a-f]{40,64}")
_UNTOUCHED = "GITHUB_EVENT_PATH must be the path of the event file that GitHub wrote"


@dataclass(frozen=True, slots=True)
class PullRequestEvent:
    """Something happened to a pull request.

    Args:
        privileged: the event is `pull_request_target`: secrets, and a change that may be untrusted.
    """

    pull: PullRequest
    action: str
    by: str = ""
    label: str = ""
    privileged: bool = False


@dataclass(frozen=True, slots=True)
class MergeGroupEvent:
    """The merge queue made a branch for pull requests that may be merged together.

    Args:
        base_ref: name of the branch it goes into.
        number: of its newest pull request; None where the branch's name does not say.
        over: the group was dissolved.
    """

    head_sha: str
    base_sha: str
    base_ref: str
    number: int | None
    over: bool = False
    default_branch: str = ""


@dataclass(frozen=True, slots=True)
class PushEvent:
    """A branch moved.

    Args:
        branch: empty for a tag.
    """

    branch: str
    sha: str
    deleted: bool = False
    default_branch: str = ""


@dataclass(frozen=True, slots=True)
class DispatchEvent:
    """Somebody started the workflow by hand.

    Args:
        ref: the branch or tag that was chosen.
    """

    ref: str
    default_branch: str


@dataclass(frozen=True, slots=True)
class WorkflowRunEvent:
    """Another workflow ran, perhaps for a pull request of a fork; the payload lacks its number.

    Args:
        event: the one that started it.
        head_sha: the commit it ran for.
        head_owner: owner of the repository of `head_branch`; empty where it is gone.
    """

    event: str
    head_sha: str
    head_branch: str
    head_owner: str


Event: TypeAlias = PullRequestEvent | MergeGroupEvent | PushEvent | DispatchEvent | WorkflowRunEvent


def parse_event(name: str, text: str, file: str) -> Event:
    """Read a payload.

    Args:
        name: as GITHUB_EVENT_NAME has it.

    Raises:
        InputErrors: it is not JSON, or lacks a field.
        GateError: an event that the gate does not handle.
    """
    parse = _PARSERS.get(name)
    if parse is None:
        hint = f"start the workflow on one of: {', '.join(_PARSERS)}"
        raise GateError(f"gate action does not handle the event {quoted(name)}", hint)
    try:
        root = parse_json(text)
    except BadJson as error:
        raise one_problem(file, error.line, f"the event is not JSON: {error.message}", _UNTOUCHED) from None
    reader = _Reader(root, Problems(file))
    event = parse(reader)
    reader.problems.check()
    return event


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads fields of a payload, and notes errors."""

    root: JsonValue
    problems: Problems

    def at(self, *keys: str) -> JsonValue:
        value = self.root
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value

    def text(self, *keys: str) -> str:
        """The value, if it is a text."""
        value = self.at(*keys)
        return value if isinstance(value, str) else ""

    def formed(self, form: re.Pattern[str], *keys: str) -> str:
        """A text that must be there, and of that form."""
        value = self.text(*keys)
        if not form.fullmatch(value):
            self._wrong(*keys)
        return value

    def number(self, *keys: str) -> int:
        value = self.at(*keys)
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        self._wrong(*keys)
        return 0

    def names(self, *keys: str) -> tuple[str, ...]:
        """The names of a list of objects that have one."""
        found = self.at(*keys)
        names = [one.get("name") for one in found if isinstance(one, dict)] if isinstance(found, list) else []
        return tuple(name for name in names if isinstance(name, str) and name)

    def _wrong(self, *keys: str) -> None:
        self.problems.add(0, f"the event's {'.'.join(keys)} is missing or malformed", _UNTOUCHED)


def _pull_request(reader: _Reader, *, privileged: bool = False) -> PullRequestEvent:
    at = "pull_request"
    if not isinstance(reader.at(at), dict):
        raise GateError("the event has no pull request", "run the gate in a workflow with 'on: pull_request'")
    repositories = [reader.text(at, side, "repo", "full_name").casefold() for side in ("head", "base")]
    pull = PullRequest(
        number=reader.number(at, "number"),
        head_sha=reader.formed(SHA, at, "head", "sha"),
        base_ref=reader.formed(REF, at, "base", "ref"),
        base_sha=reader.formed(SHA, at, "base", "sha"),
        state=reader.text(at, "state") or "open",
        labels=reader.names(at, "labels"),
        author=reader.text(at, "user", "login"),
        # The repository of a head is gone once its fork is deleted.
        fork=not repositories[0] or repositories[0] != repositories[1],
        default_branch=reader.text("repository", "default_branch"),
        head_repository=reader.text(at, "head", "repo", "full_name"),
        head_ref=reader.text(at, "head", "ref"),
    )
    action, by, label = reader.text("action"), reader.text("sender", "login"), reader.text("label", "name")
    return PullRequestEvent(pull, action, by, label, privileged)


def _merge_group(reader: _Reader) -> MergeGroupEvent:
    at = "merge_group"
    queued = _QUEUED.fullmatch(reader.text(at, "head_ref"))
    return MergeGroupEvent(
        head_sha=reader.formed(SHA, at, "head_sha"),
        base_sha=reader.formed(SHA, at, "base_sha"),
        base_ref=reader.formed(REF, at, "base_ref").removeprefix("refs/heads/"),
        number=int(queued[1]) if queued else None,
        over=reader.text("action") == "destroyed",
        default_branch=reader.text("repository", "default_branch"),
    )


def _push(reader: _Reader) -> PushEvent:
    ref = reader.formed(REF, "ref")
    branch = ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else ""
    default = reader.text("repository", "default_branch")
    return PushEvent(branch, reader.formed(SHA, "after"), reader.at("deleted") is True, default)


def _dispatch(reader: _Reader) -> DispatchEvent:
    return DispatchEvent(reader.formed(REF, "ref"), reader.formed(REF, "repository", "default_branch"))


def _workflow_run(reader: _Reader) -> WorkflowRunEvent:
    at = "workflow_run"
    event = reader.text(at, "event")
    if not event.startswith("pull_request"):
        return WorkflowRunEvent(event, "", "", "")
    gone = reader.at(at, "head_repository") is None
    repository = "" if gone else reader.formed(_REPOSITORY, at, "head_repository", "full_name")
    sha, branch = reader.formed(SHA, at, "head_sha"), reader.formed(REF, at, "head_branch")
    return WorkflowRunEvent(event, sha, branch, repository.partition("/")[0])


_PARSERS: Mapping[str, Callable[[_Reader], Event]] = MappingProxyType(
    {
        "pull_request": _pull_request,
        "pull_request_target": lambda reader: _pull_request(reader, privileged=True),
        "merge_group": _merge_group,
        "push": _push,
        "workflow_dispatch": _dispatch,
        "workflow_run": _workflow_run,
    }
)
