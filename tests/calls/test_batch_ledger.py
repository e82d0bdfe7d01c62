"""The ledger: what is written is read again, what is old is forgotten, what is damaged is not believed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.calls.batches.ledger import KEPT_S, BatchLedger, LedgerEntry, request_id
from gate.calls.batches.service import BatchPlace
from gate.calls.interface import Request
from gate.config.models import ModelRef, Params
from gate.errors import CannotEvaluate
from gate.messages import Message

KEYS = st.frozensets(st.text("0123456789abcdef", min_size=48, max_size=48), min_size=1, max_size=6)
IDS = st.text("abcXYZ019_-", min_size=1, max_size=40)
PLACE = BatchPlace("openai", "https://api.openai.com/v1", "gpt-5-mini")
REQUEST = Request((Message("system", "s"), Message("user", "u")), ModelRef("openai", "m"), Params())
VALUES = st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=5), st.lists, max_leaves=3)
JUNK = VALUES | st.dictionaries(st.text(max_size=3), VALUES, max_size=2)


@st.composite
def entries(draw: st.DrawFn) -> LedgerEntry:
    keys = draw(KEYS)
    split = draw(st.integers(0, len(keys) - 1))
    taken = frozenset(sorted(keys)[:split])
    failed = {key: "why" for key in sorted(keys - taken)[: draw(st.integers(0, 2))]}
    ids = tuple(draw(st.lists(IDS, max_size=3)))
    return LedgerEntry(
        PLACE, draw(IDS), draw(IDS), draw(st.floats(1e9, 2e9)), keys, ids, draw(st.booleans()), taken, failed
    )


def entry(key: str = "a" * 48) -> LedgerEntry:
    return LedgerEntry(PLACE, "submission", "mark", 1e9, frozenset({key}), ("batch_1",), sure=True)


@given(entries())
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, written: LedgerEntry) -> None:
    ledger = BatchLedger(tmp_path_factory.mktemp("ledger"))
    ledger.save(written)
    assert ledger.entries(written.submitted_at) == [written]
    ledger.drop(written)
    assert ledger.entries(written.submitted_at) == []
    assert ledger.warnings == []


@given(st.data())
def test_no_damage_is_fatal_and_none_is_believed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("ledger")
    ledger = BatchLedger(folder)
    ledger.save(entry())
    path = folder / entry().name
    content = json.loads(path.read_text())
    field = data.draw(st.sampled_from(sorted(content)))
    content[field] = data.draw(JUNK)
    path.write_text(json.dumps(content))
    found = ledger.entries(1e9)
    assert not found or found[0].name == path.name
    assert all(found_entry.keys <= {"a" * 48} for found_entry in found)


def test_results_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    ledger = BatchLedger(tmp_path)
    ledger.save(entry())
    assert ledger.entries(1e9 + KEPT_S - 1.0)
    assert ledger.entries(1e9 + KEPT_S + 1.0) == []
    assert list(tmp_path.glob("*.json")) == []


def test_nothing_is_left_of_a_write_that_failed(tmp_path: Path) -> None:
    ledger = BatchLedger(tmp_path)
    (tmp_path / entry().name).mkdir()
    with pytest.raises(CannotEvaluate, match="cannot write to"):
        ledger.save(entry())
    assert [path.name for path in tmp_path.iterdir()] == [entry().name]


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with BatchLedger(tmp_path).alone():
        with pytest.raises(CannotEvaluate, match="another process"), BatchLedger(tmp_path).alone():
            pass
    with BatchLedger(tmp_path).alone():
        pass


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, index=1),
        replace(REQUEST, model=ModelRef("openai", "n")),
        replace(REQUEST, model=ModelRef("anthropic", "m")),
        replace(REQUEST, params=Params(temperature=0.0)),
        replace(REQUEST, messages=(Message("system", "su"), Message("user", ""))),
        replace(REQUEST, messages=(Message("user", "s"), Message("user", "u"))),
        replace(REQUEST, schema={"type": "object"}),
    ],
)
def test_everything_that_is_sent_is_in_the_key(other: Request) -> None:
    assert request_id(other) != request_id(REQUEST)
