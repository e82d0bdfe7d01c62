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
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    source = resources.files("gate.report").joinpath("templates", "preview.html.j2").read_text(encoding="utf-8")
    template = Environment(undefined=StrictUndefined, autoescape=True).from_string(source)
    title = f"Prompt Gate: {run.verdict.value}"
    return template.render(title=title, body=parser.render(render_markdown(run, limit=limit))) + "\n"
