"""The rows that compare us with plain loops over the SDKs and with other tools."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

from benchmarks.paths import ROOT
from benchmarks.speed.comparisons import compared
from benchmarks.speed.processes import IN_FLIGHT, Spent, environment, ledger, serving, write_inputs
from benchmarks.speed.rows import Plan, Row, median

INSTALLED = ROOT / ".cache/peers"
PATIENCE = 5
"""A peer that takes this many times as long as we do is stopped."""
SLOW = 2
"""A peer that takes this many times as long as we do is measured once."""


@dataclass(frozen=True, slots=True)
class Peer:
    """Another way to do the same job.

    Args:
        module: of its program in `benchmarks.speed.peers`.
        name: as the table shows it.
        package: to be installed by `make bench-peers`; empty for a loop over an SDK that we depend on.
        model: which of our runs it is compared with.
    """

    module: str
    name: str
    package: str = ""
    model: str = "openai:m"

    @property
    def version(self) -> str:
        """Its installed version; empty if it is not installed."""
        if self.package == "promptfoo":
            found = INSTALLED / "node_modules/promptfoo/package.json"
            return str(json.loads(found.read_text())["version"]) if found.is_file() else ""
        places = [str(place) for place in INSTALLED.glob("lib/python*/site-packages")]
        return next((one.version for one in distributions(name=self.package, path=places)), "")


LOOPS = (
    Peer("openai_loop", "bare AsyncOpenAI loop"),
    Peer("anthropic_loop", "bare AsyncAnthropic loop", model="anthropic:m"),
)
OTHERS = (
    Peer("pydantic_evals", "pydantic-evals", "pydantic-evals"),
    Peer("deepeval", "DeepEval", "deepeval"),
    Peer("promptfoo", "promptfoo", "promptfoo"),
    Peer("inspect_ai", "Inspect", "inspect-ai"),
)


def peers(plan: Plan) -> list[Row]:
    """The same calls of 0.1 s by us, by a plain loop over each SDK, and by the other tools that are installed."""
    cases = 100 if plan.quick else 1_000
    rows, ours = [], {}
    for loop in LOOPS:
        pairs = [
            (compared(plan, cases, 3, 100, loop.model).spent, by_peer(plan, loop, cases)) for _ in range(plan.rounds)
        ]
        ours[loop.model] = [mine for mine, _ in pairs]
        rows.append(_against(loop.name, ours[loop.model], [theirs for _, theirs in pairs], cases))
    own = ours["openai:m"]
    mine = median(one.wall_s for one in own)
    for peer in OTHERS:
        if not peer.version:
            plan.note(f"{peer.name} is not installed: `make bench-peers`.")
            continue
        try:
            took = [by_peer(plan, peer, cases, PATIENCE * mine)]
            while took[0] < SLOW * mine and len(took) < plan.rounds:
                took.append(by_peer(plan, peer, cases, PATIENCE * mine))
        except RuntimeError as error:
            plan.note(str(error))
            continue
        once = ", once" if len(took) < plan.rounds else ""
        rows.append(_against(f"{peer.name} {peer.version}{once}", own, took, cases))
    return rows


def _against(name: str, ours: list[Spent], theirs: list[float], cases: int) -> Row:
    wall, cpu = median(one.wall_s for one in ours), median(one.cpu_s for one in ours)
    what = f"{6 * cases:,} calls of 0.1 s"
    return Row(what, wall, median(theirs), peer=name, cpu_s=cpu, stopped=median(theirs) >= PATIENCE * wall)


def by_peer(plan: Plan, peer: Peer, cases: int, patience: float = math.inf) -> float:
    """Seconds that the peer takes; as long as our patience if it is stopped.

    Raises:
        RuntimeError: it failed, or counted other answers than the server sent.
    """
    folder = plan.fresh()
    write_inputs(folder, cases)
    python = str(INSTALLED / "bin/python") if peer.package not in ("", "promptfoo") else sys.executable
    with serving("--latency-ms", "100") as url:
        words = [python, "-m", f"benchmarks.speed.peers.{peer.module}", url, "3", str(IN_FLIGHT)]
        took = _watched(words, folder, environment(folder) | {"DEEPEVAL_TELEMETRY_OPT_OUT": "1"}, patience)
        counts = ledger(url)
    output = (folder / "stdout").read_text()
    right = sum(row["right"] for row in counts["quality"])
    if took < patience and (counts["answered"], output.split()[-1:]) != (6 * cases, [str(right)]):
        errors = (folder / "stderr").read_text()
        raise RuntimeError(f"{peer.name} failed; the server sent {counts['answered']:,} answers:\n{output}\n{errors}")
    return took


def _watched(words: list[str], folder: Path, env: dict[str, str], patience: float) -> float:
    """Seconds of a process, which is stopped after a while with all that it started."""
    with (folder / "stdout").open("w") as out, (folder / "stderr").open("w") as err:
        began = time.monotonic()
        process = subprocess.Popen(
            words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
        )
        try:
            process.wait(None if math.isinf(patience) else patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return patience
        return time.monotonic() - began
