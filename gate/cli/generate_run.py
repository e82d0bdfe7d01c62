"""From the options of `gate generate` to an exit code."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

import click
from rich.console import Console

from gate.bootstrap.generating import Telling, Wanted, carry, foresee, keep, read
from gate.bootstrap.memory import Remembering
from gate.cli.bar import Bar
from gate.cli.progress import Lines, Silent
from gate.domain.model import ModelRef
from gate.domain.suite import Budget
from gate.errors import GateError
from gate.flows.generate import Generated
from gate.flows.generate_files import Place, stem
from gate.inputs.models import parse_model, parse_params
from gate.inputs.problems import quoted
from gate.report import generation, generation_json, sheet_terminal
from gate.settings.services import Settings
from gate.testgen.effort import LEVELS, EffortSettings, Level, Stage

LOCAL = "local:gemma3-270m"


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """The options of `gate generate`, as typed."""

    prompt: str
    model: str | None
    judge_model: str | None
    reference_model: str | None
    params: tuple[str, ...]
    effort: Level
    tests_per_rule: int | None
    rules_per_call: int | None
    max_rules: int | None
    expansions: int | None
    turns: int | None
    documents: bool | None
    validate: bool | None
    ground: bool | None
    review: bool | None
    expected: bool | None
    instructions: tuple[str, ...]
    out: Path | None
    spec: Path | None
    form: str
    write_back: bool
    plan: bool
    max_calls: int | None
    max_usd: float | None
    concurrency: int
    no_cache: bool
    refresh: bool
    as_json: bool
    quiet: bool


def execute(options: GenerateOptions) -> int:
    """Read, foresee, generate, keep, show.

    Returns:
        0; mistakes and gaps are errors with their own exit codes.
    """
    wanted, settings = _wanted(options), Settings.from_environ()
    found = read(wanted)
    place = _place(options)
    place.check(found.version.path)
    foreseen = generation.plan_sheet(options.prompt, foresee(wanted, found, settings))
    if options.plan:
        sheet_terminal.render(foreseen, Console(file=sys.stdout, highlight=False))
        return 0
    if not options.quiet:
        _say(foreseen.headline)
    made = carry(wanted, found, settings, _telling(options))
    written = keep(made, found, place)
    _show(options, wanted, made, written)
    return 0
