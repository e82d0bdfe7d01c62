"""A test's Postgres server ends with the test, even if the test is killed, and leaves no files."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from tests.support.warm import ROOT

OWNER = """
import time
from tests.support.postgres import running

with running() as url:
    print(url, flush=True)
    time.sleep(600)
"""


def folder_of(url: str) -> Path:
    return Path(url.partition("host=")[2])


def test_a_server_ends_with_the_process_that_started_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", OWNER], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as owner:
        assert owner.stdout is not None
        url = owner.stdout.readline().strip()
        connection = psycopg.connect(url, autocommit=True)
        owner.send_signal(signal.SIGKILL)
        owner.wait(60)
    until = time.monotonic() + 60
    while folder_of(url).exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not folder_of(url).exists()
    with connection, pytest.raises(psycopg.OperationalError):
        connection.execute("SELECT 1")
