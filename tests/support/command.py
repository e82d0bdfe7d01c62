"""Runs the `gate` command as a user does, in an environment of its own."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.record.run import RunRecord
from tests.support import in_process
from tests.support.warm import ROOT

TIME = "2026-01-02T03:04:05+00:00"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def record(self) -> RunRecord:
        """The record that `--json` printed."""
        return RunRecord.model_validate_json(self.out)


def environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment without the caller's keys and settings."""
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "LANG") if name in os.environ}
    # The package under test is that of this clone, whichever one the environment has installed.
    return {"PYTHONPATH": str(ROOT), **kept, "HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull, **(extra or {})}


def gate(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None, timeout_s: float = 120) -> Outcome:
    """Run `gate` to its end."""
    done = in_process.run(arguments, cwd, environment(cwd, env), timeout_s)
    return Outcome(done.returncode, done.stdout, done.stderr)


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write one JSON object a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def git(root: Path, *arguments: str) -> str:
    """Run git in a repository and return what it printed; all commits are made at one time.

    A run draws by the id of its base commit: so it draws the same whenever the tests run.
    """
    # Maintenance would be a process after each commit.
    settings = ("user.name=t", "user.email=t@example.invalid", "commit.gpgsign=false", "maintenance.auto=false")
    command = ["git", *(word for setting in settings for word in ("-c", setting)), "-C", str(root), *arguments]
    env = environment(root, {"GIT_AUTHOR_DATE": TIME, "GIT_COMMITTER_DATE": TIME})
    return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()
