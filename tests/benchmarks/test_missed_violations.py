"""The rules of the study of a recorded judge, and the figures on its page."""

from collections import Counter
from pathlib import Path

import pytest

from benchmarks.judges.checkable_rules import RULES, STRICT, broken, fault_of_array, paragraphs
from benchmarks.judges.missed_violations import (
    NOTHING_NESTED,
    alone,
    answers,
    by_fault,
    by_model,
    by_prompt,
    by_rule,
    identical,
    length,
    passed_of,
)
from benchmarks.paths import RESULTS
from gate.stats.arrays import Estimate

PAGE = Path(__file__).parents[2] / "docs" / "judge-study.md"
RESULTS_PAGE = RESULTS / "missed_violations.md"
GOOD = "<p><strong>A</strong> <em>b</em> <em>c</em>.</p>" * 3


@pytest.mark.parametrize(
    ("prompt", "output", "expected"),
    [
        ("text-to-p", GOOD, ()),
        ("text-to-p", f"Here you are:\n```html\n{GOOD}\n```\nI used `<p>` and `<strong>`.", ()),
        ("text-to-p", f"{GOOD}\n\n* I used `<strong>` for *A*.", ()),
        ("text-to-p", GOOD.replace("</p>", ""), ()),
        ("text-to-p", GOOD.upper(), ()),
        ("text-to-p", GOOD.replace("<p>", '<p class="x">'), ()),
        ("text-to-p", GOOD + "<p><strong>A</strong> <strong>b</strong> <em>c</em></p>", ("one <strong>",)),
        ("text-to-p", GOOD + "<p><em>c</em></p>", ("one <strong>",)),
        ("text-to-p", GOOD + "<p><strong>c</strong></p>", ("some <em>",)),
        ("text-to-p", "plain", ("three <p>", "one <strong>", "some <em>")),
        ("extract-names", '["BERT"]', ()),
        ("extract-names", ' [\\"BERT\\", \\"GPT\\"]\n', ()),
        ("extract-names", '```json\n["BERT"]\n```', ()),
        ("extract-names", '[["BERT"]]', ("array of names",)),
        ("extract-names", "[]", ("array of names",)),
        ("extract-names", "[1]", ("array of names",)),
        ("extract-names", "[NA]", ("array of names",)),
        ("extract-names", 'The array: ["BERT"]', ("array of names",)),
        ("extract-names", '{"a": "b"}', ("array of names",)),
        ("classify", "This is **Sci/Tech**.", ()),
        ("classify", "Science/Technology", ("a category",)),
        ("classify", "Worldwide", ("a category",)),
        ("shakespeare", "’Tis late.", ()),
        ("shakespeare", "A headline.", ("an archaic word",)),
        ("sentence", "", ()),
    ],
)
def test_rules(prompt: str, output: str, expected: tuple[str, ...]) -> None:
    assert broken(prompt, output) == expected


def test_every_fence_counts() -> None:
    assert len(paragraphs("```\n<p>a</p>\n```\nand\n```\n<p>b</p>\n```")) == 2


@pytest.mark.parametrize(
    ("output", "fault"),
    [('[["a"]]', "nested"), ('It is ["a"].', "words around it"), ("[a]", "something else"), ("", "something else")],
)
def test_faults(output: str, fault: str) -> None:
    assert fault_of_array(output) == fault


def test_the_page_has_the_figures_of_the_study() -> None:
    rows, page = answers(), PAGE.read_text(encoding="utf-8")
    results = RESULTS_PAGE.read_text(encoding="utf-8")
    wrong = [row for row in rows if row.broken]
    assert (len(rows), len(wrong), sum(row.passed for row in wrong)) == (1523, 331, 124)
    rate = passed_of(wrong)
    assert f"37 % [{rate.lower * 100:.0f}, {rate.upper * 100:.0f}]" in page
    for table in (by_rule(rows, (*RULES, *STRICT)), alone(rows), by_prompt(rows), by_model(rows), by_fault(rows)):
        cells = [list(column.cells) for column in table.columns]
        for line in zip(*cells, strict=True):
            shown = " | ".join(str(cell).replace("<", "\\<").replace(">", "\\>") for cell in line)
            assert shown in results, shown
    for table in (by_rule(rows, (*RULES, *STRICT)), alone(rows)):
        assert all(str(cell) in page for cell in table.columns[-1].cells)
    assert identical(rows) == (49, 212, [(NOTHING_NESTED, 18, 3)])
    flat = " ".join(results.split()).replace("\N{MINUS SIGN}", "-")
    for prompt, bias in length(rows):
        assert isinstance(bias, Estimate)
        assert f"{bias.value:.2f} [{bias.lower:.2f}, {bias.upper:.2f}] on `{prompt}`" in flat


def test_the_page_names_what_dominates_the_figures() -> None:
    wrong, flat = [row for row in answers() if row.broken], " ".join(PAGE.read_text(encoding="utf-8").split())
    prompts, models = Counter(row.prompt for row in wrong), Counter(row.model for row in wrong)
    assert f"{prompts['text-to-p'] + prompts['extract-names']} of the {len(wrong)} stand under two prompts" in flat
    assert f"{models['qwen2.5:3b'] + models['llama3.2:1b']} come from the two smallest models" in flat
    arrays = [row for row in wrong if row.prompt == "extract-names"]
    nested = [row for row in arrays if fault_of_array(row.output) == "nested"]
    assert {row.model for row in nested} == {"qwen2.5:3b"}
    assert f"passed {sum(row.passed for row in nested)} of {len(nested)} such answers" in flat
