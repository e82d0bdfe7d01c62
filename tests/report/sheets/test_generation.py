"""The summary of a generation: rules whole, discarded tests by their reasons, and what diversity says."""

import io
from collections.abc import Sequence
from dataclasses import replace

import pytest
from rich.console import Console

from gate.config.specification import Discarded, GeneratedTest, OutputRule, Specification
from gate.record.transcript import Effort
from gate.report.markdown import report as sheet_markdown
from gate.report.sheets.generation import GenerationOutcome, diversity_words, generation_sheet
from gate.report.terminal import sheet as sheet_terminal
from gate.stats.arrays import Undefined
from gate.testgen.cases.diversity import Diversity, Lengths
from gate.testgen.generate import GeneratedTests

LONG = "The answer names the shop, the street that it stands in, and the hours in which somebody takes up the phone."
HOSTILE = "no question of a customer | <b>bold</b> @team\x1b[31m"


def discarded(*reasons: str) -> list[Discarded]:
    return [Discarded(GeneratedTest(f"R1-rule-{n}", "rule", "R1"), why) for n, why in enumerate(reasons, start=1)]


def outcome(found: Sequence[Discarded] = ()) -> GenerationOutcome:
    specification = Specification("digest", "It answers.", (), (OutputRule("R1", LONG, grounding="ungrounded"),))
    return GenerationOutcome(
        "shop.md", GeneratedTests(specification, discarded=tuple(found)), (), (), (), Effort(calls=1)
    )


def printed(found: GenerationOutcome, width: int = 80) -> str:
    out = io.StringIO()
    sheet_terminal.render_sheet(generation_sheet(found), Console(file=out, width=width, _environ={}))
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 120])
def test_nothing_is_cut(width: int) -> None:
    text = printed(outcome(discarded(LONG, "the same as R9-rule-1")), width)
    assert "…" not in text and all(len(line) <= width and line == line.rstrip() for line in text.splitlines())
    for whole in (f"R1-rule-1: {LONG}", "R1-rule-2: the same as R9-rule-1"):
        assert " ".join(whole.split()) in " ".join(text.split())
    rule = text[text.index("R1 The answer names") : text.index("Discarded")]
    assert [word for word in LONG.split() if word not in rule] == []


def test_one_reason_is_told_once_and_the_commonest_first() -> None:
    lines = printed(outcome(discarded("it is empty", "too long", "too long"))).splitlines()
    place = lines.index("Discarded: 3 tests")
    assert lines[place + 1 : place + 3] == [
        "- 2 tests (R1-rule-2, R1-rule-3): too long",
        "- R1-rule-1: it is empty",
    ]


def test_reasons_of_strangers_are_text() -> None:
    found = outcome(discarded(HOSTILE))
    assert "\x1b" not in printed(found)
    text = sheet_markdown.render_sheet(generation_sheet(found))
    assert "<b>" not in text.replace("\\<", "") and "@team" not in text


GOOD = Diversity(4, 0.5, 0.8, 0.05, Lengths(20, 40, 60, 80, 200), {"edge": 0.25, "typical": 0.75})


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (GOOD, "A test is on average 5 % similar to the one most like it: few are variants of each other."),
        (replace(GOOD, nearest=0.4), "40 % similar to the one most like it: many are"),
        (GOOD, "50 % of the words and 80 % of the pairs of words are distinct; more means more varied tests."),
        (replace(GOOD, distinct_2=Undefined("too few")), "50 % of the words are distinct"),
        (GOOD, "Inputs of 20 to 200 characters. Scenarios: 25 % edge, 75 % typical."),
        (replace(GOOD, lengths=Lengths(71, 71, 71, 71, 71)), "71 to 71 characters: length hardly varies."),
    ],
)
def test_diversity_says_what_is_good(found: Diversity, words: str) -> None:
    (told,) = diversity_words(found)
    assert words in told
