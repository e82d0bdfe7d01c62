"""Names of functions: what they may be, which files they mean, and what they are called with."""

import pytest

from gate.cases.case import Case
from gate.cases.rendering import NotBuilt, key_of, render, session_of, writers
from gate.config.naming import function_complaint
from gate.errors import InputErrors
from gate.messages import Message
from gate.prompts.functions import file_of, missing, moved_to, names_of
from gate.prompts.version import Built, Prompt
from gate.record.transcript import Failed
from tests.resolve.files import Files


@pytest.mark.parametrize(
    "prompt",
    [
        *(
            "python:",
            "python:a",
            "python:a:",
            "python::b",
            "python:a:b:c",
            "python:a.:b",
            "python:.a:b",
            "python:a..b:c",
        ),
        *(
            "python:a/b.py:c",
            "python:a-b:c",
            "python:1a:b",
            "python:a:b()",
            "python:a:b\n",
            "python: a:b",
            "python:a:é",
        ),
        *("python:a:b;import os", "python:../a:b", "python:*:b", "Python:a:b"),
    ],
)
def test_other_names_are_refused(prompt: str) -> None:
    assert function_complaint(prompt) == "is not python:module:function"
    assert function_complaint("python:" + "a" * 2000 + ":b").startswith("is longer than")


def test_a_module_is_a_file_or_a_folder_at_the_root_or_in_src() -> None:
    def found(texts: dict[str, str]) -> str | None:
        return file_of(Files(texts), "python:a.b:f")

    assert found({"a/b.py": "def f(): ...", "src/a/b.py": "def f(): ..."}) == "a/b.py"
    assert found({"a/b.py": "def f(): ...", "a/b/__init__.py": "def f(): ..."}) == "a/b/__init__.py"
    assert found({"src/a/b.py": "f = 1"}) == "src/a/b.py"
    assert found({"a/b.py": "def first(): ...", "src/a/b.py": "def f(): ..."}) is None
    assert found({"a/b.py": "g = 1"}) is None
    assert found({"a.py": "def f(): ..."}) is None
    assert file_of(Files({"p.md": "x"}), "p.md") == "p.md"
    assert file_of(Files({}), "p.md") is None


@pytest.mark.parametrize(
    "text",
    [
        "from c import *",
        "from c import\t*",
        "from c import \\\n*",
        "vars()['f'] = 1",
        "globals()['f'] = 1",
        "exec('f = 1')",
    ]
    + ["import sys\nsetattr(sys.modules[__name__], chr(102), 1)", "def __getattr__(name): ..."],
)
def test_a_module_may_make_names_while_it_runs(text: str) -> None:
    """What cannot be told from its text is not deleted: its suite is asked for."""
    assert file_of(Files({"a/b.py": text.replace("'f", "'x")}), "python:a.b:f") == "a/b.py"


@pytest.mark.parametrize(
    ("texts", "prompt", "said"),
    [
        ({}, "p.md", "there is no such prompt"),
        ({"a/c.py": "def f(): ..."}, "python:a.b:f", "there is no module a.b"),
        ({"a/b.py": "def g(): ..."}, "python:a.b:f", "there is no f in a/b.py"),
        ({"src/a/b/__init__.py": ""}, "python:a.b:f", "there is no f in src/a/b/__init__.py"),
        # The second one is never imported.
        ({"a/b.py": "", "src/a/b.py": "def f(): ..."}, "python:a.b:f", "there is no f in a/b.py"),
    ],
)
def test_what_is_not_there_is_named(texts: dict[str, str], prompt: str, said: str) -> None:
    assert file_of(Files(texts), prompt) is None
    assert missing(Files(texts), prompt) == said


def test_a_function_goes_where_its_module_goes() -> None:
    assert moved_to("python:a.b:f", "c/d.py") == "python:c.d:f"
    assert moved_to("python:a.b:f", "src/c/__init__.py") == "python:c:f"
    assert moved_to("python:a.b:f", "c/d-e.py") == "c/d-e.py"
    assert moved_to("python:a.b:f", "c/d.md") == "c/d.md"
    assert moved_to("p.md", "c/d.py") == "c/d.py"
    assert names_of("python:a:f") == ("python:a:f", "a/__init__.py", "a.py", "src/a/__init__.py", "src/a.py")
    assert names_of("p.md") == ("p.md",)


def test_a_session_has_the_state_of_its_case_where_it_has_none() -> None:
    assert session_of(Case("c", vars={"session": {"a": 1}, "state": "OPEN"})) == {"state": "OPEN", "a": 1}
    assert session_of(Case("c", vars={"session": {"state": "own"}, "state": "OPEN"})) == {"state": "own"}
    assert session_of(Case("c")) == {}
    with pytest.raises(InputErrors, match="x.jsonl:3: the session of case 'c' must be a mapping"):
        session_of(Case("c", vars={"session": "Ada"}, where="x.jsonl:3"))


def test_a_built_prompt_is_the_system_message_before_the_turns() -> None:
    case, other = Case("c", input="Hi", vars={"session": {"n": 1}}), Case("d", vars={"session": {"n": 2}})
    key, wrong = (key_of(session_of(one)) for one in (case, other))
    prompt = Prompt((), built=Built({key: "Be {{ kind }}.", wrong: Failed("it raised", attempts=0)}))
    assert render(prompt, case) == (Message("system", "Be {{ kind }}."), Message("user", "Hi"))
    assert writers(prompt, case) == (Message("system", "Be {{ kind }}."), None)
    with pytest.raises(NotBuilt, match="it raised"):
        render(prompt, other)
    with pytest.raises(NotBuilt, match="not built for this case"):
        render(prompt, Case("e"))
