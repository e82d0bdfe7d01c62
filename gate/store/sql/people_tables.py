"""The tables of people: accounts, who is logged in, whose logins failed, and the log of what was done."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, LargeBinary, Table, UniqueConstraint

from gate.store.sql.tables import Key, Label, Moment, metadata

accounts = Table(
    "accounts",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Label, nullable=False),
    Column("folded", Label, nullable=False, unique=True),
    Column("role", Label, nullable=False),
    Column("password", Label),
    Column("must_change", Boolean, nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("made", Moment, nullable=False),
    Column("seen", Moment),
    Column("issuer", Label),
    Column("subject", Label),
    UniqueConstraint("issuer", "subject"),
    # An id names somebody in what is kept elsewhere: it must not come again.
    sqlite_autoincrement=True,
)
"""`folded` is the name as it is compared; `password` is a hash of argon2, empty where there is none. `issuer`
and `subject` are how another service knows the person, empty where none does."""

sessions = Table(
    "sessions",
    metadata,
    Column("digest", Label, primary_key=True),
    Column("account_id", Key, ForeignKey(accounts.c.id, ondelete="CASCADE"), nullable=False),
    Column("made", Moment, nullable=False),
    Column("used", Moment, nullable=False),
    Index(None, "account_id"),
)
"""`digest` is SHA-256 of what the browser holds."""

login_failures = Table(
    "login_failures",
    metadata,
    Column("bucket", Label, primary_key=True),
    Column("failures", Integer, nullable=False),
    Column("last", Moment, nullable=False),
    Column("until", Moment, nullable=False),
)
"""`bucket` is SHA-256 of an account's name, an address or a known browser; until `until` nothing is tried."""

events = Table(
    "events",
    metadata,
    Column("id", Key, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("who", Label, nullable=False),
    Column("what", Label, nullable=False),
    Column("about", Label, nullable=False),
    Column("address", Label, nullable=False),
    # What one person did, and what happened of one kind, the newest first.
    Index(None, "who", "id"),
    Index(None, "what", "id"),
    sqlite_autoincrement=True,
)
"""The log is only added to."""

secrets = Table(
    "secrets",
    metadata,
    Column("name", Label, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)
"""What the servers of one store share, made by the first that needs it."""
