"""Workflow commands for the log: only the gate's own, whatever names and reasons say."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.report.outputs import commands
from tests.golden.hostile import hostile
from tests.golden.runs import runs

RUNS = runs()

COMMAND = re.compile(r"::(error|warning|notice) (file=[^:,]*,)?(line=\d+,)?(endLine=\d+,)?title=Prompt Gate::[^\r\n]*")


@pytest.mark.parametrize("name", sorted(RUNS))
def test_every_line_is_one_command_of_the_gates_own(name: str) -> None:
    text = commands.render(RUNS[name], {"prompts/support.md": [(3, 5)]})
    assert text
    for line in text.removesuffix("\n").split("\n"):
        assert COMMAND.fullmatch(line), line
        assert "::" not in line.split("title=Prompt Gate::")[1]


def test_findings_lie_on_the_changed_lines() -> None:
    first, *rest = commands.render(RUNS["block"], {"prompts/support.md": [(3, 5), (9, 9)]}).splitlines()
    assert first == "::error title=Prompt Gate::BLOCK: lang=de fell by 0.417, from 0.806 to 0.389"
    assert rest[0].startswith("::error file=prompts/support.md,line=3,endLine=5,title=Prompt Gate::lang=de fell")
    assert rest[1].startswith("::error file=prompts/support.md,line=9,title=")


def test_what_is_set_aside_is_a_notice() -> None:
    text = commands.render(RUNS["override-run"], {})
    assert set(re.findall(r"^::(\w+) ", text, re.MULTILINE)) == {"notice"}


@given(st.text(), st.text())
def test_no_name_makes_a_command(path: str, attack: str) -> None:
    run = hostile((f"{attack}\n::set-output name=verdict::SHIP", attack))
    arm = run.suites[0].candidate.model_copy(update={"path": path})
    run = run.model_copy(update={"suites": [run.suites[0].model_copy(update={"candidate": arm})]})
    for line in commands.render(run, {path: [(1, 2)]}).removesuffix("\n").split("\n"):
        assert COMMAND.fullmatch(line), line
