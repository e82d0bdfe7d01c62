"""The process: signals, budgets, imports and written files."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gate.record.comparison import Verdict
from tests.support import forked
from tests.support.command import environment, gate, git, write_jsonl
from tests.support.findings import texts
from tests.support.forked import Fork
from tests.support.model_server import Behaviour, ModelServer

CASES = [{"id": f"c{i}", "input": f"answer=word{i}", "expected": f"word{i}"} for i in range(16)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(latency_s=0.2)) as running:
        yield running


@pytest.fixture
def repo(tmp_path: Path, server: ModelServer) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    configure(tmp_path, server)
    (tmp_path / "prompt.md").write_text("Answer. quality=1.0")
    write_jsonl(tmp_path / "cases.jsonl", CASES)
    git(tmp_path, "add", "--all")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    (tmp_path / "prompt.md").write_text("Answer well. quality=1.0")
    return tmp_path


def configure(root: Path, server: ModelServer, extra: str = "") -> None:
    (root / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        f"{extra}suites:\n  - name: s\n    prompt: prompt.md\n    cases: cases.jsonl\n"
        "    model: own:m\n    scorers: [contains]\n"
    )


def start(repo: Path) -> Fork:
    return forked.start(["diff", "--base", "main", "--out", "out"], repo, environment(repo, {"GATE_CONCURRENCY": "4"}))


def wait_for_samples(repo: Path, count: int) -> None:
    samples = repo / "out/samples.jsonl"
    for _ in range(600):
        if samples.exists() and len(samples.read_text().splitlines()) >= count:
            return
        time.sleep(0.05)
    pytest.fail("no samples came")


def assert_interrupted(repo: Path, run: Mapping[str, Any], signal_name: str) -> None:
    jsonschema.validate(run, json.loads(gate("schema", "run.json", cwd=repo).out))
    first = run["findings"][0]
    assert (first["code"], signal_name in first["text"]) == ("interrupted", True), first


def test_ctrl_c_ends_the_run(repo: Path) -> None:
    process = start(repo)
    wait_for_samples(repo, 4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err
    run = json.loads((repo / "out/run.json").read_text())
    assert (run["verdict"], run["exit_code"]) == ("INCONCLUSIVE", 130)
    assert_interrupted(repo, run, "SIGINT")
    rows = [json.loads(line) for line in (repo / "out/samples.jsonl").read_text().splitlines()]
    assert len(rows) >= 4
    assert {row["schema"] for row in rows} == {"prompt-gate/sample/1"}


def test_sigterm_ends_the_run(repo: Path) -> None:
    process = start(repo)
    wait_for_samples(repo, 4)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 3, err
    run = json.loads((repo / "out/run.json").read_text())
    assert run["verdict"] == "INCONCLUSIVE"
    assert_interrupted(repo, run, "SIGTERM")
    assert (repo / "out/report.md").exists()


def test_the_budget_of_minutes_ends_a_hanging_run(repo: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour(faults=("hang",) * 9)
    git(repo, "checkout", "--quiet", "--", "prompt.md")
    configure(repo, server, "budget: {max_minutes: 0.02}\n")
    git(repo, "commit", "--quiet", "--all", "--message", "budget")
    (repo / "prompt.md").write_text("Answer well. quality=1.0")
    outcome = gate("diff", "--base", "main", "--json", cwd=repo, timeout_s=60)
    assert (outcome.code, outcome.record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert "The budget of 0.02 minutes is used up" in texts(outcome.record)[0]


def test_the_record_satisfies_its_schema_and_renders_the_same_again(repo: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour()
    first = gate("diff", "--base", "main", "--samples", "1", "--out", "out", cwd=repo)
    schema = json.loads(gate("schema", "run.json", cwd=repo).out)
    jsonschema.validate(json.loads((repo / "out/run.json").read_text()), schema)
    again = gate("report", "out", cwd=repo)
    assert again.out in first.out
    assert gate("report", "out", "--format", "md", cwd=repo).out == (repo / "out/report.md").read_text()


def test_help_loads_no_heavy_library(tmp_path: Path) -> None:
    heavy = "openai anthropic numpy pydantic genai_prices aiohttp rich jinja2 ruamel".split()
    code = (
        "import sys\nfrom gate.__main__ import main\n"
        "for words in (['--help'], ['diff', '--help'], ['--version']):\n"
        "    sys.argv = ['gate', *words]\n"
        "    try:\n        main()\n    except SystemExit:\n        pass\n"
        f"print('LOADED', [name for name in {heavy!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "LOADED []"


def test_a_quiet_run_loads_no_more_than_it_uses(repo: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour()
    others = "anthropic xllamacpp rich gate.record.shard gate.calls.batches.prefetch gate.engine.forecast".split()
    code = (
        "import sys\nfrom gate.cli.app import main\n"
        "sys.argv = ['gate', 'diff', '--base', 'main', '--samples', '1', '-q']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print('LOADED', [name for name in {['openai', *others]!r} if name in sys.modules])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=repo,
        env=environment(repo),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "LOADED ['openai']"
