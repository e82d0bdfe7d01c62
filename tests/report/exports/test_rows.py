"""Samples as rows: flat, whole, and one at a time."""

import json
from collections.abc import Iterator

import jsonschema
import pytest

from gate.record.run import RunRecord
from gate.record.transcript import ArmName, Dollars, Failed, Reply, Sample, Score, Unscored, Usage
from gate.report.exports import rows
from tests.golden.runs import runs

RUNS = runs()


def answered(text: str = "Rechnungen", case: str = "de-017") -> Sample:
    reply = Reply(text, "m-1", Usage(10, 5, 1, 7), Dollars(0.002), 1.5, stop_reason="stop")
    scores = (Score("contains", 1.0, "has it"), Score("judge", 0.5, "so so", calls=1, cost=Dollars(0.01)))
    return Sample("support", case, ArmName.CANDIDATE, 0, reply, scores, 0.75)


def row(sample: Sample, run: RunRecord | None = None) -> dict[str, object]:
    (line,) = rows.row_lines(run or RUNS["block"], [sample])
    assert line.count("\n") == 1
    found: dict[str, object] = json.loads(line)
    jsonschema.validate(found, rows.row_schema())
    return found


def test_a_row_is_flat_and_has_what_the_record_knows() -> None:
    found = row(answered())
    assert all(isinstance(value, str | int | float | None) for value in found.values())
    wanted = {
        "schema": "prompt-gate/row/1",
        "suite": "support",
        "case": "de-017",
        "arm": "candidate",
        "model": RUNS["block"].suites[0].candidate.model,
        "slice.lang": "de",
        "slice.tier": "enterprise",
        "score": 0.75,
        "score.contains": 1.0,
        "reason.judge": "so so",
        "latency_s": 1.5,
        "cost_usd": 0.002,
        "judge_cost_usd": 0.01,
        "input_tokens": 10,
        "cache_read_tokens": 5,
    }
    assert {name: found[name] for name in wanted} == wanted


def test_a_failed_sample_has_the_same_columns() -> None:
    failed = Sample("support", "de-017", ArmName.BASELINE, 1, Failed("HTTP 503"), (), Unscored("HTTP 503"))
    found, whole = row(failed), row(answered())
    assert (found["failure"], found["score"], found["unscored"]) == ("HTTP 503", None, "HTTP 503")
    assert set(whole) - set(found) == {name for name in whole if name.startswith(("score.", "reason."))}


@pytest.mark.threat("exports")
def test_keys_are_masked_and_any_text_is_one_line() -> None:
    key = "sk-" + "a1" * 20
    text = f"{key}\u2028\ud800\n\x00"
    (line,) = rows.row_lines(RUNS["block"], [answered(text, f"case {key}")])
    assert key not in line
    assert len(line.splitlines()) == 1
    assert line.isascii()


def test_one_sample_at_a_time() -> None:
    taken = []

    def source() -> Iterator[Sample]:
        for number in range(3):
            taken.append(number)
            yield answered()

    lines = rows.row_lines(RUNS["block"], source())
    next(lines)
    assert taken == [0]
