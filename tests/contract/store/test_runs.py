from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gate.cases.stored import Page
from gate.errors import GateError
from gate.record.comparison import Verdict
from gate.record.history import Context, RunFilter
from gate.record.run import ExamChangeRecord, ExamTrialRecord, RunRecord
from gate.record.transcript import ArmName, Sample
from gate.store.run_folder import sample_line
from gate.store.sql.database import Database
from gate.store.sql.runs import KeptSample, Runs
from tests.golden.runs import runs as golden
from tests.support import stores
from tests.support.run_records import CREATED, dated, finished
from tests.support.runs import suite, take

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
CI = Context("acme/shop", "main", "push", None, "ci")
SUITE = suite([{"tier": "free"}, {"tier": "paid"}, {"tier": "paid"}], samples=2)
EVERY = RunFilter()


def score(case: object, arm: ArmName, index: int) -> float | None:
    return None if arm is ArmName.CANDIDATE and index else 1.0 if arm is ArmName.BASELINE else 0.5


SAMPLES = take(SUITE, score)


@pytest.fixture
def runs(database: Database) -> Runs:
    return Runs(database)


def kept(samples: list[Sample] = SAMPLES) -> Iterator[KeptSample]:
    return (KeptSample(sample, sample_line(sample)) for sample in samples)


RUN = finished([SUITE], score)


def at(minutes: int = 0) -> RunRecord:
    return dated(RUN, CREATED + timedelta(minutes=minutes))


def test_a_run_is_read_back_unchanged(runs: Runs) -> None:
    run = at()
    added = runs.add(run, kept(), CI, NOW)
    assert added.new
    assert runs.record(added.id) == run
    row = runs.row(added.id)
    assert row is not None
    assert (row.created, row.stored, row.context, row.verdict) == (CREATED, NOW, CI, run.verdict)
    assert (row.suites, row.samples, row.exit_code) == (("support",), 12, run.exit_code)
    of_case = [sample for sample in SAMPLES if sample.case_id == "c001"]
    assert runs.samples(added.id, "support", "c001") == tuple(
        sorted(of_case, key=lambda sample: (sample.arm.value, sample.index))
    )
    assert runs.record(added.id + 1) is None
    assert runs.row(added.id + 1) is None
    assert runs.samples(added.id, "support", "c999") == ()


def test_records_of_many_kinds_are_stored(runs: Runs) -> None:
    records = dict([*golden().items()][::4])
    ids = {name: runs.add(record, (), CI, NOW).id for name, record in records.items()}
    assert all(runs.record(ids[name]) == record for name, record in records.items())
    listed = runs.rows(EVERY, Page(1000))
    assert {row.id for row in listed} == set(ids.values())
    assert [row.created for row in listed] == sorted((row.created for row in listed), reverse=True)
    blocked = {ids[name] for name, record in records.items() if record.verdict is Verdict.BLOCK}
    assert {row.id for row in runs.rows(RunFilter(verdict=Verdict.BLOCK), Page(1000))} == blocked


def test_a_run_pushed_concurrently_is_stored_once(runs: Runs) -> None:
    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(lambda _: runs.add(at(), kept(), CI, NOW), range(4)))
    assert sum(one.new for one in added) == 1
    assert len({one.id for one in added}) == 1
    assert runs.rows(EVERY, Page())[0].samples == 12


@stores.ONE
def test_samples_of_another_run_are_refused_completely(runs: Runs) -> None:
    for samples, said in (
        (SAMPLES[:-3], "fewer samples than the run"),
        ([*SAMPLES, SAMPLES[0]], "more samples than the run"),
        ([*SAMPLES, replace(SAMPLES[0], case_id="foreign")], "is not in the run"),
        ([replace(one, index=0) if isinstance(one.score, float) else one for one in SAMPLES], "appears twice"),
        ([replace(sample, suite="other") for sample in SAMPLES], "is not in the run"),
    ):
        with pytest.raises(GateError, match=said):
            runs.add(at(), kept(samples), CI, NOW)
    assert runs.rows(EVERY, Page()) == ()
    assert runs.add(at(), kept(), CI, NOW).new


@stores.ONE
def test_samples_that_were_not_planned_are_not_missing(runs: Runs) -> None:
    """A run that was ended early counts them, and has no line for them."""
    asked = [sample for sample in SAMPLES if isinstance(sample.score, float)]
    added = runs.add(at(), kept(asked), CI, NOW)
    assert runs.rows(EVERY, Page())[0].samples == len(asked) == 9
    assert len(runs.samples(added.id, "support", "c000")) == 3


def test_pages_hold_every_run_once_the_newest_first(runs: Runs) -> None:
    order = [3, 1, 4, 0, 2]
    ids = {minutes: runs.add(at(minutes), (), CI, NOW).id for minutes in order}
    found: list[int] = []
    page = Page(2)
    while rows := runs.rows(EVERY, page):
        found += [row.id for row in rows]
        page = Page(2, rows[-1].id)
    assert found == [ids[minutes] for minutes in (4, 3, 2, 1, 0)]


def test_a_trend_has_a_point_for_each_run_the_oldest_first(runs: Runs) -> None:
    ids = {minutes: runs.add(at(minutes), (), CI, NOW).id for minutes in (2, 0, 1)}
    points = runs.trend("support", "quality", "tier=paid", 2)
    assert [point.run for point in points] == [ids[1], ids[2]]
    figure = points[-1].figure
    assert (figure.n, figure.baseline, figure.candidate, figure.change) == (2, 1.0, 0.5, -0.5)
    assert figure.error == 0.0
    assert runs.trend("support", "cost", "overall", 9)[0].figure.candidate == pytest.approx(0.001)
    assert runs.trend("support", "quality", "tier=none", 9) == ()
    assert runs.suites() == ("support",)


@stores.ONE
def test_samples_of_tried_suites_are_not_stored(runs: Runs) -> None:
    """They lie in the same file, under the names of suites that no figure is about."""
    trial = ExamTrialRecord(kind="added", asked=1)
    run = at().model_copy(update={"exam_changes": [ExamChangeRecord(suite="support", trials=[trial])]})
    tried = [replace(SAMPLES[0], suite="support (added cases)"), replace(SAMPLES[0], case_id="promised")]
    assert runs.add(run, kept([*tried, *SAMPLES]), CI, NOW).new
    assert runs.rows(EVERY, Page())[0].samples == 12
    with pytest.raises(GateError, match="is not in the run"):
        runs.add(at(5), kept([*tried, *SAMPLES]), CI, NOW)
    with pytest.raises(GateError, match="more samples"):
        runs.add(run.model_copy(update={"commit": "0" * 40}), kept([SAMPLES[0], *SAMPLES]), CI, NOW)
