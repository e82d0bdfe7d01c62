"""The current labels, and who set them when."""

import pytest

from gate.github.events import LabelEvent
from gate.github.pulls import PullRequestApi
from tests.contract.github.conftest import Connect
from tests.support.github_server import GitHubServer
from tests.support.github_state import READ_ONLY_TOKEN
from tests.support.pull_request import PullRequest


@pytest.fixture
def labels(connect: Connect, pr: PullRequest) -> PullRequestApi:
    return PullRequestApi(connect(READ_ONLY_TOKEN), pr.number)


def test_labels_are_read_each_time(pr: PullRequest, labels: PullRequestApi) -> None:
    for name in ("docs", "[skip-prompt-diff]"):
        pr.add_label(name)
    assert labels.now().labels == ("docs", "[skip-prompt-diff]")
    pr.remove_label("docs")
    assert labels.now().labels == ("[skip-prompt-diff]",)


def test_events_are_in_order_with_person_and_time(
    server: GitHubServer, pr: PullRequest, labels: PullRequestApi
) -> None:
    pr.add_label("docs", by="olivia")
    pr.push({"README.md": "x"})
    pr.comment("labeled")
    pr.remove_label("docs", by="ada")
    found = labels.events()
    assert [(event.label, event.is_set, event.by) for event in found] == [
        ("docs", True, "olivia"),
        ("docs", False, "ada"),
    ]
    assert [event.at for event in found] == sorted(event.at or "" for event in found)
    assert (found[0].at or "").endswith("Z")
    assert [entry.path.rpartition("/")[2] for entry in server.ledger] == ["timeline"]


def test_events_of_all_pages_are_read(server: GitHubServer, pr: PullRequest, labels: PullRequestApi) -> None:
    for number in range(101):
        pr.comment(f"remark {number}")
    pr.add_label("docs")
    assert [event.label for event in labels.events()] == ["docs"]
    assert len(server.requests("GET", "/timeline$")) == 2


def test_events_of_deleted_accounts(server: GitHubServer, pr: PullRequest, labels: PullRequestApi) -> None:
    pr.add_label("docs")
    row = server.render.event(pr.world.repo, next(event for event in pr.pull.events if event.label))
    rows = [
        {**row, "actor": None},
        {**row, "label": None, "created_at": None},
        {**row, "label": {"name": 5}, "actor": 7},
    ]
    server.fail("GET", "/timeline$", 200, body=[*rows, {"event": "cross-referenced"}, {"event": None}])
    at = row["created_at"]
    assert labels.events() == (
        LabelEvent("docs", True, None, at),
        LabelEvent("", True, "olivia", None),
        LabelEvent("", True, None, at),
    )


def test_events_of_bots_and_of_apps_acting_for_a_person(
    server: GitHubServer, pr: PullRequest, labels: PullRequestApi
) -> None:
    pr.add_label("docs")
    row = server.render.event(pr.world.repo, next(event for event in pr.pull.events if event.label))
    person = row["actor"]
    actors = [
        person,
        {**person, "type": "Bot"},
        {**person, "login": "dependabot[bot]"},
        {key: value for key, value in person.items() if key != "type"},
    ]
    apps = [{"slug": "labeler"}, {"slug": None}, 5]
    rows = [{**row, "actor": actor} for actor in actors] + [{**row, "performed_via_github_app": app} for app in apps]
    server.fail("GET", "/timeline$", 200, body=rows)
    found = labels.events()
    assert [event.bot for event in found] == [False, True, True, True, False, False, False]
    assert [event.app for event in found] == ["", "", "", "", "labeler", "unknown", "unknown"]
