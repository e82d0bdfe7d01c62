"""What a function may do to its process, whatever it is called for: each call is told by itself; nothing is left."""

import json
import os
import time
from dataclasses import replace

import pytest

from gate.agents.functions import FunctionWorktree
from gate.prompts.files import CannotLoad
from tests.e2e.python_functions.jobs import NAMES, PROMPT, SCORE, Job


@pytest.fixture(params=[PROMPT, SCORE], ids=lambda job: job.name)
def job(request: pytest.FixtureRequest) -> Job:
    found: Job = request.param
    return found


FAILING = (
    ("raise ValueError('a\\n\\x1b[31m' + 'x' * 10_000)", "ValueError: a\\n\\x1b[31mxxx"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt"),
    ("raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})", "Odd: its text cannot be read"),
    ("return 'x' * 2**31", "MemoryError"),
    ("os._exit(7)", "it ended (exit code 7)"),
    ("os.kill(os.getpid(), signal.SIGKILL)", "it ended (signal 9)"),
    ("os.execv('/bin/sleep', ['sleep', '60'])", "it closed its standard output"),
    ("time.sleep(60)", "it took longer than 1 s"),
    ("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(60)", "it took longer than 1 s"),
)


def test_one_call_that_fails_costs_itself_alone(worktree: FunctionWorktree) -> None:
    reasons = PROMPT.odds(worktree, [odd for odd, _ in FAILING], call_s=1.0)
    for reason, (_, said) in zip(reasons, FAILING, strict=True):
        assert reason.startswith(PROMPT.failure + said)
        assert len(reason) < 300
        assert reason.isprintable()


def test_what_it_prints_reaches_nobody(worktree: FunctionWorktree, capfd: pytest.CaptureFixture[str]) -> None:
    loud = "print('loud ' * 10**6); print('loud', file=sys.stderr); os.write(1, b'loud'); os.system('echo loud')"
    forged = r"""os.write(1, b'["answer", 1, "forged"]\n["answer", "x", [1.0, "forged"]]\n')"""
    assert SCORE.odd(worktree, f"{loud}; {forged}; return FINE", start=loud) == SCORE.fine[1]
    assert capfd.readouterr() == ("", "")


def test_a_child_that_comes_back_too_answers_nothing(worktree: FunctionWorktree) -> None:
    assert PROMPT.odd(worktree, "return BAD if os.fork() == 0 else (time.sleep(0.1), FINE)[1]") == PROMPT.fine[1]


@pytest.mark.threat("function-environment")
def test_a_process_that_stays_is_ended_whatever_it_calls_itself(worktree: FunctionWorktree, job: Job) -> None:
    mark = worktree.root / "pids"
    stay = (
        f"exec('''if os.fork() == 0:\\n    os.setsid()\\n    if os.fork() == 0:\\n"
        f"        open({os.fspath(mark)!r}, 'a').write(str(os.getpid()) + chr(10)); time.sleep(600)\\n"
        "    os._exit(0)\\nos.wait(); time.sleep(0.2)'''); return FINE"
    )
    assert job.odd(worktree, stay, call_s=5.0) == job.fine[1]
    (pid,) = mark.read_text().split()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


@pytest.mark.threat("function-environment")
def test_the_environment_is_bare(worktree: FunctionWorktree, job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "GITHUB_EVENT_NAME", "PYTHONPATH", "LD_PRELOAD_X"):
        monkeypatch.setenv(name, "secret")
    mark = worktree.root / "seen"
    seen = "json.dumps([dict(os.environ), os.getcwd(), sys.path[0], hash('a'), sys.stdin.read()])"
    for number in range(2):
        assert job.odd(worktree, f"open({f'{mark}{number}'!r}, 'w').write({seen}); return FINE", "import json")
    text, again = ((worktree.root / f"seen{number}").read_text() for number in range(2))
    assert text == again
    env, cwd, first, _, given = json.loads(text)
    assert set(env) == {
        *("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL"),
        *("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE"),
    }
    assert "secret" not in text
    assert env["HOME"].startswith(os.fspath(worktree.scratch))
    assert env["TMPDIR"].startswith(os.fspath(worktree.scratch))
    assert cwd == first == os.fspath(worktree.root)
    assert given == ""
    assert list(worktree.root.rglob("*.pyc")) == []


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("def (", "SyntaxError: invalid syntax (persona.py, line 3)"),
        ("os._exit(4)", "it ended (exit code 4)"),
        ("os.fork() and time.sleep(600)", "it took longer than 0.5 s"),
    ],
)
def test_a_module_that_cannot_be_imported_is_one_error(worktree: FunctionWorktree, start: str, said: str) -> None:
    with pytest.raises(CannotLoad) as caught:
        PROMPT.odd(worktree, "pass", start, import_s=0.5)
    assert caught.value.message.startswith(f"python:bots.persona:asked cannot be used: {said}")
    assert caught.value.exit_code == 2


def test_the_processes_end_with_whoever_waits_for_them(worktree: FunctionWorktree) -> None:
    mark = worktree.root / "pid"
    PROMPT.put(worktree, f"open({os.fspath(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    pid = os.fork()
    if pid == 0:
        try:
            PROMPT.ask(worktree, replace(PROMPT.limits, call_s=60.0), NAMES)
        finally:
            os._exit(0)
    until = time.monotonic() + 20.0
    while not (mark.exists() and mark.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    runner = int(mark.read_text())
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    while os.path.exists(f"/proc/{runner}") and time.monotonic() < until:
        time.sleep(0.02)
    assert not os.path.exists(f"/proc/{runner}")
