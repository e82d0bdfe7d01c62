"""The page about other tools lists every type of assertion, and agrees with the code."""

import re
from pathlib import Path

from gate.cases.convert import FORMATS, import_cases
from gate.cases.promptfoo_assertions import TYPES

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "how-to" / "bring-cases.md").read_text(encoding="utf-8")
DOCUMENTED = """
answer-relevance bleu classifier contains contains-all contains-any contains-html contains-json contains-sql
contains-xml context-faithfulness context-recall context-relevance conversation-relevance cost equals
factuality finish-reason g-eval
gleu guardrails icontains icontains-all icontains-any is-html is-json is-refusal is-sql is-valid-function-call
is-valid-openai-function-call is-valid-openai-tools-call is-xml javascript latency levenshtein llm-rubric pi meteor
model-graded-closedqa model-graded-factuality moderation perplexity perplexity-score python regex rouge-n ruby similar
similar:cosine similar:dot similar:euclidean starts-with tool-call-f1 skill-used trajectory:goal-success
trajectory:tool-args-match trajectory:tool-sequence trajectory:tool-used trajectory:step-count trace-error-spans
trace-span-count trace-span-duration search-rubric word-count webhook select-best max-score human assert-set
""".split()
"""The types of promptfoo, as of November 2026."""


def test_the_table_has_every_documented_type() -> None:
    assert not set(DOCUMENTED) - {*TYPES, "assert-set"}


def rows(heading: str) -> dict[str, str]:
    """What a table says of each type of assertion, by all names in its first cells."""
    lines = [line for line in PAGE.partition(heading)[2].partition("\n#")[0].splitlines() if line.startswith("| `")]
    cells = [line.strip("| ").split(" | ", 1) for line in lines]
    return {name: rest for names, rest in cells for name in re.findall(r"`([^`]+)`", names)}


def test_the_tables_have_every_type_and_its_scorer() -> None:
    converted = {name: known.scorer.split(", ") for name, known in TYPES.items() if known.scorer}
    code = {"javascript", "python"}  # have a table of their own, and stand in that of the others
    mapped = rows("### Assertions\n")
    assert mapped.keys() == converted.keys() - code | {"assert-set"}
    for name in converted.keys() - code:
        assert all(f"`{scorer}`" in mapped[name] for scorer in converted[name]), name
    forms = PAGE.partition("### Assertions in code")[2].partition("\n#")[0]
    assert all(f"| `{scorer}`" in forms for name in code for scorer in converted[name])
    assert rows("### What has no equal\n").keys() == TYPES.keys() - converted.keys() | code


def test_the_table_of_the_page_converts_as_documented() -> None:
    (sheet,) = re.findall(r"```csv\n(.*?)```", PAGE, re.DOTALL)
    found = import_cases(sheet, "questions.csv", slices=["tier"])
    told = ", ".join(f"{heading} → {meaning}" for heading, meaning in found.columns)
    assert f"cases.jsonl: {len(found.cases)} new\ncolumns: {told}\n" in PAGE
    assert found.cases[0] == {
        "id": "row-1",
        "input": "Where is my order?",
        "expected": "tracking",
        "vars": {"tone": "kind"},
        "slices": {"tier": "free"},
    }


def test_the_reference_names_every_format() -> None:
    section = (DOCS / "reference.md").read_text(encoding="utf-8").partition("### Formats")[2].partition("\n## ")[0]
    assert not [name for name in FORMATS if f"`{name}`" not in section]
