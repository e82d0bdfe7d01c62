"""`action.yml`, its code, the tables of the documentation and the workflows agree."""

import dataclasses
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from gate.action.outcome import step_outputs
from gate.environment.action import Inputs
from tests.golden.runs import block

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
INPUTS = (ROOT / "docs/inputs.md").read_text(encoding="utf-8")
SHORT = ROOT / "docs/examples/prompt-gate.yml"
WORKFLOWS = [*sorted((ROOT / ".github/workflows").glob("*.yml")), *sorted((ROOT / "docs/examples").glob("*.yml"))]


@cache
def load(path: Path) -> Any:
    return YAML(typ="safe").load(path)


ACTION = load(ROOT / "action.yml")


def defaults() -> dict[str, str]:
    """The inputs of the code, with their defaults as the runner passes them."""
    shown = {field.name.replace("_", "-"): field.default for field in dataclasses.fields(Inputs)}
    words = {None: "", True: "true", False: "false", (): ""}
    return {name: words.get(default, str(default)) for name, default in shown.items()}


def rows(text: str) -> dict[str, list[str]]:
    """The rows of all tables, by each of the names in their first cell."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {name: row[1:] for row in cells for name in re.findall(r"`([^`]+)`", row[0])}


def part(text: str, heading: str) -> str:
    """The text from a heading to the next one."""
    return text.split(f"{heading}\n", 1)[1].split("\n#", 1)[0]


def test_inputs_and_defaults_match_the_code() -> None:
    declared = {name: str(about["default"]) for name, about in ACTION["inputs"].items()}
    assert declared == defaults() | {"github-token": "${{ github.token }}"}
    assert Inputs.from_environ({f"INPUT_{name.upper()}": value for name, value in defaults().items()})[0] == Inputs()


def test_outputs_match_the_code() -> None:
    assert list(ACTION["outputs"]) == list(step_outputs(block(), "x", "y"))


def test_every_name_has_a_description_and_is_in_kebab_case() -> None:
    for name, about in [*ACTION["inputs"].items(), *ACTION["outputs"].items()]:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert about["description"].endswith(".")


def test_the_documentation_lists_every_input_with_its_default() -> None:
    found = rows(INPUTS.split("## Outputs", 1)[0])
    assert list(found) == list(ACTION["inputs"])
    for name, about in ACTION["inputs"].items():
        assert found[name][0] == (f"`{about['default']}`" if about["default"] else ""), name


def test_the_documentation_lists_every_output() -> None:
    assert list(rows(part(INPUTS, "## Outputs"))) == list(ACTION["outputs"])


def test_equivalents_of_other_actions_are_documented_and_exist() -> None:
    told = part(INPUTS, "## For those who know promptfoo-action")
    for name in re.findall(r"`([a-z-]+)(?:: [a-z]+)?`", told.split("| the same |")[0]):
        assert name in ACTION["inputs"], name


def test_the_readme_shows_the_example_workflow() -> None:
    text = SHORT.read_text(encoding="utf-8")
    assert f"```yaml\n{text}```" in README


def steps(workflow: Any) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job.get("steps", ())]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_pin_actions_and_use_existing_inputs(path: Path) -> None:
    used = [step for step in steps(load(path)) if "uses" in step]
    assert used or path.name == "forks-request.yml"
    for step in used:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}|docker://[\w./-]+@sha256:[0-9a-f]{64}", step["uses"])
        if "prompt-gate@" in step["uses"]:
            assert set(step.get("with", {})) <= set(ACTION["inputs"])


def test_a_newer_run_cancels_the_older_one_and_no_condition_hides_a_failure() -> None:
    # The event of the one for forks has no pull request, and the required check is not the job.
    gates = [path for path in WORKFLOWS if "gate" in load(path)["jobs"] and path.name != "forks-gate.yml"]
    assert len(gates) > 2
    for path in gates:
        same = load(path)["concurrency"]
        assert same["group"] == "prompt-gate-${{ github.event.pull_request.number || github.ref }}", path
        assert same["cancel-in-progress"] in (True, "${{ github.event_name == 'pull_request' }}"), path
        assert "if" not in load(path)["jobs"]["gate"], path


CACHE_STEP = re.compile(r"actions/cache/(restore|save)@")


def test_every_gate_keeps_its_answers() -> None:
    """Restored before the gate, saved after a red verdict too; nothing is saved in the scope of the main branch with
    secrets for a fork."""
    for path in WORKFLOWS:
        job = load(path)["jobs"].get("gate", {})
        used = [
            (match[1], step["with"]["path"], "always()" in step.get("if", ""))
            for step in job.get("steps", ())
            if (match := CACHE_STEP.match(step.get("uses", ""))) and step["with"]["path"].startswith(".gate")
        ]
        kept = [("restore", ".gate/cache", False), ("save", ".gate/cache", True)]
        assert used == ([] if path.name in ("forks-gate.yml", "sharded.yml") or not job else kept), path


GRANTED = {"contents": "read", "pull-requests": "write", "checks": "write"}
RELEASE = ROOT / ".github/workflows/release.yml"
"""It has more permissions; see tests/release."""


@pytest.mark.parametrize("path", [path for path in WORKFLOWS if path != RELEASE], ids=lambda path: path.name)
def test_workflows_have_minimal_permissions_and_timeouts(path: Path) -> None:
    workflow = load(path)
    # `on` is a boolean in YAML 1.1 and a word in YAML 1.2.
    assert "pull_request_target" not in str(workflow.get("on"))
    for job in workflow["jobs"].values():
        assert job["timeout-minutes"] <= (90 if path.name == "random-examples.yml" else 30)
        granted = GRANTED | PUBLISHED.get(path.name, {})
        assert job.get("permissions", workflow["permissions"]).items() <= granted.items()


PUBLISHED = {"docs.yml": {"pages": "write", "id-token": "write"}, "random-examples.yml": {"issues": "write"}}


def test_publishing_jobs_run_no_code_of_the_repository() -> None:
    job = load(ROOT / ".github/workflows/docs.yml")["jobs"]["publish"]
    assert [set(step) for step in job["steps"]] == [{"id", "uses"}]
    assert "contents" not in job["permissions"]


def test_jobs_with_secrets_check_out_no_code() -> None:
    (step,) = steps(load(ROOT / "docs/examples/forks-gate.yml"))
    assert "prompt-gate@" in step["uses"]
    (request,) = load(ROOT / "docs/examples/forks-request.yml")["jobs"].values()
    assert (request["steps"], load(ROOT / "docs/examples/forks-request.yml")["permissions"]) == ([{"run": "true"}], {})


def test_this_repositorys_workflow_uses_existing_inputs() -> None:
    (gate,) = [step for step in steps(load(ROOT / ".github/workflows/prompt-gate.yml")) if step.get("id") == "gate"]
    given = {name.removeprefix("INPUT_").lower() for name in gate["env"]}
    assert given <= set(ACTION["inputs"])
    assert gate["shell"] == "bash"
