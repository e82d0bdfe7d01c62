"""From the options of `gate plan` to what is printed."""

import json
from dataclasses import asdict, dataclass

import click

from gate.bootstrap.planning import Asked, forecast
from gate.cli import sheets
from gate.engine.forecast import Question
from gate.errors import GateError
from gate.report import plan
from gate.settings.services import Settings

SCHEMA = "prompt-gate/plan/1"


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """The options of `gate plan`, as typed."""

    base: str | None
    head: str | None
    config: str
    suites: tuple[str, ...]
    effect: float
    power: float
    concurrency: int
    as_json: bool
    markdown: bool
    quiet: bool


def execute(options: PlanOptions) -> int:
    """Plan and print; 0 whatever the plan says, since nothing was evaluated."""
    if options.head is not None and options.base is None:
        raise GateError("--head has no meaning without --base", "gate plan --base origin/main --head HEAD")
    question = Question(options.effect, options.power)
    asked = Asked(options.base, options.head, options.config, options.suites, question, options.concurrency)
    found = forecast(asked, Settings.from_environ())
    if options.as_json:
        click.echo(json.dumps({"schema": SCHEMA, **asdict(found)}, indent=2, ensure_ascii=False))
    else:
        sheets.show(plan.sheet(found), markdown=options.markdown, quiet=options.quiet)
    return 0
