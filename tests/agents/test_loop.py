"""The loop of our own: tools, the step limit, what is remembered of a session."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gate.agents.interface import AgentFailed, Answer
from gate.agents.loop import Equipment, LoopAgent
from gate.cases.case import Case, Round
from gate.messages import Message
from gate.record.sample import Origin, Reply
from gate.record.transcript import RESULT_CHARS, Failed
from gate.record.usage import Dollars, Effort
from gate.store.run_folder import SessionFiles
from tests.support.conversing import FakeBox, calls, question
from tests.support.fakes import ScriptedCalls, reply

CASE = Case("c", "Which flats?")
TWO = Case("c", "Which flats?", rounds=(Round("Which flats?"), Round("And the first?")), revival=True)
SESSION = "session-1"


def loop(
    script: Sequence[Reply | Failed], folder: Path, box: FakeBox | None = None, case: Case = CASE, steps: int = 4
) -> tuple[LoopAgent, ScriptedCalls]:
    sent = ScriptedCalls(script)
    clock = iter(range(1000))
    equipment = Equipment(sent, SessionFiles(folder / "sessions"), lambda: float(next(clock)))
    return LoopAgent(question(case), equipment, box, steps), sent


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


def test_a_tool_that_is_lost_ends_the_others_that_were_called_at_once(tmp_path: Path) -> None:
    box = FakeBox()

    async def work(name: str) -> str:
        if name == "slow":
            await asyncio.sleep(3600)
        await asyncio.sleep(0)
        raise AgentFailed("the server is gone")

    box.work = work

    async def main() -> int:
        agent, _ = loop([calls("slow", "gone")], tmp_path, box)
        with pytest.raises(AgentFailed, match="the server is gone"):
            await said(agent, "Which flats?")
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1
    assert box.events == ["open", "begin slow", "begin gone", "cancelled slow"]


def test_without_tools_at_once_nothing_is_called_after_one_that_is_lost(tmp_path: Path) -> None:
    def work(name: str) -> str:
        raise AgentFailed("the server is gone")

    box = FakeBox(work)
    agent, _ = loop([calls("a", "b")], tmp_path, box)
    agent.parallel = False
    with pytest.raises(AgentFailed):
        asyncio.run(said(agent, "x"))
    assert box.events == ["open", "begin a"]


def test_a_step_that_fails_tells_what_was_done_and_paid_until_then(tmp_path: Path) -> None:
    script = [replace(calls("look"), attempts=2), Failed("the budget of 3 calls is used up", 1)]
    agent, _ = loop(script, tmp_path, FakeBox())
    with pytest.raises(AgentFailed) as caught:
        asyncio.run(said(agent, "x"))
    assert (caught.value.reason, caught.value.attempts) == ("the budget of 3 calls is used up", 1)
    assert caught.value.effort == Effort(calls=1, retries=1, cost=Dollars(0.001))
    assert [use.name for use in caught.value.tools] == ["look"]


def test_steps_that_were_known_are_not_paid_again(tmp_path: Path) -> None:
    script = [replace(calls("look"), origin=Origin(reused=True)), reply("done")]
    agent, _ = loop(script, tmp_path, FakeBox())
    (answer,) = asyncio.run(said(agent, "x"))
    assert (answer.steps, answer.cost) == (2, Dollars(0.002))
    assert answer.effort == Effort(calls=1, reused=1, cost=Dollars(0.001))


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


def test_a_session_that_is_lost_is_told(tmp_path: Path) -> None:
    agent, _ = loop([reply("Two.")], tmp_path, None, TWO)

    async def main() -> None:
        await said(agent, "Which flats?")
        await agent.close()
        (tmp_path / "sessions" / f"{SESSION}.json").write_text('[["system", ')
        await agent.reopen(SESSION)

    with pytest.raises(AgentFailed, match="session-1 is not known any more: its context is lost"):
        asyncio.run(main())
