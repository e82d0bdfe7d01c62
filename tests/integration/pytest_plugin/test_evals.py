"""Evals as tests: outcomes, selection, reports, JUnit, and what ends them."""

import json
import re
import signal
import subprocess
import time

import pytest

from tests.integration.pytest_plugin.conftest import Project
from tests.support.command import environment, gate, git, write_jsonl
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
    for said in ("The score is 0.000; below its mark: contains.", "question:\n  | answer=word1 slice=safety",
                 "expected:\n  | word1", "answer 1 of 2:\n  | wrong", 'does not contain "word1"'):  # fmt: skip
        assert said in report
    assert "Traceback" not in ran.out and "CaseFailed" not in ran.out
    assert "FAILED gate.yaml::bot::safety_1 - The score is 0.000" in ran.out
    assert "4 failed, 5 passed" in ran.out


def test_a_case_without_a_score_is_an_error(project: Project) -> None:
    project.server.behaviour = Behaviour(faults=("not-json",) * 40)
    ran = project.run("-m", "eval", "-v", "-k", "welcome_0")
    assert ran.code == 1
    assert re.search(r"welcome_0 ERROR \[no score: .+", ran.out)
    assert "1 error" in ran.out and "failed" not in ran.out.splitlines()[-1]
    assert "This case has no score: " in ran.out
    assert "Traceback" not in ran.out


def test_cases_are_picked_in_every_way(project: Project) -> None:
    picked = "gate.yaml::bot::safety_3"
    assert "1 passed" in project.run(picked).out
    assert "8 passed" in project.run("gate.yaml").out
    assert "8 passed" in project.run("gate.yaml::bot").out
    assert "4 passed" in project.run("-m", "eval", "-k", "safety").out
    assert "1 passed, 9 deselected" in project.run("-m", "eval", "-k", "welcome_2").out
    assert "10 passed" in project.run("--gate-eval").out
    assert "9 passed, 1 deselected" in project.run("-m", "eval or image", ".").out
    listed = project.run("-m", "eval", "--collect-only", "-q")
    assert picked in listed.out
    assert "no tests ran" not in listed.out
    assert project.run("gate.yaml::bot::nobody").code == 4


def test_collecting_asks_nobody_and_needs_no_key(project: Project) -> None:
    text = (project.root / "gate.yaml").read_text()
    (project.root / "gate.yaml").write_text("\n".join(line for line in text.splitlines() if "base_url" not in line))
    assert project.run("-m", "eval", "--collect-only").code == 0
    ran = project.run("-m", "eval", "-v")
    assert ran.code == 1
    assert "OPENAI_API_KEY" in ran.out and "Traceback" not in ran.out
    assert "8 errors" in ran.out
    assert not project.server.requests


def test_the_first_failure_ends_the_run_and_what_was_asked_ahead(project: Project) -> None:
    project.rows = [{**row, "id": f"c{number:03}"} for number, row in enumerate(project.rows * 25)]
    project.write("quality=0.0")
    project.server.behaviour = Behaviour(latency_s=0.05)
    ran = project.run("-m", "eval", "-x", "--gate-concurrency", "4")
    assert ran.code == 1
    assert "1 failed" in ran.out and "stopping after 1 failures" in ran.out
    assert project.server.requests < 30
    assert project.run("-m", "eval", "--maxfail", "2", "--gate-concurrency", "4").out.count("FAILED gate.yaml") == 2


def test_cases_are_asked_side_by_side(project: Project) -> None:
    project.server.behaviour = Behaviour(latency_s=0.2)
    project.run("-m", "eval")
    assert 8 <= project.server.most_in_flight <= 16
    project.server.most_in_flight = 0
    project.run("-m", "eval", "--gate-concurrency", "2", "--gate-refresh")
    assert project.server.most_in_flight <= 2


