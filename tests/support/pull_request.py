"""Builds real pull requests in real git, and the workspaces that `actions/checkout` makes of them.

world = PullRequestWorld.make(tmp_path, server, {"prompts/support.md": "Be kind."})
pr = world.open({"prompts/support.md": "Be brief."})
checkout = pr.checkout("merge", depth=1)
outcome = run_action(checkout, pr.environment(checkout, action="opened"))
"""

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from tests.support.github_action import declared_inputs
from tests.support.github_events import Moment, environment, payload
from tests.support.github_git import Objects
from tests.support.github_server import GitHubServer
from tests.support.github_state import READ_ONLY_TOKEN, WORKFLOW_TOKEN, Pull, Repository, Side

Files = Mapping[str, str | bytes | None]
"""Path to its new content; None deletes."""
Kind = Literal["merge", "head", "none"]
_STARTS: dict[tuple[datetime, tuple[tuple[str, str | bytes | None], ...]], "tempfile.TemporaryDirectory[str]"] = {}
"""A copy of each repository that was made, by its time and files: a further one is copied, which takes no process."""


@dataclass(slots=True)
class PullRequestWorld:
    """A repository on the server, with one working tree for all commits.

    The working tree's own git folder is what the server and all checkouts read; its HEAD is always detached, so that
    branches move only where they are said to.

    Args:
        folder: folder of all files.
        repo: the repository's state on the server.
    """

    folder: Path
    server: GitHubServer
    repo: Repository

    @classmethod
    def make(
        cls, folder: Path, server: GitHubServer, files: Files, repo: str = "acme/support-bot"
    ) -> "PullRequestWorld":
        """Put a repository with these files on `main` on the server; olivia may triage, ada may write."""
        work = folder / "work"
        world = cls(folder, server, server.state.add_repository(repo, work / ".git"))
        world.repo.collaborators |= {"olivia": "triage", "ada": "write"}
        server.state.people |= {"olivia", "ada"}
        known = _STARTS.get(start := (server.state.now, tuple(files.items())))
        if known is not None:
            shutil.copytree(Path(known.name) / "work", work)
            server.state.tick()
            return world
        world.git(folder, "init", "--quiet", "--initial-branch=main", str(work))
        # GitHub serves any commit by its sha, which a checkout of a head needs.
        world.git(work, "config", "uploadpack.allowAnySHA1InWant", "true")
        world.commit(files, "Start")
        world.git(work, "checkout", "--quiet", "--detach")
        if len(files) < 20:
            _STARTS[start] = tempfile.TemporaryDirectory(prefix="gate-start-")
            atexit.register(_STARTS[start].cleanup)
            shutil.copytree(work, Path(_STARTS[start].name) / "work")
        return world

    @property
    def work(self) -> Path:
        return self.folder / "work"

    @property
    def main_sha(self) -> str:
        """Where `main` is now."""
        return self._read("refs/heads/main")

    @property
    def head(self) -> str:
        """The commit in the working tree."""
        name = self._read("HEAD")
        return self._read(name.removeprefix("ref: ")) if name.startswith("ref: ") else name

    def _read(self, ref: str) -> str:
        """A file of the git folder: nobody packs its refs, and a process for each would cost more than most commits."""
        return (self.work / ".git" / ref).read_text().strip()

    def set_ref(self, ref: str, sha: str) -> None:
        """Let a branch or the like be a commit."""
        file = self.work / ".git" / ref
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{sha}\n")

    def check_out(self, sha: str) -> None:
        """Put a commit into the working tree, unless it is there."""
        if self._read("HEAD") != sha:
            self.git(self.work, "checkout", "--quiet", "--detach", sha)

    def open(
        self,
        files: Files,
        title: str = "Change the prompt",
        fork: bool = False,
        author: str = "",
        draft: bool = False,
    ) -> "PullRequest":
        """Open a pull request from a new branch of `main`, or of mallory's fork."""
        state, number = self.server.state, max(self.repo.pulls, default=6) + 1
        author = author or ("mallory" if fork else "ada")
        owner = author if fork else self.repo.owner
        head_repo = f"{owner}/{self.repo.name}"
        if fork:
            state.add_repository(head_repo, self.repo.folder, fork_of=self.repo.full_name)
        pull = Pull(
            number,
            state.next_id(),
            title,
            author,
            head=Side(owner, head_repo, f"change-{number}", self.main_sha),
            base=Side(self.repo.owner, self.repo.full_name, "main", self.main_sha),
            created_at=state.tick(),
            draft=draft,
        )
        self.repo.pulls[number] = pull
        state.people.add(author)
        request = PullRequest(self, pull, self.main_sha)
        request.push(files, title)
        return request

    def commit_to_main(self, files: Files, message: str = "Work on main") -> str:
        """Move `main` on; the test merges follow, while `base.sha` of open pull requests goes stale."""
        self.check_out(self.main_sha)
        sha = self.commit(files, message)
        self.set_ref("refs/heads/main", sha)
        for pull in self.repo.pulls.values():
            if pull.state == "open":
                PullRequest(self, pull).merge_again()
        return sha

    def commit(self, files: Files, message: str) -> str:
        """Commit in the working tree, wherever its HEAD is."""
        self.server.state.tick()
        for name, content in files.items():
            path = self.work / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git(self.work, "add", "--all")
        self.git(self.work, "commit", "--quiet", "--allow-empty", "-m", message)
        return self.head

    def empty_workspace(self) -> Path:
        space = self.folder / f"workspace-{len(list(self.folder.glob('workspace-*')))}"
        space.mkdir()
        return space

    def workspace(self, sha: str, ref: str = "", depth: int = 1) -> Path:
        """A checkout of a commit of this repository in a new folder.

        Args:
            ref: gets the commit; empty for none.
            depth: 0 fetches all branches and their whole history.
        """
        space = self.empty_workspace()
        if depth == 0:
            self.git(space, "init", "--quiet")
            self.git(space, "remote", "add", "origin", f"file://{self.repo.folder}")
            wanted = f"+{sha}:{ref}" if ref else sha
            quiet = ("-c", "protocol.version=2", "fetch", "--quiet", "--no-recurse-submodules")
            self.git(space, *quiet, "--prune", "origin", "+refs/heads/*:refs/remotes/origin/*", wanted)
        else:
            files = {"HEAD": f"{sha}\n", "config": f'[remote "origin"]\n\turl = file://{self.repo.folder}\n'}
            files |= {ref: f"{sha}\n"} if ref else {}
            for name, text in files.items():
                (space / ".git" / name).parent.mkdir(parents=True, exist_ok=True)
                (space / ".git" / name).write_text(text)
            (space / ".git" / "refs").mkdir(exist_ok=True)
            Objects(self.repo.folder, "", "").fetch(sha, depth, space / ".git")
        self.git(space, "checkout", "--quiet", "--force", ref or sha)
        return space

    def git(self, folder: Path, *arguments: str) -> str:
        """Run git apart from the user's settings, at the time of the server's clock."""
        now = self.server.state.now.isoformat()
        env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": str(self.folder)}
        env |= {"GIT_AUTHOR_DATE": now, "GIT_COMMITTER_DATE": now}
        calm = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "advice.detachedHead=false"]
        calm += ["-c", "maintenance.auto=false"]  # which would start a process after each commit, merge and fetch
        command = ["git", *calm, "-c", "core.autocrlf=false", "-C", str(folder), *arguments]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: {done.stderr}")
        return done.stdout.strip()


