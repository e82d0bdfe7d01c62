"""Follows how-to pages: writes the files, runs the commands, and compares the output with the page."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from tests.support.command import gate, git

_BLOCK = re.compile(r"(?:`([\w./-]+)`[^`\n]*:\n\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NAMES = re.compile(r"[A-Z_]+=")
"""A variable for one command."""
_DOLLARS = re.compile(r"\$[\d.,]+")
_FAILS = re.compile(r"error: |^BLOCK: ", re.MULTILINE)
CUT = "…"
"""A line of an output that stands for others."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a page.

    Args:
        file: to be written; empty where commands are to be run.
        text: of the file, or of the commands, a line each.
        shown: what the commands print, by the page; None where it does not say.
    """

    file: str
    text: str
    shown: str | None = None


def steps(page: str) -> Iterator[Step]:
    """The files and commands of a page, in order."""
    blocks = list(_BLOCK.finditer(page))
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        file, language, text = block.groups()
        if language == "sh":
            prints = after is not None and after[2] == "text" and not after[1]
            yield Step("", text, after[3] if after is not None and prints else None)
        elif file:
            yield Step(file, text)


def carry_out(step: Step, folder: Path, env: Mapping[str, str]) -> str:
    """Do it, and return what was printed.

    Args:
        step: of a page.
        folder: a git repository.
        env: for the gate.

    Raises:
        AssertionError: a command failed that the page does not show to fail.
    """
    if step.file:
        (folder / step.file).parent.mkdir(parents=True, exist_ok=True)
        (folder / step.file).write_text(step.text, encoding="utf-8")
        return ""
    printed = ""
    for line in step.text.splitlines():
        words = shlex.split(line)
        named = list(takewhile(_NAMES.match, words))
        program, *words = words[len(named) :]
        assert program in ("gate", "git"), line
        if program == "git":
            git(folder, *words)
            continue
        done = gate(*words, cwd=folder, env={**env, **dict(one.split("=", 1) for one in named)})
        assert (done.code == 0) is not bool(_FAILS.search(step.shown or "")), done.err
        printed += done.out + "".join(one for one in done.err.splitlines(keepends=True) if "error:" in one)
    return printed


def missing(shown: str, printed: str) -> list[str]:
    """Lines that a page shows and that were not printed, or not in this order; prices change, and are not compared.

    Args:
        shown: lines; `CUT` stands for any number of others.
        printed: all that was.
    """
    left = iter([_plain(line) for line in printed.splitlines()])
    return [line for line in shown.splitlines() if line.strip() != CUT and not any(_plain(line) == one for one in left)]


def _plain(line: str) -> str:
    return " ".join(_DOLLARS.sub("$", line).split())
