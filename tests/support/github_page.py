"""Markdown as a page that looks about as on GitHub: its own engine, and its alerts and coloured differences."""

import re
from html import escape
from pathlib import Path

from cmarkgfm import markdown_to_html_with_extensions
from cmarkgfm.cmark import Options

_STYLE = Path(__file__).with_name("github.css")
_ALERT = re.compile(r"<blockquote>\n<p>\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\n")
_DIFF = re.compile(r'(<pre lang="diff"><code>)(.*?)(</code></pre>)', re.DOTALL)
_KINDS = {"-": "gone", "+": "come"}


def page(comments: dict[str, str]) -> str:
    """One page with a box for each comment.

    Args:
        comments: Markdown by name.
    """
    head = '<h1 class="name">'
    boxes = (f"{head}{escape(name)}</h1>\n<article>{body(text)}</article>" for name, text in comments.items())
    style = _STYLE.read_text(encoding="utf-8")
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
    return f"<!doctype html>\n{meta}\n<style>{style}</style>\n<main>{''.join(boxes)}</main>\n"


def body(markdown: str) -> str:
    """The HTML of one comment."""
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
    extensions = ["table", "autolink", "strikethrough", "tasklist"]
    html = markdown_to_html_with_extensions(markdown, options, extensions)
    html = _ALERT.sub(lambda found: _alert(found[1]), html)
    return _DIFF.sub(lambda found: found[1] + _coloured(found[2]) + found[3], html)


def _alert(kind: str) -> str:
    return f'<blockquote class="alert {kind.lower()}">\n<p class="alert-title">{kind.capitalize()}</p>\n<p>'


def _coloured(text: str) -> str:
    lines = text.removesuffix("\n").split("\n")
    return "".join(f'<span class="{_KINDS.get(line[:1], "same")}">{line or " "}</span>' for line in lines)
