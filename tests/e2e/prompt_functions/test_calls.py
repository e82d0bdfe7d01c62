"""What a function that builds prompts is called with and may return, and whose words the process takes for its own."""

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from gate.agents import runner
from gate.agents.functions import FunctionWorktree, prompt_texts
from gate.config.values import FunctionName
from gate.prompts.files import CannotLoad
from gate.record.transcript import Failed
from gate.values import JsonValue
from tests.e2e.python_functions.jobs import ENTRY, PROMPT, SESSIONS

LIMITS = PROMPT.limits


NO_TEXT = (
    ("return session.missing", "AttributeError: the session has no 'missing'"),
    ("return None", "it returned NoneType, not the text of a prompt"),
    ("return ''", "it returned an empty text"),
    ("return 'x' * 5_001", "it returned 5,001 characters; the limit is 5,000"),
    ("return 'a\\0b'", "its text contains NUL characters"),
    ("return chr(0xd800)", "its text contains half of a surrogate pair"),
)


def test_what_is_no_text(worktree: FunctionWorktree) -> None:
    reasons = PROMPT.odds(worktree, [odd for odd, _ in NO_TEXT])
    for reason, (_, said) in zip(reasons, NO_TEXT, strict=True):
        assert reason.startswith(PROMPT.failure + said)
        assert len(reason) < 300
        assert reason.isprintable()


RAISING = (
    (
        "raise RuntimeError(dict(os.environ))",
        "RuntimeError: {'PATH': '$PATH', 'HOME': '$HOME', 'TMPDIR': '$TMPDIR',",
    ),
    ("raise type(os.environ['PATH'], (Exception,), {})", "$PATH"),
    ("open(os.environ['HOME'] + '/none')", "FileNotFoundError: [Errno 2] No such file or directory: '$HOME/none'"),
    (
        "open(os.path.dirname(os.environ['HOME']) + '/n')",
        "FileNotFoundError: [Errno 2] No such file or directory: '…/n'",
    ),
    ("open(os.path.abspath('bots/none'))", "FileNotFoundError: [Errno 2] No such file or directory: 'bots/none'"),
)


def test_what_an_exception_tells_has_no_variable_and_no_folder_that_goes(worktree: FunctionWorktree) -> None:
    path = ":".join([worktree.path, *(f"/opt/tool{number}/bin" for number in range(100))])
    worktree = replace(worktree, path=path)
    hidden = ("/opt/tool", path[:20], str(worktree.scratch), str(worktree.root))
    for reason, (_, said) in zip(PROMPT.odds(worktree, [odd for odd, _ in RAISING]), RAISING, strict=True):
        assert reason.startswith(PROMPT.failure + said)
        assert not any(one in reason for one in hidden)


def test_a_call_sees_its_own_session_and_nothing_that_another_changed(worktree: FunctionWorktree) -> None:
    PROMPT.put(
        worktree, "session.deep.append(1); session['name'] += '!'; return f'{session.name} {session.deep} {session}'"
    )
    sessions: list[dict[str, JsonValue]] = [{"name": "a", "deep": []}, {"name": "a", "deep": []}]
    first, second = asyncio.run(prompt_texts(ENTRY, sessions, worktree, LIMITS))
    assert first == second == "a! [1] {'name': 'a!', 'deep': [1]}"


def test_all_cases_of_a_side_have_a_time_limit(worktree: FunctionWorktree) -> None:
    PROMPT.put(worktree, "time.sleep(0.1); return 'fine'")
    sessions: list[dict[str, JsonValue]] = [{"name": str(n)} for n in range(100)]
    texts = asyncio.run(prompt_texts(ENTRY, sessions, worktree, replace(LIMITS, all_s=0.5)))
    assert texts[0] == "fine"
    last = texts[-1]
    assert isinstance(last, Failed)
    assert last.reason == "the prompt could not be built: all cases of one side together took longer than 0.5 s"


def test_a_source_folder_counts_before_what_is_installed(worktree: FunctionWorktree) -> None:
    module = worktree.root / "src" / "shop" / "persona.py"
    module.parent.mkdir(parents=True)
    module.write_text("from shop.words import WORD\n\ndef asked(session):\n    return WORD\n")
    (module.parent / "words.py").write_text("WORD = 'ours'\n")
    assert asyncio.run(prompt_texts(FunctionName("shop.persona", "asked"), [{}], worktree, LIMITS)) == ("ours",)


def test_code_of_the_checkout_does_not_stand_in_for_that_of_a_side(worktree: FunctionWorktree, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    (checkout / "lib").mkdir(parents=True)
    (checkout / "lib" / "helper_of_ours.py").write_text("TEXT = 'of the working tree'\n")
    late = f"sys.path.append({os.fspath(checkout / 'lib')!r}); import helper_of_ours; return helper_of_ours.TEXT"
    reason = PROMPT.odd(replace(worktree, checkout=checkout), late)
    assert "helper_of_ours comes from the checkout" in reason
    start = f"sys.path.append({os.fspath(checkout / 'lib')!r}); import helper_of_ours"
    with pytest.raises(CannotLoad, match="comes from the checkout"):
        PROMPT.odd(replace(worktree, checkout=checkout), "pass", start)


def test_the_gate_itself_may_lie_in_the_checkout(worktree: FunctionWorktree) -> None:
    here = Path(runner.__file__).parents[1]
    assert PROMPT.odd(replace(worktree, checkout=here), "return FINE") == "fine"


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


FORGED = b"".join(b'["answer", %d, "forged"]\n' % place for place in range(len(SESSIONS)))


@pytest.mark.threat("watcher")
@pytest.mark.parametrize("end", [signal.SIGKILL, 0])
def test_what_is_said_in_place_of_the_keeper_is_not_believed(worktree: FunctionWorktree, end: int) -> None:
    mark = worktree.root / "pid"
    odd = f"stray({os.fspath(mark)!r}, {FORGED!r}, {int(end)})"
    PROMPT.put(worktree, f"who == 'one' and {odd}; return 'true'", STRAY)
    first, *others = asyncio.run(prompt_texts(ENTRY, SESSIONS, worktree, replace(LIMITS, call_s=2.5)))
    assert others == ["true"] * 2
    assert first == "true" or (end and isinstance(first, Failed))
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text().split()[0]), 0)
