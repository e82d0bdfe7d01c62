"""A commit's files in a folder: as git has them, whatever the repository's configuration would make of them."""

import os
from pathlib import Path

import pytest

from gate.errors import CannotEvaluate, GateError
from gate.git import objects as module
from gate.git.objects import export
from gate.git.repository import Repo
from tests.git.repository import commit, git


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "--quiet")
    return folder


def written(repo: Path, sha: str, folder: Path) -> dict[str, bytes]:
    folder.mkdir()
    export(Repo.open(repo).git, git(repo, "rev-parse", sha), "main", folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_all_files_are_written_as_they_are(repo: Path, tmp_path: Path) -> None:
    (repo / "tool.sh").write_text("#!/bin/sh\n")
    (repo / "tool.sh").chmod(0o755)
    (repo / "link").symlink_to("a/b.txt")
    (repo / "out").symlink_to("/nowhere/at/all")
    (repo / "empty").touch()
    files = {"a/b.txt": "one\r\ntwo\n", "ä ö.txt": "ü", ".hidden/x": "y", "big": "z" * 17_000_000}
    sha = commit(repo, {**files, ".gitattributes": "*.txt text eol=crlf export-ignore\n"}) or git(
        repo, "rev-parse", "HEAD"
    )
    git(repo, "config", "core.autocrlf", "true")
    found = written(repo, "HEAD", tmp_path / "out")
    assert sha
    stored = git(repo, "cat-file", "blob", "HEAD:a/b.txt").encode()
    assert found["a/b.txt"].strip() == found["link"].strip() == stored.strip()
    assert {name: found[name] for name in ("ä ö.txt", ".hidden/x", "empty")} == {
        "ä ö.txt": "ü".encode(),
        ".hidden/x": b"y",
        "empty": b"",
    }
    assert len(found["big"]) == 17_000_000
    assert os.access(tmp_path / "out" / "tool.sh", os.X_OK)
    assert not os.access(tmp_path / "out" / "big", os.X_OK)
    assert os.readlink(tmp_path / "out" / "out") == "/nowhere/at/all"
    assert not (tmp_path / "out" / ".git").exists()


def test_a_submodule_stays_empty(repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    commit(other, {"x": "y"})
    git(repo, "submodule", "--quiet", "add", str(other), "sub")
    commit(repo, {"a": "b"})
    assert set(written(repo, "HEAD", tmp_path / "out")) == {".gitmodules", "a"}
    assert list((tmp_path / "out" / "sub").iterdir()) == []


def test_a_partial_clone_says_what_it_lacks(repo: Path, tmp_path: Path) -> None:
    commit(repo, {"a": "old"})
    commit(repo, {"a": "new"})
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--filter=blob:none", f"file://{repo}", "partial")
    with pytest.raises(CannotEvaluate, match="this clone does not have all files of main"):
        written(tmp_path / "partial", "HEAD~1", tmp_path / "out")


@pytest.mark.parametrize(("limit", "said"), [("MOST_FILES", "more than 1 files"), ("MOST_BYTES", "more than 0 GiB")])
def test_too_much_is_refused_before_anything_is_written(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, said: str
) -> None:
    commit(repo, {"a": "one", "b": "two"})
    monkeypatch.setattr(module, limit, 1)
    with pytest.raises(GateError, match=said):
        written(repo, "HEAD", tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
