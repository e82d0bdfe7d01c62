"""Every test here runs the real command on a store; those marked with BOTH, on both databases."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gate.cases.stored import Archive, CaseWrite, SuiteVersion
from gate.store.sql.database import Database
from gate.store.sql.runs import Runs
from gate.store.sql.suites import Authorship, Suites
from tests.e2e.action.example import SMALL
from tests.support import example, repository, stores
from tests.support.command import Outcome, gate

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
BOTH = pytest.mark.parametrize("place", ["sqlite", "postgres"], indirect=True)
CONFIG = SMALL["gate.yaml"].replace("evals/support.jsonl", "store:support")


@dataclass(frozen=True, slots=True)
class Place:
    """A repository and a store.

    Args:
        repo: whose suite `support` has its cases in the store.
        database: the store.
        env: what the command needs to find it.
    """

    repo: Path
    database: Database
    env: dict[str, str]

    @property
    def runs(self) -> Runs:
        return Runs(self.database)

    def gate(self, *arguments: str) -> Outcome:
        return gate(*arguments, cwd=self.repo, env=self.env)

    def put(self, suite: str, count: int, first: int = 0) -> SuiteVersion:
        """A new version, with cases that were not there."""
        suites = Suites(self.database)
        entries = [json.loads(line) for line in example.cases(first + count).splitlines()][first:]
        made = suites.change(suite, [CaseWrite(entry["id"], entry) for entry in entries], Authorship("ann", NOW))
        assert isinstance(made, SuiteVersion)
        return made

    def archive(self, suite: str, *names: str) -> SuiteVersion:
        """A new version without these cases."""
        suites = Suites(self.database)
        changes = [Archive(name, suites.case(suite, name)[0].number) for name in names]
        made = suites.change(suite, changes, Authorship("ann", NOW))
        assert isinstance(made, SuiteVersion)
        return made


def url_of(database: Database) -> str:
    """Its address, with the password."""
    return database.engine.url.render_as_string(hide_password=False)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    repo = repository.make(tmp_path / "repo", {**SMALL, "gate.yaml": CONFIG})
    with stores.asked_for(request, repo) as database:
        env = {} if getattr(request, "param", "") != "postgres" else {"GATE_DATABASE_URL": url_of(database)}
        yield Place(repo, database, env)
