"""The rows about the start of the command."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.speed.processes import GATE, Spent, environment, ledger, serving, spend
from benchmarks.speed.rows import Plan, Row, median
from tests.support.github_server import GitHubServer
from tests.support.pull_request import Kind, PullRequestWorld

FAST, COMMON, FIRST_CALL = 0.2, 0.6, 0.8
"""Goals in seconds."""
SUITE = "suites: [{name: s, prompt: p.md, cases: cases.jsonl, model: 'openai:m', scorers: [exact]}]\n"
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main")


@dataclass(frozen=True, slots=True)
class Command:
    """A command to be timed.

    Args:
        name: as the table shows it.
        words: after `gate`.
        limit_s: its goal; None for none.
        code: its exit code.
    """

    name: str
    words: tuple[str, ...]
    limit_s: float | None
    code: int = 0


def start(plan: Plan) -> list[Row]:
    """All rows about the start."""
    folder = plan.fresh()
    repository(folder)
    (folder / "wrong.yaml").write_text(f"version: 1\nsuits: []\n{SUITE}")
    wrong = ("diff", "--base", "main", "--config", "wrong.yaml")
    commands = (
        Command("`gate --version`", ("--version",), FAST),
        Command("usage error: `gate diff --nonsense`", ("diff", "--nonsense"), COMMON, 2),
        Command("unknown base: `gate diff --base nowhere`", ("diff", "--base", "nowhere"), COMMON, 2),
        Command("configuration error: an unknown key", wrong, COMMON, 2),
        Command("`gate validate`, 1,000 cases", ("validate",), COMMON),
    )
    env = environment(plan.fresh())
    return [*(timed(plan, one, folder, env) for one in commands), *skipped(plan), first_call(plan), set_up(plan)]


def timed(plan: Plan, command: Command, folder: Path, env: dict[str, str]) -> Row:
    """Run a command once to warm up, then in rounds that count."""

    def measure() -> Spent:
        return spend([*GATE, *command.words], folder, env, {command.code})

    measure()
    spent = [measure() for _ in range(plan.rounds)]
    wall, cpu = (median(getattr(one, name) for one in spent) for name in ("wall_s", "cpu_s"))
    return Row(command.name, wall, command.limit_s, cpu_s=cpu)


def repository(folder: Path, cases: int = 1_000) -> None:
    """Commit a suite, then a change of its prompt."""
    rows = (json.dumps({"id": f"c{i}", "input": f"answer=word{i}", "expected": f"word{i}"}) for i in range(cases))
    (folder / "gate.yaml").write_text(f"version: 1\n{SUITE}")
    (folder / "cases.jsonl").write_text("\n".join(rows))
    (folder / "p.md").write_text("Answer. quality=0.9\n")
    commit(folder)
    (folder / "p.md").write_text("Answer well. quality=0.9\n")


def commit(folder: Path) -> None:
    """Make a repository with one commit of all files."""
    for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "--message", "Start")):
        subprocess.run([*GIT, *words], cwd=folder, check=True)


def skipped(plan: Plan) -> list[Row]:
    """A pull request that changes no prompt, in a repository with 10,000 cases. GitHub is a local test server."""
    cases = "".join(
        json.dumps({"id": f"c{i}", "input": f"question {i}", "expected": "x"}) + "\n" for i in range(10_000)
    )
    files = {"gate.yaml": f"version: 1\n{SUITE}", "p.md": "Answer.\n", "cases.jsonl": cases, "README.md": "one\n"}
    rows = []
    with GitHubServer() as server:
        request = PullRequestWorld.make(plan.fresh(), server, files).open({"README.md": "two\n"})
        kinds: tuple[tuple[str, Kind], ...] = (("a checkout of the merge commit", "merge"), ("no checkout", "none"))
        for name, kind in kinds:
            checkout = request.checkout(kind, depth=2)
            command = Command(f"`gate action`, SKIPPED, {name}", ("action",), COMMON)
            rows.append(timed(plan, command, checkout, request.environment(checkout)))
    return rows


def first_call(plan: Plan) -> Row:
    """From the start of `gate diff` to the server's first request, without the time that Python takes for the SDK."""
    folder = plan.fresh()
    repository(folder)
    waits, imports = [], []
    for number in range(plan.rounds + 1):
        with serving("--latency-ms", "60000") as url:
            env = environment(plan.fresh(), url)
            bare = spend([sys.executable, "-c", "pass"], folder, env)
            sdk = spend([sys.executable, "-c", "import openai"], folder, env)
            if number:
                waits.append(_until_the_first_request(folder, url, env))
                imports.append(sdk.wall_s - bare.wall_s)
            else:
                _until_the_first_request(folder, url, env)
    name = f"`gate diff` to its first call ({median(waits):.2f} s), less `import openai` ({median(imports):.2f} s)"
    own = median(wait - took for wait, took in zip(waits, imports, strict=True))
    return Row(name, own, FIRST_CALL)


def _until_the_first_request(folder: Path, url: str, env: dict[str, str]) -> float:
    began = time.monotonic()
    words = [*GATE, "diff", "--base", "main", "--quiet"]
    with subprocess.Popen(words, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while not (first := float(ledger(url)["began"])):
            if process.poll() is not None:
                raise SystemExit(f"`gate diff` ended without a call:\n{process.stderr and process.stderr.read()!r}")
            time.sleep(0.2)
        process.kill()
    return first - began


def set_up(plan: Plan) -> Row:
    """`gate init` in a repository with some thousand files."""
    files = 300 if plan.quick else 3_000
    folder = plan.fresh()
    for i in range(files):
        place = folder / f"src/p{i % 50}/m{i}.py"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f'"""Module {i}."""\n\n\ndef f{i}(x: int) -> int:\n    return x + {i}\n' * 10)
    (folder / "prompts").mkdir()
    (folder / "prompts/support.md").write_text("You answer questions of customers. Be brief.\n")
    commit(folder)
    command = Command(f"`gate init` in a repository of {files:,} files", ("init", "--yes", "--dry-run"), None)
    return timed(plan, command, folder, environment(plan.fresh()))
