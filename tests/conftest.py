"""For every test: what was collected lives to the end, and looking through it again and again would cost a tenth.

Workers side by side share the servers of forks, so that the package is loaded for them once.
"""

import gc

import pytest

from tests.support import forked

gc.disable()


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("dsession"):
        forked.share()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Set aside what there is, and let garbage be collected from here on."""
    gc.collect()
    gc.freeze()
    gc.enable()
