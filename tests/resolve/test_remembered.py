"""Whose answers are those of another time, too."""

import pytest

from gate.cases.case import Case
from gate.config.targets import CommandAgent, HttpAgent, PythonAgent, Server, Target, ToolLoop
from tests.support.conversing import question

URL = "http://agent"


@pytest.mark.parametrize(
    ("target", "code", "recognised", "remembered"),
    [
        (None, "", True, True),
        (HttpAgent(url=URL), "", False, False),
        (HttpAgent(url=URL, version="1.4"), "", True, True),
        (CommandAgent(run=("agent",)), "", False, False),
        (CommandAgent(run=("agent",)), "digest", True, True),
        (PythonAgent(function="agent:Agent"), "", False, False),
        (PythonAgent(function="agent:Agent"), "digest", True, True),
        (ToolLoop(servers={"s": Server(url=URL)}), "", False, True),
        (ToolLoop(servers={"s": Server(command=("server",))}), "", False, True),
        (ToolLoop(fixtures="tools.yaml"), "", True, True),
    ],
)
def test_who_is_known_again(target: Target | None, code: str, recognised: bool, remembered: bool) -> None:
    arm = question(Case("c", "?"), target, code=code).arm
    assert (arm.recognised, arm.remembered) == (recognised, remembered)
