"""The contract of every source of files: git, the working tree and GitHub."""

import pytest

from gate.errors import CannotEvaluate, InputErrors
from gate.git.objects import Git
from gate.git.repository import RefSource
from gate.github.client import ApiError
from gate.prompts.files import FileSource
from tests.contract.sources.conftest import FILES, commits, github_source, made
from tests.support.pull_request import PullRequestWorld

LEAVING = ("/etc/passwd", "../x", "a/../../x", "a/..", ".git/config", ".GIT/config", "a/.git/x", "a\0b", "", ".")


def test_a_file_is_read_byte_by_byte(source: FileSource) -> None:
    assert {path: source.read(path) for path in FILES} == FILES


def test_missing_files(source: FileSource) -> None:
    for path in ("missing.md", "missing/folder/x.md", "readme.md", "names/wit? space.md", ":(top)README.md"):
        assert source.read(path) is None, path
        assert source.fingerprint(path) is None, path


def test_no_path_leaves_the_repository(source: FileSource) -> None:
    for path in LEAVING:
        for ask in (source.read, source.fingerprint, source.glob):
            with pytest.raises(InputErrors, match="use a path inside the repository"):
                ask(path)


def test_a_folder_is_not_read(source: FileSource) -> None:
    for path in ("names", "a/b/c", ".hidden"):
        with pytest.raises(InputErrors, match=f"{path}: is a folder"):
            source.read(path)


def test_a_commit_has_links_and_submodules_that_are_not_read(commit: FileSource) -> None:
    for path, kind in (("alias.md", "symbolic link"), ("a/linked", "symbolic link"), ("vendored", "submodule")):
        with pytest.raises(InputErrors, match=f"origin/main:{path}: is a {kind}"):
            commit.read(path)


def test_a_link_or_submodule_inside_a_path_is_reported(source: FileSource) -> None:
    for path, said in {
        "vendored/inside.md": "is in the submodule 'vendored', which the gate does not read",
        "vendored/deep/inside.md": "is in the submodule 'vendored'",
        "a/linked/wide.md": "is below the symbolic link 'a/linked'",
        "a/linked/c/d/none.md": "is below the symbolic link 'a/linked'",
        "alias.md/below": "is below the symbolic link 'alias.md'",
    }.items():
        with pytest.raises(InputErrors, match=f"{path}: {said}"):
            source.read(path)


def test_equal_content_has_an_equal_fingerprint(source: FileSource) -> None:
    assert source.fingerprint("README.md") == source.fingerprint("a/same.md")
    prints = {path: source.fingerprint(path) for path in FILES}
    assert None not in prints.values()
    assert len(set(prints.values())) == len(FILES) - 1


def test_a_clone_and_github_agree_on_fingerprints(world: PullRequestWorld) -> None:
    ref, github = made("ref", world), made("github", world)
    for path in (*FILES, "alias.md", "a/linked", "vendored", "names", "a"):
        assert ref.fingerprint(path), path
        assert ref.fingerprint(path) == github.fingerprint(path), path


def test_a_fingerprint_shows_a_change_of_content_or_kind(small: PullRequestWorld) -> None:
    old = small.main_sha
    same = small.commit_to_main({"b.md": "b"})
    edited = small.commit_to_main({"a.md": "A"})
    (small.work / "a.md").write_text("a")
    (small.work / "a.md").chmod(0o755)
    executable = small.commit_to_main({})

    for before in commits(small, old):
        for after in commits(small, same):
            assert before.fingerprint("a.md") == after.fingerprint("a.md")
        for after in (*commits(small, edited), *commits(small, executable)):
            assert before.fingerprint("a.md") != after.fingerprint("a.md")


def test_an_unknown_commit_is_an_error(world: PullRequestWorld) -> None:
    source = github_source(world, "0" * 40)
    for ask in (source.read, source.fingerprint, source.glob):
        with pytest.raises(ApiError, match="cannot list the files of 000000000000: GitHub answered 404"):
            ask("README.md")
    with pytest.raises(CannotEvaluate):
        RefSource("gone", "0" * 40, Git(world.work)).read("README.md")
