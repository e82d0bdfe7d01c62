"""From the options of `gate plan` to what is printed."""

import json
import sys
from dataclasses import asdict, dataclass

import click
from rich.console import Console

from gate.app.environment.settings import Settings
from gate.app.forecast import ForecastRequest, forecast
from gate.engine.forecast import FallToShow
from gate.errors import GateError
from gate.report.sheets import plan
from gate.report.terminal import sheet

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
    as_json: bool
    quiet: bool


def execute(options: PlanOptions) -> int:
    """Plan and print; 0 whatever the plan says, since nothing was evaluated."""
    if options.head is not None and options.base is None:
        raise GateError("--head has no meaning without --base", "gate plan --base origin/main --head HEAD")
    question = FallToShow(options.effect, options.power)
    settings = Settings.from_environ()
    asked = ForecastRequest(options.base, options.head, options.config, options.suites, question, settings.concurrency)
    found = forecast(asked, settings)
    if options.as_json:
        click.echo(json.dumps({"schema": SCHEMA, **asdict(found)}, indent=2, ensure_ascii=False))
    else:
        sheet.render_sheet(plan.plan_sheet(found), Console(file=sys.stdout, highlight=False), brief=options.quiet)
    return 0
