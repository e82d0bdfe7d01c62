"""This repository's own workflow, run as it stands by act, on a repository that is a copy of what it needs."""

from pathlib import Path

import pytest

from tests.support.act import WorkflowRun, run_workflow
from tests.support.github_server import GitHubServer
from tests.support.pull_request import PullRequestWorld

ROOT = Path(__file__).parents[3]
WORKFLOW = ".github/workflows/prompt-gate.yml"
CASES = "evals/topics/cases.jsonl"
PROMPT = "evals/topics/prompt.txt"


def project() -> dict[str, bytes]:
    """What is installed and what is gated, with few examples and English cases: the model takes seconds."""
    package = (path for path in (ROOT / "gate").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    paths = [ROOT / name for name in ("LICENSE", "README.md", "pyproject.toml", "gate.yaml", WORKFLOW, PROMPT)]
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in [*paths, *package]}
    cases = [line for line in (ROOT / CASES).read_bytes().splitlines(keepends=True) if b'"lang": "en"' in line]
    task, *examples = files[PROMPT].split(b"\n\n")
    return files | {CASES: b"".join(cases[:30:3]), PROMPT: b"\n\n".join([task, *examples[:6]]) + b"\n"}


def artifact(run: WorkflowRun) -> str:
    """The only file that was uploaded, the report."""
    (path,) = (path for path in run.artifacts.rglob("*") if path.is_file())
    assert path == run.artifacts / "prompt-gate-report" / "report.html"
    return path.read_text("utf-8")


@pytest.fixture
def world(tmp_path: Path, server: GitHubServer) -> PullRequestWorld:
    return PullRequestWorld.make(tmp_path, server, project())


def test_a_broken_prompt_is_red_and_its_report_is_kept(world: PullRequestWorld, server: GitHubServer) -> None:
    task, _, examples = (world.work / PROMPT).read_text("utf-8").partition("\n\n")
    assert examples
    pr = world.open({PROMPT: f"{task}\n"})
    run = run_workflow(pr, WORKFLOW)
    assert (run.code, run.jobs, run.exits) == (1, {"gate": "failure"}, {"gate": 1}), run.log
    assert run.outputs["verdict"] == "BLOCK"
    assert "BLOCK: `lang=en` dropped" in run.summary
    (comment,) = server.comments(pr.world.repo.full_name, pr.number)
    assert "BLOCK: `lang=en` dropped" in comment.body
    assert "BLOCK" in artifact(run)
    again = run_workflow(pr, WORKFLOW, "reopened")
    assert (again.code, again.outputs["verdict"], again.outputs["calls"]) == (1, "BLOCK", "0"), again.log
    assert {entry.identity.login for entry in server.ledger if entry.identity} == {"github-actions[bot]"}
