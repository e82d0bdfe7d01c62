"""Sessions are read as they were written; whatever else is there is a session that nobody knows."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.agents.loop import SessionFiles
from gate.messages import Message, ToolCall
from tests.support.transcripts import CLEAN

ROLES = st.sampled_from(["system", "user", "assistant", "tool"])
CALLS = st.lists(st.builds(ToolCall, CLEAN, CLEAN, CLEAN), max_size=3).map(tuple)
MESSAGES = st.lists(st.builds(Message, ROLES, CLEAN, CALLS, CLEAN, st.booleans()), max_size=4).map(tuple)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> SessionFiles:
    return SessionFiles(tmp_path_factory.mktemp("kept") / "sessions")


@given(MESSAGES)
def test_there_and_back(shared: SessionFiles, messages: tuple[Message, ...]) -> None:
    shared.save("session-1", messages)
    assert shared.load("session-1") == messages


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[7]",
        "[{}]",
        '[{"role": "user"}]',
        '[{"role": "nobody", "content": "x"}]',
        '[{"role": "user", "content": "x", "tool_calls": [{"id": "a", "name": "b"}]}]',
        '[{"role": "user", "content": "x", "answers": 7}]',
    ],
)
def test_what_is_no_session_is_not_known(tmp_path: Path, text: str) -> None:
    (tmp_path / "session-1.json").write_text(text)
    assert SessionFiles(tmp_path).load("session-1") is None


def test_a_session_is_gone_with_the_run(tmp_path: Path) -> None:
    files = SessionFiles(tmp_path / "sessions")
    assert files.load("session-1") is None
    files.save("session-1", (Message("user", "x"),))
    assert files.load("session-1") == (Message("user", "x"),)


@pytest.mark.parametrize("session", ["../../etc/passwd", "", "x" * 65])
def test_a_session_is_no_path(tmp_path: Path, session: str) -> None:
    with pytest.raises(ValueError, match="is not a session id"):
        SessionFiles(tmp_path).save(session, ())
    assert SessionFiles(tmp_path).load(session) is None
