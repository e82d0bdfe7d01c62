"""Programs and Python agents that do as a test wants them to, written where a test needs them."""

import asyncio
import sys
from pathlib import Path

from gate.agents import runner
from gate.agents.external import Program, ProgramAgent, ProtocolSession
from gate.agents.masks import Masks
from gate.agents.processes import ProgramPlace
from gate.cases.case import Case
from tests.support.fake_agents import question

SECRET = "s3cret-token-0123456789"

TALKS = """
import json, os, signal, subprocess, sys, time
def say(**reply):
    print(json.dumps(reply), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    kind = asked["type"]
    if kind in ("start", "reopen"):
        say(type="ok")
    elif kind == "send":
        text = asked["text"]
        ANSWER
"""


def program(folder: Path, answer: str, timeout_s: float = 20.0) -> ProgramAgent:
    """A command agent that answers with some lines of Python, in which `text` is what it was told."""
    (folder / "agent.py").write_text(TALKS.replace("ANSWER", answer.strip().replace("\n", "\n        ")))
    return started(folder, (sys.executable, "-S", "agent.py"), timeout_s)


def python(folder: Path, source: str, name: str = "Agent", timeout_s: float = 20.0) -> ProgramAgent:
    """A Python agent of a module."""
    (folder / "agent.py").write_text(source)
    command = (sys.executable, "-P", "-s", "-B", runner.__file__, "agent", f"agent:{name}")
    return started(folder, command, timeout_s, told=True)


def started(folder: Path, command: tuple[str, ...], timeout_s: float, *, told: bool = False) -> ProgramAgent:
    place = ProgramPlace(folder, folder / "scratch", "/usr/bin:/bin")
    made = Program(command, place, {"AGENT_TOKEN": SECRET}, timeout_s, asyncio.Semaphore(1), told)
    protocol = ProtocolSession(question(Case("c", "Hello?", slices={"tier": "free"})), Masks((SECRET,)), "the agent")
    return ProgramAgent(protocol, made)
