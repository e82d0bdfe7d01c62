"""From a case of a run to the case in the store, and from there to the runs that asked it."""

import re
from datetime import timedelta
from html import unescape

from starlette.testclient import TestClient

from gate.cases.case import Case
from gate.cases.reading import put_of
from gate.cases.stored import Entry
from gate.record.history import Context
from gate.record.run import RunRecord
from gate.record.transcript import ArmName
from gate.store.sql.database import Database
from gate.store.sql.runs import Runs
from gate.store.sql.suites import Suites
from gate.web import addresses
from tests.support import browsing
from tests.support.run_records import CREATED, finished
from tests.support.runs import suite


def score(case: Case, arm: ArmName, index: int) -> float | None:
    return 0.25 if arm is ArmName.CANDIDATE else 1.0


def stored(database: Database, name: str, minutes: int = 0, store: str = "") -> int:
    record = finished([suite([{}, {}], name=name)], score, CREATED + timedelta(minutes=minutes))
    return Runs(database).add(_asked(record, store), (), Context(), browsing.NOW).id


def _asked(record: RunRecord, store: str) -> RunRecord:
    suites = [one.model_copy(update={"exam": one.exam.model_copy(update={"store": store})}) for one in record.suites]
    return record.model_copy(update={"suites": suites})


def untold(database: Database, digest: str) -> int:
    """A run whose record has no question of any case, asked of the first version of a suite of this digest."""
    record = _asked(finished([suite([{}, {}])], score), "store:support@1")
    one = record.suites[0]
    cases = [case.model_copy(update={"input": None, "expected": None}) for case in one.cases]
    exam = one.exam.model_copy(update={"store_digest": digest})
    changed = record.model_copy(update={"suites": [one.model_copy(update={"cases": cases, "exam": exam})]})
    return Runs(database).add(changed, (), Context(), browsing.NOW).id


def links(page: str, start: str) -> list[str]:
    return [unescape(one) for one in re.findall(r'href="([^"]*)"', page) if one.startswith(start)]


def test_a_case_names_the_newest_runs_that_asked_it(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", {"id": "c001", "input": "Hi"}, {"id": "other", "input": "Ho"})
    runs = [stored(database, "support", minutes) for minutes in range(12)]
    stored(database, "faq", 20)
    page = ann.get(addresses.case("support", "c001")).text
    assert links(page, "/runs/") == [addresses.case_of_run(run, "support", "c001") for run in runs[:1:-1]]
    assert page.count("1.000 → 0.250") == 10
    assert "c001</bdi>" in ann.get(links(page, "/runs/")[0]).text
    assert "Recent runs of this case" not in ann.get(addresses.case("support", "other")).text


def test_a_case_of_a_run_leads_to_the_store_by_the_name_that_the_run_asked(ann: TestClient, database: Database) -> None:
    browsing.add(database, "property", {"id": "c001", "input": "Hi"})
    browsing.add(database, "support", {"id": "c000", "input": "Ho"})
    run = stored(database, "support", store="store:property@1")

    def homes(case: str) -> list[str]:
        return links(ann.get(addresses.case_of_run(run, "support", case)).text, "/case?")

    assert homes("c001") == [addresses.case("property", "c001")]
    assert homes("c000") == [addresses.case("support", "c000")]
    other = stored(database, "faq", 5)
    assert links(ann.get(addresses.case_of_run(other, "faq", "c001")).text, "/case?") == []


def test_a_question_that_the_run_left_out_is_that_of_the_version_that_was_asked(
    ann: TestClient, database: Database
) -> None:
    first: Entry = {"id": "c001", "input": "May I return it?", "expected": "Within 30 days."}
    browsing.add(database, "support", first)
    asked = Suites(database).newest("support")
    assert asked is not None
    newer: Entry = {**first, "input": "May I return them?"}
    Suites(database).change("support", [put_of(newer, 1)], browsing.ANN)
    run = untold(database, asked.digest)
    page = ann.get(addresses.case_of_run(run, "support", "c001")).text
    assert ("May I return it?" in page, "Within 30 days." in page, "Not saved: a run" in page) == (True, True, False)
    fields = {"suite": "support", "case": "c001", "into": "support", "name": "again"}
    assert "was added to the suite" in ann.post(f"/runs/{run}/case", data=fields).text
    made = Suites(database).case("support", "again")[0].entry
    assert made is not None
    assert (made["input"], made["expected"]) == ("May I return it?", "Within 30 days.")


def test_a_store_that_the_run_did_not_ask_lends_it_no_question(ann: TestClient, database: Database) -> None:
    browsing.add(database, "support", {"id": "c001", "input": "May I return it?"})
    page = ann.get(addresses.case_of_run(untold(database, f"sha256:{'0' * 64}"), "support", "c001")).text
    assert ("May I return it?" in page, "Not saved: a run" in page) == (False, True)
