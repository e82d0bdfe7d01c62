"""The process of one job. It reads an order from standard input, and writes each event as a line of JSON.

    python -P -m gate.web.jobs.worker FOLDER < order

It stops when its input ends, so that no job outlives its server.
"""

import os
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from gate.app.run_order import RunOrder, run_folder
from gate.app.run_tools import spending_forecast
from gate.app.runs import RunContext, carry_out
from gate.calls.caller import Caller
from gate.engine.check import check
from gate.engine.evaluate import evaluate
from gate.engine.signals import ENDING
from gate.engine.without_evaluation import deleted_record
from gate.environment.settings import Settings
from gate.errors import GateError, Interrupted
from gate.git.places import root_of
from gate.record.run import RunRecord
from gate.report.view.headline import first_line
from gate.resolve.resolved import Resolved
from gate.store.push import context_here, store_run
from gate.values import parsed, written
from gate.web.jobs.job import EVENTS, ORDERS, Event, JobFailure, JobRequest, Note, StoredJobRun
from gate.web.jobs.plan import CONCURRENCY, resolve_order
from gate.web.jobs.progress import Counting, with_judge_events

CHUNK = 2**16


class Cancelled(Exception):
    """The job was cancelled."""


def main() -> int:
    """Run the order; returns 0 when done, 1 when failed, 130 when cancelled."""
    tell, control = _apart()
    line, _, more = _first_line(control).partition(b"\n")
    threading.Thread(target=_listen, args=(control, bool(more)), daemon=True).start()
    folder = Path(sys.argv[1])
    try:
        _carry_out(ORDERS.validate_python(parsed(line)), folder, tell)
        return 0
    except (Cancelled, Interrupted, KeyboardInterrupt):
        # The server cannot do this if it was killed.
        shutil.rmtree(folder, ignore_errors=True)
        return 130
    except GateError as error:
        tell(JobFailure.of(error))
    except Exception as error:  # the text of an unknown error may hold secrets
        print("".join(traceback.format_tb(error.__traceback__)), type(error).__name__, file=sys.stderr, flush=True)
        tell(JobFailure(((f"Error in Prompt Gate ({type(error).__name__})", "see the server's log"),)))
    return 1


def _apart() -> tuple[Callable[[Event], None], int]:
    """Private copies of standard input and output."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    control = os.dup(0)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    lock = threading.Lock()

    def tell(event: Event) -> None:
        # A broken pipe means that the server is gone; this process then stops.
        with lock, suppress(BrokenPipeError):
            out.write(written(EVENTS, event) + b"\n")

    return tell, control


def _first_line(control: int) -> bytes:
    found = b""
    while b"\n" not in found and (chunk := os.read(control, CHUNK)):
        found += chunk
    return found


def _listen(control: int, ended: bool) -> None:
    """Cancel the job at any further input or at the end of the input."""
    if not ended:
        os.read(control, 1)
    os.kill(os.getpid(), signal.SIGINT)


def _carry_out(order: JobRequest, folder: Path, tell: Callable[[Event], None]) -> None:
    with Counting(tell) as counting:
        resolved = resolve_order(order, Path())
        for note in resolved.notes:
            tell(Note(note.text))
        if resolved.touched:
            counting.expect(resolved.suites)
            if order.kind == "try":
                counting.expected = spending_forecast(resolved, Settings.from_environ(), CONCURRENCY).calls
            plan = RunOrder(resolved, CONCURRENCY, None, folder, counting, say=lambda text: tell(Note(text)))
            run: RunRecord | None = _evaluated(plan, order, counting)
        else:
            run = _untouched(resolved, folder)
    if run is None:
        said = "Nothing to compare: the working tree has the same prompts, models, cases and scorers as the base."
        tell(StoredJobRun(None, said))
    elif order.kind != "try":
        tell(_stored(run, order, folder))


def _evaluated(plan: RunOrder, order: JobRequest, counting: Counting) -> RunRecord:
    stopped: list[str | None] = []

    async def work(running: RunContext) -> RunRecord:
        if isinstance(running.tools.calls, Caller):
            counting.counters = running.tools.calls.counters
        try:
            if order.kind == "diff":
                return await evaluate(running.resolved, running.tools, running.caching, running.seed, running.stop)
            tools = with_judge_events(running.tools, counting.tell) if order.kind == "try" else running.tools
            return await check(running.resolved, tools, running.seed, running.stop)
        finally:
            stopped.append(running.stop.reason)

    if order.kind != "diff":
        # Run every case: no early stop.
        plan = replace(plan, resolved=plan.resolved.stopping_early(False))
    run = carry_out(plan, Settings.from_environ(), work)
    if any(reason in ENDING.values() for reason in stopped):
        raise Cancelled
    return run


def _untouched(resolved: Resolved, folder: Path) -> RunRecord | None:
    """A run without samples if prompts were deleted; else None: nothing to evaluate."""
    if not resolved.deleted:
        return None
    run = deleted_record(resolved, datetime.now(UTC))
    keeper = run_folder(folder)
    keeper.made()
    keeper.run(run)
    return run


def _stored(run: RunRecord, order: JobRequest, folder: Path) -> StoredJobRun:
    root = root_of(Path())
    try:
        kept = store_run(folder, root, replace(context_here(root), pushed_by=order.by))
    except GateError as error:
        again = "fix this and start the job again; its answers are cached and not paid for twice"
        raise GateError(f"the run was not stored: {error.message}", again) from None
    return StoredJobRun(kept.id, first_line(run))


if __name__ == "__main__":
    sys.exit(main())
