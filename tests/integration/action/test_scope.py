"""`label-scope: commit`: an override covers the commit that it was set on, and what may be believed about that."""

from gate.domain.comment_state import AcceptedOverride, hidden_line, state_in
from tests.support.example import BROKEN, PROMPT
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequest, PullRequestWorld

REPO = "acme/support-bot"
LABEL = "skip-prompt-diff"
SECRET = {"GATE_CACHE_SECRET": "known to trusted runs"}


def run(pr: PullRequest, action: str, label: str | None = None, secret: bool = True) -> ActionOutcome:
    checkout = pr.checkout("merge")
    env = pr.environment(checkout, action=action, label=label, inputs={"label-scope": "commit"})
    return run_action(checkout, env | {"GITHUB_ACTOR": "olivia"} | (SECRET if secret else {}))


def labelled(pr: PullRequest, secret: bool = True) -> ActionOutcome:
    """The run of the event by which olivia set the label."""
    checkout = pr.checkout("merge")
    env = pr.environment(checkout, action="labeled", label=LABEL, inputs={"label-scope": "commit"}, by="olivia")
    return run_action(checkout, env | (SECRET if secret else {}))


def test_an_override_of_one_commit_does_not_cover_the_next(world: PullRequestWorld, server: GitHubServer) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(LABEL, by="olivia")
    assert labelled(pr).outputs["verdict"] == "SKIPPED"
    pr.push({"README.md": "# more\n"})
    outcome = run(pr, "synchronize")
    assert outcome.code == 1
    assert "was set before the last push" in server.comments(REPO, 7)[0].body
    pr.remove_label(LABEL)
    pr.add_label(LABEL, by="olivia")
    assert labelled(pr).code == 0


def test_it_still_covers_its_commit_when_something_else_happens(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(LABEL, by="olivia")
    assert labelled(pr).code == 0
    pr.add_label("docs", by="ada")
    assert run(pr, "labeled", "docs").outputs["verdict"] == "SKIPPED"


def test_without_a_secret_nothing_in_the_comment_is_believed(world: PullRequestWorld) -> None:
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(LABEL, by="olivia")
    assert labelled(pr, secret=False).code == 0
    pr.add_label("docs", by="ada")
    assert run(pr, "labeled", "docs", secret=False).code == 1


def test_a_forged_state_is_not_believed(world: PullRequestWorld, server: GitHubServer) -> None:
    """Another workflow's bot, which has the gate's name, can be made to say anything."""
    pr = world.open({PROMPT: BROKEN})
    pr.add_label(LABEL, by="olivia")
    set_at = server.state.now
    assert labelled(pr).code == 0
    pr.push({"README.md": "# more\n"})
    (comment,) = server.comments(REPO, 7)
    state = state_in(comment.body)
    assert state is not None
    assert state.override is not None
    moved = AcceptedOverride(commit=pr.head_sha, at=f"{set_at:%Y-%m-%dT%H:%M:%SZ}")
    forged = state.model_copy(update={"override": moved})
    code, seal = hidden_line(state).split()[2], comment.body.split(" -->")[1].rpartition(".")[2]
    comment.body = comment.body.replace(code, hidden_line(forged).split()[2])
    assert state_in(comment.body) == forged
    assert comment.body.split(" -->")[1].endswith(f".{seal}")
    assert len(seal) == 32
    assert run(pr, "synchronize").code == 1
