"""`gate completion`: what a shell needs to complete commands, options and names."""

import click

from gate.settings.completing import VARIABLE


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands, options, suites, cases and git refs in SHELL.

    \b
    Examples:
      eval "$(gate completion bash)"                                      (in ~/.bashrc)
      eval "$(gate completion zsh)"                                       (in ~/.zshrc, after compinit)
      gate completion fish > ~/.config/fish/completions/gate.fish
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 click has all three
    click.echo(found(ctx.find_root().command, {}, "gate", VARIABLE).source())
