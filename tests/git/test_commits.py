"""Commits, their parents and merges, in whole and in shallow clones."""

from pathlib import Path

import pytest

from gate.git.objects import Commits, Git
from gate.git.repository import RefSource
from tests.git.repository import commit, git, repository

UNKNOWN = "0123456789abcdef" * 2 + "01234567"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "origin")


def commits(folder: Path) -> Commits:
    return Commits(Git(folder))


def branch(folder: Path, name: str, start: str, files: dict[str, str]) -> str:
    """A commit on a new branch."""
    git(folder, "checkout", "--quiet", "-b", name, start)
    return commit(folder, files, name)


def merge(folder: Path, base: str, head: str) -> str:
    """The merge that GitHub makes: the base is the first parent."""
    git(folder, "checkout", "--quiet", "--detach", base)
    git(folder, "merge", "--quiet", "--no-ff", "-m", "merge", head)
    return git(folder, "rev-parse", "HEAD")


def clone(folder: Path, sha: str, *options: str) -> Path:
    """A clone made the way `actions/checkout` makes it."""
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    space = repository(folder.parent / "clone")
    git(space, "fetch", "--quiet", *options, folder.as_uri(), f"+{sha}:refs/remotes/pull/7/merge")
    git(space, "checkout", "--quiet", "refs/remotes/pull/7/merge")
    return space


def test_a_whole_clone(folder: Path) -> None:
    start = commit(folder, {"a.md": "a"})
    head = branch(folder, "change", start, {"a.md": "A"})
    base = branch(folder, "later", start, {"b.md": "b"})
    merged = merge(folder, base, head)
    all_of_it = commits(clone(folder, merged))
    assert {sha: all_of_it.parents(sha) for sha in (start, head, base, merged)} == {
        start: (),
        head: (start,),
        base: (start,),
        merged: (base, head),
    }
    assert all(all_of_it.has(sha) for sha in (start, head, base, merged))


def test_a_shallow_clone_names_parents_that_it_does_not_have(folder: Path) -> None:
    start = commit(folder, {"a.md": "a"})
    head = branch(folder, "change", start, {"a.md": "A"})
    merged = merge(folder, start, head)
    space = clone(folder, merged, "--depth=1")
    shallow = commits(space)
    assert git(space, "rev-list", "--count", "HEAD") == "1"
    assert shallow.parents(merged) == (start, head)
    assert [shallow.has(sha) for sha in (merged, start, head)] == [True, False, False]
    assert shallow.parents(start) == ()
    assert shallow.merged(start, head) is None


def test_what_is_no_commit(folder: Path) -> None:
    start = commit(folder, {"a.md": "a"})
    found = commits(folder)
    for sha in (UNKNOWN, "no-such-branch", "", "-x", "HEAD^{tree}", "a\nb"):
        assert found.parents(sha) == (), sha
        assert found.commit(sha) is None, sha
        assert found.has(sha) is (sha == "HEAD^{tree}"), sha
    assert found.merged(start, UNKNOWN) is None
    assert found.merged(UNKNOWN, start) is None


def test_a_replaced_or_grafted_commit_keeps_its_parents(folder: Path) -> None:
    first = commit(folder, {"a.md": "1"})
    second = commit(folder, {"a.md": "2"})
    other = commit(folder, {"a.md": "3"})
    git(folder, "replace", "--graft", other)
    assert commits(folder).parents(other) == (second,)
    assert commits(folder).parents(second) == (first,)


def merged_files(folder: Path, base: str, head: str) -> dict[str, bytes | None]:
    """What lies in the tree of a merge."""
    before = git(folder, "status", "--porcelain"), git(folder, "rev-parse", "HEAD")
    tree = commits(folder).merged(base, head)
    assert tree is not None
    assert (git(folder, "status", "--porcelain"), git(folder, "rev-parse", "HEAD")) == before
    source = RefSource("merge", tree, Git(folder))
    return {path: source.read(path) for path in source.glob("**")}


def test_a_merge_has_the_changes_of_both(folder: Path) -> None:
    lines = [f"line {number}\n" for number in range(20)]
    start = commit(folder, {"a.md": "".join(lines), "gone.md": "x"})
    git(folder, "checkout", "--quiet", "-b", "change", start)
    head = commit(folder, {"a.md": "".join(["HEAD\n", *lines[1:]]), "new.md": "n"})
    git(folder, "checkout", "--quiet", "-b", "later", start)
    (folder / "gone.md").unlink()
    base = commit(folder, {"a.md": "".join([*lines[:-1], "BASE\n"])})
    assert merged_files(folder, base, head) == {
        "a.md": "".join(["HEAD\n", *lines[1:-1], "BASE\n"]).encode(),
        "new.md": b"n",
    }
    assert commits(folder).merged(base, head) == git(folder, "rev-parse", merge(folder, base, head) + "^{tree}")
