"""Values of a database are compared by their types, on a real Postgres and on SQLite."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from tests.support.command import gate
from tests.support.repository import make
from tests.support.stores import on_postgres

AGENT = """
import os
import sqlite3
import uuid


class Agent:
    def __init__(self, context):
        self.session = context.session

    def send(self, text):
        session = uuid.UUID(self.session)
        values = {"session": session, "hyphens": str(session), "digits": session.hex.upper(), "raw": session.bytes}
        url = os.environ["WRITE_TO"]
        if url.startswith("postgres"):
            import psycopg

            columns = "asUuid, asText, asDigits, asBytes"
            insert = f"INSERT INTO Talks ({columns}) VALUES (%(session)s, %(hyphens)s, %(digits)s, %(raw)s)"
            with psycopg.connect(url) as connection:
                connection.execute(insert, values)
                connection.execute(insert, values)
        else:
            insert = "INSERT INTO Talks VALUES (:hyphens, :hyphens, :digits, :raw)"
            connection = sqlite3.connect(url)
            values["session"] = None
            connection.execute(insert, values)
            connection.execute(insert, values)
            connection.commit()
            connection.close()
        return {"text": "Done.", "cost_usd": 0}
"""
TALKS = {
    "sqlite": "CREATE TABLE Talks (asUuid TEXT, asText TEXT, asDigits CHAR(32), asBytes BLOB)",
    "postgres": "CREATE TABLE Talks (asUuid UUID, asText TEXT, asDigits CHAR(40), asBytes BYTEA, n int)",
}
BOTH = pytest.mark.parametrize("kind", ["sqlite", "postgres"])
MOMENT = "2026-10-05T14:30:00+02:00"
LONG = "12345678901234567.89"
TWO_ROWS = "FROM (SELECT 2 AS v UNION ALL SELECT 3) AS t"
VALUES: list[tuple[str, str | None, str | None, list[Any], list[Any]]] = [
    # Name, how SQLite and Postgres write it (None: no such type), what it is, and what it is not.
    ("integer", "5", "5::int8", [5, 5.0, "5"], [6, "five", True, [5]]),
    ("numeric", "5.00", "5.00::numeric", [5, 5.0, "5", "5.0"], [5.01, "", None]),
    ("fraction", "0.1", "0.1::numeric", [0.1, "0.1"], [0.10000001]),
    ("long numeric", None, f"{LONG}::numeric", [LONG], ["12345678901234567.88"]),
    ("sum", f"(SELECT sum(v) {TWO_ROWS})", f"(SELECT sum(v) {TWO_ROWS})", [5], [4]),
    ("avg", f"(SELECT avg(v) {TWO_ROWS})", f"(SELECT avg(v) {TWO_ROWS})", [2.5], [2]),
    ("double", "0.1 + 0.2", "0.1::float8 + 0.2::float8", [0.3, 0.30000000000000004], [0.3000001]),
    ("float4", None, "19.99::float4", [19.99], [19.98]),
    ("true", "TRUE", "TRUE", [True, "true"], [False, "false"]),
    ("false", "FALSE", "FALSE", [False], [True]),
    ("a one", None, "1", [1], [True]),
    ("text", "'booked'", "'booked'", ["booked"], ["Booked", 1, True]),
    ("text of digits", "'05'", "'05'", ["05"], [5, "5"]),
    ("padded", None, "'ab'::char(5)", ["ab"], ["a"]),
    ("enum", None, "'good'::mood", ["good"], ["bad"]),
    ("json", """'{"a": [1, 2.5], "b": {"c": true}}'""", """'{"a": [1, 2.5], "b": {"c": true}}'::jsonb""",
     [{"b": {"c": True}, "a": [1.0, 2.5]}], [{"a": [1, 2.5], "x": 1}, {"a": ["1", 2.5], "b": {"c": True}}]),
    ("json in text", """'{"b": null}'""", """'{"b": null}'::text""", [{"b": None}, '{"b": null}'], [{"b": 0}]),
    ("json list", "'[1, \"x\"]'", "'[1, \"x\"]'::json", [[1, "x"], '[1, "x"]'], [["x", 1], [1]]),
    ("array", None, "ARRAY['a', 'b']", [["a", "b"], '["a", "b"]'], [["b", "a"], "{a,b}"]),
    ("array of numerics", None, "ARRAY[1.50, 2]::numeric[]", [[1.5, 2]], [[1.5]]),
    ("array of an enum", None, "ARRAY['good', 'bad']::mood[]", [["good", "bad"]], [["good"]]),
    ("array of arrays", None, "ARRAY[ARRAY[1, 2], ARRAY[3, 4]]", [[[1, 2], [3, 4]]], [[1, 2, 3, 4]]),
    ("date", "'2026-10-05'", "'2026-10-05'::date", ["2026-10-05", "2026-10-05T00:00:00"], ["2026-10-06", 20261005]),
    ("timestamp", "'2026-10-05 12:30:00'", "'2026-10-05 12:30:00'::timestamp",
     ["2026-10-05 12:30:00", "2026-10-05T12:30:00", "2026-10-05T12:30", MOMENT], ["2026-10-05"]),
    ("timestamptz", f"'{MOMENT}'", f"'{MOMENT}'::timestamptz",
     ["2026-10-05T12:30:00Z", "2026-10-05 12:30:00+00:00", MOMENT, "2026-10-05 08:30:00-04"], ["2026-10-05 14:30:00"]),
    ("never", None, "'infinity'::timestamptz", ["infinity"], ["2026-10-05"]),
    ("time", None, "'09:30'::time", ["09:30", "09:30:00"], ["09:31"]),
    ("time with zone", None, "'09:30+02'::timetz", ["07:30Z", "09:30:00+02:00"], ["09:30"]),
    ("uuid", "'6f9619ff-8b86-d011-b42d-00c04fc964ff'", "'6f9619ff-8b86-d011-b42d-00c04fc964ff'::uuid",
     ["6F9619FF-8B86-D011-B42D-00C04FC964FF", "6f9619ff8b86d011b42d00c04fc964ff"],
     ["6f9619ff-8b86-d011-b42d-00c04fc964fe"]),
    ("uuid in bytes", "X'6f9619ff8b86d011b42d00c04fc964ff'", "'\\x6f9619ff8b86d011b42d00c04fc964ff'::bytea",
     ["6f9619ff-8b86-d011-b42d-00c04fc964ff"], ["6f9619ff-8b86-d011-b42d-00c04fc964fe"]),
]  # fmt: skip


def path_of(url: str, kind: str) -> str:
    return url if kind == "postgres" else url.removeprefix("sqlite:///")


def prepared(url: str, kind: str, *statements: str) -> None:
    if kind == "postgres":
        with psycopg.connect(url) as server:
            for statement in statements:
                server.execute(statement.encode())
        return
    with closing(sqlite3.connect(path_of(url, kind))) as file:
        for statement in statements:
            file.execute(statement)
        file.commit()


@pytest.fixture
def url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Any:
    """A database with a table of sessions."""
    if kind == "sqlite":
        address = f"sqlite:///{tmp_path / 'agent.db'}"
        prepared(address, kind, TALKS[kind])
        yield address
        return
    with on_postgres(request.getfixturevalue("postgres")) as database:
        address = database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        prepared(
            address,
            kind,
            "DROP TABLE IF EXISTS Talks",
            "DROP TYPE IF EXISTS mood",
            TALKS[kind],
            "CREATE TYPE mood AS ENUM ('good', 'bad')",
        )
        yield address
        prepared(address, kind, "DROP TABLE Talks", "DROP TYPE mood")


def scores(
    folder: Path, url: str, kind: str, scorers: Mapping[str, dict[str, Any]], *, read: str = "", expected: Any = None
) -> dict[str, tuple[Any, str]]:
    """Value and reason of each database scorer after one conversation; None where there is no score."""
    case = {"name": "c", "rounds": [{"prompt": "Book it."}], **({} if expected is None else {"expected": expected})}
    suite = {
        "name": "s",
        "prompt": "prompt.md",
        "cases": "cases.json",
        "model": "openai:gpt-5-mini",
        "target": {"python": {"function": "agent:Agent", "env": ["WRITE_TO"]}},
        "scorers": [{"database": {"url": "DB", "name": name, **options}} for name, options in scorers.items()],
    }
    root = folder / "repo"
    files = {
        "agent.py": AGENT,
        "prompt.md": "Be kind.\n",
        "cases.json": json.dumps([case]),
        "gate.yaml": json.dumps({"version": 1, "suites": [suite]}),
        ".gitignore": ".gate/\n",
    }
    make(root, files)
    outcome = gate("check", cwd=root, env={"DB": read or url, "WRITE_TO": path_of(url, kind)}, timeout_s=300)
    written = root / ".gate/check/samples.jsonl"
    assert written.exists(), outcome.err
    rows = written.read_text().splitlines()
    found = {score["scorer"]: score for score in json.loads(rows[-1]).get("scores", [])}
    assert found.keys() == scorers.keys(), outcome.err
    return {name: value_and_reason(score) for name, score in found.items()}


def value_and_reason(score: dict[str, Any]) -> tuple[Any, str]:
    value = score["value"]
    return (None, value["reason"]) if isinstance(value, dict) else (value, score["reason"])


@BOTH
def test_each_type_equals_and_matches_its_values_and_no_others(tmp_path: Path, url: str, kind: str) -> None:
    scorers: dict[str, dict[str, Any]] = {}
    for name, sqlite, postgres, good, bad in VALUES:
        written = sqlite if kind == "sqlite" else postgres
        if written is None:
            continue
        for right, values in ((1.0, good), (0.0, bad)):
            for at, value in enumerate(values):
                query = {"query": f"SELECT {written} AS theValue"}
                label = f"{name}, {at}, {right}"
                if value is not None:
                    scorers[f"{label}, equals"] = {**query, "equals": value}
                    scorers[f"{label}, equals rows"] = {**query, "equals": [[value]]}
                scorers[f"{label}, match"] = {**query, "match": {"theValue": value}}
                scorers[f"{label}, min"] = {**query, "rows": {"min": 1}, "match": {"thevalue": value}}
    found = scores(tmp_path, url, kind, scorers)
    wrong = {name: score for name, score in found.items() if f", {score[0]}," not in name}
    assert not wrong


@BOTH
def test_a_session_is_found_in_a_column_of_each_type_and_in_other_letters(tmp_path: Path, url: str, kind: str) -> None:
    columns = ["asUuid", "asText", "asDigits", "asBytes"]
    scorers: dict[str, dict[str, Any]] = {}
    for column in columns:
        scorers[f"{column} there"] = {"conversation": {"table": "Talks", "key": column}}
        scorers[f"{column} twice"] = {"messages": {"table": "Talks", "key": column, "min": 2}}
        scorers[f"{column} no third"] = {"messages": {"table": "Talks", "key": column, "min": 3}}
    asked = "asUuid = :session" if kind == "postgres" else "replace(asUuid, '-', '') = :session"
    scorers["in a query there"] = {"query": f"SELECT count(*) FROM Talks WHERE {asked}", "equals": 2}
    scorers["no such column"] = {"conversation": {"table": "Talks", "key": "nothing"}}
    if kind == "postgres":
        scorers["no session fits"] = {"conversation": {"table": "Talks", "key": "n"}}
    scorers["no such table"] = {"conversation": {"table": "Nothing", "key": "asUuid"}}
    scorers["no column of a match"] = {"query": "SELECT 1 AS a, 2 AS b", "match": {"c": 1}}
    found = scores(tmp_path, url, kind, scorers)
    for name, (value, reason) in found.items():
        assert value == (None if name.startswith("no ") else float("third" not in name)), (name, reason)
    assert 'has no column "c"; it has "a", "b"' in found["no column of a match"][1]


@BOTH
def test_a_colon_in_a_text_and_a_slice_are_no_parameters(tmp_path: Path, url: str, kind: str) -> None:
    queries = {
        "in a text": ("SELECT 'status :ok', :session", [["status :ok"]]),
        "the session in a text": ("SELECT 'it''s :session', \":session\" FROM (SELECT 1 AS \":session\") AS t", None),
        "in a comment": ("SELECT 1 -- :ok ;\n/* :session; */", 1),
        "percent": ("SELECT 'a%b :c' LIKE 'a%%:c' AND 7 % 4 = 3", True),
        "a cast": ("SELECT CAST('x' AS TEXT)", "x"),
    }
    if kind == "postgres":
        queries |= {
            "a slice": ("SELECT (ARRAY[1, 2, 3])[:1]", [1]),
            "a slice of both": ("SELECT (ARRAY[1, 2, 3])[2:3]", [2, 3]),
            "casts": ("SELECT 'x'::text, :session::uuid = :session::text::uuid", [["x", True]]),
            "escapes": (r"SELECT E'it\'s :session; $$', $a$ :session; ' $a$", [["it's :session; $$", " :session; ' "]]),
        }
    scorers = {name: {"query": query, "equals": value} for name, (query, value) in queries.items() if value}
    scorers["in a text"] = {"query": "SELECT 'status :ok' AS said", "match": {"said": "status :ok"}}
    quoted = queries["the session in a text"][0]
    scorers["the session in a text"] = {"query": quoted, "equals": [["it's :session", 1]]}
    assert {name: value for name, (value, _) in scores(tmp_path, url, kind, scorers).items()} == dict.fromkeys(
        scorers, 1.0
    )


@BOTH
def test_tolerance_and_fields_of_the_case(tmp_path: Path, url: str, kind: str) -> None:
    row = "SELECT 10.04 AS price, 'a' AS name"
    found = scores(
        tmp_path,
        url,
        kind,
        {
            "near": {"query": "SELECT 10.04", "equals": 10, "tolerance": 0.05},
            "far": {"query": "SELECT 10.04", "equals": 10, "tolerance": 0.03},
            "near match": {"query": row, "match": {"price": 10, "name": "a"}, "tolerance": 0.05},
            "far match": {"query": row, "match": {"price": 10, "name": "a"}, "tolerance": 0.03},
            "near field": {"query": row, "match": {"price": "{{ expected }}"}},
            "near fields": {"query": row, "equals": [["{{ expected }}", "a"]]},
        },
        expected=10.04,
    )
    assert {name: value for name, (value, _) in found.items()} == {name: float("near" in name) for name in found}


@BOTH
def test_a_value_that_was_cut_is_not_compared(tmp_path: Path, url: str, kind: str) -> None:
    text = "x" * 3000
    found = scores(tmp_path, url, kind, {"long": {"query": f"SELECT '{text}'", "equals": text}})
    value, reason = found["long"]
    assert value is None and "more than 2,000 characters and was cut: select a part of it" in reason


DRIVERS = ("asyncpg", "psycopg2", "psycopg_async", "pg8000")
ADDRESSES = {
    "sqlite": [f"sqlite{driver}:///{{path}}" for driver in ("", "+aiosqlite", "+pysqlite")]
    + ["sqlite:///{path}?cache=shared"],
    "postgres": [
        "postgres{rest}",
        *(f"postgresql+{driver}{{rest}}" for driver in DRIVERS),
        "postgresql+asyncpg{rest}&prepared_statement_cache_size=0&ssl=prefer",
        "postgresql{rest}&schema=public&connection_limit=5&pgbouncer=true",
    ],
}
THERE = {"there": {"messages": {"table": "Talks", "key": "asUuid"}}}


@pytest.mark.parametrize(("kind", "address"), [(kind, one) for kind, all_ in ADDRESSES.items() for one in all_])
def test_addresses_of_other_drivers_are_the_same_database(tmp_path: Path, url: str, kind: str, address: str) -> None:
    read = address.format(path=path_of(url, kind), rest=url.removeprefix("postgresql"))
    assert scores(tmp_path, url, kind, THERE, read=read)["there"] == (1.0, "2 messages")


@pytest.mark.parametrize("kind", ["postgres"])
def test_options_of_an_address_are_kept_and_the_connection_only_reads(tmp_path: Path, url: str, kind: str) -> None:
    read = make_url(url).update_query_dict({"options": "-c search_path=nowhere -c default_transaction_read_only=off"})
    settings = "SELECT current_setting('search_path'), current_setting('transaction_read_only')"
    scorers = {"settings": {"query": settings, "equals": [["nowhere", "on"]]}}
    found = scores(tmp_path, url, kind, scorers, read=read.render_as_string(hide_password=False))
    assert found["settings"][0] == 1.0


@pytest.mark.parametrize("name", ["a#b.db", "a%41b.db", "what?.db", "a b?c=d#e%.db", "ü&.db"])
def test_signs_of_a_path_are_signs_of_a_path(tmp_path: Path, name: str) -> None:
    address = f"sqlite:///{tmp_path / name}"
    prepared(address, "sqlite", TALKS["sqlite"])
    assert scores(tmp_path, address, "sqlite", THERE)["there"] == (1.0, "2 messages")
