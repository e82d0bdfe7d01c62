"""A fork of the loaded package must be what a process that starts from nothing is."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import forkserver
from tests.support.command import environment
from tests.support.warm import ROOT

SAME = [
    ["--version"],
    ["diff", "--nope"],
    ["diff", "--base", "nowhere"],
    ["report", "missing.json"],
    ["schema", "gate.yaml"],
]


@pytest.mark.parametrize("arguments", SAME, ids=" ".join)
def test_a_fork_ends_as_a_process_does(tmp_path: Path, arguments: list[str]) -> None:
    env = environment(tmp_path)
    command = [sys.executable, "-m", "gate", *arguments]
    real = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    fork = forkserver.run(arguments, tmp_path, env, 60)
    assert (fork.returncode, fork.stdout, fork.stderr) == (real.returncode, real.stdout, real.stderr)
    assert real.stdout or real.stderr


TESTS = """
import sys

def test_it_has_modules_of_its_own():
    assert not [name for name in sys.modules if name.startswith("test_") and name != __name__]

def test_it_falls():
    assert {"a": 1} == {"a": 2}
"""


@pytest.mark.parametrize("arguments", [["-v"], ["-m", "eval"], ["--nope"]], ids=" ".join)
def test_a_fork_of_pytest_ends_as_a_process_does(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "test_one.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    env = environment(tmp_path)
    options = ["-pno:asyncio", "-pno:cacheprovider", *arguments]
    command = [sys.executable, "-m", "pytest", *options]
    real = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    fork = forkserver.run(options, tmp_path, env, 60, module="pytest")
    assert (fork.returncode, fork.stderr) == (real.returncode, real.stderr)
    assert without_seconds(fork.stdout) == without_seconds(real.stdout)
    assert real.stdout or real.stderr


def without_seconds(text: str) -> str:
    return re.sub(r"=* ?(.*) in [0-9.]+s =*", r"\1", text)


def test_one_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        forkserver.run(["schema", "gate.yaml"], tmp_path, environment(tmp_path), 0.0001)
    assert forkserver.run(["--version"], tmp_path, environment(tmp_path), 60).returncode == 0


def test_how_python_starts_is_not_a_forks_to_say(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.exit('started from nothing')")
    env = environment(tmp_path, {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])})
    assert "started from nothing" in forkserver.run(["--version"], tmp_path, env, 60).stderr


AT_THE_END = """
import atexit, sys, threading, time
from tests.support.forkserver import leave

class Told:
    def __init__(self):
        self.itself = self
    def __del__(self):
        print("garbage")

def late():
    time.sleep(0.2)
    print("thread")

Told()
atexit.register(print, "at exit")
threading.Thread(target=late).start()
print("error", end="", file=sys.stderr)
print("end", end=" ")
"""


def test_what_is_to_be_done_at_the_end_is_done(tmp_path: Path) -> None:
    ended = []
    for way in ("sys.exit(7)", "leave(7)"):
        command = [sys.executable, "-c", f"{AT_THE_END}\n{way}"]
        done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, check=False)
        ended.append((done.returncode, sorted(done.stdout.split()), done.stderr))
    assert ended[0] == ended[1] == (7, ["at", "end", "exit", "garbage", "thread"], "error")
