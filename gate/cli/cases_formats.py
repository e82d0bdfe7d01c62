"""What `gate cases import`, `export` and `convert` say about the formats of other tools."""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from gate.formats.bundle import Loss
    from gate.formats.convert import Brought

FORMATS = (
    "gate", "csv", "promptfoo", "openai-evals", "openai-items", "inspect", "braintrust", "langsmith", "helm",
    "prompt-yml", "prompty",
)  # fmt: skip
"""Those of `gate.formats`, to which a test holds them: `--help` loads nothing. The last one is only read."""

Command = Callable[..., Any]


def from_options(command: Command) -> Command:
    """The options of what reads another tool's file."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print what was done and lost as JSON."),
        click.option("--strict", is_flag=True, help="Do nothing where anything would be lost (exit 2)."),
        click.option("--slice", "slices", multiple=True, metavar="NAME", help="This variable is a slice. Repeatable."),
        click.option("--from", "source_format", type=click.Choice(FORMATS), help="Format.  [default: by content]"),
    ):
        command = option(command)
    return command


def to_option(command: Command) -> Command:
    """The option of what writes another tool's file."""
    return click.option(
        "--to",
        "target_format",
        type=click.Choice(FORMATS[:-1]),
        help="Format.  [default: the gate's own, by the ending]",
    )(command)


def refuse_losses(losses: "Sequence[Loss]", strict: bool) -> None:
    """End where something would be lost and nothing may be.

    Raises:
        GateError: that is so.
    """
    from gate.errors import GateError
    from gate.inputs.problems import printable

    if losses and strict:
        for line in told_losses(losses):
            click.echo(printable(line), err=True)
        raise GateError("nothing was done, since something would be lost", "leave out --strict to do it all the same")


def told_losses(losses: "Sequence[Loss]") -> list[str]:
    """How many there are, and a line for each kind with its first places."""
    from gate.formats.losses import told_at_length

    return told_at_length(losses, "--json has all of them")


def tell(told: str, brought: "Brought | None", losses: "Sequence[Loss]", as_json: bool) -> None:
    """Print what was done, what each column became, and what was lost.

    Args:
        told: one line.
        brought: what was read of another tool; None for the gate's own files.
        losses: on all of the way.
        as_json: for programs.
    """
    from gate.formats.losses import kinds
    from gate.inputs.problems import printable

    if as_json:
        rows = [
            {"what": one.what, "count": one.count, "where": list(one.places), "remedy": one.remedy}
            for one in kinds(losses)
        ]
        columns = dict(brought.columns) if brought is not None else {}
        format_ = brought.format if brought is not None else "gate"
        click.echo(json.dumps({"done": told, "from": format_, "columns": columns, "losses": rows}, ensure_ascii=False))
        return
    click.echo(printable(told))
    if brought is not None and brought.columns:
        named = ", ".join(f"{heading} → {meaning}" for heading, meaning in brought.columns)
        click.echo(printable(f"columns: {named}"))
        if not {"input", "messages", "prompt", "rounds"} & {meaning for _, meaning in brought.columns}:
            click.echo(
                "no column is the input: each is a value for a template; if one is what people send, call it input"
            )
    for line in told_losses(losses):
        click.echo(printable(line))
