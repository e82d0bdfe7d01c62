from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.config.policy import Budget
from gate.values import parsed, written
from gate.web.jobs.job import EVENTS, ORDERS, Job, JobRequest, remedy
from gate.web.jobs.plan import limited_budget
from gate.web.jobs.progress import Counting
from tests.support.runs import suite, take

JOB = Job("a", JobRequest("check"), datetime(2026, 11, 23, tzinfo=UTC))


@given(st.text(), st.text(), st.lists(st.text(max_size=9), max_size=3))
def test_an_order_is_read_as_it_was_written(case: str, base: str, suites: list[str]) -> None:
    order = JobRequest("diff", tuple(suites), base=base, case=case, max_usd=2.5, by="Ann")
    line = written(ORDERS, order)
    assert ORDERS.validate_python(parsed(line)) == order
    assert b"\n" not in line


@pytest.mark.parametrize("line", [b"", b"3", b"[]", b"{}", b'{"kind": "check", "shell": "x"}'])
def test_what_is_no_order_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        ORDERS.validate_python(parsed(line))


def test_samples_are_counted_by_suite_and_slice() -> None:
    exam = suite([{"tier": "free"}, {"tier": "paid"}], samples=2)
    samples = take(exam, lambda *_: 1.0)
    counting = Counting(lambda event: None)
    counting.expect([exam])
    counting.start(len(samples))
    for sample in samples[:3]:
        counting.advance(sample, 0.25)
    told = EVENTS.validate_python(parsed(written(EVENTS, counting.progress())))
    progress = JOB.after(told).progress
    assert (progress.total, progress.done, progress.usd) == (8, 3, 0.25)
    (whole,) = progress.suites
    assert (whole.name, whole.done, whole.total) == (exam.name, 3, 8)
    assert sum(one.done for one in whole.slices) == 3 and {one.total for one in whole.slices} == {4}


@pytest.mark.threat("case-budget")
def test_a_job_spends_no_more_than_either_limit_allows() -> None:
    order = JobRequest("check", max_calls=10, max_usd=2.0)
    found = limited_budget(Budget(max_calls=5, max_usd=9.0), order)
    assert (found.max_calls, found.max_usd) == (5, 2.0)
    assert (found.setting("max_calls"), found.setting("max_usd")) == ("budget.max_calls", "the job's max_usd")
    found = limited_budget(Budget(), JobRequest("check", max_calls=10))
    assert (found.max_calls, found.max_usd) == (10, None)


@pytest.mark.parametrize(
    ("reason", "part"),
    [
        ("OpenAI answered 429: slow down", "limits the rate"),
        ("Anthropic answered 529: overloaded", "limits the rate"),
        ("OpenAI answered 503", "had an error"),
        ("OpenAI gave no answer within 60 s", "did not answer in time"),
        ("the connection to OpenAI failed: reset", "did not answer in time"),
        ("the budget of 5 calls is used up", "limit"),
        ("It is kind", ""),
    ],
)
def test_what_helps_against_a_provider(reason: str, part: str) -> None:
    assert part in remedy(reason) and bool(part) == bool(remedy(reason))
