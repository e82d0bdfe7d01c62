"""What a change would look up in a database of the merge target's: nothing of it is, before the change is merged."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.action.example import PROMPT, SERVICE, SMALL
from tests.support.github_action import ActionOutcome, run_action
from tests.support.github_server import GitHubServer
from tests.support.model_server import ModelServer
from tests.support.privileged import beside_secrets, keys
from tests.support.pull_request import PullRequest, PullRequestWorld

SECRET = "hunter2-very-secret"
CASES = "evals/support.jsonl"
BASE = SERVICE.replace(
    "scorers: [contains]",
    "scorers: [contains, {database: {url: SHOP_DB, name: kept, query: 'SELECT 1', rows: {min: 1}}}]",
)
STEAL = {"url": "SHOP_DB", "name": "steal", "query": "SELECT password FROM users", "equals": "x"}


def case(number: int, **more: Any) -> str:
    said = {
        "name": f"c{number}",
        "rounds": [{"prompt": f"slice=gold answer=word{number}"}],
        "expected": f"word{number}",
    }
    return json.dumps({**said, "slices": {"tier": "gold"}, **more}) + "\n"


ROWS = [case(number) for number in range(8)]
STEALING = {"extra_scorers": [{"database": STEAL}]}
OWN = {"name": "mine", "prompt": PROMPT, "cases": CASES, "scorers": ["contains", {"database": STEAL}]}
CHANGES: dict[str, dict[str, str]] = {
    "the exam": {
        CASES: "".join([case(0, **STEALING), *ROWS[1:], case(99, **STEALING)]),
        "gate.yaml": BASE.replace("SELECT 1", STEAL["query"]),
    },
    "a suite of its own": {"gate.yaml": BASE.replace("suites:", f"suites:\n  - {json.dumps(OWN)}")},
}


def judged(pr: PullRequest, models: ModelServer, database: Path, *, fork: bool) -> ActionOutcome:
    if fork:
        env = beside_secrets(pr, models)
    else:
        checkout = pr.checkout("merge", depth=1)
        env = pr.environment(checkout) | keys(models)
    return run_action(Path(env["GITHUB_WORKSPACE"]), env | {"SHOP_DB": f"sqlite:///{database}"})


@pytest.mark.threat("database-query")
@pytest.mark.parametrize(
    ("fork", "change"),
    [(True, "a suite of its own"), (False, "a suite of its own"), (False, "the exam")],
)
def test_what_a_change_asks_a_database_is_not_asked(
    tmp_path: Path, server: GitHubServer, models: ModelServer, change: str, fork: bool
) -> None:
    database = tmp_path / "shop.db"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE users (name TEXT, password TEXT)")
        connection.execute("INSERT INTO users VALUES ('ada', ?)", [SECRET])
        connection.commit()
    world = PullRequestWorld.make(tmp_path, server, {**SMALL, "gate.yaml": BASE, CASES: "".join(ROWS)})
    pr = world.open({PROMPT: "Help well. quality=1.0\n", **CHANGES[change]}, fork=fork)
    outcome = judged(pr, models, database, fork=fork)
    workspace = [path for path in tmp_path.rglob("*") if path.is_file() and path != database]
    assert [path for path in workspace if SECRET.encode() in path.read_bytes()] == []
    if fork and change == "a suite of its own":
        assert "adds a scorer that queries a database" in outcome.out + outcome.err
        return
    assert outcome.code == 0, outcome.out + outcome.err
    if change == "a suite of its own":
        assert "only runs after the change is merged" in (next(tmp_path.rglob("samples.jsonl"))).read_text()
    else:
        assert "scorers with a changed database query are not tried" in outcome.summary
