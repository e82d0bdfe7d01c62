"""Which files, and which texts inside them, are taken for prompts."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.prompts.discovery import (
    FoundPrompt,
    PassedFile,
    aside_folder,
    is_likely_file,
    is_passed_over,
    prompts_inside,
    read_prompt_file,
    without_parts,
)


@pytest.mark.parametrize(
    "path", ["services/bot/prompts/deep/er/a.j2", "a.prompt.yml", "x/y/b.prompty", "src/support-prompt.md.j2"]
)
def test_likely_files(path: str) -> None:
    assert is_likely_file(path) and not is_passed_over(path)


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
    assert is_passed_over(path) or not is_likely_file(path)


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("web/docs-examples/prompts/a.md", "docs-examples"),
        ("runtime/Core.Tests/a.prompty", "Core.Tests"),
        ("src/bot.test.ts", "bot.test.ts"),
        ("src/latest/contest.py", ""),
    ],
)
def test_tests_examples_and_documentation_are_known_by_their_names(path: str, folder: str) -> None:
    assert aside_folder(path) == folder


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
    chat = look({"prompts/b.yaml": "messages: [{role: human, content: x}]"}, "prompts/b.yaml")
    assert isinstance(chat, PassedFile) and chat.reason.startswith("line 1")
    assert isinstance(look({"a.md": " \n"}, "a.md"), PassedFile)
    assert look({}, "a.md") == PassedFile("a.md", "there is no such file")


@pytest.mark.parametrize("path", ["../a.md", "a\nb.md"])
def test_a_path_that_no_configuration_may_name_is_left_out(path: str) -> None:
    assert isinstance(look({path: "x"}, path), PassedFile)


@given(st.binary(max_size=300), st.sampled_from(["p.md", "p.j2", "p.yaml", "p.json", "p.prompt.yml", "p.prompty"]))
def test_no_file_brings_it_down(data: bytes, path: str) -> None:
    found = read_prompt_file(path, lambda name: data if name == path else None)
    assert found is None or found.path == path


LONG = "You are a helpful assistant who answers every question."


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("a.py", f'SYSTEM_PROMPT = """{LONG}"""\nshort_prompt = "Hello you"\nGREETING = "{LONG}"\n', ["SYSTEM_PROMPT"]),
        ("a.py", f'class Chat:\n    instructions: str = f"{LONG} {{name}}"\n', ["Chat.instructions"]),
        ("bot/prompts.py", f'TEXTS = {{"router": "{LONG}"}}\nGREETING = "{LONG}"\n', ["TEXTS.router", "GREETING"]),
        ("a.ts", f"export const systemPrompt: string = `{LONG}`;\nconst other = `{LONG}`;\n", ["systemPrompt"]),
        ("config.yaml", f"agent:\n  system_template: |\n    {LONG}\n  note: {LONG}\n", ["agent.system_template"]),
        ("prompts/all.yaml", f"support: {{system: '{LONG}', x: '{LONG}'}}\n", ["support.system"]),
        (
            "prompts/package.json",
            '{"name": "prompts", "description": "All prompts of the shop, and of its sisters"}',
            [],
        ),
        ("a.py", f'print("{LONG}")  # the prompt\n', []),
    ],
)
def test_texts_inside_files_are_taken_by_their_names(path: str, text: str, names: list[str]) -> None:
    assert [one.path for one in prompts_inside(path, text.encode())] == [f"{path}::{name}" for name in names]


@given(st.text(max_size=400), st.sampled_from(["a.py", "prompts.js", "prompts.yaml", "prompts.json"]))
def test_no_code_brings_it_down(text: str, path: str) -> None:
    for one in prompts_inside(path, text.encode()):
        assert one.path.startswith(path)


@pytest.mark.threat("file-multiplies")
def test_a_huge_file_is_not_parsed_and_names_without_end_are_passed_quickly() -> None:
    fields = "{a}" * 100_000
    assert [*prompts_inside("a.py", f"prompt = f'{fields}{'a ' * 40}'".encode())] == []
    assert [*prompts_inside("prompts.yaml", b"prompt: " + b"x " * 40_000)] == []
    for text in (b"prompt" * 80_000, b"prompt =" * 60_000, b"prompt: " * 60_000, b"system = a." + b"b(" * 200_000):
        assert [*prompts_inside("a.ts", text)] == []
