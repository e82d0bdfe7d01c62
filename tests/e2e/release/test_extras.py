"""Each extra with the modules that need it.

tests/e2e/demo covers `demo` and `local`; these tests run in `dev`.
"""

import subprocess
import sys
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support import wheels

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
import os

# What all of them need, and is cheap.
import gate.cli.diff

for hidden, program in {trials!r}:
    if os.fork() == 0:
        try:
            exec(program)
            print("complete", flush=True)
        except Exception as error:
            print(error, flush=True)
        os._exit(0)
    os.wait()
"""


def test_each_extra_is_tested() -> None:
    seen = {name for names in NEEDED for name in names.split(",")}
    assert seen | {"local", "demo", "dev"} == wheels.project()["optional-dependencies"].keys()


def test_an_extra_installs_its_dependencies_and_nothing_else_does(tmp_path: Path) -> None:
    missing = ("agents,postgres", "web", "otel", "distributed")
    plain = hidden("")
    trials = [(hidden(extras), NEEDED[extras]) for extras in NEEDED] + [(plain, NEEDED[extras]) for extras in missing]
    command = [sys.executable, "-c", wheels.hiding(plain) + TRIED.format(trials=trials)]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=False)
    told = done.stdout.splitlines()
    assert told[: len(NEEDED)] == ["complete"] * len(NEEDED)
    assert [line.endswith("in this extra") for line in told[len(NEEDED) :]] == [True] * len(missing), told


owners = cache(metadata.packages_distributions)


def hidden(extras: str) -> set[str]:
    """The modules that do not belong to an installation with these extras."""
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
    return {module for module, names in owners().items() if not brought & {canonicalize_name(one) for one in names}}
