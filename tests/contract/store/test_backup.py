"""A backup moves a whole store, between databases too; whatever else a file is, it changes nothing."""

import base64
import gzip
import hashlib
import io
import json
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from argon2 import profiles
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import inspect, text

from gate.domain.api_token import Scope
from gate.domain.history import Context, RunFilter
from gate.domain.people import Actor, Role
from gate.domain.stored_suite import Page, Put
from gate.errors import GateError
from gate.store.samples import sample_line
from gate.store.sql import backup, migrating
from gate.store.sql.accounts import Accounts, First
from gate.store.sql.backup_file import BackupReader, Bounds, TableStart
from gate.store.sql.engine import Database
from gate.store.sql.logins import Attempt, Entered, Logins
from gate.store.sql.passwords import Passwords
from gate.store.sql.run_writer import KeptSample
from gate.store.sql.runs import Runs
from gate.store.sql.sessions import Sessions, digest_of
from gate.store.sql.shared_secrets import FORMS, shared_secret
from gate.store.sql.suite_edits import By
from gate.store.sql.suites import Suites
from gate.store.sql.tokens import Tokens, Wish
from tests.golden.runs import runs as golden
from tests.support import stores
from tests.support.finished import CREATED, finished
from tests.support.runs import suite, take

NOW = datetime(2026, 11, 23, 9, 30, tzinfo=UTC)
SUITE = suite([{"tier": "free"}, {"tier": "paid"}], samples=2)


def half(case: object, arm: object, index: int) -> float | None:
    return None if index else 0.5


def fill(database: Database) -> None:
    suites, runs = Suites(database), Runs(database)
    odd = {"id": "a", "input": "Größe? \U0001f600 ' ; DROP TABLE runs"}
    suites.change("support", [Put("a", odd, {"tier": "x"}, "Größe?")], By("Ann\0", NOW))
    suites.change("support", [Put("a", {"id": "a"}, {}, "", 1)], By("Bob", NOW))
    for record in list(golden().values())[:4]:
        runs.add(record, (), Context("acme/shop", "main", "push", 7, "ci"), NOW)
    samples = (KeptSample(one, sample_line(one)) for one in take(SUITE, half))
    runs.add(finished([SUITE], half, CREATED), samples, Context(), NOW)


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def rows(path: Path) -> list[str]:
    """All but when it was made and the checksum, in any order."""
    return sorted(lines(path)[1:-1])


def test_a_store_moves_to_postgres_and_back(postgres: str, tmp_path: Path) -> None:
    with stores.on_sqlite(tmp_path) as database, stores.on_postgres(postgres) as other:
        migrating.upgrade(database)
        fill(database)
        made = backup.backup(database, tmp_path / "one.gz", NOW)
        assert backup.restore(other, tmp_path / "one.gz") == made == backup.look(tmp_path / "one.gz")
        backup.backup(other, tmp_path / "two.gz", NOW)
        assert rows(tmp_path / "two.gz") == rows(tmp_path / "one.gz")
        assert backup.restore(database, tmp_path / "two.gz", replace=True) == made
        backup.backup(database, tmp_path / "three.gz", NOW)
        assert rows(tmp_path / "three.gz") == rows(tmp_path / "one.gz")
        assert migrating.current(other) == migrating.current(database) == migrating.newest()
        # Ids go on where the backup ends.
        known = max(row.id for row in Runs(other).rows(RunFilter(), Page(1000)))
        added = Runs(other).add(list(golden().values())[9], (), Context(), NOW)
        assert (added.new, added.id > known) == (True, True)
        Suites(other).change("second", [Put("a", {"id": "a"})], By("Ann", NOW))


def test_every_table_is_in_it_and_only_its_owner_reads_it(database: Database, tmp_path: Path) -> None:
    fill(database)
    backup.backup(database, tmp_path / "one.gz", NOW)
    told = {json.loads(line)["table"] for line in lines(tmp_path / "one.gz") if line.startswith('{"table"')}
    assert told == database.read(lambda db: set(inspect(db).get_table_names())) - {"alembic_version"}
    assert stat.S_IMODE((tmp_path / "one.gz").stat().st_mode) == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"one.gz", *(".gate",) * (database.file is not None)}


