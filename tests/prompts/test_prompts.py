"""Prompt files of every kind, and what is said about those that are none."""

import pytest

from gate import limits
from gate.messages import Message
from gate.prompts import reading
from gate.prompts.version import Prompt
from tests.config.texts import errors

CHAT = """\
messages:
  - role: developer
    content: Be brief.
  - {role: user, content: "Hello"}
  - role: assistant
    content: |
      Hi.
"""
TURNS = (Message("system", "Be brief."), Message("user", "Hello"), Message("assistant", "Hi.\n"))


@pytest.mark.parametrize("path", ["p.md", "p.txt", "p", "a/b.MARKDOWN"])
def test_text_is_one_system_message(path: str) -> None:
    prompt = reading.parse("Be {{ kind }}.\r\nNow.\n", path)
    assert prompt == Prompt((Message("system", "Be {{ kind }}.\nNow."),))


def test_chat_files() -> None:
    assert reading.parse(CHAT, "p.yaml") == Prompt(TURNS, chat=True)
    assert reading.parse(CHAT.replace("messages:\n", ""), "p.yml", template=True) == Prompt(TURNS, True, True)
    as_json = '[{"role": "system", "content": "a\\/\\ud83d\\ude00"}]'
    assert reading.parse(as_json, "p.json").messages == (Message("system", "a/\U0001f600"),)


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("\ufeff \r\n", "p.md", "p.md: is empty"),
        ("a\n\ud800", "p.md", "p.md:2: contains half of a surrogate pair, which is not valid text"),
        ("x" * (limits.PROMPT_CHARS + 1), "p.md", "p.md: is longer than 1,048,576 characters"),
        ("{% include 'x' %}", "p.j2", "p.j2:1: 'include' is not supported in templates"),
        ("[]", "p.yaml", "p.yaml:1: messages must be a list of {role, content}, not an empty list"),
        (CHAT + "modle: x\n", "p.yaml", "p.yaml:8: unknown key 'modle' (known: messages)"),
        (CHAT.replace("Be brief.", ""), "p.yaml", "p.yaml:3: messages[0].content must be text, not nothing"),
        (CHAT + "  - \n", "p.yaml", "p.yaml:8: messages[3] must be a mapping, not nothing"),
    ],
)
def test_messages(text: str, path: str, message: str) -> None:
    assert message in errors(lambda: reading.parse(text, path))


def test_a_request_as_it_is_sent_to_a_model_is_a_chat_file() -> None:
    text = (
        '{"model": "gpt-4o", "temperature": 0, "stream": false, "messages": ['
        '{"role": "developer", "content": "Be kind."},'
        ' {"role": "user", "content": [{"type": "text", "text": "Hi,"}, {"type": "text", "text": "you."}]}]}'
    )
    prompt = reading.parse(text, "p.json")
    assert prompt.messages == (Message("system", "Be kind."), Message("user", "Hi,\nyou."))
    assert prompt.unused == (("model", '"gpt-4o"'), ("temperature", "0"))
    picture = text.replace('"type": "text", "text": "you."', '"type": "input_audio", "input_audio": {"data": "x"}')
    said = errors(lambda: reading.parse(picture, "p.json"))
    assert "messages[1].content[1] must be a part of the type text or image_url, not of the type" in said
