"""A pull request whose cases, slices, suites and title are attacks, from the checkout to the comment."""

import json
import re
from itertools import zip_longest
from pathlib import Path

import pytest

from gate.config.values import name_complaint, value_complaint
from tests.support.attacks import attacks
from tests.support.github_action import run_action
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld
from tests.support.rendering import commands, harm, on_github

NAMES = [one.text for one in attacks() if not value_complaint(one.text) and one.kind not in ("secrets", "bulk")]
SUITES = [text for text in NAMES if not name_complaint(text) and "{" not in text]
KINDS = (("mentions", "html", "workflow"), ("references", "links", "templates"), ("structure", "markers", "unicode"))
PROMPT = "prompts/a.md"


def files(names: list[str], suite: str) -> dict[str, str]:
    """Two tiers of cases, whose ids and slices are names from the corpus; the model says what it is asked to say."""
    config = {
        "version": 1,
        "defaults": {"model": "fake:oracle", "samples": 1},
        "suites": [
            {"name": suite, "prompt": PROMPT, "cases": "c.jsonl", "slices": ["t", "tier"], "scorers": ["contains"]}
        ],
    }
    rows = [
        {
            "id": f"{n} {names[n % len(names)]}"[:200],
            "input": f"answer=word{n} slice=gold {names[n % len(names)]}",
            "expected": f"word{n}",
            "slices": {"t": names[n % 3], "tier": "gold"},
        }
        for n in range(24)
    ]
    return {"gate.yaml": json.dumps(config), PROMPT: "Help. quality=1.0\n", "c.jsonl": "\n".join(map(json.dumps, rows))}


def report(folder: Path, server: GitHubServer, names: list[str], suite: str, title: str) -> tuple[str, str, str]:
    """Comment, summary and log of a change that breaks the prompt."""
    folder.mkdir()
    repo = f"acme/{folder.name}"
    world = PullRequestWorld.make(folder, server, files(names, suite), repo=repo)
    pr = world.open({PROMPT: "Help. quality=1.0 quality[gold]=0.1\n"}, title=title)
    checkout = pr.checkout("merge", depth=2)
    outcome = run_action(checkout, pr.environment(checkout))
    assert (outcome.code, outcome.outputs["verdict"]) == (1, "BLOCK")
    assert outcome.outputs["worst-slice"] in {"overall", "tier=gold", *(f"t={name}" for name in names)}
    found = server.comments(repo, pr.pull.number)
    assert len(found) == 1
    body = re.sub(r"acme/\w+/actions/runs/\d+", "RUN", found[0].body)
    body = body.replace(f" {pr.head_sha} -->", " HEAD -->", 1)
    return body, outcome.summary, outcome.out + outcome.err


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """What a harmless pull request is told."""
    with GitHubServer() as server:
        folder = tmp_path_factory.mktemp("plain") / "good"
        return report(folder, server, ["one", "two", "three"], "support", "A title")


@pytest.mark.parametrize("kinds", KINDS, ids="-".join)
def test_a_pull_request_full_of_attacks_is_reported_as_any_other(
    kinds: tuple[str, ...], tmp_path: Path, server: GitHubServer, plain: tuple[str, str, str]
) -> None:
    several = [[one.text for one in attacks() if one.kind == kind and one.text in NAMES][:4] for kind in kinds]
    assert all(len(names) >= 3 for names in several)
    # One of each kind first: these become the slices, too.
    names = [name for row in zip_longest(*several) for name in row if name]
    suite = next((name for name in names if name in SUITES), "support")
    body, summary, log = report(tmp_path / "bad", server, names, suite, names[0])
    plain_body, plain_summary, plain_log = plain
    bad, good = on_github(body), on_github(plain_body)
    assert set(map(str, bad.tags)) <= set(map(str, good.tags)) | {"('code', [])"}
    assert bad.tags.count("<!--") == good.tags.count("<!--")
    assert bad.triggers == good.triggers
    assert body.split("\n")[0] == plain_body.split("\n")[0]
    assert on_github(summary).triggers == on_github(plain_summary).triggers
    assert len(commands(log)) == len(commands(plain_log))
    assert all(harm(line) == [] for line in log.split("\n") if not line.startswith("::"))
