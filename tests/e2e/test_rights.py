"""Other users of the machine read neither the store nor the answers of a run."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.store.sql import maintenance
from tests.support import stores
from tests.support.command import gate, write_jsonl
from tests.support.model_server import Behaviour, ModelServer

OPEN = 0o022
"""The usual umask, with which all users can read new files."""


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(OPEN)
    yield
    os.umask(before)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(answer=lambda system, user: "Rome")) as running:
        yield running


@pytest.fixture
def project(tmp_path: Path, server: ModelServer) -> Path:
    write_jsonl(tmp_path / "cases.jsonl", [{"id": "c", "input": "Where?", "expected": "Rome"}])
    (tmp_path / "prompt.md").write_text("Answer.")
    (tmp_path / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\nsuites:\n"
        "  - {name: bot, prompt: prompt.md, cases: cases.jsonl, samples: 1, model: own:m, scorers: [exact]}\n"
    )
    return tmp_path


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def run(project: Path, *words: str, env: dict[str, str] | None = None) -> None:
    done = gate(*words, cwd=project, env={"HOME": str(project), **(env or {})})
    assert done.code == 0, done.err


@pytest.mark.threat("cache-other-user")
def test_only_the_owner_reads_the_answer_cache(project: Path) -> None:
    run(project, "check")
    folders = (project / ".gate", project / ".gate/cache")
    assert [oct(rights(folder)) for folder in folders] == ["0o700"] * 2
    assert oct(rights(project / ".gate/cache/answers.sqlite")) == "0o600"


@pytest.mark.threat("store-other-user")
def test_only_the_owner_reads_the_store(project: Path) -> None:
    run(project, "store", "upgrade")
    assert oct(rights(project / ".gate")) == "0o700"
    assert oct(rights(project / ".gate/gate.db")) == "0o600"


@pytest.mark.threat("store-other-user")
def test_only_the_owner_reads_a_store_in_another_place(project: Path) -> None:
    run(project, "store", "upgrade", env={"GATE_DATABASE_URL": f"sqlite:///{project}/other.db"})
    assert oct(rights(project / "other.db")) == "0o600"


@pytest.mark.threat("store-other-user")
def test_only_the_owner_reads_the_log_of_an_open_store(tmp_path: Path) -> None:
    with stores.on_sqlite(tmp_path) as database:
        maintenance.upgrade(database)
        files = {path.name: oct(rights(path)) for path in (tmp_path / ".gate").glob("gate.db*")}
    assert files == dict.fromkeys(("gate.db", "gate.db-shm", "gate.db-wal"), "0o600")


def test_what_exists_keeps_its_rights(project: Path) -> None:
    run(project, "check")
    run(project, "store", "upgrade")
    shared = {project / ".gate": 0o750, project / ".gate/cache": 0o755}
    shared |= {project / ".gate/cache/answers.sqlite": 0o644, project / ".gate/gate.db": 0o640}
    for path, mode in shared.items():
        path.chmod(mode)
    run(project, "check", "--refresh")
    run(project, "store", "upgrade")
    assert {path: rights(path) for path in shared} == shared
