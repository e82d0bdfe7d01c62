"""How Alembic reaches the database: the connection is the caller's, and so is the transaction."""

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
