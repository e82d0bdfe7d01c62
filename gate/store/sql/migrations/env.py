"""Connects Alembic to the caller's connection and transaction."""

from alembic import context

from gate.store.sql.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite changes a table by copying it.
    render_as_batch=True,
    transactional_ddl=True,
)
context.run_migrations()
