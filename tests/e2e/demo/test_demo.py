"""`gate demo`: the whole of it, with the answers of the embedded model; some of them by the model itself; its suite."""

import json
import sys
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gate.cases import reading as cases
from gate.cases.case import render
from gate.config import gatefile
from gate.demo.repository import CHANGES, build
from gate.demo.tour import expected
from gate.prompts import reading
from tests.golden.kept_answers import unfinished
from tests.golden.runs import block, passed
from tests.support.command import gate

DATA = resources.files("gate.demo").joinpath("data")
BRANCHES = ("simplify-prompt", "reword-prompt")
ROWS = [json.loads(line) for line in DATA.joinpath("cases.jsonl").read_text(encoding="utf-8").splitlines()]
RIGHT = {row["input"]: row["expected"] for row in ROWS}
MISREAD = {row["input"] for row in ROWS if row["slices"]["lang"] == "de" and row["expected"] == "negative"}
"""Without examples, the model takes German for praise."""
SOME = ("de-restaurant-beste-pizza", "de-film-eingeschlafen")


class Llama:
    """The engine of llama.cpp, with the answers that the model gives to the demo in a minute."""

    def __init__(self, params: object) -> None:
        pass

    def handle_chat_completions(self, request: dict[str, Any]) -> dict[str, Any]:
        prompt, review = (request["messages"][place]["content"] for place in (0, -1))
        label = "positive" if "Review:" not in prompt and review in MISREAD else RIGHT.get(review, "")
        choice = {"index": 0, "message": {"role": "assistant", "content": f" {label}"}, "finish_reason": "stop"}
        return {"choices": [choice], "usage": {"prompt_tokens": 40, "completion_tokens": 2}}


def parameters() -> SimpleNamespace:
    return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


def test_a_harmful_change_is_blocked_and_a_rewording_is_let_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", SimpleNamespace(CommonParams=parameters, Server=Llama))
    outcome = gate("demo", "--dir", "sample", cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    runs = [json.loads((tmp_path / f"sample/.gate/{branch}/run.json").read_text()) for branch in BRANCHES]
    assert [run["verdict"] for run in runs] == ["BLOCK", "PASS"]
    assert [run["exit_code"] for run in runs] == [1, 0]
    states = {row["slice"]: row["state"] for row in runs[0]["suites"][0]["quality"]["slices"]}
    assert (states["lang=de"], states["lang=en"]) == ("regression", "noise")
    for said in ("lang=de", "report.md", "report.html", "253 MB"):
        assert said in outcome.out
    assert "Traceback" not in outcome.err


def test_the_real_model_answers_so(tmp_path: Path) -> None:
    build(tmp_path / "sample")
    some = [word for name in SOME for word in ("--case", name)]
    harmful, reworded = BRANCHES
    compared = ("--base", harmful, "--head", reworded, *some, "--json")
    found = gate("diff", *compared, cwd=tmp_path / "sample", timeout_s=600)
    (suite,) = found.record.suites
    assert suite.baseline.returned_models == ["gemma-3-270m-q4_k_m.gguf"]
    for case in suite.cases:
        assert (case.baseline, case.candidate) == ([0.0 if case.input in MISREAD else 1.0], [1.0]), case.id


def test_a_folder_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    outcome = gate("demo", "--dir", ".", cwd=tmp_path)
    assert outcome.code == 2
    assert "not empty" in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_the_shipped_suite_is_balanced_and_renders() -> None:
    parsed = cases.parse(DATA.joinpath("cases.jsonl").read_text(encoding="utf-8"), "cases.jsonl")
    assert len(parsed) >= 40
    languages = [case.slices["lang"] for case in parsed]
    assert languages.count("de") == languages.count("en")
    loaded = gatefile.load(DATA.joinpath("gate.yaml").read_text(encoding="utf-8"), "gate.yaml")
    assert loaded.suites[0].params.chat_template == "passthrough"
    for name in ("baseline", "simplified", "reworded"):
        prompt = reading.parse(DATA.joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8"), f"{name}.txt")
        assert [message.role for message in render(prompt, parsed[0])] == ["system", "user"]


def test_a_run_that_was_stopped_is_no_change_that_stays_green() -> None:
    (bad,), (good,) = ([one for one in CHANGES if one.blocked is blocked] for blocked in (True, False))
    assert expected(block(), bad) and expected(passed(), good)
    assert not expected(unfinished(), good) and not expected(unfinished(), bad)
    assert not expected(block(), good) and not expected(passed(), bad)
