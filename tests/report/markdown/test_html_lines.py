"""Values where Markdown and HTML meet: GitHub reads Markdown inside `<sub>`, and none in a line like `<summary>`."""

import re
from collections import defaultdict
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from gate.record.findings.finding import Code
from gate.report.escape import one_line
from gate.report.markdown import report
from tests.golden.hostile import hostile
from tests.golden.runs import runs

TEMPLATES = Path(report.__file__).parent / "templates"
AWKWARD = ("$5", "$5 and $6", "*x*", "_a_b_", "<b>", "&", "&amp;", "`c`", "~~s~~", "[x](y)", "a|b", "#1", "- x")
_INVISIBLE = str.maketrans({"\N{ZERO WIDTH SPACE}": "", "\N{NO-BREAK SPACE}": " "})


class Visible(HTMLParser):
    """The texts of a page, by the tag that is directly around them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = ["body"]
        self.texts: dict[str, list[str]] = defaultdict(list)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("br", "hr"):
            self.open.append(tag)
            self.texts[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self.open[-1] != "body":
            self.texts[self.open[-1]][-1] += data.translate(_INVISIBLE)


def visible(markdown: str) -> dict[str, list[str]]:
    """What a reader sees, by tags."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    page = Visible()
    page.feed(parser.render(markdown))
    page.close()
    return page.texts


@pytest.mark.parametrize("value", AWKWARD)
def test_a_value_is_shown_as_it_is_wherever_a_report_has_it(value: str) -> None:
    made = hostile((f"qq {value} qq",))
    shown = visible(report.render_report(made, limit=10**9))
    places = set()
    for tag, texts in shown.items():
        for text in texts:
            for found in re.findall(r"qq (.*?) qq", text):
                places.add(tag)
                assert found == value, (tag, text)
    assert places >= {"summary", "b", "sub", "td", "li", "p", "h3", "code"}


@pytest.mark.parametrize("name", sorted({*runs()} - {"hostile"}))
def test_no_line_of_html_shows_the_escapes_of_markdown(name: str) -> None:
    texts = visible(report.render_report(runs()[name], limit=10**9))
    for tag in ("summary", "sub", "b"):
        for text in texts[tag]:
            assert "\\" not in text, (tag, text)
            assert "&#" not in text, (tag, text)


def test_the_costs_in_a_summary_are_dollars() -> None:
    texts = visible(report.render_report(runs()["block"]))
    assert any("Calls, cost and time: 1,080 calls, $0.087, 42.3 s" in text for text in texts["summary"])


@given(st.text("$*_<>&`~|[]()#!\\-+.1ab ", min_size=1, max_size=20))
@example("$5 $6")
def test_any_text_is_the_same_in_both_kinds_of_line(value: str) -> None:
    template = report.environment().from_string(
        "<details>\n<summary>x{{ v | html }}x <b>x{{ v | html }}x</b></summary>\n\n<sub>x{{ v }}x</sub>\n\n"
        "| x{{ v }}x |\n|:--|\n| x{{ v }}x<br><sub>x{{ v }}x</sub> |\n\n- x{{ v }}x\n\n</details>\n"
    )
    texts = visible(template.render(v=value))
    expected = f"x{one_line(value)}x"
    assert [text.strip() for text in texts["summary"]] == [expected]
    for tag, count in (("b", 1), ("sub", 2), ("th", 1), ("td", 1), ("li", 1)):
        assert texts[tag] == [expected] * count, tag


def test_a_name_in_a_sentence_is_code_and_bold_in_a_line_of_html() -> None:
    template = report.environment().from_string("<details>\n<summary>{{ v | html }}</summary>\n\n{{ v }}\n\n</details>")
    texts = visible(template.render(v=("from ", Code("a_b<$1>"), " on")))
    assert texts["code"] == texts["b"] == ["a_b<$1>"]
    assert texts["summary"] == texts["p"] == ["from  on"]


@pytest.mark.parametrize("path", sorted(TEMPLATES.glob("*.j2")), ids=lambda path: path.name)
def test_every_value_in_a_summary_is_escaped_for_html(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"<summary>(?![^\n]*</summary>)", text), "a summary is one line"
    for summary in re.findall(r"<summary>.*?</summary>", text):
        values = re.findall(r"\{\{(.*?)\}\}", summary)
        assert all(re.search(r"\| (html|length) *$", value) for value in values), summary
