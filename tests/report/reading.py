"""Reads a Markdown report back, as GitHub would."""

from collections import Counter
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token


def tokens(text: str) -> list[Token]:
    """All tokens, inline ones included, of Markdown with tables, strike-through and HTML."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return list(_flat(parser.parse(text)))


def kinds(text: str) -> Counter[str]:
    """How many tokens of each kind."""
    return Counter(token.type for token in tokens(text))


def running_text(text: str) -> str:
    """What a reader sees outside code, HTML blocks left out."""
    return "\n".join(token.content for token in tokens(text) if token.type == "text")


def html(text: str) -> str:
    """Raw HTML of a document."""
    return "\n".join(token.content for token in tokens(text) if token.type in {"html_block", "html_inline"})


def _flat(found: list[Token]) -> Iterator[Token]:
    for token in found:
        yield token
        yield from _flat(token.children or [])
