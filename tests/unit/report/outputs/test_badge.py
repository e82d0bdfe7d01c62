"""Badges of every kind of run."""

import json
from xml.etree import ElementTree as Xml

import pytest

from gate.report.outputs import badge
from tests.golden.runs import runs

RUNS = runs()

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", sorted(RUNS))
def test_the_picture_stands_alone_and_says_what_it_shows(name: str) -> None:
    run = RUNS[name]
    text = badge.picture(run)
    root = Xml.fromstring(text)
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == root.get("aria-label") == f"prompt gate: {badge.message(run)}"
    assert "href" not in text
    assert text.count("http") == 1  # the name of the format itself


@pytest.mark.parametrize("name", sorted(RUNS))
def test_the_data_is_what_the_endpoint_takes(name: str) -> None:
    run = RUNS[name]
    data = json.loads(badge.endpoint(run))
    assert data.keys() == {"schemaVersion", "label", "message", "color", "isError"}
    assert data["schemaVersion"] == 1
    assert data["isError"] == bool(run.exit_code)
    assert len(data["message"]) < 60


@pytest.mark.parametrize(
    ("name", "message", "color"),
    [
        ("block", "BLOCK −0.118 [−0.191, −0.046]", "red"),
        ("ship", "SHIP +0.118 [+0.046, +0.191]", "brightgreen"),
        ("pass", "PASS", "green"),
        ("hold-cost", "HOLD", "yellow"),
        ("inconclusive", "INCONCLUSIVE", "orange"),
        ("skipped", "SKIPPED", "lightgrey"),
        ("override-run", "BLOCK, set aside", "yellow"),
        ("check-block", "BLOCK 2/4", "red"),
    ],
)
def test_messages(name: str, message: str, color: str) -> None:
    data = json.loads(badge.endpoint(RUNS[name]))
    assert (data["message"], data["color"]) == (message, color)


def test_a_recorded_branch() -> None:
    run = RUNS["pass"].model_copy(update={"kind": "baseline", "suites": []})
    assert badge.message(run) == "recorded"
