"""No command asks its reader to look through more options than fit on a screen."""

from collections.abc import Iterator

import click
import pytest

from gate.cli.app import cli

MOST = {"diff": 22, "generate": 16}


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


@pytest.mark.parametrize(("name", "command"), list(commands(cli)))
def test_how_many_options_a_command_has(name: str, command: click.Command) -> None:
    with click.Context(command) as context:
        lines = [one for one in command.get_params(context) if isinstance(one, click.Option)]
    assert len(lines) <= MOST.get(name, 15), [one.opts for one in lines]
    # Every option says what it is for, and --help is one of them.
    assert all(one.help for one in lines) and any("--help" in one.opts for one in lines)
