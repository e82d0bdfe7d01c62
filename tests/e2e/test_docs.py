"""The documents say what the program does."""

import json
import re
import tomllib
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from benchmarks.statistics import error_rates
from gate.cases import reading as cases
from gate.cli.app import cli
from gate.config import gatefile
from gate.record.comparison import Verdict
from tests.support.command import gate

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
REFERENCE = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
ACTION_PAGE = (ROOT / "docs/how-to/github-action.md").read_text(encoding="utf-8")
EXPLANATION = (ROOT / "docs/explanation.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("text", [README, REFERENCE], ids=["readme", "reference"])
def test_every_configuration_shown_is_valid(text: str) -> None:
    shown = [block for block in blocks(text, "yaml") if "version: 1\n" in block]
    assert shown
    for block in shown:
        assert gatefile.load(block, "shown").suites


def test_the_case_shown_is_valid() -> None:
    shown = re.search(r'`(\{"id":.*?\}\})`', README, re.DOTALL)
    assert shown is not None
    assert cases.parse(" ".join(shown[1].split()), "shown")[0].slices == {"tier": "enterprise", "lang": "en"}


def test_every_option_shown_exists() -> None:
    asked = [
        words
        for name, command in cli.commands.items()
        for words in ([[name, sub] for sub in command.commands] if isinstance(command, click.Group) else [[name]])
    ]
    assert len(asked) > 30
    helped = "".join(CliRunner().invoke(cli, [*words, "--help"]).output for words in asked)
    helped += error_rates.parser().format_help() + "--hypothesis-profile"
    for text in (README, REFERENCE, EXPLANATION):
        for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)):
            assert option in helped, option


def test_every_make_target_shown_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`?make ([a-z-]+)`?", "\n".join([README, *blocks(README, "sh")]))):
        assert f"\n{target}:" in makefile, target


def test_the_verdict_table_is_whole() -> None:
    section = ACTION_PAGE.partition("## Read the outcome\n")[2].partition("\n## ")[0]
    named = [name for cell in re.findall(r"^\| ([A-Z, ]+) \|", section, re.MULTILINE) for name in cell.split(", ")]
    assert sorted(named) == sorted(verdict.value for verdict in Verdict)


def test_the_version_has_a_changelog() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## Unreleased" in changelog or f"## {project['version']}" in changelog


def test_schemas_are_printed(tmp_path: Path) -> None:
    for name in ("gate.yaml", "run.json"):
        assert json.loads(gate("schema", name, cwd=tmp_path).out)["type"] == "object"
