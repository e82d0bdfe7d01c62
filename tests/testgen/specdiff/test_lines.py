"""Which lines are headings, and which lead a list."""

import pytest

from gate.testgen.specdiff.sentences import sentences_of


def under(text: str) -> dict[str, str]:
    return {unit.words: unit.under for unit in sentences_of(text)}


@pytest.mark.parametrize(
    "scope",
    [
        "**{}**\n",
        "__{}__\n",
        "{}\n=====\n",
        "{}\n-----\n",
        "{}\n\n",
        "{}",
        "{}:",
    ],
)
def test_what_stands_above_a_list_is_its_scope(scope: str) -> None:
    first, second = scope.format("You must never"), scope.format("You must always")
    found = under(f"Hello.\n\n{first}\n- joke\n\n{second}\n- greet\n")
    assert "never" in found["joke"] and "always" not in found["joke"]
    assert "always" in found["greet"] and "never" not in found["greet"]


@pytest.mark.parametrize("form", ["**{}**", "{}\n---", "{}\n==="])
def test_a_line_of_its_own_is_a_heading_for_sentences_too(form: str) -> None:
    found = under(f"Hello.\n\n{form.format('Never')}\n\nName a price.\n\n{form.format('Always')}\n\nBe kind.\n")
    assert (found["Name a price"], found["Be kind"]) == ("Never", "Always")


@pytest.mark.parametrize(
    "line",
    ["**Never name a price.**", "NEVER NAME A PRICE.", "Never name a price.\n---", "Be **so** kind **now**"],
)
def test_a_sentence_is_no_heading(line: str) -> None:
    assert under(f"Hello.\n\n{line}\n\nBe brief.\n")["Be brief"] == ""


def test_an_item_leads_the_list_below_it() -> None:
    found = under("- Never\n  - shout\n- Always\n  - greet\n")
    assert (found["shout"], found["greet"]) == ("Never", "Always")


@pytest.mark.parametrize("marks", [("- ", "* "), ("- ", "• "), ("- ", "1. "), ("- ", "a) "), ("- ", "+ ")])
@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize("text", ["Never:\n@{0}joke\n@{0}shout\n\nBe kind.", "## Never\n@{0}joke\n\nBe kind.\n"])
def test_another_mark_or_an_empty_line_before_a_list_changes_no_scope(
    marks: tuple[str, str], gap: str, text: str
) -> None:
    before, after = (under(text.replace("@", gap).format(mark)) for mark in marks)
    assert before == after
    assert before["joke"].startswith("Never") and before["Be kind"] in ("", "Never")


@pytest.mark.parametrize("opening", ["<rules>", "{% if a %}", "<!-- x -->", "    "])
def test_a_list_within_tags_and_statements_keeps_its_lead_in(opening: str) -> None:
    found = under(f"Hello.\n\n{opening}\nNever:\n- joke\n\nAlways:\n- greet\n")
    assert (found["joke"], found["greet"]) == ("Never:", "Always:")
