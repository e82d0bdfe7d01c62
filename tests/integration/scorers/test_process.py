"""What a function that scores may do to its process: each answer is told by itself, and nothing is left behind."""

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from gate.domain.absence import Unscored
from gate.domain.case import Case, ScorerSpec
from gate.domain.prompt import Message
from gate.domain.sample import Score
from gate.inputs.builders import CannotLoad, Entry
from gate.python.process import Limits, Worktree
from gate.python.scorer import SCORING, FunctionScorer, ScoringProcess
from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding

ENTRY = Entry("evals.checks", "polite")
SHORT = replace(SCORING, import_s=10.0, call_s=0.5, memory=2**30)
FINE = "return 'please' in answer"
GAVE_NONE = "evals.checks:polite gave no score: "
T = TypeVar("T")


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    for name in ("root", "scratch"):
        (tmp_path / name).mkdir()
    root = tmp_path / "root"
    return Worktree(root, root, tmp_path / "scratch", os.environ["PATH"])


def put(worktree: Worktree, body: str, start: str = "") -> None:
    """A module whose function has this body."""
    module = worktree.root / "evals" / "checks.py"
    module.parent.mkdir(exist_ok=True)
    (module.parent / "__init__.py").touch()
    module.write_text(f"import os, signal, sys, time\n{start}\n\ndef polite(answer, case):\n    {body}\n")


def with_process(worktree: Worktree, work: Callable[[ScoringProcess], Awaitable[T]], limits: Limits = SHORT) -> T:
    async def inner() -> T:
        process = ScoringProcess(ENTRY, worktree, limits)
        try:
            await process.start()
            return await work(process)
        finally:
            await process.close()

    return asyncio.run(inner())


def scored(worktree: Worktree, answers: Sequence[str], limits: Limits = SHORT) -> list[Finding]:
    """What is said of answers that are all waited for at once."""

    async def work(process: ScoringProcess) -> list[Finding]:
        subjects = [Subject(Case(f"c{number}", input="q"), text) for number, text in enumerate(answers)]
        return list(await asyncio.gather(*(process.score(subject) for subject in subjects)))

    return with_process(worktree, work, limits)


def of_odd(worktree: Worktree, odd: str, start: str = "", limits: Limits = SHORT) -> Finding:
    """What is said of the second of three answers, which is odd; the others are scored as ever."""
    put(worktree, f"if answer == 'odd': {odd}\n    {FINE}", start)
    first, found, third = scored(worktree, ["yes, please", "odd", "no"], limits)
    assert (first[0], third[0]) == (1.0, 0.0)
    return found


@pytest.mark.parametrize(
    ("odd", "value", "reason"),
    [
        ("return True", 1.0, "evals.checks:polite says 1"),
        ("return False", 0.0, "evals.checks:polite says 0"),
        ("return 0.25", 0.25, "evals.checks:polite says 0.25"),
        ("return 1", 1.0, "evals.checks:polite says 1"),
        ("return {'score': 0.5, 'reason': 'so so'}", 0.5, "so so"),
        ("return {'score': True}", 1.0, "evals.checks:polite says 1"),
        ("import numpy; return numpy.float32(0.5)", 0.5, "evals.checks:polite says 0.5"),
        ("import numpy; return numpy.bool_(True)", 1.0, "evals.checks:polite says 1"),
        ("return {'score': 0.5, 'reason': 'x' * 500}", 0.5, "x" * 500),
    ],
)
def test_what_counts_as_a_score(worktree: Worktree, odd: str, value: float, reason: str) -> None:
    assert of_odd(worktree, odd, limits=replace(SHORT, call_s=20.0)) == (value, reason)


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("raise ValueError('no idea')", "ValueError: no idea"),
        ("raise ValueError('a\\n\\x1b[31m' + 'x' * 10_000)", "ValueError: a\\n\\x1b[31mxxx"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("return case.missing", "AttributeError: the case has no 'missing'"),
        ("return None", "it returned NoneType, and true, false or a number from 0 to 1 is wanted"),
        ("return '1'", "it returned str"),
        ("return 1.5", "it returned a number that is not from 0 to 1"),
        ("return -0.1", "it returned a number that is not from 0 to 1"),
        ("return float('nan')", "it returned a number that is not from 0 to 1"),
        ("return float('inf')", "it returned a number that is not from 0 to 1"),
        ("return 10**400", "it returned a number that is not from 0 to 1"),
        ("return {'reason': 'good'}", "it returned a mapping, and one of score and reason is wanted"),
        ("return {'score': 1, 'points': 2}", "it returned a mapping, and one of score and reason is wanted"),
        ("return {'score': '1'}", "it returned str"),
        ("return {'score': 1, 'reason': 3}", "its reason is int, and a text is wanted"),
        ("return {'score': 1, 'reason': 'x' * 501}", "its reason has 501 characters; 500 are allowed"),
        ("return 'x' * 2**31", "MemoryError"),
        ("os._exit(7)", "it ended its process (exit code 7)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "it ended its process (signal 9)"),
        ("os.execv('/bin/sleep', ['sleep', '60'])", "it closed what it answers through"),
        ("os.closerange(3, 100)", "it"),
        ("time.sleep(60)", "it took longer than 0.5 s"),
        ("exec('while True: pass')", "it took longer than 0.5 s"),
        ("os.kill(os.getpid(), signal.SIGSTOP)", "it took longer than 0.5 s"),
    ],
)
def test_one_answer_that_gets_no_score_costs_itself_alone(worktree: Worktree, odd: str, said: str) -> None:
    value, _ = of_odd(worktree, odd)
    assert isinstance(value, Unscored)
    assert value.reason.startswith(GAVE_NONE + said)
    assert len(value.reason) < 300
    assert value.reason.isprintable()


