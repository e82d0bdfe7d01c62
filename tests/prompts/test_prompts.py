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
        ("", "p.md", "p.md: is empty (write the prompt into it)"),
        ("\ufeff \r\n", "p.md", "p.md: is empty"),
        ("a\n\0b", "p.md", "p.md:2: is not a text file (it holds NUL characters)"),
        ("a\n\ud800", "p.md", "p.md:2: holds half of a surrogate pair, which is not text"),
        ("x" * (limits.PROMPT_CHARS + 1), "p.md", "p.md: is longer than 1,048,576 characters"),
        ("a\n{% if %}", "p.j2", "p.j2:2: invalid Jinja2: Expected an expression, got 'end of statement block'"),
        ("a\n\n{{ input", "p.j2", "p.j2:3: invalid Jinja2: unexpected end of template"),
        ("{% include 'x' %}", "p.j2", "p.j2:1: 'include' is not supported in templates"),
        ("x", "p.py", "p.py: prompt files ending in .py are not supported in this version"),
        ("just text", "p.yaml", "p.yaml:1: is not a chat file: it must hold a list of {role, content}"),
        ("[]", "p.yaml", "p.yaml:1: messages must be a list of {role, content}, not an empty list"),
        ("a: 1", "p.yaml", "p.yaml:1: unknown key 'a' (known: messages)"),
        ("a: 1", "p.yaml", "p.yaml:1: 'messages' is missing"),
        (CHAT + "model: x\n", "p.yaml", "p.yaml:8: unknown key 'model' (known: messages)"),
        (
            CHAT.replace("assistant", "bot"),
            "p.yaml",
            "p.yaml:5: messages[2].role must be system, developer, user or ass",
        ),
        (CHAT.replace("Be brief.", ""), "p.yaml", "p.yaml:3: messages[0].content must be text, not nothing"),
        (
            CHAT.replace("Be brief.", "[{type: text}]"),
            "p.yaml",
            "p.yaml:3: messages[0].content must be text, not a",
        ),
        (CHAT.replace("- {role: user", "- {rôle: user"), "p.yaml", "p.yaml:4: 'role' is missing in messages[1]"),
        (CHAT + "  - \n", "p.yaml", "p.yaml:8: messages[3] must be a mapping, not nothing"),
        ("[\n{]", "p.json", "p.json:2: invalid JSON at column 2: "),
        ('"text"', "p.json", "p.json:1: is not a chat file"),
    ],
)
def test_messages(text: str, path: str, message: str) -> None:
    assert message in errors(lambda: reading.parse(text, path))
