"""`gate init --generate`: cases that a model makes of a prompt, by the command that people use for it, too."""

from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path, PurePosixPath

import click

from gate.bootstrap.places import Place
from gate.cli.generate import generate
from gate.errors import GateError
from gate.flows.scaffold.drafting import Draft

MOST = 10
"""Prompts that cases are made for at once."""


def with_generated(place: Place, drafts: Sequence[Draft], model: str) -> None:
    """Write `spec.yaml` and `cases.yaml` for each prompt whose cases would be made up.

    They stay, whatever happens afterwards, since they were paid for; `gate init` goes on from them.

    Args:
        place: the repository.
        drafts: all suites.
        model: that reads the prompts.

    Raises:
        GateError: too many prompts, or what `gate generate` says.
    """
    wanted = [draft for draft in drafts if draft.starter and len(draft.found) == 1]
    if len(wanted) > MOST:
        hint = "name some with --prompt, or leave --generate out and run gate generate for one after the other"
        raise GateError(f"--generate makes cases for {MOST} prompts at most, and here are {len(wanted)}", hint)
    context = click.get_current_context()
    for draft in wanted:
        out = Path(PurePosixPath(draft.cases).parent)
        try:
            # Both paths begin at the root, wherever its user stands.
            with chdir(place.root):
                context.invoke(generate, prompt=draft.found[0].path, model=model, out=out, quiet=True)
        except click.exceptions.Exit as done:
            if done.exit_code:
                raise
