"""`gate calibrate --judge` as a process: real calls over HTTP, judged once and never paid for twice."""

import json
import random
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.record.calibration import ConsistencyRecord, FigureRecord, JudgeCalibrationRecord
from tests.support import forked
from tests.support.command import Outcome, environment, gate, git, write_jsonl
from tests.support.model_server import Behaviour, ModelServer, Raw

FILE = "judge-calibration.json"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def repo(tmp_path: Path, server: ModelServer) -> Path:
    git(tmp_path, "init", "--quiet", "--initial-branch", "main")
    (tmp_path / "gate.yaml").write_text(
        f"version: 1\nproviders: {{own: {{api: openai, base_url: '{server.url}/v1'}}}}\n"
        "suites:\n  - name: support\n    prompt: p.md\n    cases: c.jsonl\n    model: fake:echo\n"
        "    scorers:\n      - contains: {name: blue, value: blue}\n"
        "      - judge: {model: 'own:m', criteria: Is blue.}\n"
    )
    (tmp_path / "p.md").write_text("Help.\n")
    write_jsonl(tmp_path / "c.jsonl", [{"id": "1", "input": "a", "expected": "b"}])
    write_jsonl(tmp_path / "evals/labels.jsonl", answers(16))
    return tmp_path


def answers(count: int) -> list[dict[str, Any]]:
    """Labelled by the reference, but for every eighth."""
    dice = random.Random(4)
    rows = []
    for place in range(count):
        right = dice.random() < 0.6
        label = right if place % 8 else not right
        output = "It is blue." if right else "It is green, I think."
        rows.append({"id": f"a{place}", "input": f"q{place}", "output": output, "expected": "blue", "label": label})
    return rows


def read(outcome: Outcome) -> JudgeCalibrationRecord:
    assert outcome.code == 0, outcome.err
    return JudgeCalibrationRecord.model_validate_json(outcome.out)


def test_a_judge_of_a_suite_is_measured_and_the_second_time_costs_nothing(repo: Path, server: ModelServer) -> None:
    ask = ("calibrate", "--judge", "evals/labels.jsonl", "--suite", "support", "--repeats", "3", "--json")
    first = read(gate(*ask, cwd=repo))
    assert first.agreement is not None
    assert first.agreement.share.value == pytest.approx(14 / 16)
    assert (first.judging.calls, first.judging.reused, len(server.ledger)) == (48, 0, 48)
    assert (first.judge.name, first.judge.models, first.judge.threshold) == ("judge", ["own:m"], 0.7)
    assert isinstance(first.consistency, ConsistencyRecord)
    assert (first.consistency.answers, first.consistency.flips.value) == (16, 0.0)
    assert JudgeCalibrationRecord.model_validate_json((repo / "evals" / FILE).read_text()) == first
    again = read(gate(*ask, cwd=repo))
    assert (again.judging.calls, again.judging.reused, len(server.ledger)) == (0, 48, 48)
    assert (again.agreement, again.judge) == (first.agreement, first.judge)


def test_a_sheet_of_labels_gives_the_same_figures_as_json_lines(repo: Path) -> None:
    """As a spreadsheet of Windows saves it."""
    rows = [{**row, "input": f"q\u00e4{place}"} for place, row in enumerate(answers(16))]
    write_jsonl(repo / "evals/labels.jsonl", rows)
    table = "id;input;output;expected;label\r\n" + "".join(
        f"{row['id']};{row['input']};{row['output']};{row['expected']};{str(row['label']).upper()}\r\n" for row in rows
    )
    (repo / "evals/labels.csv").write_bytes(table.encode("cp1252"))
    ask = ("--suite", "support", "--repeats", "1", "--json")
    lines, sheet = (
        read(gate("calibrate", "--judge", f"evals/labels.{end}", *ask, cwd=repo)) for end in ("jsonl", "csv")
    )
    assert sheet.agreement is not None and lines.agreement is not None
    one, other = (dict(each.agreement or ()) for each in (sheet, lines))
    # The bytes of a file are part of the seed of this interval.
    assert one.pop("kappa").value == other.pop("kappa").value
    assert one == other
    (repo / "evals/labels.csv").write_text("input,answer,label\na,b,pass\n")
    refused = gate("calibrate", "--judge", "evals/labels.csv", *ask, cwd=repo)
    assert refused.code == 2
    assert "evals/labels.csv:1: unknown column 'answer'" in refused.err and "did you mean 'output'" in refused.err