def test_an_async_function_is_told(worktree: Worktree) -> None:
    put(worktree, "pass")
    module = worktree.root / "evals" / "checks.py"
    module.write_text("async def polite(answer, case):\n    return True\n")
    ((value, _),) = scored(worktree, ["x"])
    assert isinstance(value, Unscored)
    assert "it returned coroutine" in value.reason


def test_what_it_prints_reaches_nobody(worktree: Worktree, capfd: pytest.CaptureFixture[str]) -> None:
    loud = "print('loud ' * 10**5); print('loud', file=sys.stderr); os.write(1, b'loud'); os.system('echo loud')"
    forged = """os.write(1, b'["answer", "x", [1.0, "forged"]]\\n')"""
    assert of_odd(worktree, f"{loud}; {forged}; return 0.5", start=loud)[0] == 0.5
    assert capfd.readouterr() == ("", "")


def test_a_child_that_comes_back_too_answers_nothing(worktree: Worktree) -> None:
    assert of_odd(worktree, "return 1.0 if os.fork() == 0 else (time.sleep(0.1), 0.5)[1]")[0] == 0.5


FORGE = """
def forge():
    for pipe in range(3, 30):
        try:
            os.write(pipe, b'["answer", "0123456789abcdef", [1.0, "forged"]]\\n')
        except OSError:
            pass
"""


def test_what_is_written_into_its_pipes_is_no_answer_to_another_question(worktree: Worktree) -> None:
    value, _ = of_odd(worktree, "forge()", FORGE)
    assert value == Unscored(GAVE_NONE + "what it answers is no answer")


def test_processes_that_stay_are_ended_with_it(worktree: Worktree) -> None:
    mark = worktree.root / "pids"
    stay = (
        f"exec('''if os.fork() == 0:\\n    os.setsid()\\n    if os.fork() == 0:\\n"
        f"        open({os.fspath(mark)!r}, 'a').write(str(os.getpid()) + chr(10)); time.sleep(600)\\n"
        "    os._exit(0)\\nos.wait(); time.sleep(0.2)'''); return 0.5"
    )
    assert of_odd(worktree, stay, limits=replace(SHORT, call_s=5.0))[0] == 0.5
    (pid,) = mark.read_text().split()
    assert not os.path.exists(f"/proc/{pid}")


def test_processes_do_not_pile_up(worktree: Worktree) -> None:
    count = "len([1 for fork in range(1) if os.fork() == 0 and time.sleep(600)])"
    put(worktree, f"{count}\n    return 0.5 if len(os.listdir('/proc')) < {len(os.listdir('/proc')) + 150} else 0.0")
    found = scored(worktree, ["x"] * 300, replace(SHORT, call_s=5.0))
    assert {value for value, _ in found} == {0.5}


def test_replies_are_not_mixed_up_and_one_process_answers_all(worktree: Worktree) -> None:
    put(worktree, "return {'score': int(answer) / 1000, 'reason': f'{case.id} {os.getpid()}'}")
    found = scored(worktree, [str(number) for number in range(500)])
    assert [value for value, _ in found] == [number / 1000 for number in range(500)]
    assert [reason.split()[0] for _, reason in found] == [f"c{number}" for number in range(500)]
    assert len({reason.split()[1] for _, reason in found}) == 1


def test_who_gives_up_waiting_disturbs_nobody(worktree: Worktree) -> None:
    put(worktree, "time.sleep(0.05); return {'score': 1, 'reason': answer}")

    async def work(process: ScoringProcess) -> list[Finding]:
        tasks = [asyncio.create_task(process.score(Subject(Case("c"), str(n)))) for n in range(6)]
        await asyncio.sleep(0.07)
        for task in tasks[:5]:
            task.cancel()
        return [await tasks[5], await process.score(Subject(Case("c"), "late"))]

    assert [reason for _, reason in with_process(worktree, work)] == ["5", "late"]


def test_a_function_that_dies_again_and_again_is_given_up(worktree: Worktree) -> None:
    put(worktree, "os._exit(3)")
    found = scored(worktree, ["x"] * 40, replace(SHORT, losses=3))
    reasons = [value.reason if isinstance(value, Unscored) else "" for value, _ in found]
    assert len(reasons) == 40
    assert all(reason.startswith(GAVE_NONE + "it ended its process (exit code 3)") for reason in reasons)


