"""Suites, and cases with versions and authors."""

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    _suites()
    _cases()


def downgrade() -> None:
    for name in ("case_slices", "case_versions", "cases", "suite_versions", "suites"):
        op.drop_table(name)


def _suites() -> None:
    op.create_table(
        "suites",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("newest", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_suites"),
        sa.UniqueConstraint("name", name="uq_suites_name"),
    )
    op.create_table(
        "suite_versions",
        sa.Column("suite_id", _KEY, nullable=False),
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("cases", sa.Integer, nullable=False),
        *_by(),
        sa.Column("what", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("suite_id", "number", name="pk_suite_versions"),
        _of("suite_versions", "suites", "suite_id"),
    )


def _cases() -> None:
    op.create_table(
        "cases",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("suite_id", _KEY, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_cases"),
        sa.UniqueConstraint("suite_id", "name", name="uq_cases_suite_id_name"),
        _of("cases", "suites", "suite_id"),
    )
    op.create_table(
        "case_versions",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("suite_id", _KEY, nullable=False),
        sa.Column("case_id", _KEY, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("first", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("entry", sa.Text),
        sa.Column("words", sa.Text, nullable=False),
        *_by(),
        sa.PrimaryKeyConstraint("id", name="pk_case_versions"),
        sa.UniqueConstraint("case_id", "number", name="uq_case_versions_case_id_number"),
        _of("case_versions", "suites", "suite_id"),
        _of("case_versions", "cases", "case_id"),
    )
    op.create_index("ix_case_versions_suite_id_last_place", "case_versions", ["suite_id", "last", "place"])
    op.create_table(
        "case_slices",
        sa.Column("version_id", _KEY, nullable=False),
        sa.Column("dimension", sa.Text, nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("version_id", "dimension", name="pk_case_slices"),
        _of("case_slices", "case_versions", "version_id"),
    )
    op.create_index("ix_case_slices_dimension_value_version_id", "case_slices", ["dimension", "value", "version_id"])


def _by() -> tuple[sa.Column[str], sa.Column[datetime]]:
    made = sa.Column("made", sa.DateTime(timezone=True), nullable=False)
    return sa.Column("author", sa.Text, nullable=False), made


def _of(table: str, other: str, column: str) -> sa.ForeignKeyConstraint:
    name = f"fk_{table}_{column}"
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete="CASCADE")
