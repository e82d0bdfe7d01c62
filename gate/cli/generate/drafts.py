"""Draft cases for the prompts that `gate init` found, and estimate their cost."""

from collections.abc import Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import click

from gate.cli.generate.options import GenerateOptions, generation_request
from gate.environment.settings import Settings
from gate.errors import GateError
from gate.generation.tests import forecast_generation, read_source
from gate.git.places import Place
from gate.prompts.discovery import PassedFile
from gate.scaffold.suites import SuiteDraft
from gate.values import about_dollars, counted


@dataclass(frozen=True, slots=True)
class DraftForecast:
    """The estimate for drafting cases.

    Args:
        drafts: suites whose prompts can be used.
        left: the others, each with the reason.
        dollars: None if the price is unknown.
    """

    model: str
    drafts: tuple[SuiteDraft, ...]
    left: tuple[PassedFile, ...]
    calls: int
    dollars: float | None

    @property
    def sentence(self) -> str:
        """In one sentence."""
        money = "unknown cost" if self.dollars is None else about_dollars(self.dollars)
        prompts = counted(len(self.drafts), "prompt")
        return f"{self.model} can draft cases for {prompts}: about {counted(self.calls, 'call')}, {money}."


def forecast_drafts(place: Place, drafts: Sequence[SuiteDraft], model: str) -> DraftForecast:
    """The estimate for all suites; calls no model."""
    settings, calls, dollars = Settings.from_environ(), 0, 0.0
    ready: list[SuiteDraft] = []
    left: list[PassedFile] = []
    priced = True
    with chdir(place.root):
        for draft in drafts:
            try:
                request = generation_request(_options(draft, model))
                forecast = forecast_generation(request, read_source(request), settings)
            except GateError as error:
                left.append(_undrafted(draft, error))
                continue
            ready.append(draft)
            calls, priced = calls + forecast.calls, priced and forecast.dollars is not None
            dollars += forecast.dollars or 0
    return DraftForecast(model, tuple(ready), tuple(left), calls, dollars if priced else None)


def draft_cases(place: Place, foreseen: DraftForecast) -> tuple[PassedFile, ...]:
    """Write `spec.yaml` and `cases.yaml` for each prompt. They stay if a later step fails, since they were paid for.

    Returns:
        The prompts without cases, each with the reason.
    """
    from gate.cli.generate.command import generate

    context, left = click.get_current_context(), [*foreseen.left]
    for draft in foreseen.drafts:
        try:
            # Both paths are relative to the root.
            with chdir(place.root):
                out = Path(PurePosixPath(draft.cases).parent)
                context.invoke(generate, prompt=draft.prompt, model=foreseen.model, out=out, effort="min", quiet=True)
        except click.exceptions.Exit as done:
            if done.exit_code:
                raise
        except GateError as error:
            left.append(_undrafted(draft, error))
    return tuple(left)


def _undrafted(draft: SuiteDraft, error: GateError) -> PassedFile:
    return PassedFile(draft.prompt, f"no cases were drafted ({error.message}); write them in {draft.cases}")


def _options(draft: SuiteDraft, model: str) -> GenerateOptions:
    return GenerateOptions(
        prompt=draft.prompt,
        model=model,
        judge_model=None,
        effort="min",
        settings=(),
        instructions=(),
        out=Path(PurePosixPath(draft.cases).parent),
        evaluate=None,
        diff=False,
        base="origin/main",
        update=False,
        plan=False,
        max_calls=None,
        max_usd=None,
        as_json=False,
        quiet=True,
    )
