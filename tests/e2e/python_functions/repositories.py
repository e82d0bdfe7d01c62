"""Repositories with a function of their own: in a folder, with a command to run there, and on GitHub."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.command import Outcome, gate, git
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.privileged import keys
from tests.support.pull_request import Files, PullRequest, PullRequestWorld


def telling(folder: Path) -> str:
    """Code that leaves a file behind wherever it is run."""
    return f"open({str(folder / 'canary')!r}, 'w').close()\n"


class Run:
    """Runs the command in a repository.

    Args:
        repo: where.
        models: the services of the models.
        scratch: where its processes look for temporary folders.
    """

    def __init__(self, repo: Path, models: ModelServer, scratch: Path) -> None:
        self.repo, self.env = repo, {**keys(models), "TMPDIR": str(scratch)}

    def __call__(self, *more: str, base: str = "main") -> Outcome:
        """`gate diff` of the working tree, or of what `more` says."""
        return self.command("diff", "--base", base, "--json", *more)

    def command(self, *arguments: str) -> Outcome:
        return gate(*arguments, cwd=self.repo, env=self.env)


@contextmanager
def running(repo: Path, models: ModelServer, scratch: Path) -> Iterator[Run]:
    """Whatever happens meanwhile, nothing is left afterwards."""
    scratch.mkdir()
    yield Run(repo, models, scratch)
    assert list(scratch.iterdir()) == []
    assert len(git(repo, "worktree", "list").splitlines()) == 1


@contextmanager
def on_github(folder: Path, files: Files) -> Iterator[PullRequestWorld]:
    """The repository on a GitHub of its own, with a budget for strangers where its configuration lies at the top."""
    if "gate.yaml" in files:
        files = {**files, "gate.yaml": f"{files['gate.yaml']}budget: {{max_usd: 5}}\n"}
    with GitHubServer() as server:
        yield PullRequestWorld.make(folder, server, files)
        server.assert_clean()


def judged(pr: PullRequest, models: ModelServer, depth: int = 2) -> ActionOutcome:
    """The action, on the merge with so many commits of its history."""
    checkout = pr.checkout("merge", depth=depth)
    return run_action(checkout, pr.environment(checkout) | keys(models))


def ran(world: PullRequestWorld) -> bool:
    """Was code loaded that is `telling` in the world's folder?"""
    return (world.folder / "canary").exists()
