"""The demo: the gate blocks a harmful change of a prompt, and lets a harmless one pass."""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from gate.app.resolving import resolve_git_mode
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
    """The services that the demo uses."""

    say: Callable[[str], None]
    show: Callable[[RunRecord, Path], None]
    progress: Callable[[], Progress]
    settings: Settings


def play(root: Path, services: DemoServices) -> bool:
    """Create the repository and run the gate on both changes."""
    build(root)
    services.say(f"Sample repository: {root}")
    services.say("Its prompt labels reviews in English and German. The eval set has 48 reviews.")
    services.say("The model is Gemma 3 270M (253 MB, Gemma Terms of Use), on this machine. This takes about a minute.")
    as_expected = True
    for number, change in enumerate(CHANGES, start=1):
        services.say(f"\n── Pull request {number}: {change.title} ──\n")
        services.say(_prompt_diff(change))
        resolved = resolve_git_mode((MAIN, change.branch), "gate.yaml", (), everything=False, directory=root)
        out = root / ".gate" / change.branch
        order = RunOrder(resolved, 1, None, out, services.progress(), cache_folder=root / CACHE_FOLDER)
        run = run_plan(order, services.settings)
        services.show(run, out)
        services.say(f"\nThe comment for the pull request: {out / 'report.md'}")
        services.say(f"The same as a web page:           {out / 'report.html'}")
        as_expected = as_expected and expected(run, change)
    return as_expected


def expected(run: RunRecord, change: Change) -> bool:
    """Did the verdict match the expected one? A run that was stopped has none."""
    return run.verdict is Verdict.BLOCK if change.blocked else run.exit_code == 0


def _prompt_diff(change: Change) -> str:
    texts = resources.files("gate.demo").joinpath("data", "prompts")
    old, new = (texts.joinpath(f"{name}.txt").read_text(encoding="utf-8") for name in ("baseline", change.prompt))
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "main", change.branch, lineterm="", n=1)
    return "\n".join(f"  {line}" for line in lines)
