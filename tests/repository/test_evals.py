"""The project's own suite is useful: its slices are balanced, and its prompt does not contain the cases."""

import re
from collections import Counter
from pathlib import Path

from gate.cases import reading as cases
from gate.cases.case import Case
from gate.config import gatefile

ROOT = Path(__file__).parents[2]
SUITE = gatefile.load((ROOT / "gate.yaml").read_text(encoding="utf-8"), "gate.yaml").suites[0]
PROMPT = (ROOT / SUITE.prompt).read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^Message: (.+)\nTopic: (.+)$", PROMPT, re.MULTILINE))
LEAST = 10
"""Cases without which a slice cannot block."""


def exam() -> tuple[Case, ...]:
    return tuple(cases.parse((ROOT / SUITE.cases).read_text(encoding="utf-8"), SUITE.cases))


def test_languages_and_topics_are_balanced() -> None:
    cells = Counter((case.slices["lang"], case.slices["topic"]) for case in exam())
    assert len(cells) == 12
    assert len(set(cells.values())) == 1


def test_every_slice_can_block() -> None:
    for dimension in SUITE.slices:
        assert min(Counter(case.slices[dimension] for case in exam()).values()) >= LEAST, dimension


def test_the_expected_answer_is_the_topic_and_the_prompt_shows_each_topic() -> None:
    assert all(case.expected == case.slices["topic"] for case in exam())
    assert set(Counter(EXAMPLES.values()).values()) == {12}
    assert set(EXAMPLES.values()) == {case.expected for case in exam()}


def test_no_case_is_an_example_of_the_prompt() -> None:
    asked = [re.fullmatch(r"Message: (.+)\nTopic:", case.question) for case in exam()]
    assert all(asked)
    assert not {message[1] for message in asked if message} & set(EXAMPLES)
