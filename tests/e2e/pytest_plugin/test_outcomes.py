"""Evals as tests: what passes, what fails, what is an error, and what the screen and JUnit say of each."""

import json
import re

from tests.e2e.pytest_plugin.conftest import Project
from tests.support.command import gate, git, write_jsonl
from tests.support.model_server import Behaviour

JUDGED = '[contains, {judge: {criteria: "Says the word", model: "own:j"}}]'


def section(out: str) -> list[str]:
    """What stands under `eval` at the end."""
    return re.split(r"=+ eval =+\n", out)[1].splitlines()


def test_judges_that_prefer_their_own_kind_and_are_not_calibrated_are_reported(project: Project) -> None:
    project.write(scorers=JUDGED.replace("own:j", "own:m"))
    found = section(project.run("-m", "eval").out)
    (warned,) = (line for line in found if "self-preference" in line)
    assert warned.startswith("bot: the judge judge calls own:m, the same model that it judges")
    (quoted,) = (line for line in found if "calibrated" in line)
    assert quoted == "bot: the judge judge is not calibrated: its agreement with people was not measured"


def test_a_calibration_is_quoted(project: Project) -> None:
    kept = "evals/judge-calibration.json"
    project.write(scorers=f"[{{judge: {{model: 'fake:judge', criteria: Is blue., calibration: {kept}}}}}]")
    rows = [
        {"input": f"q{i}", "output": "blue" if i % 2 else "red", "expected": "blue", "label": bool(i % 2)}
        for i in range(16)
    ]
    write_jsonl(project.root / "evals/labels.jsonl", rows)
    git(project.root, "init", "--quiet")
    done = gate("calibrate", "--judge", "evals/labels.jsonl", "--suite", "bot", "--repeats", "1", cwd=project.root)
    assert done.code == 0, done.err
    found = section(project.run("-m", "eval").out)
    assert any(line.startswith("bot: the judge judge agrees with people on ") for line in found)
    assert not any("self-preference" in line for line in found)


def test_every_case_is_a_test_with_its_scores(project: Project) -> None:
    # Where every warning is an error, also one of a module that is being loaded.
    ran = project.run_from_nothing("-m", "eval", "-v")
    assert ran.code == 0, ran.out
    assert "gate.yaml::bot::welcome_0 PASSED [score 1.000; contains 1.000]" in ran.out
    assert "9 passed, 1 deselected" in ran.out
    assert len(project.server.ledger) == 16
    assert re.search(r"suite +cases +passed +failed +no score +mean score\nbot +8 +8 +0 +0 +1.000", ran.out)
    assert "16 calls, 0 answers from the cache" in ran.out
    assert "0 calls, 16 answers from the cache" in project.run("-m", "eval").out
    assert "16 calls" in project.run("-m", "eval", "--gate-no-cache").out
    assert list((project.root / ".gate/pytest").glob("journal*")) == []


def test_a_case_that_fails_has_a_report_and_no_trace_and_junit_has_the_scores(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0")
    ran = project.run("-m", "eval", "-v", "--junit-xml", "junit.xml")
    assert ran.code == 1
    assert "gate.yaml::bot::safety_1 FAILED [score 0.000; contains 0.000, needs 1.000]" in ran.out
    report = ran.out[ran.out.index("bot::safety_1 ___") :]
    for said in ("contains 0.000, needs 1.000\n", "question:\n  | answer=word1 slice=safety",
                 "expected:\n  | word1", "answer 1 of 2:\n  | wrong", 'does not contain "word1"'):  # fmt: skip
        assert said in report
    assert "Traceback" not in ran.out and "CaseFailed" not in ran.out
    assert "FAILED gate.yaml::bot::safety_1 - contains 0.000, needs 1.000" in ran.out
    assert "4 failed, 5 passed" in ran.out
    good, bad = project.junit()["welcome_0"], project.junit()["safety_1"]
    assert (good["outcome"], bad["outcome"]) == ("passed", "failure")
    assert (good["score:contains"], bad["score:contains"], bad["score"], bad["calls"]) == ("1.0", "0.0", "0.0", "2")
    assert bad["reason:contains"] == 'does not contain "word1"'
    assert "record: .gate/pytest/run.json" in ran.out
    assert "BLOCK  4 of 8 cases failed" in gate("report", ".gate/pytest", cwd=project.root).out
    again = project.run("-m", "eval", "--lf", "-v")
    assert "4 failed" in again.out and "welcome" not in again.out.partition("FAILURES")[0]


def test_a_case_without_a_score_is_an_error(project: Project) -> None:
    project.server.behaviour = Behaviour(faults=("400",))
    ran = project.run("-m", "eval", "-v", "-k", "welcome_0")
    assert ran.code == 1
    assert re.search(r"welcome_0 ERROR \[no score: .+", ran.out)
    assert "1 error" in ran.out and "failed" not in ran.out.splitlines()[-1]
    assert "This case has no score: " in ran.out
    assert "Traceback" not in ran.out


def test_a_rubric_is_on_its_own_scale_wherever_somebody_reads(project: Project) -> None:
    dimensions = "[{name: tone, weight: 0.5, description: Kind}, {name: length, weight: 0.5, description: Brief}]"
    rubric = f"{{rubric: {{dimensions: {dimensions}, model: 'own:j'}}}}"
    marks = {"tone": {"reason": "Kind.", "score": 4}, "length": {"reason": "Too long.", "score": 2}}
    project.server.behaviour = Behaviour(judgement=lambda _system, _user: json.dumps(marks))
    project.write(scorers=f"[{rubric}]")
    ran = project.run("-m", "eval", "-v", "-k", "welcome_0", "--junit-xml", "junit.xml")
    assert "FAILED [score 3.0 of 5, needs 3.5; rubric 3.0 of 5, needs 3.5 (tone 4.0, length 2.0)]" in ran.out
    assert "FAILED gate.yaml::bot::welcome_0 - rubric 3.0 of 5, needs 3.5\n" in ran.out
    assert "x rubric 3.0 of 5, needs 3.5 (tone 4.0, length 2.0): length 2 of 5: Too long; tone 4 of 5: Kind." in ran.out
    assert re.search(r"bot +1 +0 +1 +0 +3.0 of 5", ran.out)
    told = project.junit()["welcome_0"]
    assert (told["score:rubric"], told["dimension:rubric:tone"], told["scale:rubric"]) == ("0.5", "0.75", "1 to 5")


def test_hostile_text_reaches_no_terminal(project: Project) -> None:
    project.rows = [{"id": "c", "input": "\x1b[31mred\x07 answer=x", "expected": "\x1b]0;title\x07 y"}]
    project.write()
    (project.root / "gate.yaml").write_text((project.root / "gate.yaml").read_text().replace("slices: [state]", ""))
    ran = project.run("-m", "eval", "-v", "--junit-xml", "junit.xml", "--color", "no")
    assert ran.code == 1
    assert "\x1b" not in ran.out and "\x07" not in ran.out
    assert project.junit()["c"]["outcome"] == "failure"


def test_a_check_of_a_tool_that_no_agent_has_is_named(project: Project) -> None:
    (project.root / "tools.yaml").write_text("tools: [{name: look, description: Looks., answers: [{result: x}]}]\n")
    scorers = "[contains, {tools: {forbidden: [send_invoice]}}]"
    project.write(scorers=scorers, suite="    target: {tools: {fixtures: tools.yaml}}\n")
    ran = project.run("-m", "eval", "-k", "welcome_0")
    assert "names the tool 'send_invoice', which neither version has or called, so its check shows nothing" in ran.out
