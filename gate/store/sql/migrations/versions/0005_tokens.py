"""Tokens by which programs use a server."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", _KEY, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("digest", "name", "owner", "scopes")),
        sa.Column("created", _MOMENT, nullable=False),
        *(sa.Column(name, _MOMENT) for name in ("expires", "revoked", "used")),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.UniqueConstraint("digest", name="uq_api_tokens_digest"),
    )
    op.create_index("ix_api_tokens_owner_name", "api_tokens", ["owner", "name"])


def downgrade() -> None:
    op.drop_table("api_tokens")
