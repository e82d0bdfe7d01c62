"""For every test: what was collected lives to the end, and looking through it again and again would cost a tenth."""

import gc

import pytest

gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Set aside what there is, and let garbage be collected from here on."""
    gc.collect()
    gc.freeze()
    gc.enable()
