"""`gate calibrate` as a process: real calls, a kept run, and a plan that uses it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.record.calibration import CalibrationRecord
from gate.store.run_folder import dump_run
from tests.golden.runs import runs
from tests.support.command import gate, git, write_jsonl
from tests.support.example import case
from tests.support.model_server import ModelServer

CONFIG = """\
version: 1
defaults: {model: "fake:oracle", samples: 2}
suites:
  - {name: support, prompt: p.md, cases: support.jsonl, slices: [tier], scorers: [contains]}
  - {name: faq, prompt: q.md, cases: faq.jsonl, scorers: [exact]}
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    (tmp_path / "gate.yaml").write_text(CONFIG)
    (tmp_path / "p.md").write_text("Help. quality=0.7\n")
    (tmp_path / "q.md").write_text("Answer. quality=1.0\n")
    write_jsonl(tmp_path / "support.jsonl", [case(i, "gold" if i % 2 else "free") for i in range(40)])
    write_jsonl(tmp_path / "faq.jsonl", [case(i, "free") for i in range(12)])
    return tmp_path


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def test_the_noise_that_the_prompt_states_is_measured_and_kept_for_the_plan(repo: Path) -> None:
    outcome = gate("calibrate", "--suite", "support", "--json", cwd=repo)
    assert outcome.code == 0, outcome.err
    found = CalibrationRecord.model_validate_json(outcome.out)
    one = found.suites[0]
    # sqrt(0.7 * 0.3), and no two answers of the arms are the same draw.
    assert one.sigma == pytest.approx(0.458, abs=0.05)
    assert one.same_arms
    assert 0.2 < one.ties < 0.7
    assert not one.drift.shown
    rates = found.false_blocks
    assert rates is not None
    assert rates.joint.rate <= 0.025 + 3 * rates.joint.error
    folder = repo / ".gate/calibration"
    assert {path.name for path in folder.iterdir()} >= {"run.json", "samples.jsonl", "calibration.json"}
    assert CalibrationRecord.model_validate_json((folder / "calibration.json").read_text()) == found
    assert len((folder / "samples.jsonl").read_text().splitlines()) == 160
    plan = json.loads(gate("plan", "--json", cwd=repo).out)
    spreads = {suite["name"]: suite["spread"] for suite in plan["suites"]}
    assert spreads["support"]["sigma"] == one.sigma
    assert spreads["support"]["said"].startswith("measured in .gate/calibration (40 cases, k = 2)")
    assert spreads["faq"]["basis"] == "assumed"


def test_a_reader_sees_rates_advice_and_choices(repo: Path) -> None:
    write_jsonl(repo / "support.jsonl", [case(i, "gold" if i % 2 else "free") for i in range(16)])
    outcome = gate("calibrate", "--samples", "3", cwd=repo)
    flat = " ".join(outcome.out.split())
    assert flat.startswith("Without any change, ")
    assert "support: More cases are better than more samples" in flat
    assert "faq: No score varied" in flat
    assert "samples: 5" in flat
    assert "Written: .gate/calibration/calibration.json" in flat
    assert "resampling: 400 simulated runs" in outcome.err
    quiet = gate("calibrate", "--suite", "faq", "--quiet", cwd=repo)
    assert (quiet.err, "samples: 5" in quiet.out) == ("", False)


def test_a_run_that_could_not_be_finished_is_told(repo: Path, server: ModelServer) -> None:
    write_jsonl(repo / "support.jsonl", [case(i, "gold" if i % 2 else "free") for i in range(12)])
    (repo / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\nbudget: {{max_calls: 18}}\n"
        "\nsuites:\n  - name: support\n    prompt: p.md\n"
        "    cases: support.jsonl\n    model: own:m\n    samples: 1\n    scorers: [contains]\n"
        "    params: {seed: 7}\n"
    )
    outcome = gate("calibrate", cwd=repo)
    assert outcome.code == 3
    assert "not finished" in outcome.out
    assert len(server.ledger) == 18


def test_a_seed_does_not_make_both_arms_the_same(repo: Path, server: ModelServer) -> None:
    write_jsonl(repo / "support.jsonl", [case(i, "gold" if i % 2 else "free") for i in range(12)])
    (repo / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        "suites:\n  - name: support\n    prompt: p.md\n    cases: support.jsonl\n    model: own:m\n"
        "    samples: 1\n    scorers: [contains]\n    params: {seed: 7}\n"
    )
    outcome = gate("calibrate", "--json", cwd=repo)
    assert outcome.code == 0, outcome.err
    assert CalibrationRecord.model_validate_json(outcome.out).suites[0].ties < 0.9
    seeds = {body["seed"] for body in server.bodies}
    assert len(seeds) == 24
    # A finished run says the same without a call.
    before = {path: path.stat().st_mtime_ns for path in (repo / ".gate").rglob("*")}
    again = gate("calibrate", ".gate/calibration", "--json", cwd=repo)
    assert (again.code, again.out, len(server.bodies)) == (0, outcome.out, 24)
    assert {path: path.stat().st_mtime_ns for path in (repo / ".gate").rglob("*")} == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ('{"schema": "prompt-gate/run/7"}', "and this version reads"),
        ('{"schema": "prompt-gate/run/1"}', "is not a complete run"),
    ],
)
def test_what_is_no_run(repo: Path, text: str, said: str) -> None:
    (repo / "run.json").write_text(text)
    outcome = gate("calibrate", "run.json", cwd=repo)
    assert outcome.code == 2
    assert said in outcome.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.json",), "cannot read nowhere.json"),
        (("nowhere.json", "--samples", "2"), "--samples cannot be used with a finished run"),
        (("--out", "gate.yaml"), "gate.yaml is a file"),
    ],
)
def test_mistakes(repo: Path, arguments: tuple[str, ...], said: str) -> None:
    outcome = gate("calibrate", *arguments, cwd=repo)
    assert outcome.code == 2
    assert said in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run: run["method"].update(alpha=0), "method.alpha: Input should be greater than"),
        (lambda run: run["suites"][0]["cases"][0].update(candidate=[1e308, -1e308]), "candidate.0: Input should be"),
        (lambda run: run["suites"].append(run["suites"][0]), "two suites are named"),
    ],
)
def test_a_forged_run_is_refused_with_a_word(tmp_path: Path, damage: Callable[[Any], None], said: str) -> None:
    data = json.loads(dump_run(runs()["block"]))
    damage(data)
    (tmp_path / "run.json").write_text(json.dumps(data))
    outcome = gate("calibrate", "run.json", cwd=tmp_path)
    assert outcome.code == 2
    assert said in outcome.err
    assert "Prompt Gate itself failed" not in outcome.err
