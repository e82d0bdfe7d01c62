"""Evals as tests: what passes, what fails, what is an error, and what the screen and JUnit say of each."""

import json
import re

from tests.integration.pytest_plugin.conftest import Project
from tests.support.command import write_jsonl
from tests.support.model_server import Behaviour

JUDGED = '[contains, {judge: {criteria: "Says the word", model: "openai:j", params: {base_url: "URL/v1"}}}]'


def test_every_case_is_a_test_with_its_scores(project: Project) -> None:
    ran = project.run("-m", "eval", "-v")
    assert ran.code == 0, ran.out
    assert "gate.yaml::bot::welcome_0 PASSED [score 1.000; contains 1.000]" in ran.out
    assert "9 passed, 1 deselected" in ran.out
    assert len(project.server.ledger) == 16
    assert re.search(r"suite +cases +passed +failed +no score +mean score\nbot +8 +8 +0 +0 +1.000", ran.out)
    assert "16 calls, 0 answers from the cache" in ran.out
    assert "0 calls, 16 answers from the cache" in project.run("-m", "eval").out
    assert "16 calls" in project.run("-m", "eval", "--gate-refresh").out
    assert "16 calls" in project.run("-m", "eval", "--gate-no-cache").out


def test_a_case_that_fails_has_a_report_and_no_trace(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0")
    ran = project.run("-m", "eval", "-v")
    assert ran.code == 1
    assert "gate.yaml::bot::safety_1 FAILED [score 0.000; contains 0.000 < 1.000]" in ran.out
    report = ran.out[ran.out.index("bot::safety_1 ___") :]
    for said in ("contains 0.000 < 1.000\n", "question:\n  | answer=word1 slice=safety",
                 "expected:\n  | word1", "answer 1 of 2:\n  | wrong", 'does not contain "word1"'):  # fmt: skip
        assert said in report
    assert "Traceback" not in ran.out and "CaseFailed" not in ran.out
    assert "FAILED gate.yaml::bot::safety_1 - contains 0.000 < 1.000" in ran.out
    assert "4 failed, 5 passed" in ran.out


def test_a_case_without_a_score_is_an_error(project: Project) -> None:
    project.server.behaviour = Behaviour(faults=("not-json",) * 40)
    ran = project.run("-m", "eval", "-v", "-k", "welcome_0")
    assert ran.code == 1
    assert re.search(r"welcome_0 ERROR \[no score: .+", ran.out)
    assert "1 error" in ran.out and "failed" not in ran.out.splitlines()[-1]
    assert "This case has no score: " in ran.out
    assert "Traceback" not in ran.out


def test_junit_has_the_scores(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0", scorers=JUDGED.replace("URL", project.server.url))
    assert project.run("-m", "eval", "--junit-xml", "junit.xml").code == 1
    found = project.junit()
    good, bad = found["welcome_0"], found["safety_1"]
    assert (good["outcome"], bad["outcome"]) == ("passed", "failure")
    assert (good["score:contains"], bad["score:contains"]) == ("1.0", "0.0")
    assert float(bad["score"]) < 1 and "score:judge" in good and bad["calls"] == "4"
    assert bad["reason:contains"] == 'does not contain "word1"'


def test_a_rubric_is_on_its_own_scale_wherever_somebody_reads(project: Project) -> None:
    dimensions = "[{name: tone, weight: 0.5, description: Kind}, {name: length, weight: 0.5, description: Brief}]"
    rubric = (
        f"{{rubric: {{dimensions: {dimensions}, model: 'openai:j', params: {{base_url: '{project.server.url}/v1'}}}}}}"
    )
    marks = {"tone": {"reason": "Kind.", "score": 4}, "length": {"reason": "Too long.", "score": 2}}
    project.server.behaviour = Behaviour(judgement=lambda _system, _user: json.dumps(marks))
    project.write(scorers=f"[{rubric}]")
    ran = project.run("-m", "eval", "-v", "-k", "welcome_0", "--junit-xml", "junit.xml")
    assert "FAILED [score 3.0 < 3.5 of 5; rubric 3.0 < 3.5 of 5 (tone 4.0, length 2.0)]" in ran.out
    assert "FAILED gate.yaml::bot::welcome_0 - rubric 3.0 < 3.5 of 5\n" in ran.out
    assert "x rubric 3.0 < 3.5 of 5 (tone 4.0, length 2.0): length 2 of 5: Too long.; tone 4 of 5: Kind." in ran.out
    assert re.search(r"bot +1 +0 +1 +0 +3.0 of 5", ran.out)
    told = project.junit()["welcome_0"]
    assert (told["score:rubric"], told["dimension:rubric:tone"], told["scale:rubric"]) == ("0.5", "0.75", "1 to 5")
    project.write(scorers=f"[{rubric}, contains]")
    both = project.run("-m", "eval", "-v", "-k", "welcome_0").out
    assert "FAILED [score 0.750; rubric 3.0 < 3.5 of 5 (tone 4.0, length 2.0); contains 1.000]" in both
    assert "\nrubric 3.0 < 3.5 of 5 (score 0.750)\n" in both


def test_rows_of_two_suites_stand_apart(project: Project) -> None:
    project.write(suite="  - {name: two, prompt: prompt.md, cases: two.jsonl, samples: 1, scorers: [exact], "
                        f"model: 'openai:m', params: {{base_url: '{project.server.url}/v1'}}}}\n")  # fmt: skip
    write_jsonl(project.root / "two.jsonl", [{"id": "welcome_0", "input": "answer=a", "expected": "a"}])
    ran = project.run("-m", "eval", "-v")
    assert "gate.yaml::two::welcome_0 PASSED" in ran.out
    assert "17 calls" in ran.out


def test_an_xfail_of_a_conftest_is_respected(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0")
    (project.root / "conftest.py").write_text(
        "import pytest\ndef pytest_collection_modifyitems(items):\n"
        "    for item in items:\n        if 'safety' in item.name:\n            item.add_marker(pytest.mark.xfail)\n"
    )
    ran = project.run("-m", "eval", "-v")
    assert ran.code == 0
    assert "5 passed, 1 deselected, 4 xfailed" in ran.out


def test_hostile_text_reaches_no_terminal(project: Project) -> None:
    project.rows = [{"id": "c", "input": "\x1b[31mred\x07 answer=x", "expected": "\x1b]0;title\x07 y"}]
    project.write()
    (project.root / "gate.yaml").write_text((project.root / "gate.yaml").read_text().replace("slices: [state]", ""))
    ran = project.run("-m", "eval", "-v", "--junit-xml", "junit.xml", "--color", "no")
    assert ran.code == 1
    assert "\x1b" not in ran.out and "\x07" not in ran.out
    assert project.junit()["c"]["outcome"] == "failure"
