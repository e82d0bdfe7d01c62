"""A project with evals, and pytest as its user runs it."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gate.record.run import RunRecord
from tests.support import forked
from tests.support.command import environment, write_jsonl
from tests.support.model_server import ModelServer

MODULE = "gate.pytest_plugin.plugin"
PLUGIN = () if any(point.value == MODULE for point in entry_points(group="pytest11")) else ("-p", MODULE)
"""The package under test is installed together with its entry point, or named."""

MARKERS = "markers =\n    slow: takes long\n    image: as in other projects\n"

ROWS = [
    {"id": f"{state}_{number}", "input": f"answer=word{number} slice={state}", "expected": f"word{number}",
     "slices": {"state": state}}
    for number, state in enumerate(["welcome", "safety"] * 4)
]  # fmt: skip


OTHERS = ("asyncio", "anyio", "schemathesis", "hypothesispytest")
"""Plugins of this environment that the user of an eval need not have; some take a second to load."""


def without(plugins: tuple[str, ...]) -> list[str]:
    """The options that block them."""
    return [f"-pno:{name}" for name in plugins]


@dataclass(frozen=True, slots=True)
class Ran:
    """What pytest left behind."""

    code: int
    out: str


@dataclass(slots=True)
class Project:
    """A folder with a configuration, a prompt and cases."""

    root: Path
    server: ModelServer
    rows: list[dict[str, object]] = field(default_factory=lambda: [dict(row) for row in ROWS])

    def write(self, quality: str = "quality=1.0", suite: str = "", run: str = "", scorers: str = "[contains]") -> None:
        write_jsonl(self.root / "cases.jsonl", self.rows)
        (self.root / "prompt.md").write_text(f"Answer. {quality}")
        (self.root / "gate.yaml").write_text(
            f"version: 1\nproviders: {{own: {{api: openai, base_url: '{self.server.url}/v1'}}}}\n"
            f"{run}suites:\n  - name: bot\n    prompt: prompt.md\n    cases: cases.jsonl\n"
            f"    slices: [state]\n    samples: 2\n    model: own:m\n"
            f"    scorers: {scorers}\n{suite}"
        )

    def tests(self, text: str, ini: str = "") -> None:
        (self.root / "test_own.py").write_text(f"import pytest\n{text}")
        (self.root / "pytest.ini").write_text(
            f"[pytest]\nfilterwarnings = error\naddopts = --strict-markers\n{MARKERS}{ini}"
        )

    def command(self, *options: str) -> list[str]:
        return [sys.executable, "-m", "pytest", *PLUGIN, *options]

    def run(self, *options: str, blocked: tuple[str, ...] = OTHERS) -> Ran:
        """Run pytest to its end, from a process that has loaded it and the package."""
        done = forked.run(
            [*PLUGIN, *without(blocked), *options], self.root, environment(self.root), 120, module="pytest"
        )
        return Ran(done.returncode, done.stdout + done.stderr)

    def run_from_nothing(self, *options: str) -> Ran:
        """Run pytest to its end, where what it loads is what is tested."""
        done = subprocess.run(
            self.command(*without(OTHERS), *options), cwd=self.root, env=environment(self.root),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, check=False,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout)

    def recorded(self) -> dict[str, str]:
        """The state of each case of the record."""
        run = RunRecord.model_validate_json((self.root / ".gate/pytest/run.json").read_bytes())
        return {case.id: case.check.state.value for suite in run.new for case in suite.cases if case.check is not None}

    def junit(self) -> dict[str, dict[str, str]]:
        """For each test of `junit.xml` its properties, and its outcome as `outcome`."""
        found = {}
        for case in ElementTree.parse(self.root / "junit.xml").iter("testcase"):
            told = {one.attrib["name"]: one.attrib["value"] for one in case.iter("property")}
            kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            found[case.attrib["name"]] = {**told, "outcome": kinds[0] if kinds else "passed"}
        return found


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path, server: ModelServer) -> Project:
    made = Project(tmp_path, server)
    made.write()
    made.tests("def test_plain():\n    pass\n\n@pytest.mark.eval\ndef test_judge():\n    pass\n")
    return made
