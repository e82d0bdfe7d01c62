"""Puts many rows into a table, a statement for every thousand of them."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ARRAY, Connection, Table, bindparam, func, insert, select

from gate.store.sql.engine import SQLITE

Item = TypeVar("Item")

AT_ONCE = 1000
"""Rows of one statement."""


def put_many(db: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> None:
    """Put rows there, in the transaction of the caller.

    Args:
        db: of a write.
        table: that they are of.
        rows: all with the same columns.

    Raises:
        IntegrityError: one of them is there already.
    """
    for part in parts(rows, AT_ONCE):
        if db.dialect.name == SQLITE:
            db.execute(insert(table), part)
        else:
            _in_columns(db, table, part)


def _in_columns(db: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """As one array for each column: Postgres asks itself anew for every row else, at five times the price."""
    columns = [table.c[name] for name in rows[0]]
    arrays = (bindparam(f"all_{column.name}", type_=ARRAY(column.type)) for column in columns)
    given = func.unnest(*arrays).table_valued(*(column.name for column in columns)).render_derived()
    put = insert(table).from_select(columns, select(*(given.c[column.name] for column in columns)))
    db.execute(put, {f"all_{column.name}": [row[column.name] for row in rows] for column in columns})


def parts(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Items in lists of at most so many."""
    rest = iter(items)
    while part := list(islice(rest, size)):
        yield part
