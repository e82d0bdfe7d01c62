"""The gate step of this repository's own workflow, run as it stands there, on this repository's own suites."""

import subprocess
import sys
from pathlib import Path

from ruamel.yaml import YAML

from tests.support.github_action import parse_outputs
from tests.support.github_server import GitHubServer
from tests.support.github_state import WORKFLOW_TOKEN
from tests.support.pull_request import PullRequestWorld

ROOT = Path(__file__).parents[3]
WORKFLOW = ROOT / ".github/workflows/prompt-gate.yml"
OWN = ("gate.yaml", "evals/topics/cases.jsonl", "evals/topics/prompt.txt")


def test_the_step_gates_the_repositorys_own_suites(tmp_path: Path, server: GitHubServer) -> None:
    (job,) = YAML(typ="safe").load(WORKFLOW)["jobs"].values()
    (step,) = [step for step in job["steps"] if step.get("id") == "gate"]
    world = PullRequestWorld.make(tmp_path, server, {path: (ROOT / path).read_text("utf-8") for path in OWN})
    pr = world.open({"README.md": "# Hello\n"})
    checkout = pr.checkout("merge", depth=2)
    installed = tmp_path / "venv" / "bin"
    installed.mkdir(parents=True)
    (installed / "gate").write_text(f"#!{sys.executable}\nfrom gate.__main__ import main\n\nmain()\n")
    (installed / "gate").chmod(0o755)
    given = {name: value.replace("${{ github.token }}", WORKFLOW_TOKEN) for name, value in step["env"].items()}
    env = {name: value for name, value in pr.environment(checkout).items() if not name.startswith("INPUT_")}
    env |= given | {"RUNNER_TEMP": str(tmp_path), "PYTHONPATH": str(ROOT)}
    script = tmp_path / "step.sh"
    script.write_text(step["run"])
    bash = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    done = subprocess.run(bash, cwd=checkout, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert parse_outputs(Path(env["GITHUB_OUTPUT"]).read_text())["verdict"] == "SKIPPED"
    assert "of topics" in done.stdout
    assert {entry.identity.login for entry in server.ledger if entry.identity} == {"github-actions[bot]"}
