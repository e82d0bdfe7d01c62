"""What a case was called in each of its versions, and the suite of the store that a run asked."""

import json
import zlib
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_AT_ONCE = 500


def upgrade() -> None:
    op.add_column("case_versions", sa.Column("name", sa.Text, nullable=False, server_default=""))
    op.add_column("run_suites", sa.Column("store", sa.Text, nullable=False, server_default=""))
    db = op.get_bind()
    _name_versions(db)
    _name_stores(db)
    op.create_index("ix_case_versions_suite_id_name", "case_versions", ["suite_id", "name"])
    op.create_index("ix_run_suites_store_created", "run_suites", ["store", "created"])


def downgrade() -> None:
    op.drop_index("ix_run_suites_store_created", "run_suites")
    op.drop_index("ix_case_versions_suite_id_name", "case_versions")
    op.drop_column("run_suites", "store")
    op.drop_column("case_versions", "name")


def _name_versions(db: sa.Connection) -> None:
    """As the case is called now, and where its text then says otherwise, like that."""
    now = "SELECT cases.name FROM cases WHERE cases.id = case_versions.case_id"
    db.execute(sa.text(f"UPDATE case_versions SET name = ({now})"))  # noqa: S608
    part = sa.text("SELECT id, name, entry FROM case_versions WHERE id > :last ORDER BY id LIMIT :most")
    called = sa.text("UPDATE case_versions SET name = :name WHERE id = :id")
    last = 0
    while rows := db.execute(part, {"last": last, "most": _AT_ONCE}).all():
        last = rows[-1].id
        other = [{"id": row.id, "name": name} for row in rows if (name := _named(row.entry)) not in ("", row.name)]
        if other:
            db.execute(called, other)


def _named(entry: str | None) -> str:
    """The id in a case, or else its name; empty where it has neither."""
    found: dict[str, Any] = json.loads(entry) if entry else {}
    named = found.get("id", found.get("name"))
    return _clean(named) if isinstance(named, str) else ""


def _name_stores(db: sa.Connection) -> None:
    stored = sa.text("UPDATE run_suites SET store = :store WHERE run_id = :run AND name = :name")
    for run in db.execute(sa.text("SELECT id FROM runs ORDER BY id")).scalars().all():
        # One record at a time: together they may be larger than the memory.
        data = db.execute(sa.text("SELECT record FROM runs WHERE id = :run"), {"run": run}).scalar_one()
        record = json.loads(zlib.decompress(data))
        for suite in (*record["suites"], *record.get("new", ())):
            label = suite["exam"].get("store", "")
            if label.startswith("store:"):
                name = label.removeprefix("store:").partition("@")[0]
                db.execute(stored, {"store": _clean(name), "run": run, "name": _clean(suite["name"])})


def _clean(text: str) -> str:
    """What Postgres cannot hold is replaced."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()
