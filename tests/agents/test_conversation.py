"""How a case's conversation is led."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from gate.agents.interface import AgentFailed, Answer, ConversationTarget, PersonReply, Question
from gate.calls.interface import CallRefused
from gate.cases.case import Case, Persona, Round
from gate.config.models import ModelRef
from gate.config.targets import (
    CommandAgent,
    ConversationModel,
    ConversationOptions,
    HttpAgent,
    Server,
    Target,
    ToolLoop,
)
from gate.record.transcript import STEP_LIMIT, Dollars, Effort, Failed, Reply, ToolUse, Unpriced
from tests.support.fake_agents import FakeAgent, FakeReader, Free, Kept, exam, leading, question

DETECTOR = ConversationOptions(followups=ConversationModel(model=ModelRef("openai", "d")))
ONE = Case("c", "What is the occupancy?")
TWO = Case("c", "a", rounds=(Round("a"), Round("b")))
PLAYED = Case("c", "", user=Persona("a landlord", "learn the occupancy", 3))


def led(target: ConversationTarget, asked: Question) -> Reply:
    found = asyncio.run(target.answer(asked))
    assert isinstance(found, Reply), found
    return found


def failed(target: ConversationTarget, asked: Question) -> Failed:
    found = asyncio.run(target.answer(asked))
    assert isinstance(found, Failed), found
    return found


def turns(reply: Reply) -> list[tuple[int, str, str, str]]:
    assert reply.transcript is not None
    return [(turn.round, turn.by, turn.said, turn.answer) for turn in reply.transcript.turns]


def test_rounds_follow_one_another() -> None:
    agent = FakeAgent([Answer("x", cost=Dollars(1.0), latency_s=1.0), Answer("y", cost=Dollars(2.0), latency_s=3.0)])
    reply = led(leading(agent), question(TWO, exam=exam(TWO)))
    assert turns(reply) == [(0, "case", "a", "x"), (1, "case", "b", "y")]
    assert reply.transcript is not None and reply.transcript.user_end == ""
    assert (reply.text, reply.cost, reply.latency_s) == ("y", Dollars(3.0), 4.0)
    assert reply.effort == Effort(2, cost=Dollars(3.0))
    assert agent.events == ["start session-1", "close", "close"]


def test_a_conversation_met_the_step_limit_where_any_answer_did() -> None:
    stops = (STEP_LIMIT, "stop")
    agent = FakeAgent([Answer("x", stop_reason=stop) for stop in stops])
    assert led(leading(agent), question(TWO, exam=exam(TWO))).stop_reason == STEP_LIMIT


def test_a_question_of_the_agents_is_answered_and_the_final_answer_counts() -> None:
    agent, detector = (
        FakeAgent(["Which one?", "80 %."]),
        FakeReader([PersonReply("The first.", 1, Dollars(0.5)), PersonReply("", 1)]),
    )
    reply = led(leading(agent, detector), question(ONE, exam=exam(ONE, DETECTOR)))
    assert turns(reply) == [(0, "case", ONE.input, "Which one?"), (0, "follow-up", "The first.", "80 %.")]
    assert reply.text == "80 %."
    assert reply.transcript is not None and reply.transcript.outline.followups == 1
    assert (reply.transcript.aside.calls, reply.transcript.aside.cost) == (2, Dollars(0.5))
    assert reply.cost == Unpriced("unknown"), "what the detector costs is no part of what the agent costs"
    assert reply.effort == Effort(2, cost=Unpriced("unknown"), aside_calls=2, aside_cost=Dollars(0.5))


@pytest.mark.parametrize("most", [0, 2])
def test_follow_ups_have_a_limit_in_each_round(most: int) -> None:
    agent, detector = FakeAgent(["Which?"] * 20), FakeReader([PersonReply("That.", 1)] * 20)
    conversing = DETECTOR.model_copy(update={"max_followups": most})
    reply = led(leading(agent, detector), question(TWO, exam=exam(TWO, conversing)))
    assert reply.transcript is not None and reply.transcript.outline.followups == 2 * most
    assert len(detector.read) == 2 * most


def test_a_simulated_user_speaks_until_it_is_done() -> None:
    agent, user = (
        FakeAgent(["Hello.", "80 %."]),
        FakeReader([PersonReply("Hi.", 1), PersonReply("Occupancy?", 1), PersonReply("", 1)]),
    )
    reply = led(leading(agent, user=user), question(PLAYED, exam=exam(PLAYED)))
    assert turns(reply) == [(0, "simulated", "Hi.", "Hello."), (0, "simulated", "Occupancy?", "80 %.")]
    assert user.read[-1] == [("Hi.", "Hello."), ("Occupancy?", "80 %.")]
    assert reply.transcript is not None and reply.transcript.user_end == "done"


@pytest.mark.parametrize("begins", ["", "Hi there."])
def test_a_simulated_user_has_a_limit(begins: str) -> None:
    case = replace(PLAYED, input=begins)
    agent, user = FakeAgent(["No."] * 9), FakeReader([PersonReply("Please.", 1)] * 9)
    reply = led(leading(agent, user=user), question(case, exam=exam(case)))
    assert reply.transcript is not None and len(reply.transcript.turns) == 3
    assert reply.transcript.user_end == "max_turns", "one that was cut off looks like none that was done"
    assert agent.said[0] == (begins or "Please.")
    assert len(user.read) == (2 if begins else 3)


def test_a_session_is_closed_and_opened_again_after_the_first_round() -> None:
    case = replace(TWO, revival=True)
    agent = FakeAgent(["x", "y"])
    reply = led(leading(agent), question(case, exam=exam(case)))
    assert agent.events == ["start session-1", "close", "reopen session-1", "close", "close"]
    assert reply.transcript is not None and reply.transcript.revived == (0,)


def test_an_agent_that_breaks_in_round_2_says_so_and_is_closed() -> None:
    gone = AgentFailed("it ended (exit code 3)", 4, Effort(2, 1, 1, Dollars(0.25)))
    gone.tools = (ToolUse("look", "{}", "done"),)
    agent, memory = FakeAgent([Answer("x", cost=Dollars(0.5)), gone]), Kept()
    found = failed(leading(agent, memory=memory), question(TWO, exam=exam(TWO)))
    assert found.reason == "round 2: it ended (exit code 3)"
    assert found.effort == Effort(calls=3, retries=4, reused=1, cost=Dollars(0.75))
    assert found.transcript is not None
    first, last = found.transcript.turns
    assert (first.said, first.answer, last.said, last.answer) == ("a", "x", "b", "")
    assert (last.tools, last.stop_reason) == (gone.tools, "failed")
    assert agent.events[-1] == "close" and memory.empty


def test_a_known_conversation_is_not_led_again() -> None:
    memory, asked = Kept(), question(TWO, exam=exam(TWO))
    first = led(leading(FakeAgent(["x", "y"]), memory=memory), asked)
    again = FakeAgent([])
    second = led(leading(again, memory=memory), asked)
    assert second.origin.reused and second.transcript == first.transcript
    assert again.events == []


PROGRAM, SERVICE = CommandAgent(run=("./agent",)), HttpAgent(url="http://a")
TOOLS = ToolLoop(servers={"s": Server(command=("./server",))})
REMOTE = ToolLoop(servers={"s": Server(url="http://a")})


def again(target: Target, code: str = "", then: str | None = None) -> tuple[bool, bool]:
    """Is a conversation with an agent known the next time? And is it given as the answer?"""
    memory = Kept()
    led(leading(FakeAgent(["x", "y"]), memory=memory), question(TWO, target, exam(TWO), code=code))
    second = FakeAgent(["x", "y"])
    led(leading(second, memory=memory), question(TWO, target, exam(TWO), code=code if then is None else then))
    return not memory.empty, not second.said


def test_an_agent_is_asked_again_unless_it_is_known_to_be_the_same() -> None:
    for program in (PROGRAM, TOOLS):
        assert again(program, "abc") == (True, True)
        assert again(program, "abc", "def") == (True, False), "its files are others"
    # What a service was yesterday nobody knows; it may be gone.
    assert again(SERVICE) == again(PROGRAM) == (False, False)
    assert again(HttpAgent(url="http://a", version="1.2")) == (True, True)
    # The answers of the model are known; tools are called again.
    assert again(TOOLS) == again(REMOTE) == (True, False)
    assert again(ToolLoop(servers={"s": Server(url="http://a", version="1")})) == (True, True)
    assert again(ToolLoop(fixtures="tools.yaml")) == (True, True)


PERSON = Persona("a landlord", "learn the occupancy", 3)


@pytest.mark.parametrize(
    ("case", "target", "conversing"),
    [
        (replace(TWO, rounds=(Round("a"), Round("c"))), None, ConversationOptions()),
        (replace(TWO, revival=True), None, ConversationOptions()),
        (replace(TWO, facts="The first one."), None, ConversationOptions()),
        (TWO, HttpAgent(url="http://a"), ConversationOptions()),
        (TWO, None, ConversationOptions(followups=ConversationModel(model=ModelRef("openai", "d")))),
        (TWO, None, ConversationOptions().model_copy(update={"max_followups": 1})),
        (replace(PLAYED, input="a", user=replace(PERSON, goal="other")), None, ConversationOptions()),
    ],
)
def test_whatever_has_a_part_in_a_conversation_makes_it_another_one(
    case: Case, target: HttpAgent | None, conversing: ConversationOptions
) -> None:
    target_of = leading(FakeAgent([])).request_of
    plain = target_of(question(TWO, exam=exam(TWO)))
    other = target_of(question(case, target, exam(case, conversing)))
    assert plain.messages != other.messages
    again = target_of(question(case, target, exam(case, conversing)))
    assert again == other


@pytest.mark.parametrize(
    ("case", "messages"),
    [(TWO, 2), (PLAYED, 1)],
)
def test_an_agent_that_calls_its_models_itself_is_paid_by_the_message(case: Case, messages: int) -> None:
    paid = Free()
    agent = FakeAgent([Answer("x", cost=Dollars(0.5)), Answer("y", cost=Dollars(0.25))])
    target = leading(agent, user=FakeReader([PersonReply("Hi.", 1), PersonReply()]), outside=paid)
    reply = led(target, question(case, HttpAgent(url="http://agent"), exam(case)))
    assert paid.announced == [messages]
    assert reply.transcript is not None
    assert [bill.cost for bill in paid.bills] == [turn.cost for turn in reply.transcript.turns]


def test_a_conversation_that_there_is_no_room_for_is_not_begun() -> None:
    class Spent(Free):
        @asynccontextmanager
        async def outside(self, messages: int) -> AsyncIterator[Free]:
            if not self.bills:
                raise CallRefused("the budget is used up")
            yield self

    agent = FakeAgent(["x"])
    found = failed(leading(agent, outside=Spent()), question(ONE, HttpAgent(url="http://agent"), exam(ONE)))
    assert found == Failed("the budget is used up", 0, Effort())
    assert agent.events == ["close"]
