"""What a function may do to the processes that call it: each case is told by itself, and nothing is left behind."""

import json
import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from gate.domain.absence import Failed
from gate.domain.jsonvalue import JsonValue
from gate.errors import CannotEvaluate
from gate.inputs.builders import CannotLoad, Entry
from gate.python import worker
from gate.python.process import Limits, Worktree, call

ENTRY = Entry("bots.persona", "build")
SHORT = Limits(import_s=10.0, call_s=0.5, all_s=60.0, memory=2**30, chars=5_000)
FINE = "return 'text ' + session.name"
"""The body of a function for `SESSIONS`."""
SESSIONS: list[dict[str, JsonValue]] = [{"name": name} for name in ("one", "odd", "three")]


@pytest.fixture
def worktree(tmp_path: Path) -> Worktree:
    for name in ("root", "scratch"):
        (tmp_path / name).mkdir()
    root = tmp_path / "root"
    return Worktree(root, root, tmp_path / "scratch", os.environ["PATH"])


def put(worktree: Worktree, body: str, start: str = "") -> None:
    """A module whose function has this body."""
    module = worktree.root / "bots" / "persona.py"
    module.parent.mkdir(exist_ok=True)
    module.write_text(f"import os, signal, sys, time\n{start}\n\ndef build(session):\n    {body}\n")


def built(worktree: Worktree, odd: str, start: str = "", limits: Limits = SHORT) -> list[str]:
    """The texts for `SESSIONS`, or the reasons; the second one is odd."""
    put(worktree, f"if session.name == 'odd': {odd}\n    {FINE}", start)
    found = call(ENTRY, SESSIONS, worktree, limits)
    return [text.reason if isinstance(text, Failed) else text for text in found]


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        ("raise ValueError('no caller')", "ValueError: no caller"),
        ("raise ValueError('a\\n\\x1b[31m' + 'x' * 10_000)", "ValueError: a\\n\\x1b[31mxxx"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})", "Odd: its text cannot be read"),
        ("return session.missing", "AttributeError: the session has no 'missing'"),
        ("return None", "it returned NoneType, and the text of a prompt is wanted"),
        ("return 3", "it returned int"),
        ("return b'bytes'", "it returned bytes"),
        ("return ''", "it returned an empty text"),
        ("return ' \\n'", "it returned an empty text"),
        ("return 'x' * 5_001", "it returned 5,001 characters; 5,000 are allowed"),
        ("return 'a\\0b'", "its text holds NUL characters"),
        ("return chr(0xd800)", "its text holds half of a surrogate pair"),
        ("return 'x' * 2**31", "MemoryError"),
        ("os._exit(7)", "it ended its process (exit code 7)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "it ended its process (signal 9)"),
        ("os.killpg(0, signal.SIGTERM)", "it ended its process (signal 15)"),
        ("os.execv('/bin/true', ['true'])", "it ended its process (exit code 0)"),
        ("os.execv('/bin/sleep', ['sleep', '60'])", "it closed what it answers through"),
        ("os.closerange(3, 100)", "it"),
        ("time.sleep(60)", "it took longer than 0.5 s"),
        ("exec('while True: pass')", "it took longer than 0.5 s"),
        ("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); time.sleep(60)", "it took longer than 0.5 s"),
    ],
)
def test_one_call_that_fails_costs_itself_alone(worktree: Worktree, odd: str, said: str) -> None:
    one, reason, three = built(worktree, odd)
    assert [one, three] == ["text one", "text three"]
    assert reason.startswith(f"the prompt could not be built: {said}")
    assert len(reason) < 300
    assert reason.isprintable()


def test_what_it_prints_reaches_nobody(worktree: Worktree, capfd: pytest.CaptureFixture[str]) -> None:
    loud = "print('loud ' * 10**6); print('loud', file=sys.stderr); os.write(1, b'loud'); os.system('echo loud')"
    forged = """os.write(1, b'["text", 1, "forged"]\\n')"""
    assert built(worktree, f"{loud}; {forged}; return 'fine'", start=loud)[1] == "fine"
    assert capfd.readouterr() == ("", "")


def test_a_child_that_comes_back_too_answers_nothing(worktree: Worktree) -> None:
    texts = built(worktree, "return 'child' if os.fork() == 0 else (time.sleep(0.1), 'parent')[1]")
    assert texts == ["text one", "parent", "text three"]


