"""A fork of the loaded package behaves like a new process."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import forked
from tests.support.command import environment
from tests.support.warm import ROOT


def test_a_fork_ends_like_a_process(tmp_path: Path) -> None:
    env, arguments = environment(tmp_path), ["diff", "--nope"]
    command = [sys.executable, "-m", "gate", *arguments]
    real = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    fork = forked.run(arguments, tmp_path, env, 60)
    assert (fork.returncode, fork.stdout, fork.stderr) == (real.returncode, real.stdout, real.stderr)
    assert real.stdout or real.stderr


TESTS = """
import sys

def test_it_has_modules_of_its_own():
    assert not [name for name in sys.modules if name.startswith("test_") and name != __name__]

def test_it_falls():
    assert {"a": 1} == {"a": 2}
"""


def test_a_fork_of_pytest_ends_like_a_process(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    env = environment(tmp_path)
    options = ["-pno:asyncio", "-pno:anyio", "-pno:schemathesis", "-pno:hypothesispytest", "-pno:cacheprovider", "-v"]
    command = [sys.executable, "-m", "pytest", *options]
    real = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    fork = forked.run(options, tmp_path, env, 60, module="pytest")
    assert (fork.returncode, fork.stderr) == (real.returncode, real.stderr)
    assert without_seconds(fork.stdout) == without_seconds(real.stdout)
    assert real.stdout or real.stderr


def without_seconds(text: str) -> str:
    return re.sub(r"=* ?(.*) in [0-9.]+s =*", r"\1", text)


SCRIPT = """
import os, sys, time
import beside

if sys.argv[1] == "wait":
    time.sleep(600)
print(__name__, sys.argv, beside.__name__, os.getcwd())
with open("long", "w") as file:
    file.write("x" * 2000)
"""


@pytest.fixture
def script(tmp_path: Path) -> str:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "beside.py").touch()
    (tmp_path / "folder" / "script.py").write_text(SCRIPT)
    return "folder/script.py"


def test_a_script_can_start_a_fork_as_python(tmp_path: Path) -> None:
    (tmp_path / "told.py").write_text("import sys\nprint(input(), sys.argv[1:])\nsys.exit(7)\n")
    command = [forked.python(tmp_path), "told.py", "a b"]
    env = environment(tmp_path)
    done = subprocess.run(command, cwd=tmp_path, env=env, input="in\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (7, "in ['a b']\n", "")


def test_a_signal_ends_a_fork(tmp_path: Path, script: str) -> None:
    with forked.start([script, "wait"], tmp_path, environment(tmp_path), module=None) as fork:
        assert fork.returncode is None
        with pytest.raises(subprocess.TimeoutExpired):
            fork.wait(0.01)
        fork.send_signal(signal.SIGKILL)
        assert fork.wait(60) == fork.returncode == -signal.SIGKILL


def test_a_fork_ends_with_the_process_that_started_it(tmp_path: Path, script: str) -> None:
    asking = (
        "import pathlib, sys; from tests.support import forked; from tests.support.command import environment\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        f"print(forked.start([{script!r}, 'wait'], folder, environment(folder), None).pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    env = environment(tmp_path, {forked.SERVER: str(forked.server())})
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", asking], cwd=ROOT, env=env, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        os.kill(pid, 0)
        process.kill()
    until = time.monotonic() + 60
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < until:
            os.kill(pid, 0)
            time.sleep(0.01)
