"""The list of benchmarks names every command, and the pages that cite it name it too."""

import re

from benchmarks.paths import ROOT

README = ROOT / "benchmarks" / "README.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in README.read_text(encoding="utf-8").splitlines()
    if line.startswith("| `")
]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PARTS = {"speed.model_server"}
"""Modules that a benchmark starts."""


def command(row: list[str]) -> str:
    return row[0].split("`")[1]


def test_every_command_is_listed() -> None:
    files = {
        path.relative_to(README.parent)
        for path in README.parent.rglob("*.py")
        if 'if __name__ == "__main__":' in path.read_text(encoding="utf-8") and path.parent.name != "peers"
    }
    commands = {".".join(path.with_suffix("").parts).removesuffix(".__main__") for path in files}
    assert {command(row) for row in ROWS} == commands - PARTS


def test_the_cited_pages_name_the_command() -> None:
    for row in ROWS:
        links = re.findall(r"\]\(([^)#]+)", row[3])
        assert links
        for link in links:
            page = (README.parent / link).read_text(encoding="utf-8")
            assert re.search(rf"python -m benchmarks\.{re.escape(command(row))}\b", page), (command(row), link)


def test_what_make_runs_is_marked() -> None:
    quality = MAKEFILE.partition("\nbench-quality:")[2].partition("\n\n")[0]
    run = set(re.findall(r"benchmarks\.([\w.]+)", quality))
    assert {command(row) for row in ROWS if row[0].endswith(r"\*")} == run
