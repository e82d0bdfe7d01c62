"""Checks that every program, command and option in the command lines of a page exists. Nothing is run."""

import importlib.util
import re
import shlex
from pathlib import Path

import click

from gate.cli.app import cli

ROOT = Path(__file__).parents[3]
_KNOWN = frozenset(
    {
        ".",
        "cat",
        "cd",
        "chmod",
        "cosign",
        "cp",
        "curl",
        "watchexec",
        "dask",
        "docker",
        "echo",
        "export",
        "gh",
        "git",
        "kill",
        "mkdir",
    }
    | {
        "mv",
        "openssl",
        "pg_dump",
        "pg_restore",
        "pip",
        "pipx",
        "pre-commit",
        "printf",
        "psql",
        "pytest",
        "rm",
        "sh",
        "source",
        "sqlite3",
        "true",
    }
    | {"unset", "uv", "uvx"}
)
"""Other programs, whose options are not checked."""
_BETWEEN = re.compile(r"\|\|?|&&|;")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")


def wrong_commands(text: str) -> str:
    """The errors of shell lines; empty if there are none.

    Args:
        text: lines; a backslash at the end continues one, and # begins a remark.
    """
    found = list[str]()
    for line in text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
        lexer.whitespace_split = True
        words = list(lexer)
        found += [fault for command in _commands(words) if (fault := _fault(command))]
    return "; ".join(found)


def _commands(words: list[str]) -> list[list[str]]:
    """The commands of a line, without the variables that are set for them and where their output goes."""
    parts: list[list[str]] = [[]]
    skip = False
    for word in words:
        if skip:
            skip = False
        elif re.fullmatch(r"[|&;()]+", word):
            parts.append([])
        elif re.fullmatch(r"\d?[<>]+&?\d?", word):
            skip = True
        elif parts[-1] or not _VARIABLE.match(word):
            parts[-1].append(word)
    return [part for part in parts if part]


def _fault(words: list[str]) -> str:
    program, *rest = words
    if program == "sudo":
        return _fault(rest)
    if program == "watchexec":
        return _fault(rest[rest.index("--") + 1 :])
    if Path(program).name == "gate":
        return _gate(rest)
    if program == "make":
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        named = (word for word in rest if not _VARIABLE.match(word) and not word.startswith("-"))
        return "; ".join(f"there is no make {word}" for word in named if f"\n{word}:" not in makefile)
    if Path(program).name in ("python", "python3"):
        module = rest[rest.index("-m") + 1] if "-m" in rest else "sys"
        if module == "gate":
            return _gate(rest[rest.index("gate") + 1 :])
        return "" if importlib.util.find_spec(module) else f"there is no module {module}"
    return "" if program in _KNOWN else f"nothing is known about the program {program}"


def _gate(words: list[str]) -> str:
    command: click.Command = cli
    context = click.Context(cli, info_name="gate")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, *words = words
        inner = command.get_command(context, name)
        if inner is None:
            return f"there is no {context.command_path} {name}"
        command, context = inner, click.Context(inner, info_name=name, parent=context)
    try:
        command.make_parser(context).parse_args(list(words))
    except click.UsageError as error:
        return f"{context.command_path}: {error.format_message()}"
    return ""
