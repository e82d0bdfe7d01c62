"""The list of commands, and how many options each has."""

from collections.abc import Iterator

import click

from gate.cli.app import COMMANDS, cli

MOST = {"diff": 22, "generate": 16}


def commands(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


def test_the_list_of_commands_says_what_each_says() -> None:
    assert [*COMMANDS] == sorted(COMMANDS)
    for name, (_, said) in COMMANDS.items():
        assert (cli.commands[name].help or "").split("\n\n")[0].replace("\n", " ") == said


def test_no_command_has_more_options_than_fit_on_a_screen() -> None:
    for name, command in commands(cli):
        with click.Context(command) as context:
            lines = [one for one in command.get_params(context) if isinstance(one, click.Option)]
        assert len(lines) <= MOST.get(name, 15), [one.opts for one in lines]
        # Every option says what it is for, and --help is one of them.
        assert all(one.help for one in lines) and any("--help" in one.opts for one in lines), name
