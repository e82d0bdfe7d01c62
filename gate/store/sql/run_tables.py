"""The tables of runs: the record as it was, and beside it what lists, trends and drill-downs look up."""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from gate.store.sql.tables import DIGEST_CHARS, NAME_CHARS, Key, Moment, metadata

WORD_CHARS = 40
"""Of a verdict, an axis, an event."""

runs = Table(
    "runs",
    metadata,
    Column("id", Key, primary_key=True),
    Column("digest", String(DIGEST_CHARS), nullable=False, unique=True),
    Column("created", Moment, nullable=False),
    Column("stored", Moment, nullable=False),
    Column("repository", String(NAME_CHARS), nullable=False),
    Column("branch", String(NAME_CHARS), nullable=False),
    Column("event", String(WORD_CHARS), nullable=False),
    Column("pull_request", Integer),
    Column("pushed_by", Text, nullable=False),
    Column("commit", String(DIGEST_CHARS), nullable=False),
    Column("verdict", String(WORD_CHARS), nullable=False),
    Column("exit_code", Integer, nullable=False),
    Column("waived", String(WORD_CHARS), nullable=False),
    Column("kind", String(WORD_CHARS), nullable=False),
    Column("samples", Integer, nullable=False),
    Column("spent_usd", Float),
    Column("record", LargeBinary, nullable=False),
    # The list of runs, the newest first, of all and of one pull request.
    Index(None, "created", "id"),
    Index(None, "repository", "pull_request", "created"),
)
"""`record` is `run.json`, compressed."""

run_suites = Table(
    "run_suites",
    metadata,
    Column("id", Key, primary_key=True),
    Column("run_id", Key, ForeignKey(runs.c.id, ondelete="CASCADE"), nullable=False),
    Column("name", String(NAME_CHARS), nullable=False),
    Column("created", Moment, nullable=False),
    Column("alone", Boolean, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("digest", Text, nullable=False),
    Column("exam", Text, nullable=False),
    Column("cases", Integer, nullable=False),
    Index(None, "run_id"),
    # The newest runs of a suite: its trend, its cases.
    Index(None, "name", "created"),
)
"""`created` is that of the run, so that one index finds a suite's newest runs."""

figures = Table(
    "figures",
    metadata,
    Column("suite_id", Key, ForeignKey(run_suites.c.id, ondelete="CASCADE"), primary_key=True),
    Column("axis", String(WORD_CHARS), primary_key=True),
    Column("slice", Text, primary_key=True),
    Column("n", Integer, nullable=False),
    Column("units", Integer, nullable=False),
    Column("baseline", Float),
    Column("candidate", Float),
    Column("error", Float),
    Column("change", Float),
    Column("lower", Float),
    Column("upper", Float),
    Column("state", String(WORD_CHARS), nullable=False),
)

case_results = Table(
    "case_results",
    metadata,
    Column("suite_id", Key, ForeignKey(run_suites.c.id, ondelete="CASCADE"), primary_key=True),
    Column("case", String(NAME_CHARS), primary_key=True),
    Column("arm", String(WORD_CHARS), primary_key=True),
    Column("n", Integer, nullable=False),
    Column("missing", Integer, nullable=False),
    Column("mean", Float),
    Column("variance", Float),
    sqlite_with_rowid=False,
)

samples = Table(
    "samples",
    metadata,
    Column("suite_id", Key, ForeignKey(run_suites.c.id, ondelete="CASCADE"), primary_key=True),
    Column("case", String(NAME_CHARS), primary_key=True),
    Column("arm", String(WORD_CHARS), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("score", Float),
    Column("failed", Boolean, nullable=False),
    Column("cost_usd", Float),
    Column("latency_s", Float),
    Column("body", LargeBinary),
    sqlite_with_rowid=False,
)
"""`body` is the line of `samples.jsonl`, compressed; empty once it was forgotten."""

judgements = Table(
    "judgements",
    metadata,
    Column("suite_id", Key, ForeignKey(run_suites.c.id, ondelete="CASCADE"), primary_key=True),
    Column("case", String(NAME_CHARS), primary_key=True),
    Column("arm", String(WORD_CHARS), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("scorer", String(NAME_CHARS), primary_key=True),
    Column("value", Float),
    sqlite_with_rowid=False,
)
"""What each scorer said of a sample; `value` is empty where it could not be scored."""

overrides = Table(
    "overrides",
    metadata,
    Column("run_id", Key, ForeignKey(runs.c.id, ondelete="CASCADE"), primary_key=True),
    Column("label", Text, nullable=False),
    Column("set_by", Text),
    Column("set_at", Text),
    Column("commit", String(DIGEST_CHARS), nullable=False),
    Column("role", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("counted", Boolean, nullable=False),
    Column("why_not", Text, nullable=False),
)

calibrations = Table(
    "calibrations",
    metadata,
    Column("id", Key, primary_key=True),
    Column("digest", String(DIGEST_CHARS), nullable=False, unique=True),
    Column("kind", String(WORD_CHARS), nullable=False),
    Column("subject", Text, nullable=False),
    Column("created", Moment, nullable=False),
    Column("stored", Moment, nullable=False),
    Column("record", LargeBinary, nullable=False),
)
"""`kind` is `noise` or `judge`; `subject` is the suite, or the judge."""
