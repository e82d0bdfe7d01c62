"""What the example leaves in a database is looked up in SQLite and in a real Postgres, and never written."""

import pytest

from tests.e2e.property_agent.estate import CONFIG, Estate

CASE = ("--case", "all_listings")
SCORERS = "    scorers:\n"


def scored(estate: Estate, *options: str) -> dict[str, tuple[float | None, str]]:
    """Value and reason of each scorer of one case."""
    outcome = estate.gate("check", *CASE, *options)
    assert outcome.code in (0, 1, 3), outcome.err
    scores = estate.samples()["all_listings", "candidate"]["scores"]
    found = {}
    for score in scores:
        value, reason = score["value"], score["reason"]
        found[score["scorer"]] = (None, value["reason"]) if isinstance(value, dict) else (value, reason)
    return found


def query(estate: Estate, asked: str) -> None:
    """Let the exam look up one thing more."""
    estate.change(CONFIG, SCORERS, f"{SCORERS}      - database: {{url: PROPERTY_DB, name: asked, {asked}}}\n")


@pytest.fixture(params=["estate", "on_postgres"])
def either(request: pytest.FixtureRequest) -> Estate:
    """With either database."""
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Estate)
    return found


def test_what_is_there_is_found(either: Estate) -> None:
    query(
        either,
        "query: 'SELECT role FROM messages WHERE conversation_id = :session ORDER BY role', equals: [[call], [result]]",
    )
    found = scored(either)
    assert found["conversation_kept"] == (1.0, "the conversation is there")
    assert found["messages_kept"] == (1.0, "2 messages")
    assert found["asked"] == (1.0, "2 rows")


def test_what_is_not_there_is_missed(either: Estate) -> None:
    either.change(CONFIG, "min: 2", "min: 3")
    query(either, "query: 'SELECT * FROM bookings WHERE guest = :session', rows: {min: 1}")
    found = scored(either)
    assert found["messages_kept"] == (0.0, "2 messages, fewer than 3")
    assert found["asked"] == (0.0, "0 rows, fewer than 1")


def test_a_statement_that_writes_is_refused_by_the_database(either: Estate) -> None:
    query(either, "query: 'WITH gone AS (SELECT :session) DELETE FROM bookings', rows: 0")
    before = either.count("bookings")
    value, reason = scored(either)["asked"]
    assert value is None
    assert "the database gave no answer" in reason
    assert either.count("bookings") == before > 0


def test_a_database_that_is_not_there_is_no_score_and_its_password_is_not_told(estate: Estate) -> None:
    query(estate, "query: 'SELECT :session', rows: 1")
    estate.change(CONFIG, "database: {url: PROPERTY_DB, name: asked", "database: {url: OTHER_DB, name: asked")
    secret = "pass-w0rd-of-nobody"
    url = f"postgresql://nobody:{secret}@127.0.0.1:1/none"
    outcome = estate.gate("check", *CASE, env={"OTHER_DB": url})
    assert outcome.code == 3
    row = estate.samples()["all_listings", "candidate"]
    (asked,) = [score for score in row["scores"] if score["scorer"] == "asked"]
    assert "the database gave no answer" in asked["value"]["reason"]
    for file in (file for file in (estate.root / ".gate").rglob("*") if file.is_file()):
        assert secret.encode() not in file.read_bytes()
