"""The demo: a real model gets worse because a prompt was simplified, and a harmless change stays green."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from gate.app.resolving import GitPlace, resolve_git_mode
from gate.app.run_order import RunOrder
from gate.app.runs import run_plan
from gate.calls.interface import Progress
from gate.demo.repository import CHANGES, MAIN, Change, build
from gate.environment.settings import Settings
from gate.files import CACHE_FOLDER
from gate.record.comparison import Verdict
from gate.record.run import RunRecord


@dataclass(frozen=True, slots=True)
class DemoServices:
    """Where the demo plays."""

    say: Callable[[str], None]
    show: Callable[[RunRecord, Path], None]
    progress: Callable[[], Progress]
    settings: Settings


def play(root: Path, services: DemoServices) -> bool:
    """Make the repository and gate both of its changes."""
    build(root)
    services.say(f"A throw-away repository: {root}")
    services.say("It has one prompt, which labels reviews in English and German, and an eval set of 48 reviews.")
    services.say("The model is Gemma 3 270M (253 MB, Gemma Terms of Use), run on this machine; about a minute in all.")
    as_expected = True
    for number, change in enumerate(CHANGES, start=1):
        services.say(f"\n── Pull request {number}: {change.title} ──\n")
        services.say(_prompt_diff(change))
        resolved = resolve_git_mode((MAIN, change.branch), "gate.yaml", (), everything=False, here=GitPlace(root))
        out = root / ".gate" / change.branch
        order = RunOrder(resolved, 1, None, out, services.progress(), cache_folder=root / CACHE_FOLDER)
        run = run_plan(order, services.settings)
        services.show(run, out)
        services.say(f"\nThe comment that the pull request would get: {out / 'report.md'}")
        services.say(f"The same as a page for the browser:          {out / 'report.html'}")
        as_expected = as_expected and expected(run, change)
    return as_expected


def expected(run: RunRecord, change: Change) -> bool:
    """Was the change blocked, or else let pass? A run that was stopped did neither."""
    return run.verdict is Verdict.BLOCK if change.blocked else run.exit_code == 0


def _prompt_diff(change: Change) -> str:
    texts = resources.files("gate.demo").joinpath("data", "prompts")
    old, new = (texts.joinpath(f"{name}.txt").read_text(encoding="utf-8") for name in ("baseline", change.prompt))
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "main", change.branch, lineterm="", n=1)
    return "\n".join(f"  {line}" for line in lines)
