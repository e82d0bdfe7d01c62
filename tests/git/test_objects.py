"""Objects by their ids: what is not what its id says is not believed, and what has no end is not walked."""

import hashlib
import os
import subprocess
import zlib
from pathlib import Path

import pytest

from gate.errors import CannotEvaluate
from gate.git import objects as module
from gate.git.objects import Git, LargeObject, MissingObject, Objects
from gate.git.repository import Repo
from tests.git.repository import commit, git, repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo")


def objects(folder: Path) -> Objects:
    return Objects(Repo.open(folder).git)


def put(folder: Path, kind: str, data: bytes, oid: str = "") -> str:
    """Write a loose object, under another id than its own where one is given."""
    whole = b"%s %d\0" % (kind.encode(), len(data)) + data
    oid = oid or hashlib.sha1(whole).hexdigest()
    path = folder / ".git" / "objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(whole))
    return oid


def tree(folder: Path, *entries: tuple[str, str, str]) -> str:
    """Write a tree of mode, name and id."""
    return put(
        folder, "tree", b"".join(f"{mode} {name}".encode() + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    )


@pytest.mark.threat("git-objects")
@pytest.mark.parametrize("what", ["HEAD:a/b.md", "HEAD:a", "HEAD^{tree}", "HEAD"])
def test_what_is_not_what_its_id_says_is_not_believed(folder: Path, what: str) -> None:
    sha = commit(folder, {"a/b.md": "true", "c.md": "c"})
    source = Repo.open(folder).at("HEAD")
    kind, oid = git(folder, "cat-file", "-t", what), git(folder, "rev-parse", what)
    data = subprocess.run(["git", "cat-file", kind, oid], cwd=folder, capture_output=True, check=True).stdout
    assert objects(folder).root(sha).oid == git(folder, "rev-parse", "HEAD^{tree}")
    put(folder, kind, data + (b"100644 x\0" + b"0" * 20 if kind == "tree" else b"!"), oid)
    with pytest.raises(
        CannotEvaluate, match=f"the object that git has under the id {oid} has another content"
    ) as caught:
        source.read("a/b.md")
    assert "check out again" in caught.value.hint


BROKEN = (
    ("tree", b"100644 x", "is a broken tree"),
    ("tree", b"100644 x\0short", "is a broken tree"),
    ("tree", b"100649 x\0" + b"0" * 20, "is a broken tree"),
    ("tree", b"1" * 99 + b" x\0" + b"0" * 20, "is a broken tree"),
    ("blob", b"text", "is a blob, not a tree"),
    ("commit", b"author\n", "is a broken commit"),
)


def test_what_is_broken_is_reported(folder: Path) -> None:
    for kind, data, said in BROKEN:
        top = put(folder, kind, data)
        if kind == "blob":
            top = tree(folder, ("40000", "x", top))
        found = objects(folder)
        with pytest.raises(CannotEvaluate, match=said):
            found.below(found.root(top))


@pytest.mark.threat("multiplying")
@pytest.mark.parametrize("leaf", [(), (("100644", "a.md", "blob"),)], ids=["empty", "with a file"])
def test_folders_that_multiply_end(
    folder: Path, leaf: tuple[tuple[str, str, str], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ENTRIES", 10_000)
    blob = put(folder, "blob", b"x")
    top = tree(folder, *((mode, name, blob) for mode, name, _ in leaf))
    for _ in range(10):
        top = tree(folder, *(("40000", f"d{number}", top) for number in range(10)))
    found = objects(folder)
    with pytest.raises(CannotEvaluate, match="more than 10,000 files and folders"):
        found.below(found.root(top))


def test_reading_has_a_time_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = folder / "git"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    with pytest.raises(CannotEvaluate, match="git cat-file took longer than 0.1 s"):
        Git(folder, timeout_s=0.1).objects(["0" * 40])


def test_what_is_too_large_or_missing_does_not_disturb_the_next_read(folder: Path) -> None:
    large, small = put(folder, "blob", b"x" * 1_000_000), put(folder, "blob", b"y")
    found = Repo.open(folder).git
    with pytest.raises(LargeObject):
        found.objects([small, large, small], most_bytes=999_999)
    with pytest.raises(MissingObject):
        found.objects(["0" * 40, small])
    assert found.objects([small, large], most_bytes=1_000_000) == [("blob", b"y"), ("blob", b"x" * 1_000_000)]


def test_folders_without_end_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LEVELS", 20)
    top = tree(folder, ("100644", "a.md", put(folder, "blob", b"x")))
    for _ in range(19):
        top = tree(folder, ("40000", "d", top))
    found = objects(folder)
    assert [entry.path for entry in found.below(found.root(top))] == ["d/" * 19 + "a.md"]
    deeper = found.root(tree(folder, ("40000", "d", top)))
    with pytest.raises(CannotEvaluate, match="more than 20 deep"):
        found.below(deeper)


def test_more_objects_are_read_than_a_pipe_holds_ids(folder: Path) -> None:
    blobs = [put(folder, "blob", b"%d" % number) for number in range(1_201)]
    assert objects(folder).git.objects(blobs) == [("blob", b"%d" % number) for number in range(1_201)]
