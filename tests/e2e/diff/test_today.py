"""`{today}` is the day of the run in every prompt and case, whether or not the suite has placeholders."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Outcome, gate
from tests.support.model_server import Behaviour, ModelServer
from tests.support.repository import make

SAID = "It is {today}."
PROMPTS: dict[str, tuple[str, dict[str, str]]] = {
    "Markdown": ("p.md", {"p.md": SAID}),
    "Jinja": ("p.j2", {"p.j2": f"{SAID} {{{{ input }}}}"}),
    "an include": ("p.j2", {"p.j2": "{% include 'q.md' %} {{ input }}", "q.md": SAID}),
    "messages": ("p.yaml", {"p.yaml": f"- {{role: system, content: '{SAID}'}}\n"}),
    "GitHub Models": ("p.prompt.yml", {"p.prompt.yml": f"messages:\n- {{role: system, content: '{SAID}'}}\n"}),
    "a text in Python": ("p.py::TEXT", {"p.py": f'TEXT = "{SAID}"\n'}),
    "an f-string": ("p.py::TEXT", {"p.py": f'import datetime\ntoday = datetime.date.today()\nTEXT = f"{SAID}"\n'}),
    "a text with other variables": ("p.py::TEXT", {"p.py": f'TEXT = "{SAID} Be {{tone}}."\n'}),
    "a text in YAML": ("p.yaml::bot.text", {"p.yaml": f"bot: {{text: '{SAID}'}}\n"}),
    "a function": ("python:p:build", {"p.py": f'def build(session):\n    return "{SAID}"\n'}),
}
CASE: dict[str, Any] = {"id": "a", "input": "Hi"}
CASES: dict[str, dict[str, Any]] = {
    "the input": {"id": "a", "input": SAID},
    "messages": {"id": "a", "messages": [{"role": "user", "content": SAID}]},
    "a variable": {**CASE, "vars": {"day": SAID}},
    "criteria": {**CASE, "criteria": SAID},
    "the reference answer": {**CASE, "expected": SAID},
    "rounds": {"name": "a", "rounds": [{"prompt": "Hi"}, {"prompt": SAID}]},
    "facts": {"name": "a", "prompt": "Hi", "facts": SAID},
}
JUDGE = {"judge": {"criteria": "Is right.", "model": "own:judge"}}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(Behaviour(answer=lambda system, user: '{"asks": false, "answer": ""}')) as running:
        yield running


def checked(
    folder: Path, server: ModelServer, prompt: str, files: dict[str, str], case: dict[str, Any], **more: Any
) -> tuple[Outcome, str]:
    suite: dict[str, Any] = {"name": "s", "prompt": prompt, "cases": "c.json", "model": "own:m", "samples": 1}
    suite |= {"scorers": [JUDGE], "conversation": {"followups": {"model": "own:m"}}, **more}
    config = {"version": 1, "suites": [suite], "providers": {"own": {"api": "openai", "base_url": f"{server.url}/v1"}}}
    make(folder, {**files, "c.json": json.dumps([case]), "gate.yaml": json.dumps(config)})
    done = gate("check", cwd=folder)
    assert done.code in (0, 1), done.out + done.err
    return done, json.dumps(server.bodies)


@pytest.mark.parametrize("kind", PROMPTS)
@pytest.mark.parametrize(
    ("placeholders", "day"), [(None, ""), ({}, ""), ({"other": "x"}, ""), ({"today": "Monday"}, "Monday")]
)
def test_in_every_kind_of_prompt(
    tmp_path: Path, server: ModelServer, kind: str, placeholders: dict[str, str] | None, day: str
) -> None:
    prompt, files = PROMPTS[kind]
    case = {**CASE, "vars": {"tone": "kind"}} if "{tone}" in str(files) else CASE
    more = {} if placeholders is None else {"placeholders": placeholders}
    done, sent = checked(tmp_path, server, prompt, files, case, **more)
    today = day or datetime.now(UTC).date().isoformat()
    assert f"It is {today}." in sent
    assert "{today}" not in sent
    assert f"{{today}} is {today}" in done.out


@pytest.mark.parametrize("kind", CASES)
def test_in_every_text_of_a_case(tmp_path: Path, server: ModelServer, kind: str) -> None:
    _, sent = checked(tmp_path, server, "p.j2", {"p.j2": "{{ input }} {{ day | default('') }}"}, CASES[kind])
    assert "{today}" not in sent
    if kind != "facts":  # asked for only where the agent asks
        assert f"It is {datetime.now(UTC).date().isoformat()}." in sent


def test_two_files_that_are_compared(tmp_path: Path, server: ModelServer) -> None:
    (tmp_path / "old.py").write_text(f'A = "{SAID}"')
    (tmp_path / "new.md").write_text(f"{SAID} Be kind.")
    (tmp_path / "c.jsonl").write_text('{"id": "1", "input": "Hi", "expected": "x"}\n')
    env = {"OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "sk-loopback-0123456789"}
    done = gate("diff", "old.py::A", "new.md", "--cases", "c.jsonl", "--model", "openai:m", cwd=tmp_path, env=env)
    assert done.code == 0, done.err
    assert "{today}" not in json.dumps(server.bodies)


def test_the_text_can_be_kept(tmp_path: Path, server: ModelServer) -> None:
    _, sent = checked(tmp_path, server, "p.md", {"p.md": SAID}, CASE, placeholders={"today": "{today}"})
    assert SAID in sent


def test_a_suite_without_it_says_nothing_of_it(tmp_path: Path, server: ModelServer) -> None:
    done, _ = checked(tmp_path, server, "p.md", {"p.md": "Help {name}, {{ today }}."}, CASE)
    assert "{today}" not in done.out


def test_a_variable_of_that_name_is_not_put_in_its_place(tmp_path: Path) -> None:
    suite = {"name": "s", "prompt": "p.py::TEXT", "cases": "c.json", "model": "fake:echo", "scorers": ["refusal"]}
    config = json.dumps({"version": 1, "suites": [suite]})
    case = {**CASE, "vars": {"today": "Monday", "tone": "kind"}}
    make(tmp_path, {"p.py": f'TEXT = "{SAID} {{tone}}"\n', "c.json": json.dumps([case]), "gate.yaml": config})
    done = gate("validate", cwd=tmp_path)
    assert done.code == 2
    assert "{today} in the prompt is the day of the run" in done.err
