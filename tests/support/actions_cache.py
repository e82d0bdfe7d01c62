"""GitHub's cache service, and the steps of a workflow that use it.

jobs = WorkflowJobs(Path("docs/examples/prompt-gate.yml"), tmp_path / "caches")
outcome = jobs.run(pr, pr.environment)
"""

import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.support.github_action import ActionOutcome, run_action

Environment = Callable[[Path], Mapping[str, str]]
"""The variables of a job, by its workspace."""


@dataclass(frozen=True, slots=True)
class SavedCache:
    """One cache; `ref` is that of the job that saved it."""

    ref: str
    key: str
    paths: str
    folder: Path


@dataclass(slots=True)
class WorkflowJobs:
    """Runs the gate's job of a workflow, each time on a new machine; only what it caches is carried over.

    Args:
        workflow: its file.
        folder: of the caches.
        default: the branch whose caches every job may restore.
    """

    workflow: Path
    folder: Path
    default: str = "refs/heads/main"
    saved: list[SavedCache] = field(default_factory=list)
    runs: int = 0

    def run(self, workspace: Path, environment: Mapping[str, str]) -> ActionOutcome:
        """One job from its first step to its last; steps other than those of the cache and the gate do nothing."""
        self.runs += 1
        given = {**environment, "GITHUB_RUN_ID": f"{1000 + self.runs}"}
        outcome: ActionOutcome | None = None
        for step in self._steps():
            uses = step.get("uses", "")
            if (
                "/prompt-gate@" in uses
                or "gate action" in step.get("run", "")
                or '/gate" action' in step.get("run", "")
            ):
                outcome = run_action(workspace, given)
            elif uses.startswith("actions/cache/") and not step["with"]["path"].startswith(".gate"):
                continue  # a model's file
            elif uses.startswith("actions/cache/restore@"):
                self._restore(step["with"], workspace, given)
            elif uses.startswith("actions/cache/save@") and (_always(step) or outcome is None or outcome.code == 0):
                self._save(step["with"], workspace, given)
            elif uses.startswith("actions/cache@"):
                raise AssertionError("actions/cache in one step saves nothing after a failed job")
        assert outcome is not None, "no step runs the gate"
        return outcome

    def _steps(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = YAML(typ="safe").load(self.workflow)["jobs"]["gate"]["steps"]
        return steps

    def _restore(self, options: Mapping[str, str], workspace: Path, environment: Mapping[str, str]) -> None:
        wanted = [_filled(options["key"], environment), *options.get("restore-keys", "").split()]
        for ref in (environment.get("GITHUB_REF", self.default), self.default):
            for key in wanted:
                for cache in reversed(self.saved):
                    if (cache.ref, cache.paths) == (ref, options["path"]) and cache.key.startswith(key):
                        shutil.copytree(cache.folder, workspace, dirs_exist_ok=True)
                        return

    def _save(self, options: Mapping[str, str], workspace: Path, environment: Mapping[str, str]) -> None:
        key, ref = _filled(options["key"], environment), environment.get("GITHUB_REF", self.default)
        folder = self.folder / f"{len(self.saved)}"
        if any((cache.ref, cache.key) == (ref, key) for cache in self.saved):
            return
        for path in options["path"].split():
            if (workspace / path).is_dir():
                shutil.copytree(workspace / path, folder / path)
        if folder.is_dir():
            self.saved.append(SavedCache(ref, key, options["path"], folder))


def _always(step: Mapping[str, Any]) -> bool:
    return "always()" in step.get("if", "")


def _filled(text: str, environment: Mapping[str, str]) -> str:
    names = {"github.run_id": "GITHUB_RUN_ID", "github.run_attempt": "GITHUB_RUN_ATTEMPT"}
    filled = re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda one: environment[names[one[1]]], text)
    assert filled != text, "the key of a cache is never saved twice, so it needs the run"
    return filled
