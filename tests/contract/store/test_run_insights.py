from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from gate.cases.case import Case
from gate.cases.stored import Page
from gate.record.history import Context
from gate.record.transcript import ArmName
from gate.store.sql.database import Database
from gate.store.sql.insights import Insights
from gate.store.sql.runs import Runs
from tests.golden.runs import runs as golden
from tests.support.run_records import CREATED, dated, finished
from tests.support.runs import suite

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
SUITE = suite([{"tier": "free"}, {"tier": "paid"}, {"tier": "paid"}, {"tier": "paid"}], samples=2)


def score(case: Case, arm: ArmName, index: int) -> float | None:
    match case.id:
        case "c000":
            return 1.0
        case "c001":
            return float(index)
        case "c002":
            return 0.0
        case _:
            return None if index else 0.5 + 0.5 * (arm is ArmName.CANDIDATE)


RUN = finished([SUITE], score)


def fill(database: Database, runs: int) -> None:
    for place in range(runs):
        Runs(database).add(dated(RUN, CREATED + timedelta(hours=place)), (), Context(), NOW)


def test_the_cases_that_vary_most_come_first(database: Database) -> None:
    fill(database, 3)
    found = Insights(database).cases("support", 9, "flaky", 5)
    assert [one.case for one in found] == ["c001"]
    assert found[0].variance == pytest.approx(0.5)
    assert (found[0].runs, found[0].paired, found[0].samples, found[0].missing) == (3, 3, 12, 0)
    assert Insights(database).cases("support", 2, "flaky", 5)[0].runs == 2
    assert Insights(database).cases("other", 9, "flaky", 5) == ()


def test_a_case_is_found_by_its_suite_of_the_store(database: Database) -> None:
    def asked(name: str, store: str, hours: int) -> None:
        exam = RUN.suites[0].exam.model_copy(update={"store": store})
        one = RUN.suites[0].model_copy(update={"name": name, "exam": exam})
        record = dated(RUN.model_copy(update={"suites": [one]}), CREATED + timedelta(hours=hours))
        Runs(database).add(record, (), Context(), NOW)

    for place, (name, store) in enumerate(
        [("support", ""), ("faq", "store:support@7"), ("support", "store:other"), ("support", "store:support")]
    ):
        asked(name, store, place)
    insights = Insights(database)
    assert [(one.run, one.suite) for one in insights.runs_of("support", ("c003",), 9)] == [
        *((4, "support"), (2, "faq"), (1, "support"))
    ]
    assert [one.run for one in insights.runs_of("support", ("c003",), 2)] == [4, 2]
    assert [one.run for one in insights.runs_of("other", ("c003",), 9)] == [3]


def test_cases_without_information_are_found_after_enough_runs(database: Database) -> None:
    fill(database, 1)
    assert Insights(database).cases("support", 9, "mute", 5) == ()
    fill(database, 2)
    found = {one.case: one for one in Insights(database).cases("support", 9, "mute", 5)}
    assert set(found) == {"c000", "c001", "c002"}
    assert (found["c000"].lowest, found["c002"].highest) == (1.0, 0.0)
    assert len(Insights(database).cases("support", 9, "mute", 2)) == 2


def test_judges_of_the_newest_runs_are_listed_by_scorer_and_kind(database: Database) -> None:
    record = golden()["judged"]
    ids = []
    for place in range(3):
        created = (CREATED + timedelta(hours=place)).isoformat()
        ids.append(Runs(database).add(record.model_copy(update={"created": created}), (), Context(), NOW).id)
    found = Insights(database).judges(record.suites[0].name, 2)
    assert {one.run for one in found} == set(ids[1:])
    jury = record.suites[0].juries[0]
    told = [one.agreement for one in found if (one.agreement.scorer, one.agreement.kind) == (jury.scorer, "jury")]
    assert len(told) == 2
    assert (told[0].value, told[0].lower, told[0].answers) == (jury.share.value, jury.share.lower, jury.answers)
    people = [one.agreement for one in found if one.agreement.kind == "people"]
    assert {one.scorer for one in people} == {judge.scorer for judge in record.suites[0].exam.judges}


def test_labels_are_listed_with_their_runs_the_newest_first(database: Database) -> None:
    ids = []
    for place, name in enumerate(["override-run", "override-refused", "block", "skipped-override"]):
        created = (CREATED + timedelta(hours=place)).isoformat()
        record = golden()[name].model_copy(update={"created": created})
        ids.append(Runs(database).add(record, (), replace(Context(), repository="acme/shop"), NOW).id)
    insights = Insights(database)
    found = insights.overrides(Page(9))
    assert [one.run.id for one in found] == [ids[3], ids[1], ids[0]]
    assert [one.counted for one in found] == [True, False, True]
    assert (found[2].by, found[2].role, found[2].run.suites) == ("olivia", "triage", ("support",))
    assert found[1].why_not
    assert [one.run.id for one in insights.overrides(Page(9, ids[3]))] == [ids[1], ids[0]]
    assert len(insights.overrides(Page(1))) == 1
