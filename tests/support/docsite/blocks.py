"""The code blocks of a page, and their errors.

A block is checked by its language: the program itself reads a `gate.yaml`, a workflow, cases or scorers, and each word
of a `gate` command must exist. A block that cannot be checked says why in a comment above it, which the site does not
show: `<!-- not run: needs a cluster -->`.
"""

import ast
import json
import re
import textwrap
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import jinja2

from tests.support.docsite.commandlines import wrong_commands
from tests.support.docsite.yamlblocks import wrong_yaml

_BLOCK = re.compile(
    r"(?:^ *<!-- not run: (?P<why>[^\n]+?) -->\n+)?^(?P<indent> *)```(?P<language>[\w-]*)[^\n]*\n(?P<text>.*?)^ *```$",
    re.DOTALL | re.MULTILINE,
)
OUTPUTS = frozenset({"", "text", "markdown", "answers", "html", "csv", "diff", "xml"})
"""Languages of program output, which is not checked; `answers` are tested with the scorers."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page.

    Args:
        line: of its first fence, from 1.
        language: as the fence has it; empty where it names none.
        text: without the page's own indentation.
        why_not: why nothing is held to it; empty where something has to be.
    """

    line: int
    language: str
    text: str
    why_not: str


def blocks(page: str) -> list[Block]:
    """All fenced blocks of a page, in order.

    Args:
        page: its Markdown.
    """
    return [
        Block(
            page.count("\n", 0, found.start("indent")) + 1,
            found["language"],
            textwrap.dedent(found["text"]),
            found["why"] or "",
        )
        for found in _BLOCK.finditer(page)
    ]


def wrong(block: Block) -> str:
    """The errors of a block; empty if there are none, or if the block says why it is not checked.

    Args:
        block: of a page.
    """
    if block.why_not or block.language in OUTPUTS:
        return ""
    check = _CHECKS.get(block.language)
    if check is None:
        return f"nothing is known about {block.language}: teach tests/support/docsite/blocks.py, or say why not"
    try:
        return check(block.text)
    except (ValueError, SyntaxError, jinja2.TemplateError) as error:
        return f"{type(error).__name__}: {error}"


def _json(text: str) -> str:
    """A document, or one a line."""
    try:
        json.loads(text)
    except ValueError:
        for line in filter(str.strip, text.splitlines()):
            json.loads(line)
    return ""


def _python(text: str) -> str:
    ast.parse(text)
    return ""


def _toml(text: str) -> str:
    tomllib.loads(text)
    return ""


def _jinja(text: str) -> str:
    jinja2.Environment(autoescape=True).parse(text)
    return ""


_CHECKS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "bash": wrong_commands,
        "console": lambda text: wrong_commands("\n".join(re.findall(r"^\$ (.*)$", text, re.MULTILINE))),
        "jinja": _jinja,
        "json": _json,
        "jsonl": _json,
        "python": _python,
        "toml": _toml,
        "sh": wrong_commands,
        "yaml": wrong_yaml,
    }
)
