"""The ledger of the monthly cap: whole, bounded, and refused where somebody may have made it up."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.domain.spending import Outlay
from gate.errors import CannotEvaluate
from gate.store.ledger import MOST_BYTES, MOST_RUNS, SpendingFile
from tests.unit.stats.layouts import THOROUGH


@pytest.fixture
def file(tmp_path: Path) -> SpendingFile:
    return SpendingFile(tmp_path / "spending.json")


def text_of(**other: object) -> str:
    row = {"month": "2026-11", "usd": 1.0}
    return json.dumps({"version": 1, "runs": {"1.1": row | other}})


def test_a_fresh_cache_has_none(file: SpendingFile) -> None:
    assert file.read() == {}


def test_what_is_added_is_read(file: SpendingFile) -> None:
    file.add("12.1", Outlay("2026-11", 1.5))
    file.add("13.1", Outlay("2026-11", 0.1))
    assert file.read() == {"12.1": Outlay("2026-11", 1.5), "13.1": Outlay("2026-11", 0.1)}
    assert [path.name for path in file.path.parent.iterdir()] == ["spending.json"]


def test_the_same_run_counts_once(file: SpendingFile) -> None:
    file.add("12.1", Outlay("2026-11", 1.5))
    file.add("12.2", Outlay("2026-11", 0.5))
    file.add("12.1", Outlay("2026-11", 2.0))
    assert file.read() == {"12.2": Outlay("2026-11", 0.5), "12.1": Outlay("2026-11", 2.0)}


def test_old_months_go(file: SpendingFile) -> None:
    for month in ("2026-09", "2026-10", "2026-11"):
        file.add(f"run-{month}", Outlay(month, 1.0))
    assert [one.month for one in file.read().values()] == ["2026-10", "2026-11"]


def test_of_many_runs_the_oldest_become_one_and_no_dollar_is_lost(file: SpendingFile) -> None:
    rows = {f"{number}.1": {"month": "2026-11", "usd": 0.5} for number in range(MOST_RUNS)}
    rows["0.1"]["month"] = "2026-10"
    file.path.write_text(json.dumps({"version": 1, "runs": rows}))
    for number in range(5):
        file.add(f"new-{number}", Outlay("2026-11", 0.25))
        found = file.read()
        assert len(found) <= MOST_RUNS
        assert sum(one.usd for one in found.values() if one.month == "2026-11") == (MOST_RUNS - 1) / 2 + 0.25 * (
            number + 1
        )
        assert sum(one.usd for one in found.values() if one.month == "2026-10") == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "{}",
        '{"version": 2, "runs": {}}',
        '{"version": true, "runs": {}}',
        '{"version": 1, "runs": []}',
        '{"version": 1, "runs": {}, "more": 1}',
        '{"version": 1, "runs": {"1.1": 5}}',
        '{"version": 1, "runs": {"a b": {"month": "2026-11", "usd": 1}}}',
        text_of(usd=-1),
        text_of(usd="1"),
        text_of(usd=True),
        text_of(usd=None),
        text_of(usd=1e13),
        '{"version": 1, "runs": {"1.1": {"month": "2026-11", "usd": NaN}}}',
        '{"version": 1, "runs": {"1.1": {"month": "2026-11", "usd": 1e999}}}',
        text_of(month="2026-13"),
        text_of(month="now"),
        text_of(more=1),
        "[" * 100_000,
        " " * (MOST_BYTES + 1),
    ],
)
def test_one_that_is_broken_stops_the_run_and_is_left_alone(file: SpendingFile, text: str) -> None:
    file.path.write_text(text)
    for step in (file.read, lambda: file.add("1.1", Outlay("2026-11", 1.0))):
        with pytest.raises(CannotEvaluate) as caught:
            step()
        assert caught.value.message.startswith(f"the ledger {file.path} cannot be read: ")
        assert "delete it" in caught.value.hint
    assert file.path.read_text() == text


def test_bytes_that_are_no_text(file: SpendingFile) -> None:
    file.path.write_bytes(b'{"version": \xff}')
    with pytest.raises(CannotEvaluate, match="it is not UTF-8"):
        file.read()


def test_a_link_is_not_followed(file: SpendingFile, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(text_of())
    file.path.symlink_to(other)
    with pytest.raises(CannotEvaluate, match="cannot be read"):
        file.add("2.1", Outlay("2026-11", 1.0))
    assert other.read_text() == text_of()


def test_what_is_no_file_does_not_hang(file: SpendingFile) -> None:
    os.mkfifo(file.path)
    with pytest.raises(CannotEvaluate, match="it is no file"):
        file.read()
    file.path.unlink()
    file.path.mkdir()
    with pytest.raises(CannotEvaluate, match="cannot be read"):
        file.read()


@pytest.mark.parametrize(
    ("run", "outlay"),
    [
        ("", Outlay("2026-11", 1.0)),
        ("x" * 41, Outlay("2026-11", 1.0)),
        ("1.1", Outlay("2026", 1.0)),
        ("1.1", Outlay("2026-11", float("nan"))),
        ("1.1", Outlay("2026-11", -1.0)),
    ],
)
def test_what_could_not_be_read_again_is_not_written(file: SpendingFile, run: str, outlay: Outlay) -> None:
    with pytest.raises(ValueError, match="malformed"):
        file.add(run, outlay)
    assert not file.path.exists()


@settings(THOROUGH, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60) | st.binary(max_size=60))
def test_any_content_is_a_ledger_or_an_error(file: SpendingFile, content: str | bytes) -> None:
    file.path.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    with pytest.raises(CannotEvaluate):
        file.read()
