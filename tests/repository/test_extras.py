"""All pages and messages install an extra in the same way, and never install a package of that name."""

import re
import tomllib
from pathlib import Path

import pytest

from gate.errors import with_extra

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
FROM_AN_INDEX = re.compile(r"pip install(?: -\S+)* .?prompt-gate(?!(?:\[[^\]]*\])? @ )")
NAMED = re.compile(r"with_extra\(\"(\w+)\"\)|pip install '\.\[(\w+)\]'")


def pages() -> list[Path]:
    docs = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.yml"), ROOT / "README.md"]
    return [*docs, *(ROOT / "gate").rglob("*.py")]


def test_no_page_installs_a_foreign_package_of_our_name() -> None:
    told = {page.name: FROM_AN_INDEX.findall(page.read_text(encoding="utf-8")) for page in pages()}
    assert {name: found for name, found in told.items() if found} == {}


def test_every_named_extra_exists() -> None:
    named = {first or second for page in pages() for first, second in NAMED.findall(page.read_text(encoding="utf-8"))}
    assert {"agents", "demo", "local", "distributed"} <= named <= EXTRAS.keys()


@pytest.mark.parametrize("name", ["agents", "postgres"])
def test_both_ways_of_installing_are_documented(name: str) -> None:
    assert f"pip install '.[{name}]'" in with_extra(name) and f"prompt-gate[{name}] @ git+" in with_extra(name)
