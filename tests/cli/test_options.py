"""Limits on the help of every command: it fits on a screen."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from gate.cli.app import COMMANDS, cli


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from commands(child, (*path, name))


ALL = dict(commands(cli))


def test_the_list_of_commands_has_their_summaries() -> None:
    assert [*COMMANDS] == sorted(COMMANDS)
    for name, (_, summary) in COMMANDS.items():
        assert (cli.commands[name].help or "").split("\n\n")[0] == summary


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_help_fits_on_a_screen(path: tuple[str, ...]) -> None:
    command = ALL[path]
    options = [one for one in command.params if isinstance(one, click.Option)]
    assert len(options) <= 20
    assert all(one.help for one in options)
    summary, *_ = (command.help or "").split("\n\n")
    assert len(summary) <= 65 and summary.endswith(".")

    lines = CliRunner().invoke(cli, [*path, "--help"], prog_name="gate", terminal_width=80).output.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 80
    # The usage line may end so; a summary that does was cut off.
    assert not [line for line in lines[1:] if line.endswith("...")]
