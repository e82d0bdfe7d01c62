"""Measures the pages of the web interface with a long history, and the time to store a large run.

python -m benchmarks.server.page_latency [--quick] [--postgres]
"""

import argparse
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sqlalchemy import Connection, insert, select, text
from starlette.testclient import TestClient

from gate.cases.case import Case
from gate.cases.stored import Page
from gate.record.history import Context, RunFilter
from gate.record.run import RunRecord
from gate.record.transcript import ArmName
from gate.store.run_folder import dump_run, sample_line
from gate.store.sql import maintenance, tables
from gate.store.sql.database import Database
from gate.store.sql.runs import KeptSample, Runs
from gate.web.app import create_app
from gate.web.site import WebSite
from tests.support import stores
from tests.support.postgres import running
from tests.support.run_records import finished
from tests.support.runs import suite, take

GOAL_S, PUSH_GOAL_S = 0.3, 2.0
SUITES, SHAPES = 10, 20
"""Suites, and runs that are evaluated; all other runs are copies of these with another time."""
CASES, K = 25, 2
"""Cases and repeats of a run: 100 samples in both arms."""
BIG = 1_500
"""Cases of the run that is pushed: 6,000 samples."""
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
CHILDREN = ("figures", "case_results", "samples")


@dataclass(frozen=True, slots=True)
class Timed:
    """One page.

    Args:
        name: name of the page.
        spent: wall clock and CPU of this process for each request, in seconds.
    """

    name: str
    spent: Sequence[tuple[float, float]]


def evaluated(name: str, cases: int, seed: int) -> tuple[RunRecord, list[KeptSample]]:
    """A run with random scores."""
    rolled = random.Random(seed)
    ease = [rolled.random() for _ in range(cases)]

    def score(case: Case, arm: ArmName, index: int) -> float:
        return float(rolled.random() < 0.3 + 0.7 * ease[int(case.id[1:])])

    found = suite([{"tier": ("free", "paid")[i % 2], "lang": ("en", "de", "fr")[i % 3]} for i in range(cases)],
                  name=name, samples=K)  # fmt: skip
    scores: dict[tuple[str, ArmName, int], float] = {}

    def known(case: Case, arm: ArmName, index: int) -> float:
        return scores.setdefault((case.id, arm, index), score(case, arm, index))

    samples = take(found, known)
    return finished([found], known, BEGIN), [KeptSample(one, sample_line(one)) for one in samples]


def fill(database: Database, runs: int) -> None:
    """Add this many runs, an hour apart."""
    store = Runs(database)
    for shape in range(SHAPES):
        record, samples = evaluated(f"suite-{shape % SUITES}", CASES, shape)
        created = (BEGIN + timedelta(hours=shape)).isoformat()
        store.add(record.model_copy(update={"created": created}), samples, Context("acme/shop", "main", "push"), BEGIN)
    database.write(lambda db: _copies(db, runs))
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))


def _copies(db: Connection, runs: int) -> None:
    shapes = [row._asdict() for row in db.execute(select(tables.runs).order_by(tables.runs.c.id))]
    suites = [row._asdict() for row in db.execute(select(tables.run_suites).order_by(tables.run_suites.c.id))]
    for start in range(SHAPES, runs, 500):
        places = range(start, min(start + 500, runs))
        db.execute(insert(tables.runs), [_run(shapes[place % SHAPES], place) for place in places])
        db.execute(insert(tables.run_suites), [_suite(suites[place % SHAPES], place) for place in places])
    for name in CHILDREN:
        table = tables.metadata.tables[name]
        rest = ", ".join(f'"{column.name}"' for column in table.columns if column.name != "suite_id")
        db.execute(
            text(
                f"INSERT INTO {name} (suite_id, {rest}) SELECT s.id, {rest} FROM {name} t JOIN run_suites s "
                f"ON t.suite_id = (s.id - 1) % {SHAPES} + 1 WHERE t.suite_id <= {SHAPES} AND s.id > {SHAPES}"
            )
        )


def _run(shape: dict[str, object], place: int) -> dict[str, object]:
    merged = place % 3 == 0
    verdict = "BLOCK" if place % 1000 == 999 else "HOLD" if place % 7 == 0 else "PASS"
    changed = {
        "digest": f"sha256:{place:064x}",
        "created": BEGIN + timedelta(hours=place),
        "repository": f"acme/shop-{place % 4}",
        "branch": "main" if merged else f"topic-{place}",
        "event": "push" if merged else "pull_request",
        "pull_request": None if merged else place // 3,
        "verdict": verdict,
    }
    return {name: value for name, value in (shape | changed).items() if name != "id"}


def _suite(shape: dict[str, object], place: int) -> dict[str, object]:
    return {"name": shape["name"], **{key: shape[key] for key in shape if key not in ("id", "name")},
            "run_id": place + 1, "created": BEGIN + timedelta(hours=place)}  # fmt: skip


