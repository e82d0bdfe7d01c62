"""The Markdown report as a page for the browser, close to how a pull request shows it."""

from importlib import resources

from jinja2 import Environment, StrictUndefined
from markdown_it import MarkdownIt

from gate.domain.record import RunRecord
from gate.report.markdown import GITHUB_LIMIT
from gate.report.markdown import render as render_markdown


def render(run: RunRecord, *, limit: int = GITHUB_LIMIT) -> str:
    """One page without scripts, links or anything that loads.

    Args:
        run: the finished run.
        limit: characters of the Markdown, as a comment may have.
    """
    source = resources.files("gate.report").joinpath("templates", "preview.html.j2").read_text(encoding="utf-8")
    template = Environment(undefined=StrictUndefined, autoescape=True).from_string(source)
    return template.render(title=f"Prompt Gate: {run.verdict.value}", body=body(run, limit=limit)) + "\n"


def body(run: RunRecord, *, limit: int = GITHUB_LIMIT) -> str:
    """The report alone, for a page that has a frame of its own; its headings begin at the second level.

    Args:
        run: the finished run.
        limit: characters of the Markdown, as a comment may have.

    Returns:
        HTML in which every text from outside is escaped, without a style of its own, which a server's policy forbids;
        a table can be scrolled with the keyboard.
    """
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    tokens = parser.parse(render_markdown(run, limit=limit))
    for token in tokens:
        if token.type == "table_open":
            token.attrSet("tabindex", "0")
        elif (style := token.attrs.pop("style", None)) is not None:
            # A page of ours allows no style in its markup.
            token.attrSet("class", str(style).removeprefix("text-align:"))
    return str(parser.renderer.render(tokens, parser.options, {}))
