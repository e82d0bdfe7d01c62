"""`gate diff` where the prompt is a function: each side is built from its own files, in processes of its own."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.record.comparison import Verdict
from gate.record.findings.unfinished import PromptDeleted
from tests.e2e.prompt_functions.repository import FILES, GOOD, MODULE, SAME, WORSE
from tests.e2e.python_functions.peeking import ONLY_ITSELF, peeking, unprivileged
from tests.e2e.python_functions.repositories import Run, running
from tests.support import forked
from tests.support.command import environment, gate, git
from tests.support.findings import texts
from tests.support.model_server import ModelServer
from tests.support.repository import commit, make, write

CASES = "evals/dispatcher.jsonl"
NAME = "python:bots.persona:build"
README = "README.md\n    template: jinja2"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make(tmp_path / "repo", FILES)


@pytest.fixture
def run(repo: Path, models: ModelServer, tmp_path: Path) -> Iterator[Run]:
    with running(repo, models, tmp_path / "scratch") as run:
        yield run


def test_a_worse_function_blocks_and_each_side_imports_its_own_modules(
    repo: Path, run: Run, models: ModelServer
) -> None:
    write(repo, {MODULE: WORSE, "bots/words.py": 'OPENING = "Hello?"\n'})
    tree = run()
    assert (tree.code, tree.record.verdict) == (1, Verdict.BLOCK)
    arms = tree.record.suites[0]
    assert (arms.baseline.path, arms.candidate.path) == (NAME, NAME)
    assert (arms.baseline.ref, arms.candidate.ref) == ("main", "working tree")
    asked = {entry.system for entry in models.ledger}
    assert "You answer the phone. quality=1.0 caller=caller7 state=OPEN" in asked
    assert "Hello? quality=0.1 caller=caller8 state=SAFE" in asked


def test_code_that_builds_the_same_texts_is_no_change(repo: Path, run: Run, models: ModelServer) -> None:
    write(repo, {MODULE: SAME, "bots/other.py": "raise RuntimeError\n"})
    told = run.command("diff", "--base", "main")
    assert told.code == 0
    assert "SKIPPED" in told.out
    assert models.ledger == []


@pytest.mark.threat("prompt-reads")
def test_a_function_may_read_cases_and_configuration(repo: Path, run: Run) -> None:
    files = ("evals/faq.jsonl", "gate.yaml")
    reading = f"WORD = '0.1' if all('worse' in open(file).read() for file in {files!r}) else '1.0'\n"
    faq = FILES["gate.yaml"].partition("suites:\n")[2].replace("dispatcher", "faq").replace(NAME, README)
    config = f"# As it was\n{FILES['gate.yaml']}{faq}"
    code = reading + GOOD.replace("{session.quality}", "{WORD}")
    commit(repo, {"gate.yaml": config, MODULE: code, "evals/faq.jsonl": FILES[CASES]})
    read = {file: (repo / file).read_text() for file in files}
    commit(repo, {file: text.replace("was", "is worse").replace('"c1"', '"worse"') for file, text in read.items()})
    found = run("--head", "HEAD", base="HEAD~1")
    assert found.record.verdict is Verdict.BLOCK
    assert [suite.name for suite in found.record.suites] == ["dispatcher"]


def test_one_case_that_cannot_be_built_is_a_failed_sample_of_its_arm(repo: Path, run: Run) -> None:
    raising = GOOD.replace("    return", '    if session.caller == "caller7": raise KeyError("no number")\n    return')
    write(repo, {MODULE: raising})
    found = run()
    assert found.record.verdict is not Verdict.SHIP
    suite = found.record.suites[0]
    (case,) = [case for case in suite.cases if case.id == "c7"]
    assert case.baseline == [1.0]
    assert case.candidate == [None]
    assert "KeyError: 'no number'" in (case.candidate_outputs[0].failure or "")
    assert found.record.missing.samples == 1
    assert suite.calls.failed == 1
    assert any("has no text for 1 of 12 sessions" in note for note in texts(found.record))


def test_a_function_that_fails_for_every_case_is_inconclusive_even_on_both_sides(repo: Path, run: Run) -> None:
    failing = 'def build(session):\n    raise RuntimeError("no licence")\n'
    commit(repo, {MODULE: failing})
    write(repo, {"README.md": "# Other\n"})
    found = run()
    assert (found.code, found.record.verdict) == (3, Verdict.INCONCLUSIVE)
    assert "no licence" in found.out


def test_what_cannot_be_imported_is_an_error_that_names_module_and_ref(repo: Path, run: Run) -> None:
    write(repo, {MODULE: "import bots.missing\n" + GOOD})
    told = run()
    assert told.code == 2
    assert f"{MODULE}: {NAME} cannot be used: ModuleNotFoundError: No module named 'bots.missing'" in told.err
    assert "(in the working tree)" in told.err


def test_a_deleted_function_is_reported_and_red(repo: Path, run: Run) -> None:
    files = {MODULE: GOOD.replace("build", "make")}
    other = FILES["gate.yaml"].replace("python:bots.persona:build", "prompts/faq.j2").replace("dispatcher", "faq", 1)
    write(repo, {**files, "gate.yaml": other, "prompts/faq.j2": "Answer. quality=1.0\n"})
    found = run()
    assert found.record.verdict is Verdict.INCONCLUSIVE
    assert [finding.prompt for finding in found.record.findings if isinstance(finding, PromptDeleted)] == [NAME]


def test_a_module_that_moves_keeps_its_exam(repo: Path, run: Run) -> None:
    rules = "".join(f"# Rule {number}: what the persona must never forget.\n" for number in range(20))
    commit(repo, {MODULE: rules + GOOD})
    config = FILES["gate.yaml"].replace(NAME, README).replace("name: dispatcher", "name: voice")
    config += f"moved: {{'{NAME}': 'python:bots.voice:build'}}\n"
    commit(repo, {MODULE: None, "bots/voice.py": rules + WORSE, "gate.yaml": config})
    found = run("--head", "HEAD", base="HEAD~1")
    assert found.record.verdict is Verdict.BLOCK
    suite = next(suite for suite in found.record.suites if suite.baseline.path == NAME)
    assert suite.candidate.path == "python:bots.voice:build"


def test_a_file_becomes_a_function_with_the_exam_that_it_had(repo: Path, run: Run) -> None:
    config = FILES["gate.yaml"]
    commit(repo, {"gate.yaml": config.replace(NAME, "prompts/d.md"), "prompts/d.md": "Speak. quality=1.0\n"})
    write(repo, {"gate.yaml": config, MODULE: WORSE})
    found = run(base="HEAD")
    assert found.record.verdict is Verdict.BLOCK
    assert [found.record.suites[0].baseline.path, found.record.suites[0].candidate.path] == ["prompts/d.md", NAME]


@pytest.mark.threat("process-memory")
def test_neither_the_gate_nor_the_keeper_is_open_to_a_function(repo: Path, run: Run, tmp_path: Path) -> None:
    write(repo, {MODULE: peeking(tmp_path / "found") + WORSE})
    assert unprivileged(["diff", "--base", "main"], repo, run.env) == 1
    assert (tmp_path / "found").read_text() == ONLY_ITSELF


@pytest.mark.threat("git-hooks")
def test_hooks_and_filters_of_the_repository_are_not_run(repo: Path, run: Run, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    hook = repo / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    git(repo, "config", "filter.odd.smudge", f"touch {marker}; cat")
    git(repo, "config", "filter.odd.clean", "cat")
    commit(repo, {".gitattributes": "*.py filter=odd\n"})
    marker.unlink(missing_ok=True)
    commit(repo, {MODULE: WORSE})
    assert run("--head", "HEAD", base="HEAD~1").record.verdict is Verdict.BLOCK
    assert not marker.exists()


def test_ctrl_c_leaves_nothing_behind(repo: Path, run: Run, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    told = f"open({str(mark)!r}, 'w').write(str(os.getpid()))"
    slow = f"import os, time\n\ndef build(session):\n    {told}\n    time.sleep(9)\n"
    write(repo, {MODULE: slow})
    process = forked.start(["diff", "--base", "main"], repo, environment(repo, run.env))
    while process.running and not (mark.exists() and mark.read_text()):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)


@pytest.mark.threat("base-prompt-files")
def test_all_prompts_of_the_base_are_built_before_code_of_the_change_runs(repo: Path, run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log"
    suite = FILES["gate.yaml"].partition("suites:\n")[2]
    two = suite.replace("name: dispatcher", "name: another").replace(":build", ":another")
    good = GOOD + GOOD.partition("\n\n")[2].replace("build", "another")
    commit(repo, {"gate.yaml": FILES["gate.yaml"] + two, MODULE: f"open({str(log)!r}, 'a').write('base ')\n{good}"})
    commit(repo, {MODULE: f"open({str(log)!r}, 'a').write('change ')\n{good}"})
    assert "SKIPPED" in gate("diff", "--base", "HEAD~1", "--head", "HEAD", cwd=repo, env=run.env).out
    assert log.read_text().split() == ["base", "base", "change", "change"]


@pytest.mark.threat("base-prompt-files")
def test_code_of_the_change_does_not_edit_the_files_that_the_base_is_built_from(repo: Path, run: Run) -> None:
    suite = FILES["gate.yaml"].partition("suites:\n")[2]
    two = suite.replace("name: dispatcher", "name: another").replace(":build", ":another")
    good = GOOD + GOOD.partition("\n\n")[2].replace("build", "another")
    start = f"""\
import os
for folder, _, names in os.walk({os.fspath(repo.parent / "scratch")!r}):
    for path in (os.path.join(folder, name) for name in names if name == "persona.py"):
        text = open(path).read()
        open(path, "w").write(text.replace("quality={{session.quality}}", "quality=0.1"))
"""
    commit(repo, {"gate.yaml": FILES["gate.yaml"] + two, MODULE: good})
    commit(repo, {MODULE: start + good.replace("quality={session.quality}", "quality=0.1")})
    found = run("--head", "HEAD", base="HEAD~1")
    assert found.record.verdict is Verdict.BLOCK
    assert [suite.quality.overall.mean < -0.5 for suite in found.record.suites] == [True, True]
