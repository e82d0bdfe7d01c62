"""The example as a newcomer meets it who has installed the gate without its extras: one line says what is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gate.agents.databases import check_urls
from gate.errors import GateError, with_extra
from tests.e2e.property_agent.estate import FOLDER, ROOT, Estate
from tests.support.command import environment

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


def test_postgres_needs_a_package_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    said = "PROPERTY_DB is a Postgres database, which needs the package psycopg; it is not installed"
    with pytest.raises(GateError, match=said) as caught:
        check_urls({"PROPERTY_DB": POSTGRES_URL})
    assert caught.value.hint == POSTGRES
