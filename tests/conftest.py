"""For every test: no limit of time, and no garbage looked for in what was collected, which lives to the end.

Workers side by side share the servers of forks, so that the package is loaded for them once.
"""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.support import forked

gc.disable()
# The same examples in every run: what is found by chance turns up in the weekly run of the profile "random". A busy
# machine takes its time, so that nothing is timed; speed is for benchmarks.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", UNTIMED, derandomize=True, database=None, max_examples=25)
settings.register_profile("random", UNTIMED, derandomize=False, max_examples=200, print_blob=True)
# Overridden by the option --hypothesis-profile, which is read later.
settings.load_profile("repeatable")


def pytest_configure(config: pytest.Config) -> None:
    # Only in the process that starts workers: in a worker, the option is "no".
    if config.getoption("dist", "no") != "no":
        forked.share()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Set aside what there is, and let garbage be collected from here on."""
    if settings.default is not None and settings.default.derandomize:
        # Constants of the modules that are loaded become examples: which ones, the tests before this one would decide.
        providers._get_local_constants = providers.Constants
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real Postgres, one for all tests that make databases of their own on it."""
    from tests.support.postgres import running

    with running() as address:
        yield address
