"""What the example leaves in a real Postgres is looked up, and never written."""

from tests.e2e.property_agent.estate import CONFIG, Estate

SCORERS = "    scorers:\n"
OF_SESSION = "FROM messages WHERE conversation_id = :session ORDER BY role"
ASKED = {
    "there": f"url: PROPERTY_DB, query: 'SELECT role {OF_SESSION}', equals: [[call], [result]]",
    "few": "url: PROPERTY_DB, messages: {table: messages, key: conversation_id, min: 3}",
    "none": "url: PROPERTY_DB, query: 'SELECT * FROM bookings WHERE guest = :session', rows: {min: 1}",
    "writing": "url: PROPERTY_DB, query: 'WITH gone AS (SELECT :session) DELETE FROM bookings', rows: 0",
    "elsewhere": "url: OTHER_DB, query: 'SELECT :session', rows: 1",
}
"""Scorers by their names."""
SECRET = "pass-w0rd-of-nobody"


def test_what_is_there_is_found_and_nothing_is_written_or_told(on_postgres: Estate) -> None:
    lines = "".join(f"      - database: {{name: {name}, {options}}}\n" for name, options in ASKED.items())
    on_postgres.change(CONFIG, SCORERS, SCORERS + lines)
    before = on_postgres.count("bookings")
    env = {"OTHER_DB": f"postgresql://nobody:{SECRET}@127.0.0.1:1/none"}
    outcome = on_postgres.gate("check", "--case", "all_listings", env=env)
    assert outcome.code == 1, outcome.err
    scores = {score["scorer"]: score for score in on_postgres.samples()["all_listings", "candidate"]["scores"]}
    found = {name: (score["value"], score["reason"]) for name, score in scores.items()}
    assert found["conversation_kept"] == (1.0, "the conversation is in the database")
    assert found["messages_kept"] == (1.0, "2 messages")
    assert found["there"] == (1.0, "2 rows")
    assert found["few"] == (0.0, "2 messages, fewer than 3")
    assert found["none"] == (0.0, "0 rows, fewer than 1")
    for name in ("writing", "elsewhere"):
        assert "the database query failed" in scores[name]["value"]["reason"]
    assert on_postgres.count("bookings") == before > 0
    for file in (file for file in (on_postgres.root / ".gate").rglob("*") if file.is_file()):
        assert SECRET.encode() not in file.read_bytes()
