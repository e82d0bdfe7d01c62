"""Opening a repository, resolving refs, and what the user is told when there is none."""

import os
from pathlib import Path

import pytest

from gate.errors import CannotEvaluate, GateError
from gate.git.objects import Git
from gate.git.repository import Repo, UntrustedRepository
from tests.git.repository import commit, git, repository


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "my repo")


def told(ref: str, folder: Path) -> GateError:
    with pytest.raises(GateError) as caught:
        Repo.open(folder).resolve(ref)
    assert caught.value.exit_code == 2
    return caught.value


def test_opens_from_any_folder_or_file_inside(folder: Path) -> None:
    commit(folder, {"a/b/c.md": "x"})
    for place in (folder, folder / "a" / "b", folder / "a" / "b" / "c.md"):
        assert Repo.open(place).root.samefile(folder)


def test_outside_a_repository(tmp_path: Path) -> None:
    with pytest.raises(GateError, match="is not inside a git repository") as caught:
        Repo.open(tmp_path)
    assert "OLD NEW" in caught.value.hint
    with pytest.raises(GateError, match="is not a folder"):
        Repo.open(tmp_path / "missing" / "x")


def test_a_bare_repository(tmp_path: Path) -> None:
    with pytest.raises(GateError, match="for a bare repository"):
        Repo.open(repository(tmp_path / "bare", "--bare"))


def test_what_cannot_be_a_ref(folder: Path) -> None:
    commit(folder, {"a": "1"})
    for ref in ("", " ", "--all", "-x", "a\nb", "a\0b", "x" * 1001):
        assert "cannot be a git ref" in told(ref, folder).message, ref


def test_a_shallow_clone_says_so(folder: Path, tmp_path: Path) -> None:
    first = commit(folder, {"a": "1"})
    second = commit(folder, {"a": "2"})
    git(tmp_path, "clone", "--quiet", "--depth", "1", folder.as_uri(), "clone")
    repo = Repo.open(tmp_path / "clone")
    assert repo.at("HEAD").read("a") == b"2"
    assert repo.resolve("HEAD") == second
    for ref in (first, "HEAD~1"):
        assert "this clone is shallow: run 'git fetch --unshallow'" in told(ref, tmp_path / "clone").hint


def test_tracked_files(folder: Path) -> None:
    commit(folder, {"cache/a b.db": "x", ".gitignore": "ignored\n"})
    (folder / "ignored").write_text("x")
    repo = Repo.open(folder)
    (folder / "link").symlink_to("cache")
    git(folder, "add", "link")
    paths = {"cache/a b.db": True, "cache": True, "link": True, "ignored": False, "gone": False, "../x": False}
    assert {path: repo.is_tracked(Path(path)) for path in paths} == paths
    assert repo.is_tracked(folder / "cache" / "a b.db")
    assert not repo.is_tracked(Path("/tmp"))  # noqa: S108
    assert not repo.is_tracked(Path("*"))


def test_a_failing_command_says_why_without_credentials(folder: Path) -> None:
    with pytest.raises(CannotEvaluate) as caught:
        Git(folder).run("rev-parse", "--resolve-git-dir", "https://me:s3cret@127.0.0.1:1/x.git")
    assert caught.value.message.startswith("git rev-parse failed: fatal: ")
    assert "https://127.0.0.1:1/x.git" in caught.value.message
    assert "s3cret" not in caught.value.message


def test_no_command_talks_to_a_server(folder: Path) -> None:
    for setting in ("protocol.allow", "protocol.https.allow", "protocol.file.allow"):
        git(folder, "config", setting, "always")
    for address in ("https://127.0.0.1:1/x.git", "ssh://127.0.0.1:1/x.git", "."):
        assert Git(folder).ask("ls-remote", address).error.endswith("not allowed"), address


def test_an_owner_that_git_does_not_trust(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(folder, {"a": "1"})
    # git's own switch for its tests: only root could give the folder to somebody else.
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    with pytest.raises(UntrustedRepository, match="does not trust") as caught:
        Repo.open(folder)
    assert "safe.directory" in caught.value.hint
