"""The first tables: suites with the versions of their cases, runs, tokens of programs, and the log."""

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _suites()
    _cases()
    _runs()
    _figures()
    _samples()
    _beside_runs()
    _retention()
    _people()


def _suites() -> None:
    op.create_table(
        "suites",
        _key(),
        _text("name"),
        _number("newest"),
        sa.PrimaryKeyConstraint("id", name="pk_suites"),
        sa.UniqueConstraint("name", name="uq_suites_name"),
    )
    op.create_table(
        "suite_versions",
        _key("suite_id"),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        _text("digest"),
        _number("cases"),
        _text("author"),
        _moment("made"),
        _text("what"),
        sa.PrimaryKeyConstraint("suite_id", "number", name="pk_suite_versions"),
        _of("suite_versions", "suites", "suite_id"),
    )


def _cases() -> None:
    op.create_table(
        "cases",
        _key(),
        _key("suite_id"),
        _text("name"),
        sa.PrimaryKeyConstraint("id", name="pk_cases"),
        sa.UniqueConstraint("suite_id", "name", name="uq_cases_suite_id_name"),
        _of("cases", "suites", "suite_id"),
    )
    op.create_table(
        "case_versions",
        *map(_key, ("id", "suite_id", "case_id")),
        _number("number"),
        sa.Column("name", sa.Text, nullable=False, server_default=""),
        _number("first"),
        sa.Column("last", sa.Integer),
        _number("place"),
        sa.Column("entry", sa.Text),
        _text("words"),
        _text("author"),
        _moment("made"),
        sa.PrimaryKeyConstraint("id", name="pk_case_versions"),
        sa.UniqueConstraint("case_id", "number", name="uq_case_versions_case_id_number"),
        _of("case_versions", "suites", "suite_id"),
        _of("case_versions", "cases", "case_id"),
    )
    _index("case_versions", "suite_id", "last", "place")
    _index("case_versions", "suite_id", "name")
    op.create_table(
        "case_slices",
        _key("version_id"),
        _text("dimension"),
        _text("value"),
        sa.PrimaryKeyConstraint("version_id", "dimension", name="pk_case_slices"),
        _of("case_slices", "case_versions", "version_id"),
    )
    _index("case_slices", "dimension", "value", "version_id")


def _runs() -> None:
    op.create_table(
        "runs",
        _key(),
        _text("digest"),
        *map(_moment, ("created", "stored")),
        *map(_text, ("repository", "branch", "event")),
        sa.Column("pull_request", sa.Integer),
        *map(_text, ("pushed_by", "commit", "verdict")),
        _number("exit_code"),
        *map(_text, ("waived", "kind")),
        _number("samples"),
        sa.Column("spent_usd", sa.Float),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.UniqueConstraint("digest", name="uq_runs_digest"),
    )
    _index("runs", "created", "id")
    _index("runs", "repository", "pull_request", "created")
    op.create_table(
        "run_suites",
        *map(_key, ("id", "run_id")),
        _text("name"),
        _moment("created"),
        sa.Column("alone", sa.Boolean, nullable=False),
        *map(_text, ("prompt", "model", "digest", "exam")),
        _number("cases"),
        sa.Column("store", sa.Text, nullable=False, server_default=""),
        sa.PrimaryKeyConstraint("id", name="pk_run_suites"),
        _of("run_suites", "runs", "run_id"),
    )
    _index("run_suites", "run_id")
    _index("run_suites", "name", "created")
    _index("run_suites", "store", "created")


def _figures() -> None:
    op.create_table(
        "figures",
        _key("suite_id"),
        *map(_text, ("axis", "slice")),
        *map(_number, ("n", "units")),
        *map(_figure, ("baseline", "candidate", "error", "change", "lower", "upper")),
        _text("state"),
        sa.PrimaryKeyConstraint("suite_id", "axis", "slice", name="pk_figures"),
        _of("figures", "run_suites", "suite_id"),
    )
    op.create_table(
        "case_results",
        _key("suite_id"),
        *map(_text, ("case", "arm")),
        *map(_number, ("n", "missing")),
        *map(_figure, ("mean", "variance")),
        sa.PrimaryKeyConstraint("suite_id", "case", "arm", name="pk_case_results"),
        _of("case_results", "run_suites", "suite_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "agreements",
        _key("suite_id"),
        *map(_text, ("scorer", "kind")),
        _number("answers"),
        *map(_figure, ("value", "lower", "upper")),
        _text("why_not"),
        sa.PrimaryKeyConstraint("suite_id", "scorer", "kind", name="pk_agreements"),
        _of("agreements", "run_suites", "suite_id"),
    )


def _samples() -> None:
    op.create_table(
        "samples",
        _key("suite_id"),
        *map(_text, ("case", "arm")),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        _figure("score"),
        sa.Column("failed", sa.Boolean, nullable=False),
        *map(_figure, ("cost_usd", "latency_s")),
        sa.Column("body", sa.LargeBinary),
        sa.PrimaryKeyConstraint("suite_id", "case", "arm", "number", name="pk_samples"),
        _of("samples", "run_suites", "suite_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "judgements",
        _key("suite_id"),
        *map(_text, ("case", "arm")),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        _text("scorer"),
        _figure("value"),
        sa.PrimaryKeyConstraint("suite_id", "case", "arm", "number", "scorer", name="pk_judgements"),
        _of("judgements", "run_suites", "suite_id"),
        sqlite_with_rowid=False,
    )


def _beside_runs() -> None:
    """Data on a run's label, and calibrations, which belong to no run."""
    op.create_table(
        "overrides",
        _key("run_id"),
        _text("label"),
        *(sa.Column(name, sa.Text) for name in ("set_by", "set_at")),
        *map(_text, ("commit", "role", "reason")),
        sa.Column("counted", sa.Boolean, nullable=False),
        _text("why_not"),
        sa.PrimaryKeyConstraint("run_id", name="pk_overrides"),
        _of("overrides", "runs", "run_id"),
    )
    op.create_table(
        "calibrations",
        _key(),
        *map(_text, ("digest", "kind", "subject")),
        *map(_moment, ("created", "stored")),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_calibrations"),
        sa.UniqueConstraint("digest", name="uq_calibrations_digest"),
    )


def _retention() -> None:
    op.create_table(
        "forgotten",
        _key("run_id"),
        _moment("at"),
        sa.PrimaryKeyConstraint("run_id", name="pk_forgotten"),
        _of("forgotten", "runs", "run_id"),
    )
    op.create_table(
        "removals",
        _key(),
        *map(_moment, ("at", "before")),
        _number("runs"),
        sa.PrimaryKeyConstraint("id", name="pk_removals"),
    )


def _people() -> None:
    op.create_table(
        "api_tokens",
        _key(),
        *map(_text, ("digest", "name", "owner", "scopes")),
        _moment("created"),
        *(sa.Column(name, sa.DateTime(timezone=True)) for name in ("expires", "revoked", "used")),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.UniqueConstraint("digest", name="uq_api_tokens_digest"),
    )
    _index("api_tokens", "owner", "name")
    op.create_table(
        "events",
        _key(),
        _moment("at"),
        *map(_text, ("who", "what", "about")),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    _index("events", "who", "id")
    _index("events", "what", "id")


def _key(name: str = "id") -> sa.Column[int]:
    return sa.Column(name, _KEY, nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False)


def _figure(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float)


def _moment(name: str) -> sa.Column[datetime]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)


def _index(table: str, *columns: str) -> None:
    op.create_index(f"ix_{table}_{'_'.join(columns)}", table, list(columns))


def _of(table: str, other: str, column: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete="CASCADE")