@dataclass(slots=True)
class PullRequest:
    """One pull request of a world.

    Args:
        pull: its state on the server.
        start: the commit of `main` that it began at.
        before: the head before the last push.
        old_merge: the test merge before the last push.
    """

    world: PullRequestWorld
    pull: Pull
    start: str = ""
    before: str = ""
    old_merge: str | None = None

    @property
    def number(self) -> int:
        return self.pull.number

    @property
    def head_sha(self) -> str:
        return self.pull.head.sha

    @property
    def merge_sha(self) -> str:
        """The test merge; an error when there is a conflict, for which GitHub starts no workflow."""
        if self.pull.merge_sha is None:
            raise ValueError("the pull request conflicts with its base")
        return self.pull.merge_sha

    @property
    def fork(self) -> bool:
        return self.pull.head.repo != self.world.repo.full_name

    def push(self, files: Files, message: str = "Another change") -> str:
        """Push a further commit to the head."""
        world, pull = self.world, self.pull
        self.before, self.old_merge = pull.head.sha, pull.merge_sha
        world.check_out(pull.head.sha)
        pull.head.sha = world.commit(files, message)
        pull.base.sha = world.main_sha
        for ref in [f"refs/pull/{pull.number}/head"] + ([] if self.fork else [f"refs/heads/{pull.head.ref}"]):
            world.set_ref(ref, pull.head.sha)
        world.server.state.record(pull, "committed", pull.author, sha=pull.head.sha)
        world.server.state.record_push(pull, self.before)
        self.merge_again()
        return pull.head.sha

    def merge_again(self) -> None:
        """Make the test merge of the head into the base as it is now."""
        world, pull = self.world, self.pull
        base, ref = world.main_sha, f"refs/pull/{pull.number}/merge"
        message = f"Merge {pull.head.sha} into {base}"
        if base == self.start:
            tree = f"{pull.head.sha}^{{tree}}"
            pull.merge_sha = world.git(world.work, "commit-tree", "-p", base, "-p", pull.head.sha, "-m", message, tree)
            world.set_ref(ref, pull.merge_sha)
            return
        world.check_out(base)
        try:
            world.git(world.work, "merge", "--quiet", "--no-ff", "-m", message, pull.head.sha)
        except RuntimeError:
            world.git(world.work, "merge", "--abort")
            pull.merge_sha = None
            return
        pull.merge_sha = world.head
        world.set_ref(ref, pull.merge_sha)

    def add_label(self, name: str, by: str = "olivia") -> None:
        self.world.server.state.add_label(self.world.repo, self.pull, name, by)

    def remove_label(self, name: str, by: str = "olivia") -> None:
        if not self.world.server.state.remove_label(self.pull, name, by):
            raise ValueError(f"no label {name}")

    def comment(self, body: str, by: str = "olivia") -> None:
        self.world.server.state.add_comment(self.pull, by, body)

    def delete_fork(self) -> None:
        """The head's repository goes; its commits stay reachable through the pull request."""
        self.world.server.state.repositories.pop(self.pull.head.repo or "", None)
        self.pull.head.repo = None

    def close(self) -> None:
        """Close it without a merge."""
        self.pull.state = "closed"
        self.world.server.state.record(self.pull, "closed", self.pull.author)

    def checkout(self, kind: Kind = "merge", depth: int = 1) -> Path:
        """A new workspace, as `actions/checkout` leaves it.

        Args:
            kind: `merge` (its default), `head` (`ref: head.sha`), or `none` for an empty workspace.
            depth: `fetch-depth`; 0 fetches all branches and their whole history.
        """
        if kind == "none":
            return self.world.empty_workspace()
        sha = self.merge_sha if kind == "merge" else self.head_sha
        return self.world.workspace(sha, f"refs/remotes/pull/{self.number}/merge" if kind == "merge" else "", depth)

    def event(self, action: str = "synchronize", label: str | None = None, by: str = "") -> dict[str, Any]:
        """The payload of a `pull_request` event, as things stand now."""
        return payload(self.world.server, self.world.repo, self.pull, self._moment(action, label, by))

    def environment(
        self,
        checkout: Path,
        event: str = "pull_request",
        action: str = "synchronize",
        token: str | None = None,
        inputs: Mapping[str, str] | None = None,
        label: str | None = None,
        by: str = "",
    ) -> dict[str, str]:
        """What the runner gives a container action, with an event file and empty output files of its own.

        Args:
            event: `pull_request`, `pull_request_target`, or an event without a pull request: `push`, `issue_comment`.
            action: of a pull request's event.
            token: by default a workflow's, which for a fork may only read.
            inputs: of the action, by their names in action.yml.
            label: the label that an event `labeled` or `unlabeled` is about.
            by: who did it; the author of the pull request unless it is told.
        """
        number = len(list(self.world.folder.glob("runner-*")))
        runner = self.world.folder / f"runner-{number}"
        runner.mkdir()
        if token is None:
            token = READ_ONLY_TOKEN if self.fork and event == "pull_request" else WORKFLOW_TOKEN
        moment = self._moment(action, label, by)
        sha = self.merge_sha if event == "pull_request" else self.world.main_sha
        where = {"GITHUB_WORKSPACE": str(checkout), "GITHUB_SHA": sha, "GITHUB_EVENT_NAME": event}
        given = {**declared_inputs(), **(inputs or {}), "github-token": token}
        return environment(self.world.server, self.world.repo, self.pull, moment, runner, where, given)

    def _moment(self, action: str, label: str | None, by: str) -> Moment:
        return Moment(action, by or self.pull.author, label, self.before, self.old_merge)
