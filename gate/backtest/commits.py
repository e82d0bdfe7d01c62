"""Finds commits that changed a prompt, with the prompt before and after."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.cases.case import Case
from gate.config.gatefile import SuiteConfig
from gate.config.values import AND, file_part, is_python, prompt_parts
from gate.errors import GateError, InputErrors
from gate.git.objects import Commits
from gate.git.repository import RefSource, Repo
from gate.prompts.files import PromptBuilder, file_of, moved_to
from gate.prompts.version import PromptVersion
from gate.resolve.reading import prompt_at
from gate.resolve.renames import renamed_text
from gate.values import counted

_AT_ONCE = 100
"""Commits listed per git call."""
SHORT = 10
"""Characters of a commit id on screens."""


@dataclass(frozen=True, slots=True)
class PromptChange:
    """What one commit did to the prompt of one suite.

    Args:
        before, after: the prompt, or a sentence on why it cannot be read.
    """

    suite: str
    before: PromptVersion | str
    after: PromptVersion | str


@dataclass(frozen=True, slots=True)
class PromptCommit:
    """A commit that changed at least one prompt.

    Args:
        parent: first parent; empty for the root commit.
        date: commit date, ISO 8601.
    """

    sha: str
    parent: str
    date: str
    subject: str
    changes: tuple[PromptChange, ...]

    @property
    def short(self) -> str:
        return self.sha[:SHORT]


@dataclass(frozen=True, slots=True)
class ExaminedPrompt:
    """A prompt of today's configuration, and its cases."""

    config: SuiteConfig
    cases: Sequence[Case]


def prompt_commits(
    repo: Repo, prompts: Sequence[ExaminedPrompt], most: int, since: str | None, builder: PromptBuilder | None
) -> list[PromptCommit]:
    """The last commits of the current branch that changed a prompt, newest first.

    Only first parents are followed, so that a merge counts as one commit.

    Args:
        since: leave out the commits of this ref; None for the whole history.

    Raises:
        GateError: there is no commit, no such ref, or the clone is shallow and ends before so many are found.
    """
    history = _History(repo, repo.resolve("HEAD"), None if since is None else repo.resolve(since), builder)
    found: dict[str, list[PromptChange]] = {}
    for prompt in prompts:
        for _, (sha, change) in zip(range(most), history.changes(prompt), strict=False):
            found.setdefault(sha, []).append(change)
    order = [sha for sha in history.all() if sha in found][:most]
    if history.ends and len(order) < most:
        raise _shallow(history.ends, len(order), most)
    return [history.described(sha, found[sha]) for sha in order]


def _shallow(end: str, found: int, wanted: int) -> GateError:
    said = f"this clone is shallow and ends at {end[:SHORT]}; only {counted(found, 'commit')} of {wanted} changed"
    fewer = f", or use --commits {found}" if found else ""
    return GateError(f"{said} a prompt", f"git fetch --unshallow{fewer}")


