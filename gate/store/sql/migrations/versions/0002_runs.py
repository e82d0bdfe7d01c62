"""Runs with their suites, figures, case results, samples and judgements; overrides and calibrations."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_OF_SUITE = ("case_results", "figures", "judgements", "samples")


def upgrade() -> None:
    _runs()
    _suites()
    _results()
    _samples()
    _aside()


def downgrade() -> None:
    for name in (*_OF_SUITE, "run_suites", "overrides", "runs", "calibrations"):
        op.drop_table(name)


def _runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stored", sa.DateTime(timezone=True), nullable=False),
        sa.Column("repository", sa.Text, nullable=False),
        sa.Column("branch", sa.Text, nullable=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("pull_request", sa.Integer),
        sa.Column("pushed_by", sa.Text, nullable=False),
        sa.Column("commit", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("exit_code", sa.Integer, nullable=False),
        sa.Column("waived", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("samples", sa.Integer, nullable=False),
        sa.Column("spent_usd", sa.Float),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.UniqueConstraint("digest", name="uq_runs_digest"),
    )
    op.create_index("ix_runs_created_id", "runs", ["created", "id"])
    op.create_index("ix_runs_repository_pull_request_created", "runs", ["repository", "pull_request", "created"])


def _suites() -> None:
    op.create_table(
        "run_suites",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("alone", sa.Boolean, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("prompt", "model", "digest", "exam")),
        sa.Column("cases", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_run_suites"),
        _of("run_suites", "runs", "run_id"),
    )
    op.create_index("ix_run_suites_run_id", "run_suites", ["run_id"])
    op.create_index("ix_run_suites_name_created", "run_suites", ["name", "created"])


def _results() -> None:
    op.create_table(
        "figures",
        _suite(),
        sa.Column("axis", sa.Text, nullable=False),
        sa.Column("slice", sa.Text, nullable=False),
        sa.Column("n", sa.Integer, nullable=False),
        sa.Column("units", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Float) for name in ("baseline", "candidate", "error", "change", "lower", "upper")),
        sa.Column("state", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("suite_id", "axis", "slice", name="pk_figures"),
        _of("figures", "run_suites", "suite_id"),
    )
    op.create_table(
        "case_results",
        _suite(),
        *_case(),
        sa.Column("n", sa.Integer, nullable=False),
        sa.Column("missing", sa.Integer, nullable=False),
        sa.Column("mean", sa.Float),
        sa.Column("variance", sa.Float),
        sa.PrimaryKeyConstraint("suite_id", "case", "arm", name="pk_case_results"),
        _of("case_results", "run_suites", "suite_id"),
        sqlite_with_rowid=False,
    )


def _samples() -> None:
    op.create_table(
        "samples",
        _suite(),
        *_case(),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("score", sa.Float),
        sa.Column("failed", sa.Boolean, nullable=False),
        sa.Column("cost_usd", sa.Float),
        sa.Column("latency_s", sa.Float),
        sa.Column("body", sa.LargeBinary),
        sa.PrimaryKeyConstraint("suite_id", "case", "arm", "number", name="pk_samples"),
        _of("samples", "run_suites", "suite_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "judgements",
        _suite(),
        *_case(),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("scorer", sa.Text, nullable=False),
        sa.Column("value", sa.Float),
        sa.PrimaryKeyConstraint("suite_id", "case", "arm", "number", "scorer", name="pk_judgements"),
        _of("judgements", "run_suites", "suite_id"),
        sqlite_with_rowid=False,
    )


def _aside() -> None:
    """What is kept of a run's label, and calibrations, which belong to no run."""
    op.create_table(
        "overrides",
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("set_by", sa.Text),
        sa.Column("set_at", sa.Text),
        sa.Column("commit", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("counted", sa.Boolean, nullable=False),
        sa.Column("why_not", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_overrides"),
        _of("overrides", "runs", "run_id"),
    )
    op.create_table(
        "calibrations",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("stored", sa.DateTime(timezone=True), nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_calibrations"),
        sa.UniqueConstraint("digest", name="uq_calibrations_digest"),
    )


def _suite() -> sa.Column[int]:
    return sa.Column("suite_id", _KEY, nullable=False)


def _case() -> tuple[sa.Column[str], sa.Column[str]]:
    return sa.Column("case", sa.Text, nullable=False), sa.Column("arm", sa.Text, nullable=False)


def _of(table: str, other: str, column: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete="CASCADE")
