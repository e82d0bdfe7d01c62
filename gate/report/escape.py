"""Text from strangers, made harmless for Markdown, HTML, terminals and shells."""

import html
import re
import shlex
import unicodedata
from collections.abc import Sequence

from gate.record.transcript import masked

_BREAK = "\N{ZERO WIDTH SPACE}"

_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""Needed by Persian and by emoji, and unable to reorder or hide text."""

_NEWLINES = re.compile("\r\n|[\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")

_TO_LOOK_AT = re.compile(r"[^\n\t -~\u00ae-\u05ff\u3000-\ud7ff]")
"""Characters that may be invisible; the most frequent visible ones are left out."""

_MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_STACKED = re.compile(f"([{_MARKS}]{{4}})[{_MARKS}]+")
"""No language puts more marks on one letter; a hundred of them are drawn over the lines around it."""

_COLOUR = re.compile(r"(?i)\A(?=#[0-9a-f]{3,8}\Z|(?:rgb|hsl)a?\()")
"""A code span that is nothing but a colour, which GitHub paints."""

_TRIGGERS = (
    re.compile(r"(?<=@)(?=\S)"),  # mentions and e-mail addresses
    re.compile(r"(?<=#)(?=\d)"),  # issue references
    re.compile(r"(?i)(?<=\bgh-)(?=\d)"),  # GH-12
    re.compile(r"(?<=:)(?=//)"),  # addresses with a scheme
    re.compile(r"(?i)(?<=www)(?=\.)"),  # addresses without one
    re.compile(r"(?i)(?<=\bcve)(?=-\d)|(?<=\bghsa)(?=-\w)"),  # security advisories
    re.compile(r"(?i)(?<=\[)(?=x\])"),  # ticks of a box, which some readers look for in its whole line
    re.compile(r"(?i)(?<=:)(?=\d?[a-z+-][a-z0-9_+-]*:|100:|1234:)"),  # shortcodes of emoji
)

_COMMIT = re.compile(r"(?i)\b[0-9a-f]{7,40}\b")

_PUNCTUATION = re.compile(r"([\\`*_{}<>~$&#!]|\[(?![+−]?\d)|\](?=[(\[:])|^[-+=](?=[-+=\s]|$))")
_COMMAND = re.compile(r"^\s*:(?=:)", re.MULTILINE)
_LEGACY_COMMAND = re.compile(r"(?<=#)(?=#\w*\[)")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 has no way to write."""
_NUMBERED = re.compile(r"^(\d+)([.)])(?=\s|$)")


def visible(text: str) -> str:
    """Control, bidirectional and other invisible characters shown as what they are; line ends become `\\n`.

    What looks like a key is masked; everything that a report shows of others' text comes through here.
    """
    if not text.isprintable():
        text = _TO_LOOK_AT.sub(lambda found: _shown(found[0]), _NEWLINES.sub("\n", text))
    if not text.isascii():
        text = _STACKED.sub("\\1⟨more marks⟩", text)
    return masked(text)


def one_line(text: str) -> str:
    """`visible` on one line: line ends and tabs become single spaces, spaces at the ends go."""
    return re.sub(r"\s+", " ", visible(text)).strip()


def shorten(text: str, limit: int) -> str:
    """Already visible text without its middle, and a note of how much went, on top of `limit` characters."""
    if len(text) <= limit:
        return text
    head, tail = (limit + 1) // 2, limit // 2
    note = f" […{len(text) - head - tail:,} characters left out…] "
    return text[:head] + note + text[len(text) - tail :]


def markdown_text(text: str) -> str:
    """Running Markdown text, also inside a table cell and a heading: no markup, no links, no references, one line."""
    text = _PUNCTUATION.sub(r"\\\1", _unlinked(one_line(text)))
    return _NUMBERED.sub(r"\1\\\2", text).replace("|", "&#124;")


def code_span(text: str) -> str:
    """A Markdown code span on one line; for use outside tables, whose pipes no code span can hold."""
    text = _COLOUR.sub(_BREAK, _unmarked(one_line(text)), count=1) or " "
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def code_block(text: str, language: str = "text") -> str:
    """A fenced block that nothing inside can close, without a line end after it; `language` goes in as it is."""
    text = _unmarked(visible(text)).rstrip("\n")
    ticks = "`" * max(3, _longest_run(text) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"


def html_text(text: str) -> str:
    """Text between HTML tags, where Markdown is not read, on one line."""
    return html.escape(_unlinked(one_line(text)))


def xml_text(text: str) -> str:
    """Text that XML can hold; its marks are still to be escaped by whoever writes the file."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def terminal_text(text: str, *, lines: bool = False) -> str:
    """Text for a terminal or a runner's log: no escape codes, and no workflow commands.

    Line ends become spaces unless `lines` keeps them.
    """
    return without_commands(visible(text).expandtabs(4) if lines else one_line(text))


def without_commands(text: str) -> str:
    """Lines that no runner obeys: it looks for `::name::` where a line begins, and for `##[name]` anywhere.

    Elsewhere `::` stays as it is, so that a pointer such as `app/prompts.py::SYSTEM` can be copied.
    """
    return _LEGACY_COMMAND.sub(_BREAK, _COMMAND.sub(rf"\g<0>{_BREAK}", text))


def _shown(char: str) -> str:
    if char in "\n\t" or char in _JOINERS:
        return char
    category = unicodedata.category(char)
    if category == "Cc" and ord(char) < 0x20:
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\N{SYMBOL FOR DELETE}"
    if category in {"Cc", "Cf", "Cs"}:
        return f"⟨U+{ord(char):04X}⟩"
    return char


def _unlinked(text: str) -> str:
    for trigger in _TRIGGERS:
        text = trigger.sub(_BREAK, text)
    return _COMMIT.sub(lambda found: _BREAK.join(re.findall("..?.?.?", found[0])), text)


def _unmarked(text: str) -> str:
    """No HTML comment, so that a search for a comment's hidden marker finds only the real one."""
    return text.replace("<!--", f"<!{_BREAK}--")


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def shell_command(words: Sequence[str], longest: int) -> str:
    """The command, quoted where a shell needs it; empty where it is longer than `longest` or cannot be shown as it is.

    Keys are masked before quoting, because the masking knows no quotes and could remove one of a pair.
    """
    found = shlex.join(map(masked, words))
    shown = len(found) <= longest and found.isprintable() and "<!--" not in found and visible(found) == found
    return found if shown else ""
