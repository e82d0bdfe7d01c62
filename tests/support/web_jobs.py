"""A repository with cases in the store, its web interface, a model server, and the jobs of the web interface."""

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from starlette.testclient import TestClient

from gate.cases.stored import Entry
from gate.store.sql.database import Database
from gate.web.jobs.board import COMMAND, Jobs
from gate.web.jobs.job import Job
from gate.web.site import WebSite
from tests.support import browsing, repository, stores
from tests.support.command import git
from tests.support.model_server import Behaviour, ModelServer

PROMPT = "prompts/support.md"
CONFIG = """\
version: 1
suites:
  - name: support
    prompt: prompts/support.md
    cases: store:support
    model: openai:gpt-5-mini
    samples: 1
    slices: [tier]
    scorers:
      - judge: {model: anthropic:claude-haiku-4-5, criteria: Kind and to the point}
"""
WAIT_S = 60.0


def judged(score: float, reason: str) -> str:
    """The reply of a judge."""
    return json.dumps({"reason": reason, "score": score})


@dataclass(frozen=True, slots=True)
class Shop:
    """A repository with its web interface.

    Args:
        repo: the repository.
        database: the store of its commands.
        site: the web interface of that store.
        server: the model server.
    """

    repo: Path
    database: Database
    site: WebSite
    server: ModelServer

    @property
    def jobs(self) -> Jobs:
        assert self.site.jobs is not None
        return self.site.jobs

    def browser(self) -> TestClient:
        found = browsing.browser(browsing.served(self.site))
        found.get("/")
        return found

    def over(self, id: str) -> Job:
        """The job after its end."""
        return self.until(id, lambda job: job.over)

    def until(self, id: str, seen: Callable[[Job], bool]) -> Job:
        """The job as soon as it meets a condition."""
        end = time.monotonic() + WAIT_S
        while time.monotonic() < end:
            job = self.jobs.find(id)
            assert job is not None
            if seen(job):
                return job
            assert not job.over, job
            time.sleep(0.02)
        raise AssertionError(f"the job is at {self.jobs.find(id)}")


def environment(url: str) -> Mapping[str, str]:
    """Environment variables for a model server."""
    return {
        **{"OPENAI_BASE_URL": f"{url}/v1", "OPENAI_API_KEY": "sk-openai-hidden"},
        **{"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-ant-hidden"},
    }


@contextmanager
def shop(folder: Path, server: ModelServer, command: Sequence[str] = COMMAND) -> Iterator[Shop]:
    """Create all of it, except for the environment variables of `environment`.

    Args:
        command: starts the process of a job.
    """
    server.behaviour = Behaviour(
        answer=lambda system, user: f"Gladly: {user}", judgement=lambda system, user: judged(0.9, "It is kind")
    )
    repo = repository.make(folder / "shop", {"gate.yaml": CONFIG, PROMPT: "Help them.\n", ".gitignore": ".gate\n"})
    git(repo, "branch", "released")
    with stores.with_tables(repo) as database:
        cases: list[Entry] = [
            {"name": f"c{number}", "prompt": f"Question {number}", "slices": {"tier": "paid" if number % 2 else "free"}}
            for number in range(4)
        ]
        browsing.add(database, "support", *cases)
        with Jobs(repo, lambda: datetime.now(UTC), command=command) as jobs:
            yield Shop(repo, database, _site(database, jobs), server)


def _site(database: Database, jobs: Jobs) -> WebSite:
    plain = browsing.site(database)
    return WebSite(database, plain.hosts, jobs.now, person=plain.person, jobs=jobs)


def job_of(address: str) -> str:
    """The id in the address of a job's page."""
    found = re.search(r"/jobs/([0-9a-f]{16})", address)
    assert found is not None, address
    return found[1]