def pages(site: WebSite, runs: int, big: int, repeats: int) -> Iterator[Timed]:
    """Measure every page, with different arguments in each request."""
    client = TestClient(create_app(site))
    rolled, suites = random.Random(1), count()

    def run() -> int:
        return rolled.randrange(1, runs + 1)

    def name(id: int) -> str:
        return f"suite-{(id - 1) % SHAPES % SUITES}"

    def of(page: str, more: str = "") -> Callable[[], str]:
        return lambda: f"/runs/{(id := run())}/{page}?suite={name(id)}{more}"

    asked: dict[str, Callable[[], str]] = {
        "suites": lambda: "/",
        "runs, newest": lambda: "/runs",
        "runs, a page far back": lambda: f"/runs?after={rolled.randrange(60, runs // 2)}",
        "runs of one suite": lambda: f"/runs?suite=suite-{next(suites) % SUITES}",
        "runs of a rare verdict": lambda: "/runs?verdict=BLOCK",
        "runs of no verdict": lambda: "/runs?verdict=SKIPPED",
        "runs of one pull request": lambda: f"/runs?repository=acme/shop-1&pull_request={run() // 3}",
        "runs of a branch": lambda: f"/runs?branch=topic-{run()}",
        "run": lambda: f"/runs/{run()}",
        "cases of a run": of("cases", "&sort=best"),
        "case of a run": of("case", "&case=c007"),
        "trend, 50 runs": lambda: f"/trends?suite=suite-{next(suites) % SUITES}",
        "trend, 200 runs": lambda: f"/trends?suite=suite-{next(suites) % SUITES}&last=200&slice=tier=paid",
        "trend of cost": lambda: f"/trends?suite=suite-{next(suites) % SUITES}&axis=cost&last=200",
        "cases over 50 runs": lambda: f"/flaky?suite=suite-{next(suites) % SUITES}&last=50",
        "judges": lambda: f"/judges?suite=suite-{next(suites) % SUITES}&last=50",
        "overrides": lambda: "/overrides",
        "run of 6,000 samples": lambda: f"/runs/{big}",
        "its cases, page 7": lambda: f"/runs/{big}/cases?sort=best&page=7",
        "its cases over time": lambda: "/flaky?suite=big",
        "its case page": lambda: f"/runs/{big}/case?suite=big&case=c{rolled.randrange(BIG):03}",
    }
    client.get("/runs/1")
    client.get("/runs/1/case?suite=suite-0&case=c001")
    for title, address in asked.items():
        yield Timed(title, [_asked(client, address()) for _ in range(repeats)])


def _asked(client: TestClient, address: str) -> tuple[float, float]:
    began = time.perf_counter(), time.process_time()
    answer = client.get(address)
    spent = time.perf_counter() - began[0], time.process_time() - began[1]
    assert answer.status_code == 200, (address, answer.status_code)
    return spent


def _kept(store: Database, run: RunRecord, samples: Sequence[KeptSample]) -> tuple[float, float]:
    began = time.perf_counter(), time.process_time()
    Runs(store).add(run, iter(samples), Context("acme/shop"), BEGIN)
    return time.perf_counter() - began[0], time.process_time() - began[1]


def _sent(site: WebSite, runs: Sequence[RunRecord], samples: Sequence[KeptSample]) -> list[tuple[float, float]]:
    """Push runs as `gate push --to` does, measured from the first byte received to the answer."""
    client, lines = TestClient(create_app(site)), b"".join(sample.line for sample in samples)
    spent = []
    for run in runs:
        files = {"run": ("run.json", dump_run(run).encode()), "samples": ("samples.jsonl", lines)}
        began = time.perf_counter(), time.process_time()
        answer = client.post("/api/v1/runs", files=files)
        spent.append((time.perf_counter() - began[0], time.process_time() - began[1]))
        assert answer.status_code == 201, answer.text[:300]
    return spent


@contextmanager
def database(postgres: bool) -> Iterator[Database]:
    """A new database with tables."""
    with ExitStack() as stack:
        if postgres:
            found = stack.enter_context(stores.on_postgres(stack.enter_context(running(durable=True))))
        else:
            found = stack.enter_context(stores.on_sqlite(Path(stack.enter_context(tempfile.TemporaryDirectory()))))
        maintenance.upgrade(found)
        yield found


def measure(postgres: bool, runs: int, repeats: int) -> None:
    """Fill a database, load every page, and print the times."""
    console = Console()
    with database(postgres) as store:
        began = time.perf_counter()
        fill(store, runs)
        filled = time.perf_counter() - began
        record, samples = evaluated("big", BIG, 99)
        moved = [
            record.model_copy(update={"created": (BEGIN + timedelta(days=9_000 + place)).isoformat()})
            for place in range(6)
        ]
        site = WebSite(store, frozenset({"testserver"}), lambda: datetime.now(UTC))
        timed = [
            Timed("push of 6,000 samples", [_kept(store, one, samples) for one in moved[:3]]),
            Timed("push of 6,000 samples over HTTP", _sent(site, moved[3:], samples)),
        ]
        big = Runs(store).rows(RunFilter(), Page(size=1))[0].id
        timed += pages(site, runs, big, repeats)
    where = "Postgres" if postgres else "SQLite"
    table = Table(title=f"{where}, {runs:,} runs with {runs * CASES * K * 2:,} samples, filled in {filled:.0f} s")
    for column in ("page", "p50", "worst", "CPU", "goal"):
        table.add_column(column, justify="left" if column == "page" else "right")
    for one in timed:
        goal = PUSH_GOAL_S if one.name.startswith("push") else GOAL_S
        wall, cpu = zip(*one.spent, strict=True)
        p50, worst, own = statistics.median(wall), max(wall), statistics.median(cpu)
        missed = " missed" if worst > goal else ""
        told = (f"{value * 1000:,.0f} ms" for value in (p50, worst, own, goal))
        shown = [f"{text}{missed if place == 1 else ''}" for place, text in enumerate(told)]
        table.add_row(one.name, *shown)
    console.print(table)
    console.print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="500 runs instead of 10,000")
    parser.add_argument("--postgres", action="store_true", help="on Postgres instead of SQLite")
    asked = parser.parse_args()
    measure(asked.postgres, 500 if asked.quick else 10_000, 5 if asked.quick else 15)


if __name__ == "__main__":
    main()
