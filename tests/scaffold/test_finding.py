"""Which files are taken for prompts."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.scaffold.discovery import (
    FoundPrompt,
    PassedFile,
    likely_prompts,
    prompt_constants,
    read_prompt_file,
    without_parts,
)


@pytest.mark.parametrize(
    "path",
    [
        "services/bot/prompts/deep/er/a.j2",
        "a.prompt.yml",
        "x/y/b.prompty",
        "src/support-prompt.md.j2",
    ],
)
def test_likely_prompts(path: str) -> None:
    assert likely_prompts([path]) == [path]


@pytest.mark.parametrize(
    "path",
    [
        "node_modules/x/prompts/a.md",
        ".github/prompts/a.md",
        "prompts/README.md",
        "prompts/parts/tone.md",
        "docs/prompting.md",
    ],
)
def test_other_files(path: str) -> None:
    assert likely_prompts([path]) == []


def look(files: Mapping[str, str], path: str) -> FoundPrompt | PassedFile | None:
    return read_prompt_file(path, lambda name: files[name].encode() if name in files else None)


def test_a_template_tells_its_variables_with_those_of_its_parts() -> None:
    files = {"p/a.j2": '{{ x }} {% include "b.j2" %}', "p/b.j2": "{{ y }} {{ input }}"}
    found = look(files, "p/a.j2")
    assert isinstance(found, FoundPrompt)
    assert found.variables == ("x", "y")
    assert "input" in found.names
    other = look(files, "p/b.j2")
    assert isinstance(other, FoundPrompt)
    assert without_parts([found, other]) == [found]


def test_a_text_with_double_braces_is_a_template_and_one_with_single_braces_is_not() -> None:
    found = look({"a.md": "Summarise {{ text }}."}, "a.md")
    assert isinstance(found, FoundPrompt)
    assert (found.template, found.variables, found.braces) == (True, ("text",), ())
    plain = look({"a.md": "Summarise {text}, as {}."}, "a.md")
    assert isinstance(plain, FoundPrompt)
    assert (plain.template, plain.variables, plain.braces) == (False, (), ("text",))
    for_go = look({"a.md": "It is {{.CurrentDate}}, {{ .Name }}."}, "a.md")
    assert isinstance(for_go, FoundPrompt)
    assert (for_go.template, for_go.braces) == (False, ("{.CurrentDate}", "{.Name}"))


def test_what_cannot_be_read_is_told_with_its_line() -> None:
    found = look({"a.j2": "one\n{{ two"}, "a.j2")
    assert isinstance(found, PassedFile)
    assert found.reason.startswith("line 2: invalid Jinja2")
    empty = look({"a.md": " \n"}, "a.md")
    assert isinstance(empty, PassedFile)
    assert look({}, "a.md") == PassedFile("a.md", "there is no such file")


def test_a_mapping_without_messages_is_no_prompt() -> None:
    assert look({"prompts/settings.yaml": "a: 1"}, "prompts/settings.yaml") is None
    assert isinstance(look({"c.json": '[{"role": "system", "content": "x"}]'}, "c.json"), FoundPrompt)


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("prompts/all.yaml", "support: {system: You help the customers of a shop.}", "'support.system'"),
        ("prompts/qa.json", '{"_type": "prompt", "template": "Answer {question} from {context}."}', "'template'"),
        ("prompts/b.yaml", "messages: [{role: human, content: x}]", "line 1"),
        ("prompts/greeting.prompt", "---\nmodel: x\n---\nHello {{name}}", "Handlebars"),
    ],
)
def test_prompts_in_a_form_of_their_own_are_told(path: str, text: str, said: str) -> None:
    found = look({path: text}, path)
    assert isinstance(found, PassedFile)
    assert said in found.reason


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("prompts/package.json", '{"name": "prompts", "description": "All prompts of the shop", "files": []}'),
        ("prompts/tsconfig.json", "{ // strict\n}"),
    ],
)
def test_settings_beside_prompts_are_passed_over(path: str, text: str) -> None:
    assert look({path: text}, path) is None


@pytest.mark.parametrize("path", ["../a.md", "a\nb.md"])
def test_a_path_that_no_configuration_may_name_is_left_out(path: str) -> None:
    assert isinstance(look({path: "x"}, path), PassedFile)


@given(st.binary(max_size=300), st.sampled_from(["p.md", "p.j2", "p.yaml", "p.json", "p.prompt.yml", "p.prompty"]))
def test_no_file_brings_it_down(data: bytes, path: str) -> None:
    found = read_prompt_file(path, lambda name: data if name == path else None)
    assert found is None or found.path == path


CODE = '''
SYSTEM_PROMPT = """You are a helpful assistant who answers every question."""
short_prompt = "Hello you"
GREETING = "You are a helpful assistant who answers every question."
class A:
    instructions: str = f"You are {name}, a helpful assistant who answers."
'''
SCRIPT = """
export const systemPrompt: string = `You are a helpful assistant
who answers every question.`;
const other = "You are a helpful assistant who answers every question.";
let SUPPORT_PROMPT = 'You are a helpful assistant who answers every question.'
"""


def test_constants_are_told_by_name_and_line() -> None:
    assert [(one.where, one.name) for one in prompt_constants(CODE, "a.py")] == [
        ("a.py:2", "SYSTEM_PROMPT"),
        ("a.py:6", "instructions"),
    ]
    assert [(one.where, one.name) for one in prompt_constants(SCRIPT, "a.ts")] == [
        ("a.ts:2", "systemPrompt"),
        ("a.ts:5", "SUPPORT_PROMPT"),
    ]


LONG = "You are a helpful assistant who answers every question."


@pytest.mark.parametrize(
    ("code", "path", "names"),
    [
        (f'P = ChatPromptTemplate.from_messages([("system", "{LONG}"), ("human", "{LONG}")])', "qa.py", ["system"]),
        (f'QA_PROMPT = PromptTemplate.from_template("""{LONG}""")', "qa.py", ["QA_PROMPT"]),
        (f'TEXTS = {{"router": "{LONG}"}}\nGREETING = "{LONG}"', "bot/prompts.py", ["router", "GREETING"]),
        (f'await generateText({{ model, system: "{LONG}", name: "{LONG}" }});', "route.ts", ["system"]),
        (f'const shown = isOpen ? a : "{LONG}"; // prompt', "app.ts", []),
    ],
)
def test_texts_are_found_where_code_hands_them_over(code: str, path: str, names: list[str]) -> None:
    assert [one.name for one in prompt_constants(code, path)] == names


@given(st.text(max_size=400), st.sampled_from(["a.py", "a.js"]))
def test_no_code_brings_it_down(text: str, path: str) -> None:
    for one in prompt_constants(text, path):
        assert one.where.startswith(path)


def test_texts_on_many_lines_have_their_own_and_a_huge_file_is_not_read() -> None:
    many = "a:'b'\n" * 40_000 + f"const PROMPT = '{'You help. ' * 9}'"
    assert [one.where for one in prompt_constants(many, "a.ts")] == ["a.ts:40001"]
    fields = "{a}" * 100_000
    assert [*prompt_constants(f"prompt = f'{fields}{'a ' * 40}'", "a.py")] == []