def test_who_is_logged_in_waits_or_seals_forms_is_in_no_backup_and_ends_with_a_restore(
    database: Database, tmp_path: Path
) -> None:
    by = Actor("Root", "command line", NOW)
    passwords = Passwords(profiles.CHEAPEST)
    Accounts(database, passwords).add("Ann", Role.ADMIN, First("correct horse battery"), by)
    logins = Logins(database, passwords)
    entered = logins.enter(Attempt("Ann", "correct horse battery"), by)
    assert isinstance(entered, Entered)
    logins.enter(Attempt("Ann", "wrong"), by)
    secret, issued = shared_secret(database, FORMS), Tokens(database).create(Wish("ci", "Ann", frozenset(Scope)), NOW)
    passing = ("sessions", "login_failures", "secrets")

    def held() -> list[int]:
        count = "SELECT count(*) FROM "
        return [database.read(lambda db, name=name: db.execute(text(count + name)).scalar_one()) for name in passing]

    assert all(held())
    backup.backup(database, tmp_path / "one.gz", NOW)
    found = gzip.decompress((tmp_path / "one.gz").read_bytes()).decode()
    for hidden in (digest_of(entered.token), base64.b64encode(secret).decode()):
        assert hidden not in found
    body = lines(tmp_path / "one.gz")[:-1]
    at_sessions = next(n for n, line in enumerate(body) if line.startswith('{"table":"sessions"')) + 1
    columns = json.loads(body[at_sessions - 1])["columns"]
    forged = {"digest": digest_of("mine"), "account_id": 1, "made": NOW.isoformat(), "used": NOW.isoformat()}
    row = json.dumps([forged[name] for name in columns])
    (tmp_path / "two.gz").write_bytes(sealed([*body[:at_sessions], row, *body[at_sessions:]]))
    for file in ("one.gz", "two.gz"):
        backup.restore(database, tmp_path / file, replace=True)
        assert held() == [0, 0, 0]
        assert Sessions(database).account(entered.token, NOW) is None
        assert Sessions(database).account("mine", NOW) is None
    assert shared_secret(database, FORMS) != secret
    # Programs and passwords go on.
    assert Tokens(database).find(issued.secret, NOW) is not None
    assert isinstance(logins.enter(Attempt("Ann", "correct horse battery"), by), Entered)


def test_a_backup_of_older_tables_is_brought_up_to_date(empty: Database, tmp_path: Path) -> None:
    migrating.upgrade(empty)
    Suites(empty).change("support", [Put("a", {"id": "a"})], By("Ann", NOW))
    migrating.downgrade(empty, "0001")
    assert backup.backup(empty, tmp_path / "old.gz", NOW).revision == "0001"
    backup.restore(empty, tmp_path / "old.gz", replace=True)
    assert migrating.current(empty) == migrating.newest()
    assert [one.suite for one in Suites(empty).names()] == ["support"]
    assert Runs(empty).rows(RunFilter(), Page()) == ()


def test_what_a_store_holds_is_not_lost_by_mistake(database: Database, tmp_path: Path) -> None:
    backup.backup(database, tmp_path / "empty.gz", NOW)
    fill(database)
    backup.backup(database, tmp_path / "one.gz", NOW)
    with pytest.raises(GateError, match="not empty"):
        backup.restore(database, tmp_path / "empty.gz")
    with pytest.raises(GateError, match="nothing is overwritten"):
        backup.backup(database, tmp_path / "one.gz", NOW)
    backup.backup(database, tmp_path / "two.gz", NOW)
    assert rows(tmp_path / "two.gz") == rows(tmp_path / "one.gz")


def sealed(body: list[str]) -> bytes:
    """Lines with the checksum that they need."""
    text = "".join(f"{line}\n" for line in body)
    count = sum(line.startswith("[") for line in body)
    end = json.dumps({"rows": count, "sha256": hashlib.sha256(text.encode()).hexdigest()})
    return gzip.compress(f"{text}{end}\n".encode(), 1)


Change = Callable[[list[str]], bytes]


def at(mark: str, new: str) -> Change:
    """The row after a table's name is another one."""

    def changed(body: list[str]) -> bytes:
        place = next(n for n, line in enumerate(body) if line.startswith(mark)) + 1
        return sealed([*body[:place], new, *body[place + 1 :]])

    return changed


