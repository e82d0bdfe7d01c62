"""The wheel without extras in its own environment, and each extra with the modules that need it.

tests/e2e/demo covers `demo` and `local`; these tests run in `dev`.
"""

import json
import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import wheels
from tests.support.wheels import Built

CASE = '{"id": "c1", "input": "Where is my order?", "expected": "tracking"}\n'

NEEDED = {
    "agents,postgres": """
from gate.agents.mcp import client, transports
from gate.agents.databases import check_urls, engine_of
engine_of("sqlite:////tmp/x.db", 1).dispose()
check_urls({"SHOP": "postgresql://shop@localhost/shop"})
""",
    "web": """
from authlib.integrations import starlette_client
from starlette.middleware import sessions

from gate.web import app
""",
    "bedrock": """
import boto3
""",
    "vertex": """
import google.auth.transport.requests
""",
    "otel": """
from gate.telemetry import export, spans
""",
    "distributed": """
from distributed import Client
from gate.calls import dask
""",
}
"""By extra, the code that needs it. The code fails if the dependencies of the extra are incomplete."""

TRIED = """
for program in {programs!r}:
    try:
        exec(program)
    except Exception as error:
        print(error)
"""
ONLY = """
import sys
hidden = set({hidden!r})
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {{name!r}} in this extra", name=name)
sys.meta_path.insert(0, Hidden())
"""


def test_each_extra_is_tested() -> None:
    seen = {name for names in NEEDED for name in names.split(",")}
    assert seen | {"local", "demo", "dev"} == wheels.project()["optional-dependencies"].keys()


def test_without_an_extra_two_files_are_compared(built: Built, tmp_path: Path) -> None:
    plain = tmp_path / "env"
    installed = wheels.install(built.wheel, plain)
    assert str(plain) in installed.python("import gate; print(gate.__file__)", cwd=tmp_path).out
    (tmp_path / "old.md").write_text("Help. quality=1.0")
    (tmp_path / "new.md").write_text("Help well. quality=1.0")
    (tmp_path / "cases.jsonl").write_text(CASE)
    files = ("old.md", "new.md", "--cases", "cases.jsonl")
    outcome = installed.gate("diff", *files, "--model", "fake:oracle", "--json", cwd=tmp_path)
    assert outcome.record.tool_version == wheels.project()["version"], outcome.err


@pytest.mark.parametrize("extras", NEEDED)
def test_an_extra_installs_its_dependencies(extras: str, tmp_path: Path) -> None:
    assert run(NEEDED[extras], extras, tmp_path).returncode == 0


def test_without_its_extra_it_is_missing(tmp_path: Path) -> None:
    extras = ("agents,postgres", "web", "otel", "distributed")
    told = run(TRIED.format(programs=[NEEDED[extra] for extra in extras]), "", tmp_path)
    assert told.stdout.count("in this extra") == len(extras), told


owners = cache(metadata.packages_distributions)


def run(program: str, extras: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run a program that sees only the standard library and the packages of an installation with these extras."""
    brought = {canonicalize_name("prompt-gate")}
    wanted = [("prompt-gate", extra) for extra in ("", *filter(None, extras.split(",")))]
    seen = set(wanted)
    while wanted:
        name, extra = wanted.pop()
        for requirement in map(Requirement, metadata.requires(name) or ()):
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                brought.add(canonicalize_name(requirement.name))
                new = {(requirement.name, one) for one in ("", *requirement.extras)} - seen
                seen |= new
                wanted += new
    hidden = [module for module, names in owners().items() if not brought & {canonicalize_name(one) for one in names}]
    code = ONLY.format(hidden=json.loads(json.dumps(hidden))) + program
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False)
