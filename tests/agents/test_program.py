"""Agents that are programs: real processes that behave badly, each bounded, told, and gone afterwards."""

import asyncio
import os
from pathlib import Path

import pytest

from gate.agents.external import ProgramAgent
from gate.agents.interface import AgentFailed, Answer
from gate.agents.processes import MARK
from tests.agents.agents import SECRET, program, started


async def talked(agent: ProgramAgent, *texts: str) -> list[Answer]:
    try:
        await agent.start("session-1")
        return [await agent.send(text) for text in texts]
    finally:
        await agent.close()


def answers(agent: ProgramAgent, *texts: str) -> list[Answer]:
    return asyncio.run(talked(agent, *texts))


def reason(agent: ProgramAgent, *texts: str) -> str:
    with pytest.raises(AgentFailed) as caught:
        asyncio.run(talked(agent, *texts))
    return caught.value.reason


def left(folder: Path) -> list[str]:
    """Processes that work in a folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd").startswith(str(folder)):
                found.append(pid)
        except OSError:
            continue
    return found


@pytest.mark.threat("agent-environment")
def test_it_has_the_variables_that_are_named_and_no_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-agents-0123456789")
    agent = program(tmp_path, 'say(type="answer", text=" ".join(sorted(os.environ)))')
    (answer,) = answers(agent, "x")
    known = {"AGENT_TOKEN", "HOME", "LANG", "LC_ALL", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONNOUSERSITE", "TMPDIR"}
    assert set(answer.text.split()) == {*known, MARK}


def test_one_that_answers_twice_is_reported_and_no_answer_is_that_of_another_message(tmp_path: Path) -> None:
    """All in one piece, so that none comes late."""
    replies = ['{"type": "answer", "text": "one"}', '{"type": "answer", "text": "two"}']
    agent = program(tmp_path, f"sys.stdout.write({chr(10).join((*replies, ''))!r}); sys.stdout.flush()")
    assert reason(agent, "a", "b") == "the agent sent two replies to one message"
    assert left(tmp_path) == []


def test_a_second_answer_that_comes_late_is_no_answer_to_the_next_message(tmp_path: Path) -> None:
    """It is waited for here, so that it lies in the pipe when the next message is sent."""
    agent = program(
        tmp_path,
        """say(type="answer", text="one")
open('heard').read()
say(type="answer", text="again")
open('heard', 'w').close()""",
    )
    os.mkfifo(tmp_path / "heard")

    async def main() -> None:
        try:
            await agent.start("session-1")
            assert (await agent.send("a")).text == "one"
            await asyncio.to_thread((tmp_path / "heard").write_bytes, b"")
            await asyncio.to_thread((tmp_path / "heard").read_bytes)
            with pytest.raises(AgentFailed, match="two replies"):
                await agent.send("b")
        finally:
            await agent.close()

    asyncio.run(main())


def test_an_answer_that_names_its_message_counts_for_no_other(tmp_path: Path) -> None:
    names = 'say(type="answer", text=text, id=%s)'
    assert [one.text for one in answers(program(tmp_path, names % 'asked["id"]'), "a", "b")] == ["a", "b"]
    assert [one.text for one in answers(program(tmp_path, names % '"chat-1"'), "a", "b")] == ["a", "b"]
    assert reason(program(tmp_path, names % "1"), "a", "b") == "the agent answered message 1 instead of message 2"


def test_one_that_only_prints_is_reported_without_its_secrets(tmp_path: Path) -> None:
    agent = program(tmp_path, 'print(os.environ["AGENT_TOKEN"] + "x" * 2_000_000, flush=True)')
    said = reason(agent, "x")
    assert said.startswith("the agent printed a line that is not a reply: [token]xxx") and SECRET not in said


@pytest.mark.threat("agent-endless")
@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ('say(type="answer", text="")', ""),
        ('say(type="answer", text="x" * 9_000_000)', "replied with more than 8 MiB"),
        ('say(type="answer")', "replied with an answer that has no text"),
        ('say(type="error", error=os.environ["AGENT_TOKEN"])', "the agent failed: [token]"),
        ('say(type="answer", text="x", tools=[{"name": "a"}] * 1001)', "not a list of at most 1,000 calls"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "the agent ended (signal 9)"),
        ('raise ValueError("no flats for " + os.environ["AGENT_TOKEN"])', "ValueError: no flats for [token]"),
        ("os.close(1); time.sleep(60)", "the agent closed its standard output"),
    ],
)
def test_whatever_it_does_is_bounded_and_reported(tmp_path: Path, answer: str, wanted: str) -> None:
    agent = program(tmp_path, answer)
    if not wanted:
        assert answers(agent, "x")[0].text == ""
    else:
        said = reason(agent, "x")
        assert wanted in said and SECRET not in said
    assert left(tmp_path) == []


@pytest.mark.threat("agent-left-over")
def test_one_that_hangs_and_does_not_hear_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    agent = program(
        tmp_path,
        """signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(3600)"
subprocess.Popen([sys.executable, "-c", child])
subprocess.Popen([sys.executable, "-c", child], start_new_session=True)
time.sleep(3600)""",
        timeout_s=1.0,
    )
    assert reason(agent, "x") == "the agent did not answer within 1 s"
    assert left(tmp_path) == []


def test_a_program_that_is_not_there_is_reported(tmp_path: Path) -> None:
    assert "No such file" in reason(started(tmp_path, ("./no-such-agent",), 5.0))
