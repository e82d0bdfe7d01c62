"""For every test: no limit of time, and no garbage looked for in what was collected, which lives to the end."""

import gc

import pytest
from hypothesis import settings

gc.disable()
# A busy machine takes its time; speed is for benchmarks.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Set aside what there is, and let garbage be collected from here on."""
    gc.collect()
    gc.freeze()
    gc.enable()
