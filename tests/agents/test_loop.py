"""The loop of our own: tools, the step limit, what is remembered of a session."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from gate.agents.interface import Answer
from gate.agents.loop import LoopAgent, LoopResources, SessionFiles
from gate.cases.case import Case, Round
from gate.messages import Message
from gate.record.transcript import RESULT_CHARS, Dollars, Failed, Reply
from tests.support.fake_agents import FakeBox, calls, question
from tests.support.fakes import ScriptedCalls, reply

CASE = Case("c", "Which flats?")
TWO = Case("c", "Which flats?", rounds=(Round("Which flats?"), Round("And the first?")), revival=True)
SESSION = "session-1"


def loop(
    script: Sequence[Reply | Failed], folder: Path, box: FakeBox | None = None, case: Case = CASE, steps: int = 4
) -> tuple[LoopAgent, ScriptedCalls]:
    sent = ScriptedCalls(script)
    clock = iter(range(1000))
    resources = LoopResources(sent, SessionFiles(folder / "sessions"), lambda: float(next(clock)))
    return LoopAgent(question(case), resources, box, steps), sent


async def said(agent: LoopAgent, *texts: str) -> list[Answer]:
    await agent.start(SESSION)
    return [await agent.send(text) for text in texts]


def test_tools_are_called_until_the_model_answers(tmp_path: Path) -> None:
    agent, sent = loop([calls("look", "find", text="Let me see."), reply("Two.")], tmp_path, FakeBox())
    (answer,) = asyncio.run(said(agent, "Which flats?"))
    assert (answer.text, answer.steps, answer.stop_reason) == ("Two.", 2, "stop")
    assert [(use.name, use.result) for use in answer.tools] == [("look", "look done"), ("find", "find done")]
    assert answer.cost == Dollars(0.002) and answer.latency_s == pytest.approx(1.2)
    assert [message.role for message in sent.requests[1].messages] == ["system", "user", "assistant", "tool", "tool"]
    assert [message.answers for message in sent.requests[1].messages[3:]] == ["id0", "id1"]
    assert [tool.name for tool in sent.requests[0].tools] == ["look"]


def test_an_agent_that_never_stops_is_ended_and_has_what_it_said_last(tmp_path: Path) -> None:
    box = FakeBox()
    agent, sent = loop([calls("look", text=f"step {number}") for number in range(9)], tmp_path, box, steps=3)
    (answer,) = asyncio.run(said(agent, "Which flats?"))
    assert (answer.text, answer.steps, answer.stop_reason) == ("step 2", 3, "step limit")
    # Nobody would read what the last step asked for.
    assert (len(sent.requests), len(answer.tools), len(box.events)) == (3, 2, 5)


@pytest.mark.parametrize("nothing", ["", " \n"])
def test_an_empty_answer_is_an_answer_after_which_the_conversation_can_go_on(tmp_path: Path, nothing: str) -> None:
    agent, sent = loop([reply(nothing), reply("b")], tmp_path)
    first, second = asyncio.run(said(agent, "one", "two"))
    assert (first.text, second.text) == (nothing, "b")
    assert sent.requests[1].messages[2] == Message("assistant", "…")


def test_a_long_result_is_whole_for_the_model_and_short_in_the_record(tmp_path: Path) -> None:
    agent, sent = loop([calls("look"), reply("done")], tmp_path, FakeBox(lambda _: "x" * 10_000))
    (answer,) = asyncio.run(said(agent, "x"))
    assert answer.tools[0].result == "x" * RESULT_CHARS + "… (10,000 characters)"
    assert sent.requests[1].messages[-1].content == "x" * 10_000


def test_a_session_is_gone_on_with_after_it_was_closed(tmp_path: Path) -> None:
    box = FakeBox()
    agent, sent = loop([calls("look"), reply("Two."), reply("The beach house.")], tmp_path, box, TWO)

    async def main() -> None:
        await said(agent, "Which flats?")
        await agent.close()
        assert not agent._messages
        await agent.reopen(SESSION)
        await agent.send("And the first?")

    asyncio.run(main())
    assert sent.requests[2].messages[:4] == sent.requests[1].messages
    assert [message.content for message in sent.requests[2].messages[4:]] == ["Two.", "And the first?"]
    assert box.events.count("open") == 2 and box.events.count("close") == 1
