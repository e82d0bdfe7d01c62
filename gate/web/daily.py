"""What a server does once a day, beside its answers."""

import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from gate.web.logs import Fault
from gate.web.site import Site

DAY_S = 24 * 60 * 60.0


@contextmanager
def each_day(site: Site, every_s: float = DAY_S) -> Iterator[None]:
    """Does the site's daily work at once and then each day, until the end; what fails is told, and tried again.

    Args:
        site: whose `daily` is to be done.
        every_s: seconds from one time to the next.
    """
    if site.daily is None:
        yield
        return
    work, ended = site.daily, threading.Event()

    def run() -> None:
        while True:
            try:
                work()
            except Exception as error:
                site.log(Fault(site.now(), "error", f"the daily work failed: {error}", traceback.format_exc()))
            if ended.wait(every_s):
                return

    # A server that ends does not wait for it: what was not forgotten is forgotten the next time.
    thread = threading.Thread(target=run, name="daily", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(1.0)