def test_a_process_that_stays_is_ended_whatever_it_calls_itself(worktree: Worktree) -> None:
    mark = worktree.scratch / "pids"
    stay = (
        f"exec('''if os.fork() == 0:\\n    os.setsid()\\n    if os.fork() == 0:\\n"
        f"        open({os.fspath(mark)!r}, 'a').write(str(os.getpid()) + chr(10)); time.sleep(600)\\n"
        "    os._exit(0)\\nos.wait(); time.sleep(0.2)'''); return 'fine'"
    )
    assert built(worktree, stay)[1] == "fine"
    (pid,) = mark.read_text().split()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_a_call_sees_its_own_session_and_nothing_that_another_changed(worktree: Worktree) -> None:
    put(worktree, "session.deep.append(1); session['name'] += '!'; return f'{session.name} {session.deep} {session}'")
    sessions: list[dict[str, JsonValue]] = [{"name": "a", "deep": []}, {"name": "a", "deep": []}]
    first, second = call(ENTRY, sessions, worktree, SHORT)
    assert first == second == "a! [1] {'name': 'a!', 'deep': [1]}"


def test_the_environment_is_bare(worktree: Worktree, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "GITHUB_EVENT_NAME", "PYTHONPATH", "LD_PRELOAD_X"):
        monkeypatch.setenv(name, "secret")
    put(
        worktree,
        "import json; return json.dumps([dict(os.environ), os.getcwd(), sys.path[0], hash('a'), sys.stdin.read()])",
    )
    (text,) = call(ENTRY, [{}], worktree, SHORT)
    (again,) = call(ENTRY, [{}], worktree, SHORT)
    assert text == again
    env, cwd, first, _, given = json.loads(str(text))
    assert set(env) == {
        *("PATH", "HOME", "TMPDIR", "LANG", "LC_ALL"),
        *("PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE"),
    }
    assert "secret" not in str(text)
    assert env["HOME"].startswith(os.fspath(worktree.scratch))
    assert env["TMPDIR"].startswith(os.fspath(worktree.scratch))
    assert cwd == first == os.fspath(worktree.root)
    assert given == ""
    assert list(worktree.root.rglob("*.pyc")) == []


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("def (", "SyntaxError: invalid syntax (persona.py, line 2)"),
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("sys.exit(4)", "SystemExit: 4"),
        ("os._exit(4)", "it ended its process (exit code 4)"),
        ("time.sleep(600)", "it took longer than 0.5 s"),
        ("while True: pass", "it took longer than 0.5 s"),
        ("os.fork() and time.sleep(600)", "it took longer than 0.5 s"),
        ("x = 'x' * 2**31", "MemoryError"),
    ],
)
def test_a_module_that_cannot_be_imported_is_one_mistake(worktree: Worktree, start: str, said: str) -> None:
    with pytest.raises(CannotLoad) as caught:
        built(worktree, "pass", start, replace(SHORT, import_s=0.5))
    assert caught.value.message.startswith(f"python:bots.persona:build cannot be used: {said}")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (Entry("bots.persona", "other"), "AttributeError: module 'bots.persona' has no attribute 'other'"),
        (Entry("bots.persona", "time"), "TypeError: time is no function"),
        (Entry("bots.other", "build"), "ModuleNotFoundError: No module named 'bots.other'"),
        (Entry("bots", "build"), "ImportError: bots is a folder"),
        (Entry("json", "dumps"), "ImportError: json is "),
    ],
)
def test_a_function_that_is_not_there_is_one_mistake(worktree: Worktree, entry: Entry, said: str) -> None:
    put(worktree, FINE)
    with pytest.raises(CannotLoad) as caught:
        call(entry, SESSIONS, worktree, SHORT)
    assert said in caught.value.message


def test_all_cases_of_a_side_have_a_time_limit(worktree: Worktree) -> None:
    put(worktree, "time.sleep(0.1); return 'fine'")
    sessions: list[dict[str, JsonValue]] = [{"n": n} for n in range(100)]
    texts = call(ENTRY, sessions, worktree, replace(SHORT, all_s=1.0))
    assert texts[0] == "fine"
    last = texts[-1]
    assert isinstance(last, Failed)
    assert last.reason == "the prompt could not be built: the 1 s for all cases of one side were over"


