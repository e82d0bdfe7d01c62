"""For every test: no limit of time, and no garbage looked for in what was collected, which lives to the end.

Workers side by side share the servers of forks, so that the package is loaded for them once.
"""

import gc

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
