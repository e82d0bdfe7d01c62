"""For every test: no limit of time, and no garbage looked for in what was collected, which lives to the end.

Workers side by side share the servers of forks, so that the package is loaded for them once.
"""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.support import forked

gc.disable()
# A busy machine takes its time; speed is for benchmarks. Each run draws other examples: a few are enough.
settings.register_profile("untimed", deadline=None, max_examples=25)
settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("dsession"):
        forked.share()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Set aside what there is, and let garbage be collected from here on."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a real Postgres, one for all tests that make databases of their own on it."""
    from tests.support.postgres import running

    with running() as address:
        yield address
