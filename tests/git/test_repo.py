"""Opening a repository, resolving refs, and what the user is told when there is none."""

import os
from pathlib import Path

import pytest

from gate.errors import CannotEvaluate, GateError
from gate.git.command import Git
from gate.git.repository import Repo, UntrustedOwner
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


def test_opens_before_the_first_commit(folder: Path) -> None:
    assert Repo.open(folder).tree().glob("*") == []
    for ref in ("HEAD", "main", "origin/main"):
        error = told(ref, folder)
        assert error.message == "this repository has no commit yet"
        assert "git commit" in error.hint and "fetch" not in error.hint


def test_a_repository_that_has_only_fetched_can_name_what_it_has(folder: Path) -> None:
    first = commit(folder, {"a": "1"})
    git(folder, "update-ref", "refs/remotes/origin/main", first)
    git(folder, "checkout", "--quiet", "--orphan", "fresh")
    git(folder, "branch", "-D", "main")
    error = told("main", folder)
    assert "there is no commit 'main'" in error.message and "'origin/main'" in error.hint


def test_outside_a_repository(tmp_path: Path) -> None:
    with pytest.raises(GateError, match="is not inside a git repository") as caught:
        Repo.open(tmp_path)
    assert "OLD NEW" in caught.value.hint
    with pytest.raises(GateError, match="is not a folder"):
        Repo.open(tmp_path / "missing" / "x")


def test_a_bare_repository(tmp_path: Path) -> None:
    with pytest.raises(GateError, match="is a bare repository"):
        Repo.open(repository(tmp_path / "bare", "--bare"))


def test_every_kind_of_name_of_a_commit(folder: Path) -> None:
    first = commit(folder, {"a": "1"})
    second = commit(folder, {"a": "2"})
    git(folder, "tag", "-a", "v1", "-m", "tagged", first)
    git(folder, "branch", "feature/ü x".replace(" ", "-"), first)
    repo = Repo.open(folder)
    names = {"HEAD": second, "main": second, "HEAD~1": first, "v1": first, "feature/ü-x": first, first[:8]: first}
    assert {name: repo.resolve(name) for name in names} == names
    assert repo.resolve("main@{0}") == second


@pytest.mark.parametrize("ref", ["", " ", "--all", "-x", "a\nb", "a\0b", "x" * 1001])
def test_what_cannot_be_a_ref(ref: str, folder: Path) -> None:
    commit(folder, {"a": "1"})
    assert "cannot be a git ref" in told(ref, folder).message


@pytest.mark.parametrize("ref", ["HEAD:a", "HEAD^{tree}", "main..main", "^main", "a b", "$(touch x)", "f" * 40])
def test_what_names_no_commit(ref: str, folder: Path) -> None:
    commit(folder, {"a": "1"})
    assert "there is no commit" in told(ref, folder).message
    assert os.listdir(folder) in (["a", ".git"], [".git", "a"])


def test_a_typo_names_close_branches(folder: Path) -> None:
    commit(folder, {"a": "1"})
    git(folder, "branch", "release")
    hint = told("relaese", folder).hint
    assert hint == "did you mean 'release'? if it is on the server, run 'git fetch' first"


def test_a_branch_that_only_the_remote_has(folder: Path, tmp_path: Path) -> None:
    commit(folder, {"a": "1"})
    git(folder, "branch", "release")
    git(tmp_path, "clone", "--quiet", str(folder), "clone")
    clone = tmp_path / "clone"
    assert told("release", clone).hint.startswith("did you mean 'origin/release'?")
    assert "run 'git fetch origin new/branch' first" in told("origin/new/branch", clone).hint
    assert Repo.open(clone).resolve("origin/release")


def test_a_shallow_clone_says_so(folder: Path, tmp_path: Path) -> None:
    first = commit(folder, {"a": "1"})
    second = commit(folder, {"a": "2"})
    git(tmp_path, "clone", "--quiet", "--depth", "1", folder.as_uri(), "clone")
    repo = Repo.open(tmp_path / "clone")
    assert repo.at("HEAD").read("a") == b"2"
    assert repo.resolve("HEAD") == second
    for ref in (first, "HEAD~1"):
        assert "this clone is shallow: run 'git fetch --unshallow'" in told(ref, tmp_path / "clone").hint


def test_sha256_repositories(tmp_path: Path) -> None:
    folder = repository(tmp_path / "new", "--object-format=sha256")
    sha = commit(folder, {"a.md": "x"})
    source = Repo.open(folder).at("main")
    assert (len(sha), source.sha, source.read("a.md")) == (64, sha, b"x")


def test_a_second_working_tree(folder: Path, tmp_path: Path) -> None:
    commit(folder, {"a": "1"})
    git(folder, "worktree", "add", "--quiet", str(tmp_path / "other"), "-b", "other")
    (tmp_path / "other" / "a").write_text("2")
    repo = Repo.open(tmp_path / "other")
    assert (repo.tree().read("a"), repo.at("other").read("a")) == (b"2", b"1")


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


def test_a_command_that_takes_too_long(folder: Path) -> None:
    with pytest.raises(CannotEvaluate, match="git rev-parse took longer than 0 s"):
        Git(folder, timeout_s=0.0).run("rev-parse", "HEAD")


def test_a_failing_command_says_why_without_credentials(folder: Path) -> None:
    with pytest.raises(CannotEvaluate) as caught:
        Git(folder).run("rev-parse", "--resolve-git-dir", "https://me:s3cret@127.0.0.1:1/x.git")
    assert caught.value.message.startswith("git rev-parse failed: fatal: ")
    assert "https://127.0.0.1:1/x.git" in caught.value.message
    assert "s3cret" not in caught.value.message


@pytest.mark.parametrize("address", ["https://127.0.0.1:1/x.git", "ssh://127.0.0.1:1/x.git", "."])
def test_no_command_talks_to_a_server(folder: Path, address: str) -> None:
    for setting in ("protocol.allow", "protocol.https.allow", "protocol.file.allow"):
        git(folder, "config", setting, "always")
    assert Git(folder).ask("ls-remote", address).error.endswith("not allowed")


def test_an_owner_that_git_does_not_trust(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(folder, {"a": "1"})
    # git's own switch for its tests: only root could give the folder to somebody else.
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    with pytest.raises(UntrustedOwner, match="does not trust") as caught:
        Repo.open(folder)
    assert "safe.directory" in caught.value.hint
