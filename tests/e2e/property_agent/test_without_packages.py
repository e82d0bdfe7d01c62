"""The example as a newcomer meets it who has installed the gate without its extras: one line says what is missing."""

import os
import subprocess
import sys
from pathlib import Path

from gate.errors import with_extra
from tests.e2e.property_agent.estate import CONFIG, FOLDER, ROOT, Estate
from tests.support.command import environment

AGENTS = with_extra("agents")
POSTGRES = with_extra("agents,postgres")
POSTGRES_URL = "postgresql://me:hunter2@127.0.0.1:1/none"


def without(folder: Path, *packages: str) -> dict[str, str]:
    """Variables of an environment in which packages cannot be imported."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({packages!r}))\n")
    return {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


def test_the_database_is_not_filled(estate: Estate, tmp_path: Path) -> None:
    packages = ("sqlalchemy", "mcp")
    url = ""
    remedy = "pip install '.[agents]'"
    words = [sys.executable, f"{FOLDER}/seed.py", *filter(None, [url])]
    env = environment(estate.root, without(tmp_path / "hidden", *packages))
    done = subprocess.run(words, cwd=estate.root, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.endswith(f"{remedy}\n")


def test_tools_name_their_package_before_any_variable(estate: Estate, tmp_path: Path) -> None:
    config = (estate.root / CONFIG).read_text(encoding="utf-8")
    estate.write(CONFIG, "".join(line for line in config.splitlines(keepends=True) if "database:" not in line))
    outcome = estate.gate("check", env=without(tmp_path / "hidden", "mcp", "sqlalchemy") | {"PROPERTY_TOKEN": ""})
    assert (outcome.code, estate.models.requests) == (2, 0)
    assert outcome.err == f"error: MCP servers need the mcp package: property\n  hint: {AGENTS}\n"


def test_postgres_needs_a_package_more(estate: Estate, tmp_path: Path) -> None:
    outcome = estate.gate("check", env=without(tmp_path / "hidden", "psycopg") | {"PROPERTY_DB": POSTGRES_URL})
    assert (outcome.code, estate.models.requests) == (2, 0)
    said = "PROPERTY_DB is a Postgres database, and the package psycopg is not installed"
    assert outcome.err == f"error: {said}\n  hint: {POSTGRES}\n"
