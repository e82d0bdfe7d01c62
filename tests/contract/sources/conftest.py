"""One repository with every kind of file, as each source of files sees it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.git.objects import Git
from gate.git.repository import RefSource, TreeSource
from gate.github.client import GitHub
from gate.github.source import GitHubSource, GitHubStore
from gate.prompts.files import FileSource
from tests.support.github_server import GitHubServer
from tests.support.github_state import WORKFLOW_TOKEN
from tests.support.pull_request import PullRequestWorld

ODD = (
    "names/#hash.md",
    "names/(top)x.md",
    "names/-dash.md",
    "names/:colon.md",
    "names/[b]racket.md",
    "names/back\\slash.md",
    "names/new\nline.md",
    "names/per%20cent.md",
    "names/qu?stion.md",
    'names/quote".md',
    "names/st*r.md",
    "names/with space.md",
    "names/ünï \U0001f600.md",
)
FILES: dict[str, bytes] = {
    "README.md": "Hello ünï\n".encode(),
    "crlf.md": b"one\r\ntwo\r\n",
    "empty.txt": b"",
    "binary.bin": bytes(range(256)) * 5,
    "latin.md": b"one\ncaf\xe9\n",
    "large.md": b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 5\n",
    "tool.sh": b"#!/bin/sh\n",
    "-folder/x.md": b"x",
    "[x]/y.md": b"y",
    ".hidden/rules.md": b"rules",
    ".hidden/.deeper/rules.md": b"deeper",
    "names/.dot.md": b"dot",
    "a/same.md": b"Hello \xc3\xbcn\xc3\xaf\n",
    "a/b/c/d/e/f/g/deep.md": b"deep",
    "a/b/wide.md": b"wide",
    **{name: f"text of {name}".encode() for name in ODD},
}
WHOLE, CUT = 100_000, 17
"""Entries that GitHub lists at most; the second is enough for each folder, and not for the whole tree."""


@pytest.fixture(scope="module")
def server() -> Iterator[GitHubServer]:
    with GitHubServer() as server:
        yield server
        server.assert_clean()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, server: GitHubServer) -> PullRequestWorld:
    """`main` holds FILES, an executable, links and a submodule; the working tree is a checkout of it."""
    world = PullRequestWorld.make(tmp_path_factory.mktemp("world"), server, FILES)
    (world.work / "tool.sh").chmod(0o755)
    (world.work / "alias.md").symlink_to("README.md")
    (world.work / "a" / "linked").symlink_to("b")
    (world.work / "vendored").mkdir()
    world.git(world.work, "update-index", "--add", "--cacheinfo", f"160000,{world.main_sha},vendored")
    world.commit_to_main({})
    return world


def github_source(world: PullRequestWorld, sha: str, name: str = "") -> GitHubSource:
    """A source with nothing in its memory.

    Args:
        name: an earlier one of the repository.
    """
    world.server.state.old_names |= {name: world.repo.full_name} if name else {}
    client = GitHub(WORKFLOW_TOKEN, world.server.url, name or world.repo.full_name)
    return GitHubSource("origin/main", sha, GitHubStore(client))


def commits(world: PullRequestWorld, sha: str) -> list[FileSource]:
    """The sources of a commit's files."""
    return [RefSource("origin/main", sha, Git(world.work)), github_source(world, sha)]


def made(kind: str, world: PullRequestWorld) -> FileSource:
    """A source of the files of `main`."""
    git = Git(world.work)
    world.server.tree_limit = CUT if kind == "github, cut" else WHOLE
    if kind == "ref":
        return RefSource("origin/main", world.main_sha, git)
    if kind == "tree":
        return TreeSource(world.work, git)
    return github_source(world, world.main_sha, "acme/earlier-name" if kind == "github, renamed" else "")


@pytest.fixture(params=["ref", "tree", "github", "github, cut", "github, renamed"])
def source(request: pytest.FixtureRequest, world: PullRequestWorld) -> FileSource:
    """Every source."""
    return made(request.param, world)


@pytest.fixture(params=["ref", "github", "github, cut", "github, renamed"])
def commit(request: pytest.FixtureRequest, world: PullRequestWorld) -> FileSource:
    """Every source of a commit's files."""
    return made(request.param, world)


@pytest.fixture
def small(tmp_path: Path, server: GitHubServer) -> Iterator[PullRequestWorld]:
    """A repository of its own, for tests that change it."""
    server.tree_limit = WHOLE
    yield PullRequestWorld.make(tmp_path, server, {"a.md": "a"}, repo=f"acme/{tmp_path.name}")
    server.tree_limit = WHOLE
