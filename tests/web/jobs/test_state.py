from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.policy import Budget
from gate.web.jobs.job import Job, JobProgress, Order, SuiteProgress, job_after, order_line, parse_order, remedy
from gate.web.jobs.plan import limited_budget
from gate.web.jobs.progress import Counting
from tests.support.runs import suite, take

JOB = Job("a", Order("check"), datetime(2026, 11, 23, tzinfo=UTC))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)
KEYS = st.sampled_from(["is", "far", "total", "done", "usd", "suites", "doing", "text", "run", "said", "mistakes"])
EVENTS = st.dictionaries(KEYS, VALUES | st.sampled_from(["far", "note", "stored", "failed"]), max_size=8)


@given(st.lists(EVENTS | EVENTS.map(lambda far: {"is": "far", "far": far}), max_size=5))
def test_no_event_breaks_a_job(events: list[dict[str, object]]) -> None:
    job = JOB
    for event in events:
        job = job_after(job, event)  # type: ignore[arg-type]
    assert job.far.total >= 0 and job.far.done >= 0
    assert all(isinstance(part.name, str) for first, slices in job.far.suites for part in (first, *slices))


@given(st.text(), st.text(), st.lists(st.text(max_size=9), max_size=3))
def test_an_order_is_read_as_it_was_written(case: str, base: str, suites: list[str]) -> None:
    order = Order("diff", tuple(suites), base=base, case=case, max_usd=2.5, by="Ann")
    assert parse_order(order_line(order)) == order
    assert b"\n" not in order_line(order)


@pytest.mark.parametrize("line", [b"", b"3", b"[]", b"{}", b'{"kind": "check", "shell": "x"}'])
def test_what_is_no_order_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        parse_order(line)


def test_samples_are_counted_by_suite_and_slice() -> None:
    exam = suite([{"tier": "free"}, {"tier": "paid"}], samples=2)
    samples = take(exam, lambda *_: 1.0)
    counting = Counting(lambda event: None)
    counting.expect([exam])
    counting.start(len(samples))
    for sample in samples[:3]:
        counting.advance(sample, 0.25)
    far = job_after(JOB, counting.event()).far
    assert (far.total, far.done, far.usd) == (8, 3, 0.25)
    (whole, slices) = far.suites[0]
    assert whole == SuiteProgress(exam.name, 3, 8)
    assert sum(one.done for one in slices) == 3 and {one.total for one in slices} == {4}


def test_a_job_spends_no_more_than_either_limit_allows() -> None:
    order = Order("check", max_calls=10, max_usd=2.0)
    assert limited_budget(Budget(max_calls=5, max_usd=9.0), order) == Budget(max_calls=5, max_usd=2.0)
    assert limited_budget(Budget(), order) == Budget(max_calls=10, max_usd=2.0)
    assert limited_budget(Budget(), Order("check", max_calls=10)) == Budget(max_calls=10)


@pytest.mark.parametrize(
    ("reason", "part"),
    [
        ("OpenAI answered 429: slow down", "limits how often"),
        ("Anthropic answered 529: overloaded", "limits how often"),
        ("OpenAI answered 503", "a fault of its own"),
        ("OpenAI gave no answer within 60 s", "did not answer in time"),
        ("the connection to OpenAI failed: reset", "did not answer in time"),
        ("the budget of 5 calls is used up", "limit"),
        ("It is kind", ""),
    ],
)
def test_what_helps_against_a_provider(reason: str, part: str) -> None:
    assert part in remedy(reason) and bool(part) == bool(remedy(reason))


def test_a_job_that_was_told_nothing_is_nowhere() -> None:
    assert job_after(JOB, {"is": "far", "far": {}}).far == JobProgress()
    assert job_after(JOB, {"is": "other"}) is JOB
