"""Round trips of the real client: what PyGithub writes, the server remembers, and what it reads, git holds."""

import base64

import pytest
from github import BadCredentialsException, GithubException, UnknownObjectException
from github.PullRequest import PullRequest as RealPull

from tests.contract.github_server.conftest import FILES, REPO, Connect
from tests.support.github_server import GitHubServer
from tests.support.github_state import BOT, NO_COMMENT_TOKEN, PERSONAL_TOKEN, READ_ONLY_TOKEN, WORKFLOW_TOKEN
from tests.support.pull_request import PullRequest, PullRequestWorld


def test_a_pull_request_is_the_one_in_git(pr: PullRequest, real: RealPull) -> None:
    assert (real.number, real.title, real.state, real.draft) == (7, "Change the prompt", "open", False)
    assert (real.head.sha, real.base.sha) == (pr.head_sha, pr.world.main_sha)
    assert (real.head.ref, real.base.ref, real.head.label) == ("change-7", "main", "acme:change-7")
    assert (real.merge_commit_sha, real.mergeable) == (pr.merge_sha, True)
    assert (real.user.login, real.head.repo.full_name, real.base.repo.full_name) == ("ada", REPO, REPO)


def test_a_fork_and_a_deleted_fork(world: PullRequestWorld, connect: Connect) -> None:
    pr = world.open({"README.md": None}, fork=True)
    repo = connect().get_repo(REPO)
    head = repo.get_pull(pr.number).head
    assert head.repo is not None
    assert (head.repo.full_name, head.repo.fork, head.user.login) == ("mallory/support-bot", True, "mallory")
    pr.delete_fork()
    gone = repo.get_pull(pr.number).head
    assert (gone.repo, gone.sha, gone.label) == (None, pr.head_sha, "mallory:change-7")
    assert repo.get_git_commit(pr.head_sha).sha == pr.head_sha


def test_comments_are_written_read_edited_and_deleted(
    server: GitHubServer, pr: PullRequest, real: RealPull, connect: Connect
) -> None:
    pr.comment("Looks fine", by="olivia")
    comment = real.create_issue_comment("<!-- mark --> first")
    comment.edit("<!-- mark --> second")
    seen = [(each.user.login, each.user.type, each.body) for each in real.get_issue_comments()]
    assert seen == [("olivia", "User", "Looks fine"), (BOT, "Bot", "<!-- mark --> second")]
    assert comment.updated_at > comment.created_at
    assert comment.html_url == f"https://github.com/{REPO}/pull/7#issuecomment-{comment.id}"
    comment.delete()
    assert [each.login for each in server.comments(REPO, 7)] == ["olivia"]
    with pytest.raises(UnknownObjectException):
        comment.edit("too late")
    personal = connect(PERSONAL_TOKEN).get_repo(REPO).get_pull(7).create_issue_comment("mine")
    assert personal.user.login == "olivia"


@pytest.mark.parametrize(("per_page", "pages"), [(100, 3), (30, 8)])
def test_every_page_of_comments_comes_in_order(
    server: GitHubServer, pr: PullRequest, connect: Connect, per_page: int, pages: int
) -> None:
    for i in range(215):
        pr.comment(f"comment {i}")
    found = connect(per_page=per_page).get_repo(REPO).get_pull(7).get_issue_comments()
    assert [each.body for each in found] == [f"comment {i}" for i in range(215)]
    assert len(server.requests("GET", "/comments$")) == pages


def test_the_timeline_tells_who_set_a_label_among_other_things(pr: PullRequest, real: RealPull) -> None:
    pr.add_label("skip-prompt-diff", by="olivia")
    pr.comment("why?", by="ada")
    pr.push({"README.md": "x\n"})
    pr.remove_label("skip-prompt-diff", by="ada")
    pr.world.server.state.record(pr.pull, "renamed", "ada")
    entries = list(real.as_issue().get_timeline())
    kinds = ["committed", "labeled", "commented", "committed", "unlabeled", "renamed"]
    assert [each.event for each in entries] == kinds
    labels = [each.raw_data["label"]["name"] for each in entries if "label" in each.raw_data]
    assert labels == ["skip-prompt-diff"] * 2
    assert [entries[i].actor.login for i in (1, 4)] == ["olivia", "ada"]
    assert entries[0].raw_data.keys().isdisjoint({"actor", "created_at", "id"})
    dated = [each.created_at for each in entries if each.created_at]
    assert dated == sorted(dated)
    events = [(each.event, each.label and each.label.name) for each in real.as_issue().get_events()]
    assert events == [("labeled", "skip-prompt-diff"), ("unlabeled", "skip-prompt-diff"), ("renamed", None)]


def test_commits_trees_and_blobs_are_gits_own(world: PullRequestWorld, pr: PullRequest, connect: Connect) -> None:
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


def test_who_somebody_is(world: PullRequestWorld, connect: Connect) -> None:
    with pytest.raises(GithubException, match="Resource not accessible by integration") as caught:
        _ = connect(WORKFLOW_TOKEN).get_user().login
    assert caught.value.status == 403
    assert connect(PERSONAL_TOKEN).get_user().login == "olivia"
    with pytest.raises(BadCredentialsException, match="Bad credentials"):
        _ = connect("stale").get_user().login
    repo = connect().get_repo(REPO)
    roles = {name: repo.get_collaborator_role_name(name) for name in ("acme", "ada", "olivia", "mallory")}
    assert roles == {"acme": "admin", "ada": "write", "olivia": "triage", "mallory": "read"}
    assert repo.get_collaborator_permission("olivia") == "read"
    with pytest.raises(GithubException, match="stranger is not a user"):
        repo.get_collaborator_role_name("stranger")


@pytest.mark.parametrize(
    ("token", "status", "message"),
    [
        (READ_ONLY_TOKEN, 403, "Resource not accessible by integration"),
        (NO_COMMENT_TOKEN, 403, "Resource not accessible by integration"),
        (None, 401, "Requires authentication"),
    ],
)
def test_who_may_not_write_may_still_read(
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