@dataclass(slots=True)
class _History:
    """The first parents of a commit.

    Args:
        since: where it ends; None for the root.
        ends: the oldest commit of a shallow clone, once reached.
    """

    repo: Repo
    head: str
    since: str | None
    builder: PromptBuilder | None
    ends: str = ""
    _sources: dict[str, RefSource] = field(default_factory=dict)

    def all(self) -> list[str]:
        """Every commit, newest first."""
        return self._listed(self.head)

    def changes(self, prompt: ExaminedPrompt) -> Iterator[tuple[str, PromptChange]]:
        """The commits that changed one prompt, newest first, across renames."""
        tip = self.head
        while tip:
            step = next(filter(None, (self._step(sha, prompt) for sha in self._touching(tip, prompt))), None)
            if step is None:
                return
            if step.change is not None:
                yield step.sha, step.change
            tip, prompt = step.parent, replace(prompt, config=replace(prompt.config, prompt=step.older))

    def described(self, sha: str, changes: Sequence[PromptChange]) -> PromptCommit:
        """A commit with its date and subject."""
        out = self.repo.git.run("rev-list", "--max-count=1", "--format=%cI%x00%s", sha)
        date, _, subject = out.decode("utf-8", "replace").partition("\n")[2].strip().partition("\0")
        return PromptCommit(sha, self._parent(sha), date, subject, tuple(changes))

    def _step(self, sha: str, prompt: ExaminedPrompt) -> "_Step | None":
        """The change of the prompt by one commit; None if there is none."""
        config, parent = prompt.config, self._parent(sha)
        if parent and not Commits(self.repo.git).has(parent):
            self.ends = sha
            return _Step(sha, "", "", None)
        after = self._version(sha, prompt)
        older = self._before(parent, sha, config.prompt) if parent else ""
        if not older:
            brings = f"the commit adds {config.prompt}, so there is no earlier version to compare with"
            return _Step(sha, "", "", PromptChange(config.name, brings, after))
        before = self._version(parent, replace(prompt, config=replace(config, prompt=older)))
        if _digest(before) == _digest(after) != "":
            return None if older == config.prompt else _Step(sha, parent, older, None)
        return _Step(sha, parent, older, PromptChange(config.name, before, after))

    def _before(self, parent: str, sha: str, prompt: str) -> str:
        """The prompt's name in the parent; empty if it is not there."""
        if file_of(self._source(parent), prompt) is not None:
            return prompt
        out = self.repo.git.run("diff-tree", "-r", "-M", "--diff-filter=R", "--name-status", "-z", parent, sha)
        words = os.fsdecode(out).split("\0")
        renames = dict(zip(words[2::3], words[1::3], strict=False))
        older = AND.join(self._part_before(parent, sha, part, renames) for part in prompt_parts(prompt))
        return older if file_of(self._source(parent), older) is not None else ""

    def _part_before(self, parent: str, sha: str, part: str, renames: Mapping[str, str]) -> str:
        """The name that a file, a function or a text probably had in the parent; `renames` is new to old path."""
        before, after = self._source(parent), self._source(sha)
        file = file_of(after, part)
        if file is None or file_of(before, part) is not None:
            return part
        path = renames.get(file, file)
        moved = moved_to(part, path)
        return moved if file_of(before, moved) is not None else renamed_text(before, path, after, part) or part

    def _touching(self, tip: str, prompt: ExaminedPrompt) -> Iterator[str]:
        """The commits from `tip` on that touch the prompt's file, an included file or an image."""
        file = file_of(self._source(tip), prompt.config.prompt)
        if file is None:
            return
        named = prompt.config.prompt
        files = [file] if is_python(named) else [file_part(part) for part in prompt_parts(named)]
        version = self._version(tip, prompt)
        parts = [] if isinstance(version, str) else version.prompt.files
        while tip:
            found = self._listed(tip, f"--max-count={_AT_ONCE}", files=(*files, *parts))
            yield from found
            tip = self._parent(found[-1]) if len(found) == _AT_ONCE else ""

    def _listed(self, tip: str, *options: str, files: Sequence[str] = ()) -> list[str]:
        until = () if self.since is None else (f"^{self.since}",)
        out = self.repo.git.run("rev-list", "--first-parent", *options, tip, *until, "--", *files)
        return out.decode("ascii").split()

    def _version(self, sha: str, prompt: ExaminedPrompt) -> PromptVersion | str:
        try:
            return prompt_at(self._source(sha), prompt.config, prompt.cases, self.builder)
        except InputErrors as errors:
            return f"{errors.problems[0].where}: {errors.problems[0].message}"

    def _source(self, sha: str) -> RefSource:
        if sha not in self._sources:
            self._sources[sha] = RefSource(sha[:SHORT], sha, self.repo.git)
        return self._sources[sha]

    def _parent(self, sha: str) -> str:
        return next(iter(Commits(self.repo.git).parents(sha)), "")


@dataclass(frozen=True, slots=True)
class _Step:
    """What one commit did to a prompt.

    Args:
        parent: next commit; empty if the prompt's history ends.
        older: the prompt's name in the parent.
        change: None for a plain rename, and at the end of a shallow clone.
    """

    sha: str
    parent: str
    older: str
    change: PromptChange | None


def _digest(version: PromptVersion | str) -> str:
    return "" if isinstance(version, str) else version.prompt.digest
