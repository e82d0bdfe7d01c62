"""A repository with the example in it, a database that is filled, and runs of `gate` in it."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import text

from evals.property_agent.seed import TOKEN, engine_of
from tests.e2e.agent_tools.kits import alive
from tests.support import forked
from tests.support.command import Outcome, environment, gate, git
from tests.support.model_server import ModelServer
from tests.support.repository import commit, make

ROOT = Path(__file__).parents[3]
FOLDER = "evals/property_agent"
CONFIG = f"{FOLDER}/gate.yaml"
PROMPT = f"{FOLDER}/prompt.md"
COMMAND = "{command: [python, evals/property_agent/server.py], env: [PROPERTY_DB]}"
"""How the example's server is named."""


@dataclass(frozen=True, slots=True)
class Estate:
    """One copy of the example.

    Args:
        root: of the repository.
        models: answer.
        url: of the database.
        token: of the landlord.
        pythons: a folder whose `python` runs the servers.
    """

    root: Path
    models: ModelServer
    url: str
    token: str = field(default=TOKEN, repr=False)
    pythons: Path = Path(sys.executable).parent

    @property
    def env(self) -> dict[str, str]:
        """What a run needs, besides what every run has."""
        return {
            "PATH": f"{self.pythons}{os.pathsep}{os.environ['PATH']}",
            "OPENAI_BASE_URL": f"{self.models.url}/v1",
            "OPENAI_API_KEY": "k" * 20,
            "ANTHROPIC_BASE_URL": self.models.url,
            "ANTHROPIC_API_KEY": "k" * 20,
            "PROPERTY_DB": self.url,
            "PROPERTY_TOKEN": self.token,
        }

    def gate(self, command: str, *options: str, env: Mapping[str, str] | None = None) -> Outcome:
        """Run a command on the example's configuration."""
        extra = {**self.env, **(env or {})}
        return gate(command, "--config", CONFIG, *options, cwd=self.root, env=extra, timeout_s=300)

    def start(self, command: str, *options: str) -> forked.Fork:
        """The same, and it is still running."""
        return forked.start([command, "--config", CONFIG, *options], self.root, environment(self.root, self.env))

    def change(self, path: str, old: str, new: str) -> None:
        """Put one text in the place of another, in the working tree."""
        file = self.root / path
        before = file.read_text(encoding="utf-8")
        assert old in before
        file.write_text(before.replace(old, new), encoding="utf-8")

    def write(self, path: str, content: str) -> None:
        (self.root / path).write_text(content, encoding="utf-8")

    def commit(self) -> None:
        commit(self.root, {})

    def samples(self, folder: str = "check") -> dict[tuple[str, str], dict[str, Any]]:
        """Each sample of the last run, by case and arm."""
        lines = (self.root / ".gate" / folder / "samples.jsonl").read_text(encoding="utf-8").splitlines()
        return {(row["case"], row["arm"]): row for row in map(json.loads, lines)}

    def count(self, table: str) -> int:
        """Rows of a table of the database."""
        engine = engine_of(self.url)
        try:
            with engine.connect() as connection:
                return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())
        finally:
            engine.dispose()

    def processes(self) -> list[int]:
        """Servers of the example that work on this database, and who keeps them."""
        return [pid for pid in _with(f"PROPERTY_DB={self.url}") if b"server.py" in _read(pid, "cmdline")]

    def quiet(self, patience_s: float = 20.0) -> bool:
        """Are all of them gone, sooner or later?"""
        end = time.monotonic() + patience_s
        while self.processes():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True


def build(root: Path, models: ModelServer, url: str) -> Estate:
    """Copy the example, commit it, and fill the database as its README says; its servers are forks."""
    shutil.copytree(ROOT / FOLDER, root / FOLDER, ignore=shutil.ignore_patterns("__pycache__"))
    make(root, {".gitignore": ".gate/\n"})
    pythons = root.with_name(f"{root.name}-python")
    pythons.mkdir()
    forked.python(pythons)
    estate = Estate(root, models, url, pythons=pythons)
    seeded = forked.run([f"{FOLDER}/seed.py", url], root, environment(root), timeout_s=60, module=None)
    assert seeded.stdout.strip() == url, seeded.stderr
    assert not git(root, "status", "--porcelain")
    return estate


@contextmanager
def served(estate: Estate, transport: str) -> Iterator[str]:
    """The example's server as a process of its own; its address."""
    words = [str(estate.pythons / "python"), f"{FOLDER}/server.py", transport, "--port", "0"]
    env = environment(estate.root, {"PROPERTY_DB": estate.url})
    with subprocess.Popen(words, cwd=estate.root, env=env, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout
            port = int(process.stdout.readline())
            yield f"http://127.0.0.1:{port}/{'sse' if transport == 'sse' else 'mcp'}"
        finally:
            process.kill()


def _with(variable: str) -> list[int]:
    wanted = variable.encode()
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if wanted in _read(pid, "environ").split(b"\0") and alive(pid)]


def _read(pid: int, what: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{what}").read_bytes()
    except OSError:
        return b""