def test_those_that_failed_last_are_found_again(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0")
    project.run("-m", "eval")
    again = project.run("-m", "eval", "--lf", "-v")
    assert "4 failed" in again.out and "welcome" not in again.out.partition("FAILURES")[0]


def test_junit_has_the_scores(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0", scorers=JUDGED.replace("URL", project.server.url))
    assert project.run("-m", "eval", "--junit-xml", "junit.xml").code == 1
    found = project.junit()
    good, bad = found["welcome_0"], found["safety_1"]
    assert (good["outcome"], bad["outcome"]) == ("passed", "failure")
    assert (good["score:contains"], bad["score:contains"]) == ("1.0", "0.0")
    assert float(bad["score"]) < 1 and "score:judge" in good and bad["calls"] == "4"
    assert bad["reason:contains"] == 'does not contain "word1"'


def test_two_workers_run_each_case_once(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0")
    ran = project.run("-m", "eval", "-n", "2", "--dist", "load", "-v", "--junit-xml", "junit.xml")
    assert ran.code == 1, ran.out
    assert "4 failed, 5 passed" in ran.out
    assert len(project.server.ledger) == 16
    assert re.search(r"PASSED \[score 1.000; contains 1.000\] +gate.yaml::bot::welcome_0", ran.out)
    assert re.search(r"bot +8 +4 +4 +0 +0.500", ran.out)
    assert project.junit()["safety_1"]["score"] == "0.0"


def test_workers_keep_the_budget_together(project: Project) -> None:
    project.write(run="budget: {max_calls: 8}\n")
    ran = project.run("-m", "eval", "-n", "2")
    assert ran.code == 1
    assert len(project.server.ledger) <= 8
    assert "a worker's share of budget.max_calls" in ran.out


def test_the_budget_is_kept(project: Project) -> None:
    project.write(run="budget: {max_calls: 6}\n")
    ran = project.run("-m", "eval")
    assert ran.code == 1
    assert len(project.server.ledger) == 6
    assert "Traceback" not in ran.out and "never taken" not in ran.out
    assert ran.out.count("This case has no score: the budget of 6 calls is used up") == 5
    record = json.loads((project.root / ".gate/pytest/run.json").read_text())
    assert (record["verdict"], record["kind"]) == ("INCONCLUSIVE", "check")


def test_the_record_is_that_of_a_check(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0")
    assert "record: .gate/pytest/run.json" in project.run("-m", "eval").out
    shown = gate("report", ".gate/pytest", cwd=project.root)
    assert "BLOCK  4 of 8 cases failed" in shown.out
    project.run("gate.yaml::bot::welcome_0")
    assert "PASS  1 of 1 case passed" in gate("report", ".gate/pytest", cwd=project.root).out


def listing(project: Project, part: str) -> list[str]:
    """The node ids that hold this."""
    lines = project.run("-m", "eval", "--collect-only", "-q", ".").out.splitlines()
    return [line for line in lines if part in line]


@pytest.mark.parametrize(
    "name",
    ["a::b", ":a", "a:", "a[1", "[x]", "a]b[", "50%3A", "a b", "ünïcödé 漢字 🙂", "-m", "a/b\\c", "x" * 150,
     "a::b::[c::d]", "'\"$(id)`;", "<&>"],
)  # fmt: skip
def test_case_ids_of_every_kind(project: Project, name: str) -> None:
    project.rows = [{**project.rows[0], "id": name}, {**project.rows[1], "id": "other"}]
    project.write()
    listed = [
        line for line in project.run("-m", "eval", "--collect-only", "-q", ".").out.splitlines() if "bot::" in line
    ]
    assert len(listed) == 2
    ran = project.run(listed[0], "--junit-xml", "junit.xml")
    assert ran.code == 0, ran.out
    assert "1 passed" in ran.out
    assert len(project.junit()) == 1


def test_suite_names_of_every_kind(project: Project) -> None:
    project.write()
    text = (project.root / "gate.yaml").read_text()
    (project.root / "gate.yaml").write_text(text.replace("name: bot", "name: 'a::b [c]'"))
    listed = [
        line for line in project.run("-m", "eval", "--collect-only", "-q", ".").out.splitlines() if "::wel" in line
    ]
    assert "1 passed" in project.run(listed[0]).out


def test_hostile_text_reaches_no_terminal(project: Project) -> None:
    project.rows = [{"id": "c", "input": "\x1b[31mred\x07 answer=x", "expected": "\x1b]0;title\x07 y"}]
    project.write()
    (project.root / "gate.yaml").write_text((project.root / "gate.yaml").read_text().replace("slices: [state]", ""))
    ran = project.run("-m", "eval", "-v", "--junit-xml", "junit.xml", "--color", "no")
    assert ran.code == 1
    assert "\x1b" not in ran.out and "\x07" not in ran.out
    assert project.junit()["c"]["outcome"] == "failure"


def test_mistakes_are_told_with_file_and_line(project: Project) -> None:
    project.write(suite="    treshold: 1\n")
    (project.root / "cases.jsonl").write_text('{"id": "a"')
    ran = project.run("-m", "eval")
    assert ran.code == 2
    assert "ERROR collecting gate.yaml" in ran.out
    assert re.search(r"gate\.yaml:\d+: .*treshold", ran.out)
    assert "Traceback" not in ran.out
    project.write()
    (project.root / "cases.jsonl").write_text('{"id": "a"')
    assert "cases.jsonl:1: " in project.run("-m", "eval").out


def test_the_configuration_may_have_another_name(project: Project) -> None:
    (project.root / "gate.yaml").rename(project.root / "bot.yaml")
    ran = project.run("-m", "eval", "--gate-config", "bot.yaml")
    assert "bot.yaml" in project.run("-m", "eval", "--gate-config", "bot.yaml", "-v").out
    assert (ran.code, "9 passed" in ran.out) == (0, True)
    project.tests("", ini="gate_config = bot.yaml\n")
    assert "8 passed" in project.run("-m", "eval").out
    absent = project.run("-m", "eval", "--gate-config", "none.yaml")
    assert absent.code == 4
    assert "none.yaml" in absent.out and "Traceback" not in absent.out


def test_a_configuration_outside_of_the_test_paths_is_found(project: Project) -> None:
    (project.root / "tests").mkdir()
    (project.root / "test_own.py").rename(project.root / "tests/test_own.py")
    project.tests("", ini="testpaths = tests\n")
    (project.root / "test_own.py").unlink()
    assert "9 passed, 1 deselected" in project.run("-m", "eval").out
    assert "1 passed, 1 deselected" in project.run("-m", "eval", "tests").out


def test_a_folder_of_a_repository_has_paths_from_its_root(project: Project) -> None:
    git(project.root, "init", "--quiet")
    sub = project.root / "sub"
    sub.mkdir()
    (project.root / "gate.yaml").rename(sub / "gate.yaml")
    (sub / "pytest.ini").write_text("[pytest]\n")
    ran = project.run("-m", "eval", "--rootdir", "sub", "-c", "sub/pytest.ini", "sub")
    assert "8 passed" in ran.out


ASYNC = """
import asyncio

MARK
async def test_before():
    await asyncio.sleep(0.01)

@pytest.mark.eval
MARK
async def test_own_eval():
    await asyncio.sleep(0.01)
    assert asyncio.get_running_loop().is_running()
"""


@pytest.mark.parametrize(
    ("mark", "ini", "blocked"),
    [
        ("@pytest.mark.asyncio", "asyncio_mode = strict\nasyncio_default_fixture_loop_scope = function\n", ()),
        ("", "asyncio_mode = auto\nasyncio_default_fixture_loop_scope = session\n", ()),
        ("@pytest.mark.anyio", "", ("asyncio",)),
    ],
)
def test_no_event_loop_meets_another(project: Project, mark: str, ini: str, blocked: tuple[str, ...]) -> None:
    only = "\n@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n" if "anyio" in mark else ""
    project.tests(ASYNC.replace("MARK", mark) + only, ini)
    ran = project.run("--gate-eval", "-v", "-p", "no:cacheprovider", blocked=blocked)
    assert ran.code == 0, ran.out
    assert "10 passed" in ran.out


def start(project: Project, *options: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        project.command("-pno:asyncio", "-m", "eval", "-v", "--gate-concurrency", "2", *options), cwd=project.root,
        env=environment(project.root), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        # Whoever runs the tests in the background has SIGINT ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


def test_ctrl_c_ends_it_at_once_and_nothing_is_paid_twice(project: Project) -> None:
    project.server.behaviour = Behaviour(latency_s=0.3)
    process = start(project)
    while len(project.server.ledger) < 4:
        time.sleep(0.02)
    project.server.behaviour = Behaviour(latency_s=300)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 2, out
    assert "KeyboardInterrupt" in out
    project.server.behaviour = Behaviour()
    again = project.run("-m", "eval")
    assert re.search(r"1[0-2] calls, [4-6] answers from the cache", again.out), again.out


def test_a_run_that_is_killed_is_taken_up_again(project: Project) -> None:
    project.server.behaviour = Behaviour(latency_s=0.3)
    process = start(project)
    while len(project.server.ledger) < 6:
        time.sleep(0.02)
    process.kill()
    process.communicate(timeout=30)
    project.server.behaviour = Behaviour()
    again = project.run("-m", "eval")
    assert again.code == 0
    assert int(re.search(r"(\d+) answers from the cache", again.out)[1]) >= 4  # type: ignore[index]


def test_an_xfail_of_a_conftest_is_respected(project: Project) -> None:
    project.write("quality=1.0 quality[safety]=0.0")
    (project.root / "conftest.py").write_text(
        "import pytest\ndef pytest_collection_modifyitems(items):\n"
        "    for item in items:\n        if 'safety' in item.name:\n            item.add_marker(pytest.mark.xfail)\n"
    )
    ran = project.run("-m", "eval", "-v")
    assert ran.code == 0
    assert "5 passed, 1 deselected, 4 xfailed" in ran.out


def test_rows_of_two_suites_stand_apart(project: Project) -> None:
    project.write(suite="  - {name: two, prompt: prompt.md, cases: two.jsonl, samples: 1, scorers: [exact], "
                        f"model: 'openai:m', params: {{base_url: '{project.server.url}/v1'}}}}\n")  # fmt: skip
    write_jsonl(project.root / "two.jsonl", [{"id": "welcome_0", "input": "answer=a", "expected": "a"}])
    ran = project.run("-m", "eval", "-v")
    assert "gate.yaml::two::welcome_0 PASSED" in ran.out
    assert "17 calls" in ran.out
