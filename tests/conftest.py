"""For every test: no time limits, no garbage collection during the collection of tests.

Parallel workers share the fork server, so that the package is loaded once.
"""

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.support import forked

gc.disable()
# As the command does, for the workers and for the processes that fork from their servers.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Stores and journals wait for the disk at each write, which tests need not.
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 * 2**30 and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
# The same examples in every run: what is found by chance turns up in the weekly run of the profile "random". A busy
# machine takes its time, so that nothing is timed; speed is for benchmarks.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", UNTIMED, derandomize=True, database=None, max_examples=6)
settings.register_profile("random", UNTIMED, derandomize=False, max_examples=200, print_blob=True)
# Overridden by the option --hypothesis-profile, which is read later.
settings.load_profile("repeatable")


def pytest_configure(config: pytest.Config) -> None:
    # Only in the process that starts workers: in a worker, the option is "no".
    if config.getoption("dist", "no") != "no":
        forked.share()


def pytest_collection(session: pytest.Session) -> None:
    """Keep examples independent of the order of tests, and save the second that it takes to read every module."""
    if settings.default is not None and settings.default.derandomize:
        # Hypothesis takes constants of the loaded modules as examples: which ones are loaded depends on earlier tests.
        providers._get_local_constants = providers.Constants


def pytest_collection_finish(session: pytest.Session) -> None:
    """Freeze the objects of the collection, and turn the garbage collector on."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real Postgres, one for all tests that make databases of their own on it."""
    from tests.support.postgres import running

    with running() as address:
        yield address