def test_a_judge_that_no_configuration_names(repo: Path) -> None:
    out = repo / "found.json"
    ask = ("--criteria", "Is blue.", "--model", "fake:judge", "--repeats", "1", "--out", str(out))
    outcome = gate("calibrate", "--judge", "evals/labels.jsonl", *ask, cwd=repo)
    assert outcome.code == 0, outcome.err
    flat = " ".join(outcome.out.split())
    assert flat.startswith("judge (fake:judge) agrees with people on 88 % [")
    assert "Each answer was judged once" in flat
    assert f"Written: {out}" in flat
    assert out.is_file()
    assert not (repo / "evals" / FILE).exists()


def test_people_s_labels_and_what_nobody_named_are_not_replaced(repo: Path, server: ModelServer) -> None:
    labels, own = repo / "evals/labels.jsonl", ("--criteria", "Is blue.", "--model", "fake:judge", "--repeats", "1")
    before = labels.read_text()
    refused = gate("calibrate", "--judge", "evals/labels.jsonl", *own, "--out", "evals/labels.jsonl", cwd=repo)
    assert (refused.code, labels.read_text()) == (2, before)
    assert "has the labels" in refused.err
    (repo / "evals" / FILE).write_text("notes of somebody's\n")
    refused = gate("calibrate", "--judge", "evals/labels.jsonl", *own, cwd=repo)
    assert (refused.code, (repo / "evals" / FILE).read_text()) == (2, "notes of somebody's\n")


def test_the_calibration_of_another_scorer_stays(repo: Path) -> None:
    ask = ("calibrate", "--judge", "evals/labels.jsonl", "--suite", "support", "--repeats", "1")
    assert gate(*ask, cwd=repo).code == 0
    first = (repo / "evals" / FILE).read_text()
    second = gate(*ask, "--scorer", "blue", cwd=repo)
    assert second.code == 0, second.err
    assert (repo / "evals" / FILE).read_text() == first
    assert "judge-calibration-blue.json" in second.out
    assert (repo / "evals/judge-calibration-blue.json").is_file()


def test_grades_on_a_scale_of_their_own(repo: Path) -> None:
    rows = [{**row, "label": 4 if row["label"] else 2} for row in answers(16)]
    write_jsonl(repo / "l.jsonl", rows)
    ask = ("calibrate", "--judge", "l.jsonl", "--suite", "support", "--json")
    refused = gate(*ask, cwd=repo)
    assert refused.code == 2
    assert "l.jsonl:1: label must lie between 0 and 1, not 2" in refused.err or "not 4" in refused.err
    assert "--label-scale 1 5" in refused.err
    found = read(gate(*ask, "--label-scale", "1", "5", cwd=repo))
    assert (found.labels.graded, found.labels.low, found.labels.high) == (True, 1.0, 5.0)
    assert found.grades is not None
    assert isinstance(found.grades.above, FigureRecord)


