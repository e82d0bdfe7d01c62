"""The workflow files of this repository and of its documentation, read by act as GitHub's runner would."""

from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.support.act import started

ROOT = Path(__file__).parents[3]
FILES = [*sorted((ROOT / ".github/workflows").glob("*.yml")), *sorted((ROOT / "docs/examples").glob("*.yml"))]
# What the conditions of jobs look at; the workflow that started another one ran for a pull request.
PAYLOADS = {"workflow_run": {"workflow_run": {"event": "pull_request"}}}


def load(path: Path) -> tuple[set[str], set[str]]:
    """A workflow's events, and the jobs that they start; one that needs another's success or failure comes later."""
    about: dict[str, Any] = YAML(typ="safe").load(path)
    jobs = {
        name
        for name, job in about["jobs"].items()
        if "needs" not in job or "failure()" not in job.get("if", "failure()")
    }
    return {about["on"]} if isinstance(about["on"], str) else set(about["on"]), jobs


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_workflow_is_valid_and_its_events_start_its_jobs(path: Path, tmp_path: Path) -> None:
    events, jobs = load(path)
    for event in sorted(events):
        assert started(path, event, PAYLOADS.get(event, {}), tmp_path) == jobs, event
    if "workflow_run" in events:  # of a push, say: what runs with secrets judges pull requests only
        assert started(path, "workflow_run", {"workflow_run": {"event": "push"}}, tmp_path) == set()
