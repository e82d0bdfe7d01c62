"""Options of the database scorer."""

import json

import pytest

from gate.config.scorer import parse_scorers
from tests.config.texts import errors


def said(query: str) -> str:
    scorer = {"database": {"url": "DB", "query": query, "rows": 1}}
    return errors(lambda: parse_scorers([json.loads(json.dumps(scorer))], "gate.yaml"))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "SELECT 1 ; \n",
        "-- how many\nWITH a AS (SELECT 1) SELECT * FROM a",
        "SELECT 'it''s; so' AS \"a;b\"",
    ],
)
def test_one_statement_that_reads(query: str) -> None:
    (spec,) = parse_scorers([{"database": {"url": "DB", "query": query, "rows": 1}}], "gate.yaml")
    assert spec.options["query"] == query.rstrip().rstrip(";")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1; SELECT 2",
        "SELECT ';' ; COMMIT; DELETE FROM a",
    ],
)
def test_two_statements_are_refused_whatever_is_quoted(query: str) -> None:
    assert "has more than one statement" in said(query)


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM a",
        "-- SELECT\nDROP TABLE a",
        "COPY a TO PROGRAM 'b'",
    ],
)
def test_queries_that_write_are_refused(query: str) -> None:
    assert "does not only read (start with SELECT or WITH" in said(query)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"url": "postgresql://me:hunter2@x/y", "query": "SELECT 1", "rows": 1}, "must be the name of an environment"),
        ({"url": "DB", "query": "SELECT 1"}, "needs rows, equals or match together with query"),
        ({"url": "DB", "conversation": {"table": "a; DROP TABLE b", "key": "id"}}, "is not a plain name"),
        ({"url": "DB", "conversation": {"table": "a"}}, "'key' is missing"),
        ({"url": "DB", "conversation": {"table": "a", "key": "b"}, "rows": 1}, "needs query"),
        ({"url": "DB", "query": "SELECT 1", "rows": {}}, "needs min or max"),
    ],
    ids=str,
)
def test_errors_have_a_hint_and_show_no_password(options: dict[str, object], told: str) -> None:
    text = errors(lambda: parse_scorers([{"database": json.loads(json.dumps(options))}], "gate.yaml"))
    assert told in text
    assert "hunter2" not in text
