"""How far judges agree, out of the records of the runs that are there already."""

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_KEY = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    made = op.create_table(
        "agreements",
        sa.Column("suite_id", _KEY, nullable=False),
        sa.Column("scorer", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("answers", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Float) for name in ("value", "lower", "upper")),
        sa.Column("why_not", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("suite_id", "scorer", "kind", name="pk_agreements"),
        sa.ForeignKeyConstraint(["suite_id"], ["run_suites.id"], name="fk_agreements_suite_id", ondelete="CASCADE"),
    )
    db = op.get_bind()
    suites = sa.text("SELECT id, name FROM run_suites WHERE run_id = :run")
    for run in db.execute(sa.text("SELECT id FROM runs ORDER BY id")).scalars().all():
        # One record at a time: together they may be larger than the memory.
        data = db.execute(sa.text("SELECT record FROM runs WHERE id = :run"), {"run": run}).scalar_one()
        record = json.loads(zlib.decompress(data))
        ids = {row.name: row.id for row in db.execute(suites, {"run": run})}
        rows = [
            {"suite_id": ids[name], **row}
            for suite in (*record["suites"], *record.get("new", ()))
            if (name := suite["name"].replace("\0", "\ufffd")) in ids
            for row in _rows(suite)
        ]
        if rows:
            db.execute(sa.insert(made), rows)


def downgrade() -> None:
    op.drop_table("agreements")


def _rows(suite: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    for jury in {one["scorer"]: one for one in suite.get("juries", ())}.values():
        alpha = jury["alpha"] or {}
        figures = {name: alpha.get(name) for name in ("value", "lower", "upper")}
        yield {**_named(jury), "kind": "jury", **figures, "why_not": _clean(jury.get("why_not", ""))}
    for judge in {one["scorer"]: one for one in suite["exam"].get("judges", ())}.values():
        value, lower, upper = judge.get("agreement") or (None, None, None)
        why_not = "" if value is not None else judge.get("reason") or judge["standing"]
        figures = {"value": value, "lower": lower, "upper": upper}
        yield {**_named(judge), "kind": "people", **figures, "why_not": _clean(why_not)}


def _named(one: Mapping[str, Any]) -> dict[str, object]:
    return {"scorer": _clean(one["scorer"]), "answers": one.get("answers", 0)}


def _clean(text: str) -> str:
    """What Postgres cannot hold is replaced."""
    return text.replace("\0", "\ufffd").encode(errors="replace").decode()
