"""Names of functions: what they may be, which files they mean, and what they are called with."""

import pytest

from gate.cases.case import Case, session_of
from gate.config.values import function_complaint
from gate.errors import InputErrors
from gate.prompts.files import file_of, moved_to
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


def test_a_function_goes_where_its_module_goes() -> None:
    assert moved_to("python:a.b:f", "c/d.py") == "python:c.d:f"
    assert moved_to("python:a.b:f", "src/c/__init__.py") == "python:c:f"
    assert moved_to("python:a.b:f", "c/d-e.py") == "c/d-e.py"
    assert moved_to("python:a.b:f", "c/d.md") == "c/d.md"
    assert moved_to("p.md", "c/d.py") == "c/d.py"


def test_a_session_has_the_state_of_its_case_where_it_has_none() -> None:
    assert session_of(Case("c", vars={"session": {"a": 1}, "state": "OPEN"})) == {"state": "OPEN", "a": 1}
    assert session_of(Case("c", vars={"session": {"state": "own"}, "state": "OPEN"})) == {"state": "own"}
    assert session_of(Case("c")) == {}
    with pytest.raises(InputErrors, match="x.jsonl:3: the session of case 'c' must be a mapping"):
        session_of(Case("c", vars={"session": "Ada"}, where="x.jsonl:3"))
