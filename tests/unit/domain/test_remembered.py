"""Whose answers are those of another time, too."""

import pytest

from gate.domain.case import Case
from gate.domain.target import CommandAgent, HttpAgent, PythonAgent, Server, Target, ToolLoop
from tests.support.conversing import question

URL = "http://agent"


@pytest.mark.parametrize(
    ("target", "code", "recognised", "remembered"),
    [
        (None, "", True, True),
        (HttpAgent(URL), "", False, False),
        (HttpAgent(URL, version="1.4"), "", True, True),
        (CommandAgent(("agent",)), "", False, False),
        (CommandAgent(("agent",)), "digest", True, True),
        (PythonAgent("agent:Agent"), "", False, False),
        (PythonAgent("agent:Agent"), "digest", True, True),
        (ToolLoop((Server("s", "sse", url=URL),)), "", False, True),
        (ToolLoop((Server("s", "stdio", ("server",)),)), "", False, True),
        (ToolLoop(()), "", True, True),
    ],
)
def test_who_is_known_again(target: Target | None, code: str, recognised: bool, remembered: bool) -> None:
    arm = question(Case("c", "?"), target, code=code).arm
    assert (arm.recognised, arm.remembered) == (recognised, remembered)