def test_what_a_judge_does_not_answer_is_counted(repo: Path, server: ModelServer) -> None:
    message = {"role": "assistant", "content": "Nice answer."}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    reply = {"model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}
    server.behaviour = replace(Behaviour(), raw=Raw(200, json.dumps(reply).encode()))
    ask = ("calibrate", "--judge", "evals/labels.jsonl", "--suite", "support", "--repeats", "3", "--json")
    outcome = gate(*ask, cwd=repo, env={"GATE_CONCURRENCY": "4"})
    assert outcome.code == 3
    found = JudgeCalibrationRecord.model_validate_json(outcome.out)
    assert found.agreement is None
    assert sum(found.judging.unscored.values()) in range(25, 33)
    assert "judgements gave no score" in found.unfinished
    assert not (repo / "evals" / FILE).exists()


def test_a_budget_ends_it_and_what_was_paid_is_kept(repo: Path, server: ModelServer) -> None:
    config = (repo / "gate.yaml").read_text()
    (repo / "gate.yaml").write_text(config.replace("version: 1\n", "version: 1\nbudget: {max_calls: 20}\n"))
    ask = ("calibrate", "--judge", "evals/labels.jsonl", "--suite", "support", "--repeats", "2")
    outcome = gate(*ask, cwd=repo)
    assert outcome.code == 3, outcome.err
    assert "not finished" in outcome.out
    assert "budget.max_calls" in outcome.out
    assert not (repo / "evals" / FILE).exists()
    assert len(server.ledger) == 20
    assert gate(*ask, cwd=repo).code == 0
    assert len(server.ledger) == 32


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--judge", "evals/labels.jsonl"), "no judge to calibrate"),
        (("--judge", "evals/labels.jsonl", "--suite", "support", "--scorer", "x"), "has no scorer 'x'"),
        (("--judge", "evals/labels.jsonl", "--suite", "support", "--model", "fake:judge"), "use one of them"),
        (("--judge", "evals/labels.jsonl", "--suite", "support", "--label-scale", "5", "1"), "does not rise"),
        (("--judge", "evals/labels.jsonl", "--suite", "support", "--samples", "2"), "--samples cannot be used with"),
        (("run.json", "--judge", "evals/labels.jsonl"), "RUN cannot be used with --judge"),
        (("--repeats", "3"), "--repeats cannot be used without --judge"),
        (("--judge", "evals/labels.jsonl", "--criteria", "x", "--model", "anthropic:m"), "ANTHROPIC_API_KEY"),
        (("--judge", "evals/labels.jsonl", "--suite", "support", "--out", "evals"), "evals is a folder"),
    ],
)
def test_what_cannot_be_meant(repo: Path, server: ModelServer, arguments: tuple[str, ...], said: str) -> None:
    outcome = gate("calibrate", *arguments, cwd=repo)
    assert outcome.code in (2, 3)
    assert said in outcome.err
    assert server.ledger == []


@pytest.mark.parametrize("scorer", [("--scorer", "style")])
@pytest.mark.parametrize("blue", [True, False])
def test_a_judge_of_pairs_is_refused_with_what_to_do_instead(
    repo: Path, server: ModelServer, scorer: tuple[str, ...], blue: bool
) -> None:
    config = (repo / "gate.yaml").read_text()
    kept = config[: config.index("      - judge" if blue else "      - contains")]
    (repo / "gate.yaml").write_text(f"{kept}      - pairwise: {{name: style, criteria: Kind., model: 'openai:m'}}\n")
    outcome = gate("calibrate", "--judge", "evals/labels.jsonl", "--suite", "support", *scorer, cwd=repo)
    assert outcome.code == 2
    assert "the judge 'style' compares two answers, and labels are about one: it cannot be calibrated" in outcome.err
    assert "--criteria TEXT --model PROVIDER:NAME" in outcome.err
    assert ("--scorer: blue; or" in outcome.err) == blue
    assert server.ledger == []


def test_what_ctrl_c_leaves_is_not_paid_for_again(repo: Path, server: ModelServer) -> None:
    server.behaviour = Behaviour(latency_s=0.05)
    ask = ("calibrate", "--judge", "evals/labels.jsonl", "--suite", "support", "--repeats", "2")
    process = forked.start([*ask], repo, environment(repo, {"GATE_CONCURRENCY": "2"}))
    deadline = time.monotonic() + 60
    while len(server.ledger) < 10 and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "of 32 judgements are saved" in err
    assert not (repo / "evals" / FILE).exists()
    paid = len(server.ledger)
    assert paid < 32
    found = read(gate(*ask, "--json", cwd=repo))
    assert found.judging.reused >= paid - 4
    assert found.judging.calls + found.judging.reused == 32
