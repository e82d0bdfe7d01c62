"""What of an agent may change, and whether a diff then compares the arms or skips them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gate.config.naming import FunctionName
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


def test_a_file_of_tools_that_is_gone_on_either_side_is_told_with_the_suite() -> None:
    gone = files(RECORDED)
    del gone["tools.yaml"]
    for old, new, where in ((files(RECORDED), gone, "head:gate.yaml"), (gone, files(RECORDED), "main:gate.yaml")):
        with pytest.raises(InputErrors, match="suite s has the fixtures 'tools.yaml', and there is no such") as caught:
            compared(old, new)
        assert [(one.file, one.line) for one in caught.value.problems] == [(where, 3)]


def test_how_conversations_are_led_is_an_edit_of_the_exam_and_compares_nothing() -> None:
    old = files(RECORDED)
    new = {**old, "gate.yaml": old["gate.yaml"] + "    conversation: {score: min}\n"}
    found = compared(old, new)
    assert (found.suites, [[rule.name for rule in edit.rules] for edit in found.edits]) == (
        (),
        [["conversation.score"]],
    )


@pytest.mark.parametrize(
    "target",
    [
        "{command: {run: [python, agent.py], files: [agent.py, 'lib/**']}}",
        "{python: {function: 'agent:Agent', files: [agent.py, 'lib/**']}}",
        "{tools: {servers: {shop: {command: [python, agent.py]}}, files: [agent.py, 'lib/**']}}",
    ],
)
def test_a_program_that_names_its_files_is_compared_where_one_of_them_changes(target: str) -> None:
    assert compared(files(target), files(target, README_md="Read this.\n")).untouched == ("s",)
    assert compared(files(target), files(target, agent_py="class Agent: two = 2\n")).suites
    assert compared(files(target), {**files(target), "lib/new/one.py": "new\n"}).suites
    assert compared(files(target), files(target, p_md="Be brief.\n")).suites


USER = '{"name": "talk", "user": {"goal": "Learn what is free"}}\n'


def test_a_simulated_user_whom_nobody_plays_is_told_before_anything_is_asked() -> None:
    cases = '{"id": "1", "input": "a"}\n' + USER
    texts = files(RECORDED, c_jsonl=cases)
    with pytest.raises(InputErrors) as caught:
        compared(texts, {**texts, "p.md": "Be brief.\n"})
    (problem,) = caught.value.problems
    assert (problem.file, problem.line) == ("main:c.jsonl", 2)
    assert problem.message == "the case 'talk' has a simulated user, and no model plays it"
    assert problem.hint.startswith("name one in the suite: conversation: {user:")


def test_users_that_a_change_brings_with_their_model_are_tried_once_it_is_merged() -> None:
    old = files(RECORDED)
    new = files(RECORDED, c_jsonl=old["c.jsonl"] + USER)
    new["gate.yaml"] += "    conversation: {user: {model: 'fake:echo'}}\n"
    (edit,) = compared(old, new).edits
    assert [rule.name for rule in edit.rules] == ["conversation.user"]
    assert [trial.reason for trial in edit.trials] == ["the exam that counts has no model that plays a user"]
