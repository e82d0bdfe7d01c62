"""Runs the `gate` command in the test's process, with arguments, environment, folder and streams of its own.

done = run(["diff", "--help"], cwd=tmp_path, env=environment(tmp_path), timeout_s=60)

It costs half of what a fork does. What ends a process from outside, its start, and what it does beside others need
`tests.support.forked` or a new process.
"""

import faulthandler
import gc
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from gate.cli.app import main
from tests.support.warm import ROOT

PLAIN_FILTERS = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""Warnings that Python does not show outside of tests."""


def run(
    arguments: Sequence[str], cwd: Path, env: Mapping[str, str], timeout_s: float
) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end; in a new process, if the environment has settings for Python's start.

    After `timeout_s`, this process ends, because nothing else would end what hangs; pytest-xdist names its test.
    """
    if any(name.startswith(("PYTHON", "LC_")) for name in env if (name, env[name]) != ("PYTHONPATH", str(ROOT))):
        command = [sys.executable, "-m", "gate", *arguments]
        return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout_s, check=False)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["gate", *arguments])
        # What a run freezes, to save time at its end, would never be freed here, and its processes not ended.
        patch.setattr(gc, "freeze", lambda: None)
        # Python remembers the folder of an earlier TMPDIR.
        patch.setattr(tempfile, "tempdir", None)
        for name in os.environ.keys() - env.keys():
            patch.delenv(name)
        for name, value in env.items():
            patch.setenv(name, value)
        faulthandler.dump_traceback_later(timeout_s, exit=True)
        try:
            with _streams(out, err), warnings.catch_warnings():
                warnings.resetwarnings()
                for kind in PLAIN_FILTERS:
                    warnings.simplefilter("ignore", kind)
                code = _code()
        finally:
            faulthandler.cancel_dump_traceback_later()
        return subprocess.CompletedProcess(["gate", *arguments], code, _text(out), _text(err))


def _code() -> int:
    try:
        main()
    except SystemExit as end:
        assert isinstance(end.code, int)
        return end.code
    raise AssertionError("the command returned without an exit code")


@contextmanager
def _streams(out: IO[bytes], err: IO[bytes]) -> Iterator[None]:
    """Let this process, and those that it starts, read nothing and write into two files."""
    names = ("stdin", "stdout", "stderr")
    before = [(getattr(sys, name), os.dup(number)) for number, name in enumerate(names)]
    with open(os.devnull, "rb") as nothing:
        for number, file in enumerate((nothing, out, err)):
            os.dup2(file.fileno(), number)
    for number, name in enumerate(names):
        setattr(sys, name, open(number, "w" if number else "r", encoding="utf-8", closefd=False))
    written = (sys.stdout, sys.stderr)
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr, *written):
            stream.flush()
        for number, (name, (stream, copy)) in enumerate(zip(names, before, strict=True)):
            os.dup2(copy, number)
            os.close(copy)
            setattr(sys, name, stream)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode().replace("\r\n", "\n")
