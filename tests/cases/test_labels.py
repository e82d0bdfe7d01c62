"""Files of labelled answers: valid lines, and every error message."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import limits
from gate.cases import labels
from gate.cases.labels import Labels, LabelScale
from gate.errors import InputErrors
from gate.messages import Message
from tests.config.texts import errors


def read(*rows: object, scale: LabelScale | None = None) -> Labels:
    return labels.parse("\n".join(json.dumps(row) for row in rows), "l.jsonl", scale)


def wrong(*rows: object, scale: LabelScale | None = None) -> list[str]:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return errors(lambda: labels.parse("\n".join(lines), "l.jsonl", scale)).splitlines()


def row(**changes: object) -> dict[str, object]:
    return {"input": "Where?", "output": "Here.", "label": "pass"} | changes


KEYS = sorted(labels.LabelRow.model_fields)


def test_a_whole_row() -> None:
    line = row(
        id="a",
        expected={"x": 1},
        criteria="Is kind.",
        slices={"tier": "pro"},
        cluster=3,
        vars={"name": "Ada"},
    )
    (found,) = read(line).rows
    case = found.case
    assert (case.id, case.input, case.expected, case.criteria) == ("a", "Where?", {"x": 1}, "Is kind.")
    assert (case.slices, case.cluster, case.vars) == ({"tier": "pro"}, "3", {"name": "Ada"})
    assert (found.output, found.labels, case.where) == ("Here.", (1.0,), "l.jsonl:1")


def test_a_conversation() -> None:
    line = {"messages": [{"role": "user", "content": "Hi"}], "output": "", "label": False}
    (found,) = read(line).rows
    assert (found.case.messages, found.output, found.labels) == ((Message("user", "Hi"),), "", (0.0,))


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("pass", 1.0),
        ("FAIL", 0.0),
        (True, 1.0),
        (0.25, 0.25),
    ],
)
def test_labels(label: object, value: float) -> None:
    found = read(row(label=label))
    assert found.rows[0].labels == (value,)
    assert found.graded == (value == 0.25)


def test_all_errors_at_once() -> None:
    found = wrong(
        row(label="maybe"),
        row(label=7),
        {"input": "a", "label": "pass"},
        {"input": "a", "output": "b"},
        {"input": "a", "output": "b", "label": "pass", "labels": ["pass"]},
        {"input": "a", "output": 3, "labels": []},
        {"input": "a", "output": "b", "labels": [None]},
        row(answer="x"),
        "{",
        "[]",
        row(id="x"),
        row(id="x"),
    )
    text = "\n".join(found)
    for line, message in [
        (1, "label must be pass or fail or a number, not 'maybe'"),
        (2, "label must lie between 0 and 1, not 7"),
        (3, "'output' is missing"),
        (4, "'label' is missing"),
        (5, "labels and 'label' cannot be combined"),
        (6, "output must be text, not 3"),
        (6, "labels is empty"),
        (7, "labels has no label"),
        (8, "unknown key 'answer'"),
        (9, "invalid JSON"),
        (10, "must be a mapping, not an empty list"),
        (12, "the id 'x' is already used on line 11"),
    ]:
        assert any(f"l.jsonl:{line}:" in one and message in one for one in found), (message, text)
    assert "--label-scale 1 5" in text


def test_preferences_are_rejected_with_one_error() -> None:
    pairs: list[dict[str, object]] = [
        {"input": "q", "outputs": ["x", "y"], "label": "first"},
        {"input": "q", "output_a": "x", "output_b": "y", "preference": "tie"},
        {"input": "q", "chosen": "x", "rejected": "y"},
    ]
    first, second = wrong(*pairs, row(label="tie"))
    assert first.startswith("l.jsonl:1: has labels for pairs of answers")
    assert "give each answer a row of its own" in first
    assert second.startswith("l.jsonl:4: label must be pass or fail or a number, not 'tie'")


def test_words_and_numbers_do_not_mix() -> None:
    (found,) = wrong(row(), row(label=0.5))
    assert "l.jsonl:2: has a number for a label, and l.jsonl:1 has pass or fail" in found


def test_sizes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    many = {"input": "a", "output": "b", "labels": ["pass"] * (limits.PEOPLE + 1)}
    assert "labels has more than 50 entries" in wrong(many)[0]
    monkeypatch.setattr(labels, "LABELS", 2)
    assert any("l.jsonl:3: more than 2 answers" in one for one in wrong(row(), row(), row()))


@given(st.one_of(st.text(max_size=80), st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
).map(json.dumps)))  # fmt: skip
def test_anything_is_read_or_refused(text: str) -> None:
    try:
        found = labels.parse(text, "l.jsonl")
    except InputErrors:
        return
    assert all(0.0 <= one <= 1.0 for each in found.rows for one in each.given)
    assert all(each.given for each in found.rows)
