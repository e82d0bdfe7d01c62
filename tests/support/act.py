"""Runs whole workflow files with act, a local GitHub runner, without containers.

run = run_workflow(pr, ".github/workflows/prompt-gate.yml")
run.jobs, run.steps, run.outputs, run.artifacts

The steps of a job are real local processes. `act_actions` has replacements for the actions that a workflow uses, so
nothing is downloaded.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.support.github_payloads import HTML
from tests.support.github_state import WORKFLOW_TOKEN
from tests.support.pull_request import PullRequest

ACTIONS = Path(__file__).parent / "act_actions"


@dataclass(frozen=True, slots=True)
class WorkflowRun:
    """The result of a workflow.

    Args:
        code: act's exit code: 1 when a job failed.
        jobs: job to its result.
        steps: step to its result; a step is named by its id, or by its place in the job, from "0" on.
        exits: step to the exit status that made it fail.
        outputs: of all steps, by their names.
        summary: of all steps, one after the other.
        log: what the steps and act said.
        artifacts: the folder of the artifacts, one folder each.
    """

    code: int
    jobs: dict[str, str]
    steps: dict[str, str]
    exits: dict[str, int]
    outputs: dict[str, str]
    summary: str
    log: str
    artifacts: Path


def run_workflow(pr: PullRequest, workflow: str, action: str = "synchronize", timeout_s: float = 600) -> WorkflowRun:
    """Run a workflow of a pull request's test merge on its `pull_request` event, to its end.

    Args:
        workflow: path of the file in the repository.
        action: of the event.
    """
    world, repo = pr.world, pr.world.repo
    folder = world.folder / f"act-{len(list(world.folder.glob('act-*')))}"
    artifacts, event = folder / "artifacts", folder / "event.json"
    artifacts.mkdir(parents=True)
    event.write_text(json.dumps(pr.event(action)), "utf-8")
    seen = pr.checkout("merge", depth=2)
    given = {"GITHUB_REPOSITORY": repo.full_name, "GITHUB_API_URL": world.server.url, "GITHUB_SERVER_URL": HTML}
    arguments = [
        *("pull_request", "--json", "--workflows", workflow, "--eventpath", str(event), "--actor", pr.pull.author),
        *("--platform", "ubuntu-latest=-self-hosted", "--no-skip-checkout", "--no-cache-server"),
        *("--action-cache-path", str(folder / "cache"), "--secret", "GITHUB_TOKEN"),
        *_options("--env", (f"{name}={value}" for name, value in given.items())),
        *_options("--local-repository", stand_ins(seen / workflow)),
    ]
    env = {
        "ARTIFACTS": str(artifacts),
        "CACHES": str(world.folder / "caches"),
        "TESTS_PYTHON": sys.executable,
        "GITHUB_TOKEN": WORKFLOW_TOKEN,
        # github.com is the folder that the test's GitHub answers from.
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.file://{repo.folder}.insteadOf",
        "GIT_CONFIG_VALUE_0": f"{HTML}/{repo.full_name}",
    }
    done = _act(arguments, seen, env, timeout_s)
    return _read(done, artifacts)


def started(workflow: Path, event: str, payload: Mapping[str, Any], folder: Path) -> set[str]:
    """The jobs of a workflow that an event starts; none of them runs.

    A machine that act does not know is left out, but only after the job's `if` was looked at. What `types`, `branches`
    and `paths` keep out, act starts all the same.

    Args:
        folder: for act's files.

    Raises:
        RuntimeError: the workflow file is not valid.
    """
    path = folder / "event.json"
    path.write_text(json.dumps(payload), "utf-8")
    arguments = [event, "--json", "--strict", "--workflows", str(workflow), "--eventpath", str(path)]
    done = _act([*arguments, "--platform", "ubuntu-latest="], folder, {})
    if done.returncode and "Could not find any stages to run" not in done.stderr:
        raise RuntimeError(done.stdout + done.stderr)
    return {line["jobID"] for line in _lines(done.stdout) if "Skipping unsupported platform" in line["msg"]}


def stand_ins(workflow: Path) -> list[str]:
    """The actions that a workflow uses, each with the folder of its replacement.

    Raises:
        ValueError: there is none for an action.
    """
    found = set()
    for job in YAML(typ="safe").load(workflow)["jobs"].values():
        for used in (step["uses"] for step in job["steps"] if "uses" in step):
            name, _, ref = used.partition("@")
            owner, repository, *subfolders = name.split("/")
            folder = ACTIONS / repository
            if not folder.joinpath(*subfolders, "action.yml").exists():
                raise ValueError(f"nothing in {ACTIONS} stands in for {used}")
            found.add(f"{owner}/{repository}@{ref}={folder}")
    return sorted(found)


def _options(option: str, values: Iterable[str]) -> list[str]:
    return [part for value in values for part in (option, value)]


def _act(
    arguments: list[str], cwd: Path, env: Mapping[str, str], timeout_s: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run act without the caller's keys and settings; its steps inherit what it is given."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    act = shutil.which("act", path=path)
    if act is None:
        raise RuntimeError("act is missing; the extra `dev` installs it (make setup)")
    kept = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH", "LANG") if name in os.environ}
    calm = {"HOME": str(cwd), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(
        [act, *arguments],
        cwd=cwd,
        env={**kept, **calm, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def _lines(text: str) -> list[dict[str, Any]]:
    """act's own log, one JSON object a line."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def _read(done: subprocess.CompletedProcess[str], artifacts: Path) -> WorkflowRun:
    jobs, steps, exits, outputs = dict[str, str](), dict[str, str](), dict[str, int](), dict[str, str]()
    said, summary = [done.stderr], []
    for line in _lines(done.stdout):
        said.append(line["msg"].removesuffix("\n") + "\n")
        if "jobResult" in line:
            jobs[line["jobID"]] = line["jobResult"]
        if line.get("stage") != "Main":
            continue
        # The steps of a composite action have its own before theirs.
        step, *inner = line["stepID"]
        if not inner and "stepResult" in line:
            steps[step] = line["stepResult"]
        if exited := re.fullmatch(r"exit status (\d+)", line["msg"]):
            exits[step] = int(exited[1])
        if line.get("command") == "set-output":
            outputs[line["name"]] = line["arg"]
        if line.get("command") == "summary":
            summary.append(line["content"])
    return WorkflowRun(done.returncode, jobs, steps, exits, outputs, "".join(summary), "".join(said), artifacts)
