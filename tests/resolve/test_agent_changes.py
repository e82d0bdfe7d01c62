"""What of an agent may change, and whether a diff then compares the arms or skips them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gate.config.values import FunctionName
from gate.errors import InputErrors
from gate.prompts.files import CodePlace, FileSource
from gate.record.transcript import Failed
from gate.resolve.pairing import Sides
from gate.resolve.resolved import Resolved
from gate.resolve.two_refs import resolve
from gate.values import JsonValue
from tests.resolve.files import Files

RECORDED = "{tools: {fixtures: tools.yaml}}"
PROGRAM = "{command: [python, agent.py]}"
FUNCTION = "{python: 'agent:Agent'}"
SERVER = "{tools: {servers: {shop: {command: [python, agent.py]}}}}"
SERVICE = "{http: {url: 'https://agent.example/chat'}}"
TOOLS = "tools:\n  - {name: look, description: Looks., answers: [{result: %s}]}\n"


class Placing:
    """Says where code would lie, and runs none (`gate.engine.run.PromptBuilder`)."""

    def place(self, source: FileSource, what: str) -> CodePlace:
        return CodePlace(Path("/checkout"), source.sha, source.label)

    def build(
        self, source: FileSource, entry: FunctionName, sessions: Sequence[dict[str, JsonValue]]
    ) -> tuple[str | Failed, ...]:
        raise AssertionError("no prompt is code")


def files(target: str, **more: str) -> dict[str, str]:
    suite = f"  - name: s\n    prompt: p.md\n    cases: c.jsonl\n    model: fake:oracle\n    target: {target}\n"
    texts = {
        "gate.yaml": f"version: 1\nsuites:\n{suite}    scorers: [contains: {{value: a}}]\n",
        "p.md": "Help.\n",
        "c.jsonl": '{"id": "1", "input": "a"}\n',
        "agent.py": "class Agent: one = 1\n",
        "tools.yaml": TOOLS % "rent",
        "README.md": "Read me.\n",
    }
    return {**texts, **{name.replace("_", "."): text for name, text in more.items()}}


def compared(old: dict[str, str], new: dict[str, str], head: type[Files] = Files) -> Resolved:
    sides = Sides(Files(old, "main", "1" * 40), head(new, "head", "2" * 40), builder=Placing())
    return resolve(sides)


@pytest.mark.parametrize("target", [RECORDED, PROGRAM, FUNCTION, SERVER, SERVICE])
def test_an_agent_that_nothing_touches_is_skipped(target: str) -> None:
    found = compared(files(target), files(target))
    assert (found.suites, found.untouched, found.touched) == ((), ("s",), False)


@pytest.mark.parametrize(
    ("target", "is_compared"), [(RECORDED, False), (PROGRAM, True), (FUNCTION, True), (SERVER, True), (SERVICE, False)]
)
def test_a_program_may_read_any_file_and_a_service_none(target: str, is_compared: bool) -> None:
    for changed in ({"README_md": "Read this.\n"}, {"agent_py": "class Agent: two = 2\n"}, {"new_txt": "new\n"}):
        found = compared(files(target), files(target, **changed))
        assert bool(found.suites) is is_compared
        if is_compared:
            assert found.suites[0].baseline is not None
            arms = found.suites[0].baseline, found.suites[0].candidate
            assert arms[0].code != arms[1].code
            assert [arm.place and arm.place.label for arm in arms] == ["main", "head"]


@pytest.mark.parametrize("target", [RECORDED, PROGRAM, FUNCTION, SERVER, SERVICE])
def test_a_prompt_or_another_agent_is_compared(target: str) -> None:
    assert compared(files(target), files(target, p_md="Be brief.\n")).suites
    other = {RECORDED: "{tools: {fixtures: tools.yaml, max_steps: 3}}"}.get(target, RECORDED)
    found = compared(files(target), files(other))
    (suite,) = found.suites
    assert suite.baseline is not None
    assert suite.baseline.target != suite.candidate.target
    assert compared(files(other), files(target)).suites


USER = '{"name": "talk", "user": {"goal": "Learn what is free"}}\n'


def test_a_simulated_user_whom_nobody_plays_is_reported_before_anything_is_asked() -> None:
    cases = '{"id": "1", "input": "a"}\n' + USER
    texts = files(RECORDED, c_jsonl=cases)
    with pytest.raises(InputErrors) as caught:
        compared(texts, {**texts, "p.md": "Be brief.\n"})
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("main:c.jsonl", 2)
    assert problem.message == "the case 'talk' has a simulated user, and no model is set to play it"
    assert problem.hint.startswith("set one in the suite: conversation: {user:")
