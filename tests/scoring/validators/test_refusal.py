"""Refusals, by labelled examples: precision counts more than recall."""

import json
from pathlib import Path

import pytest

from tests.scoring.validators.scored import score

EXAMPLES = [json.loads(line) for line in Path("tests/data/refusals.jsonl").read_text(encoding="utf-8").splitlines()]


def test_precision_and_recall() -> None:
    found = [(example["refusal"], score("refusal", example["text"]) == 1.0) for example in EXAMPLES]
    right = found.count((True, True))
    precision, recall = right / sum(said for _, said in found), right / sum(truth for truth, _ in found)
    assert len(found) >= 100
    assert precision >= 0.98, f"precision {precision:.2f}, recall {recall:.2f}"
    assert recall >= 0.95, f"precision {precision:.2f}, recall {recall:.2f}"


@pytest.mark.parametrize("frame", ["Hello! {}", "\n\n{}", "{} Have a nice day.", "**{}**", "{}\n\n- one\n- two"])
def test_refusals_are_found_in_their_surroundings(frame: str) -> None:
    for example in EXAMPLES:
        if example["refusal"]:
            assert score("refusal", frame.format(example["text"])) == 1.0, example["text"]


def test_what_is_quoted_or_comes_late_is_no_refusal() -> None:
    assert score("refusal", 'The robot said: "I can\'t help with that." Then it left.') == 0.0
    assert score("refusal", "It is Paris. " * 50 + "I can't help with more than that.") == 0.0


def test_what_only_waits_for_something_is_no_refusal() -> None:
    assert score("refusal", "I can't help with that until I know your zip code.") == 0.0
    assert score("refusal", "I can't provide that information without your order number.") == 0.0
    assert score("refusal", "I can't help with that. Before you go, rate us.") == 1.0
