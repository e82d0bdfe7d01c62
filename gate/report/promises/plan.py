"""What a comparison of promises would take, as a sheet."""

from dataclasses import replace

from gate.domain.words import about_dollars, counted
from gate.report.generation import report as generation
from gate.report.sheet import Sheet
from gate.testgen.forecast import GenerationForecast


def plan_sheet(prompt: str, found: GenerationForecast) -> Sheet:
    """What a comparison would take.

    Args:
        prompt: path.
        found: the forecast.
    """
    if not found.stages:
        return Sheet(f"{prompt}: the prompt says what it said; nobody is asked", (), ())
    whole = generation.plan_sheet(prompt, found)
    money = f", about {about_dollars(found.dollars)}" if found.dollars is not None else ""
    tests = f", with {counted(found.tests, 'test')}" if found.tests else ""
    head = f"{prompt}: about {counted(found.calls, 'call')}{money} to compare what it promises{tests}"
    told = f"Rests on one rule for each new sentence, {found.rules:,} in all." if found.rules else ""
    below = tuple(filter(None, (told, whole.grids[0].below[-1])))
    return replace(whole, headline=head, grids=(replace(whole.grids[0], below=below),))