def test_after_the_end_every_further_answer_has_the_reason(worktree: Worktree) -> None:
    put(worktree, "os._exit(3)")

    async def work(process: ScoringProcess) -> list[Finding]:
        return [await process.score(Subject(Case("c"), "x")) for _ in range(4)]

    reasons = [str(value) for value, _ in with_process(worktree, work, replace(SHORT, losses=1))]
    assert "no other process is started" not in reasons[0]
    assert "it ended its process (exit code 3), and no other process is started" in reasons[3]


def test_a_keeper_that_is_killed_leaves_answers_unscored(worktree: Worktree) -> None:
    put(worktree, "os.kill(os.getppid(), 9); time.sleep(60)")
    found = scored(worktree, ["x", "y"], replace(SHORT, call_s=30.0))
    assert all(isinstance(value, Unscored) and "its process was lost" in value.reason for value, _ in found)


def test_a_start_that_hangs_after_a_death_ends_the_scorer(worktree: Worktree) -> None:
    mark = worktree.root / "began"
    start = f"if os.path.exists({os.fspath(mark)!r}): time.sleep(60)\nopen({os.fspath(mark)!r}, 'w').close()"
    put(worktree, "os._exit(3)", start)
    found = scored(worktree, ["x", "y"], replace(SHORT, import_s=0.7))
    assert [isinstance(value, Unscored) for value, _ in found] == [True, True]
    assert "it took longer than 0.7 s" in str(found[1][0])


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("import nowhere_to_be_found", "ModuleNotFoundError"),
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("os._exit(4)", "it ended its process (exit code 4)"),
        ("time.sleep(600)", "it took longer than 0.5 s"),
        ("del os\npolite = 3\nraise SystemExit", "SystemExit"),
    ],
)
def test_a_module_that_cannot_be_imported_is_one_mistake(worktree: Worktree, start: str, said: str) -> None:
    put(worktree, FINE, start)
    with pytest.raises(CannotLoad) as caught:
        scored(worktree, ["x"], replace(SHORT, import_s=0.5))
    assert caught.value.message.startswith(f"python:evals.checks:polite cannot be used: {said}")


def test_what_the_function_is_called_with(worktree: Worktree) -> None:
    put(
        worktree,
        "import json; return {'score': 1, 'reason': json.dumps([answer, case, case.slices.lang, len(case.messages)])}",
    )
    case = Case(
        "c1",
        messages=(Message("user", "hi"),),
        expected={"n": [1]},
        slices={"lang": "de"},
        vars={"deep": {"x": 1}},
    )

    async def work(process: ScoringProcess) -> Finding:
        return await process.score(Subject(case, "größer\n\udc80"))

    value, reason = with_process(worktree, work)
    assert value == 1.0
    answer, seen, lang, count = json.loads(reason)
    assert (answer, lang, count) == ("größer\n\udc80", "de", 1)
    assert seen == {
        "id": "c1",
        "input": "",
        "messages": [{"role": "user", "content": "hi"}],
        "expected": {"n": [1]},
        "slices": {"lang": "de"},
        "vars": {"deep": {"x": 1}},
    }


def test_the_environment_is_bare(worktree: Worktree, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "PYTHONPATH"):
        monkeypatch.setenv(name, "secret")
    put(
        worktree,
        "return {'score': 1, 'reason': ' '.join(sorted(os.environ)) + ('secret' in str(os.environ)) * ' secret'}",
    )
    ((_, reason),) = scored(worktree, ["x"])
    assert reason == "HOME LANG LC_ALL PATH PYTHONDONTWRITEBYTECODE PYTHONHASHSEED TMPDIR"


def test_a_long_answer_comes_through(worktree: Worktree) -> None:
    put(worktree, "return {'score': 1, 'reason': str(len(answer))}")
    found = scored(worktree, ["ä" * 2_000_000, "x"], replace(SHORT, call_s=20.0))
    assert [reason for _, reason in found] == ["2000000", "1"]


def test_negation_weight_and_name_are_the_scorers(worktree: Worktree) -> None:
    put(worktree, "return 0.25 if answer else None")
    spec = ScorerSpec("python", "rude", {"function": "evals.checks:polite"}, 2.0, required=True, negate=True)

    async def work(process: ScoringProcess) -> list[Score]:
        scorer = FunctionScorer(spec, process)
        return [await scorer.score(Subject(Case("c"), text), 0) for text in ("x", "")]

    fine, none = with_process(worktree, work)
    assert (fine.scorer, fine.value, fine.weight, fine.required) == ("rude", 0.75, 2.0, True)
    assert isinstance(none.value, Unscored)


def test_the_processes_end_with_whoever_waits_for_them(worktree: Worktree) -> None:
    mark = worktree.root / "pid"
    put(worktree, f"open({os.fspath(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    pid = os.fork()
    if pid == 0:
        try:
            scored(worktree, ["x"], replace(SHORT, call_s=60.0))
        finally:
            os._exit(0)
    until = time.monotonic() + 20.0
    while not (mark.exists() and mark.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    runner = int(mark.read_text())
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    while (os.path.exists(f"/proc/{runner}") or worktree.scratch.exists()) and time.monotonic() < until:
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{runner}")
    assert not worktree.scratch.exists()
