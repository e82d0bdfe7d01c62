"""The table of the tokens by which programs use a server."""

from sqlalchemy import Column, Index, Table

from gate.store.sql.tables import Key, Label, Moment, metadata

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", Key, primary_key=True),
    Column("digest", Label, nullable=False, unique=True),
    Column("name", Label, nullable=False),
    Column("owner", Label, nullable=False),
    Column("scopes", Label, nullable=False),
    Column("created", Moment, nullable=False),
    Column("expires", Moment),
    Column("revoked", Moment),
    Column("used", Moment),
    # Somebody's own tokens.
    Index(None, "owner", "name"),
)
"""`digest` is SHA-256 of the secret, which 256 bits need no slower one for; `scopes` are joined by blanks."""
