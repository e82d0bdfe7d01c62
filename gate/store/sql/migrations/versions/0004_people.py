"""Accounts, sessions, failed logins, the log of what was done, and what the servers of a store share."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", _KEY, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "folded", "role")),
        sa.Column("password", sa.Text),
        *(sa.Column(name, sa.Boolean, nullable=False) for name in ("must_change", "disabled")),
        sa.Column("made", _MOMENT, nullable=False),
        sa.Column("seen", _MOMENT),
        *(sa.Column(name, sa.Text) for name in ("issuer", "subject")),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("folded", name="uq_accounts_folded"),
        sa.UniqueConstraint("issuer", "subject", name="uq_accounts_issuer_subject"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("account_id", _KEY, nullable=False),
        *(sa.Column(name, _MOMENT, nullable=False) for name in ("made", "used")),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_sessions_account_id", ondelete="CASCADE"),
    )
    op.create_index("ix_sessions_account_id", "sessions", ["account_id"])
    op.create_table(
        "login_failures",
        sa.Column("bucket", sa.Text, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        *(sa.Column(name, _MOMENT, nullable=False) for name in ("last", "until")),
        sa.PrimaryKeyConstraint("bucket", name="pk_login_failures"),
    )
    op.create_table(
        "events",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("who", "what", "about", "address")),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_who_id", "events", ["who", "id"])
    op.create_index("ix_events_what_id", "events", ["what", "id"])
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("value", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secrets"),
    )


def downgrade() -> None:
    for name in ("secrets", "events", "login_failures", "sessions", "accounts"):
        op.drop_table(name)
