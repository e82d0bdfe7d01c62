"""Converted assertions give the scores that promptfoo gave, as recorded."""

import csv
import io
import json
import math
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gate.cases.case import Case
from gate.cases.convert import import_cases
from gate.config.scorer import ScorerSpec, parse_scorers
from gate.errors import InputErrors
from gate.record.transcript import Dollars, Unscored
from gate.scoring.interface import Subject, combine_scores, meets_threshold
from gate.scoring.panel import validate
from tests.support.promptfoo import imported_scorers, imported_tests

SAID = json.loads((Path(__file__).parents[1] / "data/formats/promptfoo/said/said.json").read_text(encoding="utf-8"))
ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def _differs_in_case(base: str, value: str, answer: str) -> bool:
    return base.startswith("icontains") and any(text.casefold() != text.lower() for text in (value, answer))


DIFFER: dict[str, Callable[[str, str, str], bool]] = {
    "NFC": lambda base, value, answer: any(unicodedata.normalize("NFC", one) != one for one in (value, answer)),
    "case folding": _differs_in_case,
    "blanks of Unicode": lambda base, value, answer: base == "regex" and r"\s" in value.lower() and "\ufeff" in answer,
    "an emoji is one sign": lambda base, value, answer: base == "regex" and bool(ASTRAL.search(answer)),
    "a group that took no part": lambda base, value, answer: base == "regex" and r"\1" in value,
    "one key twice, or a number without end": lambda base, value, answer: (
        base == "is-json" and answer in ('{"a": 1, "a": 2}', '{"a": 1e400}')
    ),
}
"""Where the two differ, as the page about other tools says: kind, value and answer."""


def _said(spec: ScorerSpec, variables: Any, answer: str) -> str:
    """1, 0 or e, as recorded."""
    try:
        value = validate(spec, Subject(Case("c", input="q", vars=variables), answer)).value
    except InputErrors:
        return "e"
    assert not isinstance(value, Unscored), value.reason
    return str(int(value))


def test_scores_agree_with_recorded_scores_of_promptfoo() -> None:
    compared, used = 0, set[str]()
    for number, row in enumerate(SAID["rows"]):
        assertion = row["assert"]
        found, losses = imported_scorers(assertion)
        if not found:
            assert losses, assertion
            continue
        base, value = assertion["type"].removeprefix("not-"), json.dumps(assertion.get("value"), ensure_ascii=False)
        value = value if not isinstance(assertion.get("value"), str) else assertion["value"]
        (spec,) = parse_scorers(found, "here")
        pairs = list(zip(SAID["outputs"][row["outputs"]], row["said"], strict=True))
        # Every sixth answer of a row, and each of them in some row.
        for answer, there in pairs[number % 6 :: 6]:
            here = _said(spec, row["vars"], answer)
            if there == "e" or losses or here == "e" and "missing" in value:
                continue  # it has no meaning there, or a loss is told, or what no test gives is put in beforehand
            compared += 1
            reasons = [name for name, differ in DIFFER.items() if differ(base, value, answer)]
            assert here == there or reasons, (assertion, answer, there)
            used.update(reasons if here != there else ())
    assert compared > 3_500
    assert used == DIFFER.keys()


@pytest.mark.parametrize("test", SAID["tests"], ids=map(str, range(len(SAID["tests"]))))
def test_weights_sets_and_thresholds_keep_their_meaning(test: dict[str, Any]) -> None:
    row: dict[str, Any] = {"vars": {"x": "y"}, **{key: test[key] for key in ("assert", "threshold") if key in test}}
    (case,), losses = imported_tests(row)
    specs = parse_scorers(case["scorers"], "here")
    subject = Subject(Case("c", input="q"), test["output"], 0.01, Dollars(0.01))
    scores = [validate(spec, subject) for spec in specs]
    mean = combine_scores(scores)
    assert isinstance(mean, float) and math.isclose(mean, test["score"], abs_tol=1e-6)
    threshold = case.get("threshold")
    good = all(one.value == 1 for one in scores) if threshold is None else meets_threshold(mean, float(str(threshold)))
    assert good == test["pass"]
    assert not [loss for loss in losses if "weight 0" not in loss]


CELLS = [
    (" Paris ", {"type": "equals", "value": "Paris"}),
    ("contains: Paris", {"type": "contains", "value": "Paris"}),
    ('icontains-any:a,"x, y",paris', {"type": "icontains-any", "value": ["a", "x, y", "paris"]}),
    ("not-contains:Rome", {"type": "not-contains", "value": "Rome"}),
    ("regex:^P", {"type": "regex", "value": "^P"}),
    ("similar(0.8):Hi there", {"type": "similar", "value": "Hi there", "threshold": 0.8}),
    ("grade:is polite", {"type": "llm-rubric", "value": "is polite"}),
    ("fn:output.length > 3", {"type": "javascript", "value": "output.length > 3"}),
    ("latency(500)", {"type": "latency", "threshold": 500}),
    ("answer-relevance", {"type": "answer-relevance", "threshold": 0.75}),
    ("Contains:Hello", {"type": "equals", "value": "Contains:Hello"}),
    ("unknown:x", {"type": "equals", "value": "unknown:x"}),
]
"""Cells, and the assertions that promptfoo 0.123.1 makes of them."""


@pytest.mark.parametrize(("cell", "assertion"), CELLS)
def test_a_cell_becomes_the_same_assertion_as_in_promptfoo(cell: str, assertion: dict[str, Any]) -> None:
    table = io.StringIO()
    csv.writer(table).writerows([["x", "__expected"], ["y", cell]])
    imported = import_cases(table.getvalue(), "tests.csv")
    scorers, losses = imported_scorers(assertion)
    assert [case.get("scorers", []) for case in imported.cases] == [scorers]
    assert [loss.what for loss in imported.losses] == losses