SUITES = '{"table":"suites"'
SPOILT: dict[str, tuple[Change, str]] = {
    "no gzip": (lambda body: b"hello", "no gzip"),
    "cut off": (lambda body: sealed(body)[:-200], "cut off|no gzip"),
    "a torn line": (lambda body: gzip.compress("\n".join(body).encode()), "cut off"),
    "no end": (lambda body: gzip.compress("".join(f"{line}\n" for line in body).encode()), "cut off"),
    "one row less": (
        lambda body: gzip.compress(gzip.decompress(sealed(body)).replace(b'"Bob"', b'"Eve"')),
        "checksum",
    ),
    "more behind its end": (lambda body: sealed(body) + gzip.compress(b"{}\n"), "checksum"),
    "another program's": (lambda body: gzip.compress(b'{"a":1}\n'), "no backup"),
    "a newer form": (
        lambda body: sealed([body[0].replace('backup":1', 'backup":2'), *body[1:]]),
        "newer version",
    ),
    "newer tables": (
        lambda body: sealed(['{"prompt-gate-backup":1,"revision":"9999","made":"2026-11-23T00:00:00Z"}', *body[1:]]),
        "newer version",
    ),
    "a table of its own": (at('{"prompt', '{"table":"x\\"; DROP TABLE runs; --","columns":["a"]}'), "no store has"),
    "a column of its own": (at('{"prompt', '{"table":"cases","columns":["id","evil"]}'), "no store has"),
    "a table twice": (at(SUITES, '{"table":"suites","columns":["id","name","newest"]}'), "no store has"),
    "no tables": (lambda body: sealed(body[:1]), "missing"),
    "a row before its table": (at('{"prompt', "[1]"), "before its table"),
    "too few values": (at(SUITES, "[1]"), "too few"),
    "a text for a number": (at(SUITES, '["1; DROP TABLE runs","x",1]'), "another kind"),
    "a list for a text": (at(SUITES, '[1,["x"],1]'), "another kind"),
    "true for a number": (at(SUITES, '[true,"x",1]'), "another kind"),
    "a number too large": (at(SUITES, f'[{2**63},"x",1]'), "another kind"),
    "nothing where something must be": (at(SUITES, "[1,null,1]"), "no store holds"),
    "a child without parents": (at(SUITES, '[77,"x",1]'), "no store holds"),
    "a number without end": (at(SUITES, f'[{"9" * 9999},"x",1]'), "no line of a backup"),
    "very deep": (at(SUITES, "[" * 100_000), "no line of a backup"),
    "half a pair": (at(SUITES, '[1,"\\ud800",2]'), "no store holds"),
}


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Path]]:
    """A store that nothing may change, and its backup."""
    folder = tmp_path_factory.mktemp("standing")
    with stores.on_sqlite(folder) as database:
        migrating.upgrade(database)
        Suites(database).change("support", [Put("a", {"id": "a"})], By("Bob", NOW))
        backup.backup(database, folder / "one.gz", NOW)
        yield database, folder / "one.gz"


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_file_changes_nothing(name: str, standing: tuple[Database, Path], tmp_path: Path) -> None:
    (spoil, said), (database, good) = SPOILT[name], standing
    (tmp_path / "bad.gz").write_bytes(spoil(lines(good)[:-1]))
    with pytest.raises(GateError, match=said):
        backup.restore(database, tmp_path / "bad.gz", replace=True)
    backup.backup(database, tmp_path / "two.gz", NOW)
    assert lines(tmp_path / "two.gz") == lines(good)


@given(st.data())
def test_a_byte_that_flips_is_found_or_says_nothing(standing: tuple[Database, Path], data: st.DataObject) -> None:
    """Some bytes of the head of a gzip file mean nothing; no other word may pass, and nothing else may be raised."""
    whole = bytearray(standing[1].read_bytes())
    place = data.draw(st.integers(0, len(whole) - 1))
    whole[place] ^= data.draw(st.integers(1, 255))
    try:
        reader = BackupReader(io.BytesIO(bytes(whole)), Path("flipped.gz"))
        found = [part for part in reader.parts() if not isinstance(part, TableStart)]
    except GateError:
        return
    body = [json.loads(line) for line in lines(standing[1])[1:-1] if line.startswith("[")]
    assert (reader.header.revision, found) == (migrating.newest(), body)


@pytest.mark.parametrize(
    ("blanks", "bounds", "said"),
    [
        (20_000, Bounds(line=10_000), "too long"),
        (9_000, Bounds(line=10_000, ratio=20, free=100_000), "so large in so small a file"),
    ],
)
def test_a_bomb_is_not_unpacked(blanks: int, bounds: Bounds, said: str) -> None:
    head = '{"prompt-gate-backup":1,"revision":"0001","made":"2026-11-23T00:00:00Z"}'
    bomb = sealed([head, *[f"[{' ' * blanks}1]"] * 90])
    reader = BackupReader(io.BytesIO(bomb), Path("bomb.gz"), bounds)
    with pytest.raises(GateError, match=said):
        list(reader.parts())
