"""The page about `gate generate`: every command works, and prints what the page shows."""

import hashlib
import re
from pathlib import Path

from gate.config import gatefile
from gate.config.specification import OutputRule
from gate.testgen.effort import LEVELS
from gate.testgen.rules.compiler import compile_rule, compiled_summary
from gate.testgen.specification import pipeline
from tests.support.command import git
from tests.support.how_to import carry_out, missing, steps
from tests.support.model_server import Behaviour, ModelServer
from tests.support.prompt_reader import reader

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "how-to/generate-tests.md").read_text(encoding="utf-8")
CASE = re.compile(r"^```yaml\n(- id: .*?)^```$", re.DOTALL | re.MULTILINE)
SUITES = re.compile(r"^```yaml\n(version: 1\n.*?)^```$", re.DOTALL | re.MULTILINE)


def answer(_: str, user: str) -> str:
    """Every fourth one breaks the prompt."""
    return "wrong" if int(hashlib.sha256(user.encode()).hexdigest(), 16) % 4 == 0 else "Gladly."


def rows(page: str, head: str) -> list[list[str]]:
    """The cells of the table whose first line begins so."""
    table = page[page.index(f"| {head} |") :].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_every_command_prints_what_is_shown(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    found = list(steps(PAGE))
    assert len(found) >= 11
    with ModelServer(Behaviour(judgement=reader, answer=answer)) as server:
        env = {
            "OPENAI_BASE_URL": f"{server.url}/v1",
            "ANTHROPIC_BASE_URL": server.url,
            "OPENAI_API_KEY": "k",
            "ANTHROPIC_API_KEY": "k",
        }
        for step in found:
            if "--diff" in step.text and "--update" in step.text:
                (case,) = CASE.findall(PAGE)
                assert case in (tmp_path / "evals/support/cases.yaml").read_text(encoding="utf-8")
            printed = carry_out(step, tmp_path, env)
            assert missing(step.shown or "", printed) == [], printed
            if "--diff" in step.text and "--update" not in step.text:  # of which readers must see every line
                assert [line.split() for line in (step.shown or "").split("\n")] == [
                    x.split() for x in printed.split("\n")
                ]


def test_what_is_missing_is_seen() -> None:
    assert missing("a $1.20\n…\nc\n", "a  $3\nb\nc\n") == []
    assert missing("a\nc\n", "c\na\n") == ["c"]
    assert missing("d\n", "") == ["d"]


def test_the_requests_of_each_level_are_those_of_the_code() -> None:
    found = rows(PAGE, "`--effort`")
    assert [row[0].strip("`") for row in found] == list(LEVELS)
    for level, most, tests, looked, checked, requests in found:
        settings = LEVELS[level.strip("`")]
        assert (settings.max_rules, settings.tests_per_rule) == (int(most), int(tests))
        assert settings.ground == settings.review == (looked == "yes")
        assert checked == (str(settings.tests_per_validation) if settings.validate else "none")
        assert settings.expansions == (1 if level == "`high`" else 0)
        rules = min(8, settings.max_rules)
        calls = {**pipeline.stage_calls(settings, rules, None), **settings.calls_for_tests(rules)}
        assert sum(calls.values()) == int(requests)


def test_what_code_checks_is_what_is_compiled() -> None:
    found = rows(PAGE, "rule")
    assert len(found) == 3
    for rule, checked in found:
        compiled = compile_rule(OutputRule("R1", rule, rule, "", "verbatim"))
        assert ("left to the judge" if compiled is None else compiled_summary(compiled).partition(": ")[2]) == checked


def test_every_configuration_shown_is_valid() -> None:
    shown = SUITES.findall(PAGE)
    assert len(shown) == 1
    for block in shown:
        assert gatefile.load(block, "shown").suites
