"""The Markdown report for a page of the web interface, close to how a pull request shows it."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from gate.record.run import RunRecord
from gate.report.markdown.report import GITHUB_LIMIT
from gate.report.markdown.report import render_report as render_markdown

_ALERT = re.compile(r"\[!([A-Z]+)\]\n")


def preview_body(run: RunRecord, *, limit: int = GITHUB_LIMIT) -> str:
    """The report for a page with its own frame; its headings begin at the second level.

    Returns:
        HTML in which every text from outside is escaped, without style attributes, which a server's policy forbids; a
        table can be scrolled with the keyboard.
    """
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(render_markdown(run, limit=limit))
    _alerts(tokens)
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("tabindex", "0")
        elif (style := token.attrs.pop("style", None)) is not None:
            # A page of ours allows no style in its markup.
            token.attrSet("class", str(style).removeprefix("text-align:"))
    return str(parser.renderer.render(tokens, parser.options, {}))


def _alerts(tokens: Sequence[Token]) -> None:
    """Turns GitHub's alerts, which no library knows, into quotes with a class, without their mark."""
    for place in range(len(tokens) - 2):
        quote, text = tokens[place], tokens[place + 2]
        if quote.type != "blockquote_open" or not (found := _ALERT.match(text.content)):
            continue
        quote.attrSet("class", f"alert {found[1].lower()}")
        text.children = (text.children or [])[2:]
