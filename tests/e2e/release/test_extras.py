"""The wheel in environments that have what one extra asks for, and nothing else.

`demo`, and with it `local`, is what tests/e2e/demo installs; `dev` is where these tests run.
"""

import os
import shutil
from pathlib import Path

import pytest

from tests.support import wheels
from tests.support.wheels import Built

CASE = '{"id": "c1", "input": "Where is my order?", "expected": "tracking"}\n'

NEEDED = {
    "agents": """
from gate.agents.mcp import client, transports
from gate.agents.databases import engine_of
engine_of("sqlite:////tmp/x.db", 1).dispose()
""",
    "agents,postgres": """
from gate.agents.databases import check_urls
check_urls({"SHOP": "postgresql://shop@localhost/shop"})
""",
    "web": """
from authlib.integrations import starlette_client
from starlette.middleware import sessions

from gate.web import app
""",
    "bedrock": """
import boto3
from anthropic import AsyncAnthropicBedrock
""",
    "vertex": """
import google.auth
from anthropic import AsyncAnthropicVertex
""",
    "otel": """
from gate.telemetry import export, spans
""",
    "distributed": """
from distributed import Client
from gate.calls import dask
""",
}
"""By extra, what needs it: where the dependencies of an extra do not suffice, it fails."""


def test_each_extra_is_looked_at() -> None:
    seen = {name for names in NEEDED for name in names.split(",")}
    assert seen | {"local", "demo", "dev"} == wheels.project()["optional-dependencies"].keys()


@pytest.fixture(scope="module")
def plain(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment without an extra."""
    folder = tmp_path_factory.mktemp("plain") / "env"
    wheels.install(built.wheel, folder)
    return folder


def test_without_an_extra_two_files_are_compared(plain: Path, tmp_path: Path) -> None:
    installed = wheels.Installed(plain)
    assert str(plain) in installed.python("import gate; print(gate.__file__)", cwd=tmp_path).out
    (tmp_path / "old.md").write_text("Help. quality=1.0")
    (tmp_path / "new.md").write_text("Help well. quality=1.0")
    (tmp_path / "cases.jsonl").write_text(CASE)
    files = ("old.md", "new.md", "--cases", "cases.jsonl")
    outcome = installed.gate("diff", *files, "--model", "fake:oracle", "--json", cwd=tmp_path)
    assert outcome.record.tool_version == wheels.project()["version"], outcome.err


@pytest.mark.parametrize("extras", [["agents", "agents,postgres", "otel"], ["web"], ["distributed"]])
def test_an_extra_brings_what_needs_it(built: Built, plain: Path, tmp_path: Path, extras: list[str]) -> None:
    # With what was compiled before.
    shutil.copytree(plain, tmp_path / "env", symlinks=True, copy_function=os.link)
    for extra in extras:
        outcome = wheels.install(built.wheel, tmp_path / "env", extra).python(NEEDED[extra], cwd=tmp_path)
        assert outcome.code == 0, outcome.err
