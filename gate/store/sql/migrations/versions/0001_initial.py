"""The first tables: suites with the versions of their cases, runs, tokens of programs, sessions, and the log."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _suites()
    _runs()
    _of_runs()
    _people()


def _suites() -> None:
    op.create_table("suites", _id(), _text("name", unique=True), _number("newest"))
    op.create_table(
        "suite_versions",
        _of("suites", "suite_id", primary_key=True),
        _number("number", primary_key=True, autoincrement=False),
        _text("digest"),
        _number("cases"),
        _text("author"),
        _moment("made"),
        _text("what"),
    )
    op.create_table("cases", _id(), _of("suites", "suite_id"), _text("name"), sa.UniqueConstraint("suite_id", "name"))
    op.create_table(
        "case_versions",
        _id(),
        _of("suites", "suite_id"),
        _of("cases", "case_id"),
        _number("number"),
        _text("name", server_default=""),
        _number("first"),
        sa.Column("last", sa.Integer),
        _number("place"),
        sa.Column("entry", sa.Text),
        _text("words"),
        _text("author"),
        _moment("made"),
        sa.UniqueConstraint("case_id", "number"),
    )
    _index("case_versions", "suite_id", "last", "place")
    _index("case_versions", "suite_id", "name")
    op.create_table(
        "case_slices",
        _of("case_versions", "version_id", primary_key=True),
        _text("dimension", primary_key=True),
        _text("value"),
    )
    _index("case_slices", "dimension", "value", "version_id")


def _runs() -> None:
    op.create_table(
        "runs",
        _id(),
        _text("digest", unique=True),
        *map(_moment, ("created", "stored")),
        *map(_text, ("repository", "branch", "event")),
        sa.Column("pull_request", sa.Integer),
        *map(_text, ("pushed_by", "commit", "verdict")),
        _number("exit_code"),
        *map(_text, ("waived", "kind")),
        _number("samples"),
        _figure("spent_usd"),
        sa.Column("record", sa.LargeBinary, nullable=False),
    )
    _index("runs", "created", "id")
    _index("runs", "repository", "pull_request", "created")
    op.create_table(
        "run_suites",
        _id(),
        _of("runs", "run_id"),
        _text("name"),
        _moment("created"),
        _text("store", server_default=""),
    )
    _index("run_suites", "run_id")
    _index("run_suites", "name", "created")
    _index("run_suites", "store", "created")
    op.create_table(
        "overrides",
        _of("runs", "run_id", primary_key=True),
        _text("label"),
        *(sa.Column(name, sa.Text) for name in ("set_by", "set_at")),
        *map(_text, ("commit", "role", "reason")),
        sa.Column("counted", sa.Boolean, nullable=False),
        _text("why_not"),
    )
    op.create_table("forgotten", _of("runs", "run_id", primary_key=True, autoincrement=False), _moment("at"))
    op.create_table("removals", _id(), *map(_moment, ("at", "before")), _number("runs"))


def _of_runs() -> None:
    def key(*more: str) -> list[sa.Column[Any]]:
        named = (_text(name, primary_key=True) for name in more)
        return [_of("run_suites", "suite_id", primary_key=True), *named]

    op.create_table(
        "figures",
        *key("axis", "slice"),
        *map(_number, ("n", "units")),
        *map(_figure, ("baseline", "candidate", "error", "change", "lower", "upper")),
        _text("state"),
        _figure("undetected"),
    )
    op.create_table(
        "case_results",
        *key("case", "arm"),
        *map(_number, ("n", "missing")),
        *map(_figure, ("mean", "variance")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "samples",
        *key("case", "arm"),
        _number("number", primary_key=True, autoincrement=False),
        _figure("score"),
        sa.Column("failed", sa.Boolean, nullable=False),
        *map(_figure, ("cost_usd", "latency_s")),
        sa.Column("body", sa.LargeBinary),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "agreements",
        *key("scorer", "kind"),
        _number("answers"),
        *map(_figure, ("value", "lower", "upper")),
        _text("why_not"),
    )


def _people() -> None:
    op.create_table(
        "api_tokens",
        _id(),
        _text("digest", unique=True),
        *map(_text, ("name", "owner", "scopes")),
        _moment("created"),
        *(sa.Column(name, sa.DateTime(timezone=True)) for name in ("expires", "revoked", "used")),
    )
    _index("api_tokens", "owner", "name")
    op.create_table("sessions", _text("id", primary_key=True), _moment("expires"))
    op.create_table("events", _id(), _moment("at"), *map(_text, ("who", "what", "about")), sqlite_autoincrement=True)
    _index("events", "who", "id")
    _index("events", "what", "id")


def _id() -> sa.Column[int]:
    return sa.Column("id", _KEY, primary_key=True)


def _of(table: str, name: str, **more: Any) -> sa.Column[int]:
    return sa.Column(name, _KEY, sa.ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False, **more)


def _text(name: str, **more: Any) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, **more)


def _number(name: str, **more: Any) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, **more)


def _figure(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float)


def _moment(name: str) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))
