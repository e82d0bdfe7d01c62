"""Round trips with the real client: the server stores what PyGithub writes, and PyGithub reads what is in git."""

import base64

import pytest
from github import GithubException, UnknownObjectException

from tests.contract.github_server.conftest import FILES, REPO, Connect
from tests.support.github_server import GitHubServer
from tests.support.github_state import NO_COMMENT_TOKEN, READ_ONLY_TOKEN
from tests.support.pull_request import PullRequest, PullRequestWorld


def test_commits_trees_and_blobs_come_from_git(world: PullRequestWorld, pr: PullRequest, connect: Connect) -> None:
    repo = connect().get_repo(REPO)
    merge = repo.get_git_commit(pr.merge_sha)
    assert [parent.sha for parent in merge.parents] == [world.main_sha, pr.head_sha]
    assert merge.tree.sha == world.git(world.work, "rev-parse", f"{pr.merge_sha}^{{tree}}")
    listed = world.git(world.work, "ls-tree", "-r", pr.merge_sha).splitlines()
    tree = repo.get_git_tree(merge.tree.sha, recursive=True)
    blobs = {each.path: each for each in tree.tree if each.type == "blob"}
    assert [f"{each.mode} blob {each.sha}\t{each.path}" for each in blobs.values()] == listed
    assert [each.path for each in tree.tree if each.type == "tree"] == ["evals", "prompts"]
    blob = repo.get_git_blob(blobs["prompts/support.md"].sha)
    assert base64.b64decode(blob.content) == b"Be brief.\n"
    assert {each.path for each in repo.get_git_tree(merge.tree.sha).tree} == {"evals", "prompts", "README.md"}
    assert tree.raw_data["truncated"] is False


def test_a_large_tree_is_truncated(server: GitHubServer, pr: PullRequest, connect: Connect) -> None:
    server.tree_limit = 2
    tree = connect().get_repo(REPO).get_git_tree(pr.merge_sha, recursive=True)
    assert (tree.raw_data["truncated"], len(tree.tree)) == (True, 2)


def test_files_branches_and_commits_by_name(world: PullRequestWorld, pr: PullRequest, connect: Connect) -> None:
    repo = connect().get_repo(REPO)
    at_head, at_main = (repo.get_contents("prompts/support.md", ref=ref) for ref in (pr.head_sha, "main"))
    assert not isinstance(at_head, list)
    assert not isinstance(at_main, list)
    assert (at_head.decoded_content, at_main.decoded_content) == (b"Be brief.\n", FILES["prompts/support.md"].encode())
    folder = repo.get_contents("")
    assert isinstance(folder, list)
    assert {(each.path, each.type) for each in folder} == {("README.md", "file"), ("evals", "dir"), ("prompts", "dir")}
    assert repo.get_branch("main").commit.sha == repo.get_commit("heads/main").sha == world.main_sha
    changed = [(each.filename, each.status, each.changes) for each in repo.get_commit(pr.head_sha).files]
    assert changed == [("prompts/support.md", "modified", 2)]
    with pytest.raises(UnknownObjectException):
        repo.get_contents("absent.md")
    with pytest.raises(GithubException, match="No commit found for SHA: absent") as caught:
        repo.get_commit("absent")
    assert caught.value.status == 422


@pytest.mark.parametrize(
    ("token", "status", "message"),
    [
        (READ_ONLY_TOKEN, 403, "Resource not accessible by integration"),
        (NO_COMMENT_TOKEN, 403, "Resource not accessible by integration"),
        (None, 401, "Requires authentication"),
    ],
)
def test_a_read_only_token_can_read(
    server: GitHubServer, pr: PullRequest, connect: Connect, token: str | None, status: int, message: str
) -> None:
    pull = connect(token).get_repo(REPO).get_pull(pr.number)
    assert list(pull.get_issue_comments()) == []
    with pytest.raises(GithubException, match=message) as caught:
        pull.create_issue_comment("no")
    assert caught.value.status == status
    assert server.comments(REPO, 7) == []


def test_a_private_repository_is_hidden(world: PullRequestWorld, pr: PullRequest, connect: Connect) -> None:
    world.repo.private = True
    assert connect().get_repo(REPO).private
    with pytest.raises(UnknownObjectException):
        connect(None).get_repo(REPO)
    with pytest.raises(GithubException, match="not accessible by integration"):
        _ = connect(NO_COMMENT_TOKEN).get_repo(REPO).get_pull(pr.number).title
