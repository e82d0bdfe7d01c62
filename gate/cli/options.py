"""Options that several commands share. Loads click only."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from gate.cli.formats import FORMATS

Command = Callable[..., Any]


class Share(click.FloatRange):
    """A number in a range. Unlike its parent it refuses NaN, which passes every comparison."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = float(super().convert(value, param, ctx))
        if math.isnan(found):
            self.fail(f"{value!r} is not a number", param, ctx)
        return found


config_option = click.option(
    "--config",
    default="gate.yaml",
    show_default=True,
    metavar="FILE",
    help="Configuration, from the repository's root.",
)
suites_option = click.option("--suite", "suites", multiple=True, metavar="NAME", help="Only this suite; repeatable.")
cases_option = click.option(
    "--case", "only", multiple=True, metavar="ID", help="Only cases with this id; * is allowed; repeatable."
)
refresh_option = click.option("--refresh", is_flag=True, help="Ignore cached answers and replace them.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
person_option = click.option("--person", default="", metavar="NAME", help="Author in the history.  [default: from git]")


def samples_option(usual: str) -> Callable[[Command], Command]:
    """`--samples`; `usual` is the default as the help shows it."""
    kind = click.IntRange(1, 100)
    return click.option(
        "--samples", type=kind, metavar="N", help=f"Answers per case and prompt version.  [default: {usual}]"
    )


def out_option(usual: str) -> Callable[[Command], Command]:
    """`--out` of a command that writes a run; `usual` is the default folder."""
    kinds = " ".join(form.ending for form in FORMATS)
    return click.option("--out", type=click.Path(path_type=Path), help=f"Folder, or file: {kinds}  [default: {usual}]")


def quiet_option(text: str) -> Callable[[Command], Command]:
    """`--quiet`; `text` names what is still printed."""
    return click.option("--quiet", "-q", is_flag=True, help=text)
