"""`gate demo` on the real embedded model, and the suite that it ships."""

import json
from importlib import resources
from pathlib import Path

from gate.cases import reading as cases
from gate.cases.case import render
from gate.config import gatefile
from gate.demo.repository import CHANGES
from gate.demo.tour import expected
from gate.prompts import reading
from tests.golden.kept_answers import unfinished
from tests.golden.runs import block, passed
from tests.support.command import gate

DATA = resources.files("gate.demo").joinpath("data")


def test_the_real_model_gets_worse_and_a_rewording_is_let_through(tmp_path: Path) -> None:
    outcome = gate("demo", "--dir", "sample", cwd=tmp_path, timeout_s=600)
    assert outcome.code == 0, outcome.err
    runs = [json.loads((tmp_path / f"sample/.gate/{branch}/run.json").read_text()) for branch in BRANCHES]
    assert [run["verdict"] == "BLOCK" for run in runs] == [True, False]
    assert runs[0]["exit_code"] == 1
    assert runs[1]["exit_code"] == 0
    states = {row["slice"]: row["state"] for row in runs[0]["suites"][0]["quality"]["slices"]}
    assert states["lang=de"] == "regression"
    assert states["lang=en"] == "noise"
    assert runs[0]["suites"][0]["baseline"]["returned_models"] == ["gemma-3-270m-q4_k_m.gguf"]
    for said in ("lang=de", "report.md", "report.html", "253 MB"):
        assert said in outcome.out
    assert "Traceback" not in outcome.err


BRANCHES = ("simplify-prompt", "reword-prompt")


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
