"""No server of the example outlives the run that started it, however that ends."""

import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.property_agent.estate import Estate

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are told by /proc")


def started(estate: Estate, patience_s: float = 60.0) -> bool:
    """Is a server there, sooner or later?"""
    end = time.monotonic() + patience_s
    while not estate.processes():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_takes_its_servers_along(number: signal.Signals, estate: Estate) -> None:
    estate = replace(estate, pythons=Path(sys.executable).parent)
    estate.models.behaviour = replace(estate.models.behaviour, latency_s=2.0)
    with estate.start("check", "--refresh") as run:
        try:
            assert started(estate)
            run.send_signal(number)
            run.wait(60)
        finally:
            run.kill()
    assert estate.quiet()
