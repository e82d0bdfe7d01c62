"""Files of a commit and of the working tree: where the two differ. What they share is in `tests/contract/sources`."""

import os
from pathlib import Path

import pytest

from gate.errors import GateError, InputErrors
from gate.git.repo import Repo
from gate.inputs.source import FileSource
from tests.integration.git.repository import commit, git, repository, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo")


def both(folder: Path) -> list[FileSource]:
    repo = Repo.open(folder)
    return [repo.at("HEAD"), repo.tree()]


def test_a_commit_does_not_see_the_working_tree(folder: Path) -> None:
    commit(folder, {"a.md": "old", "gone.md": "x", ".gitignore": "*.log\n"})
    write(folder, {"a.md": "new", "added.md": "y", "x.log": "z"})
    (folder / "gone.md").unlink()
    ref, tree = both(folder)
    assert (ref.read("a.md"), tree.read("a.md")) == (b"old", b"new")
    assert (ref.read("gone.md"), tree.read("gone.md")) == (b"x", None)
    assert (ref.read("added.md"), tree.read("added.md")) == (None, b"y")
    assert (ref.glob("*"), tree.glob("*")) == (["a.md", "gone.md"], ["a.md", "added.md"])


def test_a_source_is_rooted_at_the_repository_wherever_it_was_opened(folder: Path) -> None:
    commit(folder, {"a.md": "x", "dir/b.md": "y"})
    for source in both(folder / "dir"):
        assert source.read("a.md") == b"x"
        assert source.glob("**") == ["a.md", "dir/b.md"]


def test_a_commit_stays_when_its_branch_moves(folder: Path) -> None:
    commit(folder, {"a.md": "1"})
    source = Repo.open(folder).at("main")
    commit(folder, {"a.md": "2"})
    assert source.read("a.md") == b"1"


def test_links(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    commit(folder, {"a.md": "x", "dir/b.md": "y"})
    for name, target in {"in": "a.md", "out": "../secret", "far": "/etc/passwd", "loop": "loop", "dirs": "dir"}.items():
        (folder / name).symlink_to(target)
    (folder / "config").symlink_to(".git/config")
    commit(folder, {})
    ref, tree = both(folder)
    for name in ("in", "out", "far", "loop", "dirs", "config"):
        with pytest.raises(InputErrors, match=f"HEAD:{name}: is a symbolic link"):
            ref.read(name)
    assert ref.read("dirs/b.md") is None
    assert (tree.read("in"), tree.read("dirs/b.md")) == (b"x", b"y")
    for name in ("out", "far"):
        with pytest.raises(InputErrors, match=f"{name}: is a symbolic link that leaves the repository"):
            tree.read(name)
    with pytest.raises(InputErrors, match="symbolic link"):
        tree.read("loop")
    with pytest.raises(InputErrors, match="is inside .git"):
        tree.read("config")
    assert ref.glob("**") == tree.glob("**") == ["a.md", "dir/b.md"]


def test_folders_pipes_and_unreadable_things(folder: Path) -> None:
    commit(folder, {"dir/a.md": "x"})
    for source in both(folder):
        with pytest.raises(InputErrors, match="dir: is a folder"):
            source.read("dir")
    os.mkfifo(folder / "pipe")
    tree = Repo.open(folder).tree()
    with pytest.raises(InputErrors, match="pipe: is not a plain file"):
        tree.read("pipe")
    assert tree.glob("*") == []
    with pytest.raises(InputErrors, match="cannot be read: File name too long"):
        tree.read("x" * 5000)


def test_submodules(folder: Path, tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner")
    commit(inner, {"p.md": "x"})
    commit(folder, {"a.md": "x"})
    git(folder, "submodule", "--quiet", "add", str(inner), "sub")
    commit(folder, {})
    ref, tree = both(folder)
    with pytest.raises(InputErrors, match="HEAD:sub: is a submodule"):
        ref.read("sub")
    assert ref.read("sub/p.md") is None
    assert ref.glob("**") == tree.glob("**") == ["a.md"]


def test_names_that_are_not_utf8(folder: Path) -> None:
    commit(folder, {"a.md": "x"})
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md")).write_text("y")
    commit(folder, {})
    for source in both(folder):
        assert source.glob("a*") == ["a.md"]
        with pytest.raises(GateError, match="has a name that is not UTF-8"):
            source.glob("*.md")
