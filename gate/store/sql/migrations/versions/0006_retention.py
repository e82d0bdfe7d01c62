"""When the texts of a run were forgotten, and when runs were removed."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    op.create_table(
        "forgotten",
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_forgotten"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_forgotten_run_id", ondelete="CASCADE"),
    )
    op.create_table(
        "removals",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("runs", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_removals"),
    )


def downgrade() -> None:
    op.drop_table("removals")
    op.drop_table("forgotten")
