"""Renders a report as GitHub's Markdown engine, a browser, a runner's log or a terminal would.

Each function returns the parts that must not depend on the texts in the report.
"""

import re
import unicodedata
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser

from cmarkgfm import markdown_to_html_with_extensions
from cmarkgfm.cmark import Options

_CODE = ("code", "pre")
_TRIGGERS = {
    "mention": r"@\w",
    "issue": r"#\d|\bgh-\d",
    "commit": r"\b[0-9a-f]{7,40}\b",
    "address": r"\w://|\bwww\.|\b(?:mailto|xmpp):\S*@\w",
    "advisory": r"\bghsa-\w|\bcve-\d",
    "emoji": r":(?:\d?[a-z+-][a-z0-9_+-]*|100|1234):",
}
_CHIP = re.compile(r"#[0-9a-f]{3,8}|(?:rgb|hsl)a?\(.*\)", re.IGNORECASE)
_JOINERS = "\u200c\u200d"
"""What Persian and emoji need."""
_BREAK = "\u200b"
"""Where the gate takes a colon or a sign from the next one."""
_STACK = 12
"""More marks than that on one letter reach into the lines around it."""


@dataclass(slots=True)
class Skeleton:
    """The structure of a document without its text.

    Args:
        tags: every tag with its attributes, comment, declaration and instruction, in order.
        triggers: text that GitHub would turn into links, notifications or pictures, in order.
    """

    tags: list[object] = field(default_factory=list)
    triggers: list[str] = field(default_factory=list)


def on_github(markdown: str) -> Skeleton:
    """A comment or a job summary.

    Tags that GitHub takes out stay in, so that they are seen; mentions and the like are looked for as GitHub does it:
    in the texts of the finished document that are not code.
    """
    extensions = ["table", "autolink", "strikethrough", "tasklist"]
    options = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES
    found = in_browser(markdown_to_html_with_extensions(markdown, options, extensions))
    found.tags += re.findall("<!--", markdown)
    return found


def in_browser(page: str) -> Skeleton:
    """A page as a browser takes it apart."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    return reader.skeleton


def harm(text: str) -> list[str]:
    """What a terminal or a runner's log would not take for text; our own lines of commands are left out before."""
    plain = re.sub(f"(?<=[:#]){_BREAK}", "", text)
    found = [name for char in sorted(set(plain) - set("\n" + _JOINERS)) if (name := _not_text(char))]
    found += re.findall("##\\w*\\[", text) + re.findall(r"(?m)^\s*::", text)
    return found + stacks(text)


def stacks(text: str) -> list[str]:
    """Letters under so many marks that they are drawn over other lines."""
    if text.isascii():
        return []
    found, height = [], 0
    for char in text:
        height = height + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        if height == _STACK:
            found.append(f"{_STACK} marks on one letter")
    return found


def commands(log: str) -> list[str]:
    """Lines that the runner takes for commands: it knows three line ends, trims blanks, and finds `##[` anywhere."""
    lines = re.split("\r\n|\r|\n", log)
    return [line for line in lines if line.strip().startswith("::") or "##[" in line]


def _not_text(char: str) -> str:
    category = unicodedata.category(char)
    return f"U+{ord(char):04X} ({category})" if category in {"Cc", "Cf", "Cs", "Zl", "Zp"} else ""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.skeleton = Skeleton()
        self._open: list[str] = []
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._flush()
        self._open.append(tag)
        self.skeleton.tags.append((tag, attrs))

    def handle_endtag(self, tag: str) -> None:
        self._flush()
        if tag in self._open:
            while self._open.pop() != tag:
                pass
        self.skeleton.tags.append(f"/{tag}")

    def handle_comment(self, data: str) -> None:
        self._other("comment", data)

    def handle_decl(self, decl: str) -> None:
        self._other("declaration", decl)

    def unknown_decl(self, data: str) -> None:
        self._other("declaration", data)

    def handle_pi(self, data: str) -> None:
        self._other("instruction", data)

    def handle_data(self, data: str) -> None:
        self._text += data

    def close(self) -> None:
        super().close()
        self._flush()

    def _other(self, kind: str, text: str) -> None:
        self._flush()
        self.skeleton.tags.append((kind, text))

    def _flush(self) -> None:
        text, self._text = self._text, ""
        if "code" in self._open and "pre" not in self._open:
            self.skeleton.triggers += _marks(text) + ["colour chip"] * bool(_CHIP.fullmatch(text))
        elif set(_CODE) & set(self._open):
            self.skeleton.triggers += _marks(text)
        else:
            self.skeleton.triggers += _marks(text) + _links(text)


@cache
def _marks(text: str) -> list[str]:
    return stacks(text)


@cache
def _links(text: str) -> list[str]:
    return [name for name, pattern in _TRIGGERS.items() for _ in re.findall(pattern, text, re.IGNORECASE)]
