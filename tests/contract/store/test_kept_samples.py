"""Comparison of samples with those in the store, in both databases."""

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import chain

from gate.record.history import Context
from gate.record.transcript import Sample
from gate.store.run_folder import sample_line
from gate.store.sql.database import Database
from gate.store.sql.retention import RetentionLimits, prune
from gate.store.sql.runs import KeptSample, Runs, other_samples
from tests.support.run_records import finished
from tests.support.runs import suite, take

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
SUITE = suite([{"tier": "free"}, {"tier": "paid"}], samples=2)
RUN = finished([SUITE], lambda case, arm, index: 1 / 3)
SAMPLES = list(take(SUITE, lambda case, arm, index: 1 / 3))


def kept(samples: Iterable[Sample]) -> list[KeptSample]:
    return [KeptSample(one, sample_line(one)) for one in samples]


def test_equal_samples_match_in_any_order_and_differences_are_reported(database: Database) -> None:
    id = Runs(database).add(RUN, kept(SAMPLES), Context(), NOW).id
    others = list(take(SUITE, lambda case, arm, index: 1 / 3 + 1e-15 * (case.id == "c001")))
    assert other_samples(database, id, RUN, kept(reversed(SAMPLES))) == ""
    assert other_samples(database, id, RUN, ()) == ""
    assert prune(database, RetentionLimits(outputs=NOW), NOW).texts == 1
    assert other_samples(database, id, RUN, kept(SAMPLES)) == ""
    assert "another sample of case 'c001'" in other_samples(database, id, RUN, kept(others))
    assert "more samples" in other_samples(database, id, RUN, kept(SAMPLES[:-1]))
    assert "another sample" in other_samples(database, id, RUN, kept(chain(SAMPLES, SAMPLES[:1])))


def test_a_run_uploaded_without_samples_has_none(database: Database) -> None:
    id = Runs(database).add(RUN, (), Context(), NOW).id
    assert "no samples" in other_samples(database, id, RUN, kept(SAMPLES))
    assert other_samples(database, id, RUN, ()) == ""
