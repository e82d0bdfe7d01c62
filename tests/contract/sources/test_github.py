"""Requests to GitHub for files, and trees that it truncates."""

import pytest

from gate.errors import CannotEvaluate
from tests.contract.sources.conftest import github_source, made
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld


def test_github_is_called_once_per_object(world: PullRequestWorld, server: GitHubServer) -> None:
    source, start = made("github", world), len(server.ledger)
    for _ in range(2):
        source.fingerprint("a/b/wide.md")
        source.glob("a/**/*.md")
    asked = [entry.path for entry in server.ledger[start:]]
    assert not any("/git/blobs/" in path for path in asked)
    for _ in range(2):
        source.read("README.md")
        source.read("a/same.md")
    asked = [(entry.path, entry.query.get("recursive")) for entry in server.ledger[start:]]
    assert len(asked) == len(set(asked))
    assert sum("/git/blobs/" in path for path, _ in asked) == 1


def test_a_pattern_lists_no_more_than_its_folder(world: PullRequestWorld, server: GitHubServer) -> None:
    source, start = made("github", world), len(server.ledger)
    source.glob("a/b/*.md")
    asked = [entry for entry in server.ledger[start:] if "recursive" in entry.query]
    assert len(asked) == 1
    assert "wide.md" in {row["path"] for row in asked[0].reply["tree"]}


def test_a_folder_that_github_cuts_short_is_an_error_and_not_a_missing_file(small: PullRequestWorld) -> None:
    sha = small.commit_to_main({f"dir/{number}.md": str(number) for number in range(5)})
    small.server.tree_limit = 3
    source = github_source(small, sha)
    assert source.read("dir/0.md") == b"0"
    for ask in (lambda: source.read("dir/4.md"), lambda: source.fingerprint("dir/z"), lambda: source.glob("dir/*")):
        with pytest.raises(CannotEvaluate, match="GitHub does not list all files of dir") as caught:
            ask()
        assert "fetch-depth: 2" in caught.value.hint