def test_all_texts_together_have_a_limit(worktree: Worktree) -> None:
    put(worktree, "return 'x' * 4_000")
    first, second, third = call(ENTRY, SESSIONS, worktree, replace(SHORT, all_chars=9_000))
    assert [first, second] == ["x" * 4_000] * 2
    assert isinstance(third, Failed)
    assert "too long together" in third.reason


def test_a_source_folder_counts_before_what_is_installed(worktree: Worktree) -> None:
    module = worktree.root / "src" / "shop" / "persona.py"
    module.parent.mkdir(parents=True)
    module.write_text("from shop.words import WORD\n\ndef build(session):\n    return WORD\n")
    (module.parent / "words.py").write_text("WORD = 'ours'\n")
    assert call(Entry("shop.persona", "build"), [{}], worktree, SHORT) == ("ours",)


def test_code_of_the_checkout_does_not_stand_in_for_that_of_a_side(worktree: Worktree, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "lib").mkdir(parents=True)
    (checkout / "lib" / "helper_of_ours.py").write_text("TEXT = 'of the working tree'\n")
    late = f"sys.path.append({os.fspath(checkout / 'lib')!r}); import helper_of_ours; return helper_of_ours.TEXT"
    _, reason, _ = built(replace(worktree, checkout=checkout), late)
    assert "helper_of_ours comes from the checkout" in reason
    start = f"sys.path.append({os.fspath(checkout / 'lib')!r}); import helper_of_ours"
    with pytest.raises(CannotLoad, match="comes from the checkout"):
        built(replace(worktree, checkout=checkout), "pass", start)


def test_the_gate_itself_may_lie_in_the_checkout(worktree: Worktree) -> None:
    here = Path(worker.__file__).parents[2]
    assert built(replace(worktree, checkout=here), "return 'fine'")[1] == "fine"


def test_the_processes_end_with_whoever_waits_for_them(worktree: Worktree) -> None:
    mark = worktree.scratch / "pid"
    put(worktree, f"open({os.fspath(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    pid = os.fork()
    if pid == 0:
        try:
            call(ENTRY, SESSIONS, worktree, replace(SHORT, call_s=60.0))
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
    while worktree.scratch.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not worktree.scratch.exists()


STRAY = """
def stray(mark, lines, after):
    keeper = os.getppid()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            try:
                pipe, opened = os.open(f'/proc/{keeper}/fd/1', os.O_WRONLY), 'opened'
            except OSError:
                pipe, opened = os.open(os.devnull, os.O_WRONLY), ''
            with open(mark, 'w') as file:
                file.write(f'{os.getpid()} {opened}')
            os.write(pipe, lines)
            if after:
                os.kill(keeper, after)
            time.sleep(600)
        os._exit(0)
    time.sleep(0.5)
"""
"""Leaves a process that writes lines in the keeper's place, and then sends it a signal."""


FORGED = b'["ready"]\n' + b"".join(b'["answer", %d, "forged"]\n' % place for place in range(len(SESSIONS)))


@pytest.mark.parametrize("lines", [FORGED, b"[[[\n", b'["answer", [], "forged"]\n', b""])
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, 0])
def test_what_is_said_in_place_of_the_keeper_is_not_believed(worktree: Worktree, end: int, lines: bytes) -> None:
    mark = worktree.root / "pid"
    odd = f"stray({os.fspath(mark)!r}, {lines!r}, {int(end)})"
    put(worktree, f"session.name == 'one' and {odd}; return 'true'", STRAY)
    try:
        texts = call(ENTRY, SESSIONS, worktree, replace(SHORT, call_s=5.0))
    except CannotEvaluate as error:
        texts = None
        assert "was lost" in error.message
    pid, *opened = mark.read_text().split()
    # Root may open what no other user may.
    assert not opened or os.geteuid() == 0
    assert texts == (None if end or (opened and lines) else ("true",) * len(SESSIONS))
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)


def test_children_that_were_there_before_stay(worktree: Worktree) -> None:
    other = subprocess.Popen(["sleep", "600"])
    try:
        assert built(worktree, FINE)[0] == "text one"
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()
