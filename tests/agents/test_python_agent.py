"""Agents in Python: classes and functions, async or not, as a repository would write them."""

import asyncio
from pathlib import Path

import pytest

from tests.agents.agents import python
from tests.agents.test_program import answers, left, reason

ASYNC_CLASS = """
import asyncio
class Agent:
    def __init__(self, context):
        self.loop = asyncio.get_running_loop()
        self.context, self.ticks = context, 0
        self.task = asyncio.create_task(self.tick())
    async def tick(self):
        while True:
            await asyncio.sleep(0.001)
            self.ticks += 1
    async def send(self, text):
        return f"{text} {self.context.prompt.text} {self.loop is asyncio.get_running_loop()}"
"""
CLASS = """
import asyncio
async def asked(text):
    return text.upper()
class Agent:
    def __init__(self, context):
        self.said = []
    def send(self, text):
        print("this is for people")
        self.said.append(asyncio.run(asked(text)))
        return {"text": " ".join(self.said), "steps": 2}
"""
FUNCTION = """
def Agent(text, context):
    return f"{text} after {len(context.history)} messages in {context.session}"
"""
ASYNC_FUNCTION = """
async def Agent(text, context):
    return f"{text} for {context.case.id}"
"""


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (ASYNC_CLASS, ["a Be kind. True", "b Be kind. True"]),
        (CLASS, ["A", "A B"]),
        (FUNCTION, ["a after 0 messages in session-1", "b after 2 messages in session-1"]),
        (ASYNC_FUNCTION, ["a for c", "b for c"]),
    ],
    ids=["async class", "class", "function", "async function"],
)
def test_agents_of_all_kinds(tmp_path: Path, source: str, wanted: list[str]) -> None:
    assert [answer.text for answer in answers(python(tmp_path, source), "a", "b")] == wanted
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("def Agent(text, context): return None", "the agent failed: TypeError: it returned NoneType"),
        (
            "import json\ndef Agent(text, context):\n    return json.loads(text)",
            "line 1 column 1 (char 0) (agent.py:3)",
        ),
        ("Agent = 5", "TypeError: Agent is neither a class nor a function"),
        ("import os\ndef Agent(text, context): os._exit(4)", "the agent ended (exit code 4)"),
    ],
)
def test_what_goes_wrong_is_reported(tmp_path: Path, source: str, wanted: str) -> None:
    assert wanted in reason(python(tmp_path, source), "x")
    assert left(tmp_path) == []


UNTOLD = """
class Agent:
    def __init__(self, context): self.history = context.history
    def send(self, text): return f"{text} after {self.history}"
"""


@pytest.mark.parametrize(
    ("source", "wanted"),
    [(FUNCTION, "Ho after 2 messages in session-1"), (UNTOLD, "Ho after []")],
    ids=["function", "class"],
)
def test_a_reopened_function_gets_the_conversation_so_far(tmp_path: Path, source: str, wanted: str) -> None:
    agent = python(tmp_path, source)

    async def main() -> str:
        await agent.start("session-1")
        await agent.send("Hi")
        await agent.close()
        await agent.reopen("session-1")
        try:
            return (await agent.send("Ho")).text
        finally:
            await agent.close()

    assert asyncio.run(main()) == wanted
