"""Files of a commit and of the working tree: where the two differ. What they share is in `tests/contract/sources`."""

from pathlib import Path

import pytest

from gate.errors import CannotEvaluate, InputErrors
from gate.git.repository import EitherSource, Repo
from gate.prompts.files import FileSource
from tests.git.repository import commit, git, repository, write


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


@pytest.mark.threat("file-outside")
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
        with pytest.raises(InputErrors, match=f"{name}: is a symbolic link"):
            tree.read(name)
    for source in (ref, tree):
        with pytest.raises(InputErrors, match="dirs/b.md: is below the symbolic link 'dirs'"):
            source.read("dirs/b.md")
    assert ref.glob("**") == tree.glob("**") == ["a.md", "dir/b.md"]


def test_submodules(folder: Path, tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner")
    commit(inner, {"p.md": "x"})
    commit(folder, {"a.md": "x"})
    git(folder, "submodule", "--quiet", "add", str(inner), "sub")
    commit(folder, {})
    ref, tree = both(folder)
    with pytest.raises(InputErrors, match="HEAD:sub: is a submodule"):
        ref.read("sub")
    for _ in range(2):
        for source in (ref, tree):
            with pytest.raises(InputErrors, match="sub/p.md: is in the submodule 'sub', which"):
                source.read("sub/p.md")
        git(folder, "submodule", "--quiet", "deinit", "--force", "sub")
    assert ref.glob("**") == tree.glob("**") == ["a.md"]


@pytest.fixture
def partial(folder: Path, tmp_path: Path) -> Path:
    """A clone without the contents of the first commit, whose server would give them."""
    commit(folder, {"a.md": "old", "same.md": "s"})
    commit(folder, {"a.md": "new"})
    return partial_clone(tmp_path, folder)


def partial_clone(tmp_path: Path, folder: Path) -> Path:
    git(folder, "config", "uploadpack.allowFilter", "true")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    clone = tmp_path / "partial"
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{folder}", str(clone))
    return clone


def held(clone: Path) -> str:
    return git(clone, "rev-list", "--objects", "--all", "--missing=print")


def test_a_partial_clone_is_not_filled_in_secret(partial: Path) -> None:
    before = held(partial)
    repo = Repo.open(partial)
    ref = repo.at("HEAD~1")
    assert ref.read("same.md") == b"s"
    assert ref.glob("*") == ["a.md", "same.md"]
    assert ref.fingerprint("a.md") != repo.at("HEAD").fingerprint("a.md")
    with pytest.raises(CannotEvaluate, match="is partial and lacks a.md of HEAD~1") as caught:
        ref.read("a.md")
    assert ref.listing().keys() == {"a.md", "same.md"}
    assert held(partial) == before
    remedy = caught.value.hint.split("'")[1]
    git(partial, *remedy.split()[1:])
    assert ref.read("a.md") == b"old"


def test_what_a_partial_clone_lacks_comes_from_elsewhere(partial: Path, folder: Path) -> None:
    ref = Repo.open(partial).at("HEAD~1")
    both = EitherSource(ref, Repo.open(folder).at("HEAD~1"))
    assert (both.label, both.sha) == (ref.label, ref.sha)
    assert (both.read("a.md"), both.read("same.md"), both.read("none.md")) == (b"old", b"s", None)
    assert both.glob("*") == ["a.md", "same.md"]
    assert both.listing() == ref.listing()
    assert both.fingerprint("a.md") == ref.fingerprint("a.md")
    with pytest.raises(InputErrors, match="inside the repository"):
        both.read("../x")
