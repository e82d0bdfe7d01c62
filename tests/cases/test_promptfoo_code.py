"""Assertions in code: the few forms that become scorers; all others are reported and never run."""

import json
from typing import Any

import pytest

from gate.cases.bundles import read_bundle
from gate.cases.convert import import_cases
from tests.support.promptfoo import imported_scorers


def read(kind: str, code: str, **more: Any) -> tuple[list[Any], list[str]]:
    """The scorers of one assertion, and what is lost."""
    return imported_scorers({"type": kind, "value": code, **more})


def test_a_length_in_characters_is_reported_as_a_change() -> None:
    for kind, code in (("javascript", "output.trim().length >= 5;"), ("python", "len(output.strip()) >= 5")):
        assert read(kind, code, weight=2, metric="form") == (
            [{"characters": {"min": 5}, "weight": 2, "name": "form"}],
            [
                f"assertion type '{kind}' of test 1 is changed: blanks around the answer do not count, and an "
                "emoji is one character"
            ],
        )


def test_an_answer_that_must_parse_is_json() -> None:
    assert read("javascript", "JSON.parse(output)") == ([{"json": {"fence": False}}], [])
    assert read("python", "json.loads(output)") == ([{"json": {"fence": False}}], [])


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("javascript", "process.exit(1)"),
        ("javascript", "output.includes('a') || output.includes('b')"),
        ("javascript", "output.includes('{{ a }}')"),
        ("javascript", "output.includes('a', 3)"),
        ("javascript", "output.startsWith('a')"),
        ("javascript", "output === 'a'"),
        ("python", "__import__('os').system('x')"),
        ("python", "'a' in output in output"),
        ("python", "'a' in output\n"),
        ("python", "output == 'a'"),
        ("python", "json.loads(output)['a'] == 1"),
    ],
)
def test_any_other_code_is_a_program_and_named(kind: str, code: str) -> None:
    said = f"assertion type '{kind}' of test 1 cannot be converted: it is code, which is not run"
    assert read(kind, code) == ([], [said])


def test_negated_python_is_reported_since_promptfoo_does_not_negate_it() -> None:
    assert read("not-python", "'a' in output")[0] == []
    assert read("not-javascript", "output.includes('a')")[0] == [
        {"contains": {"value": "a", "ignore_case": False}, "negate": True}
    ]


def test_code_in_a_table_cell_is_converted() -> None:
    (case,) = import_cases("a,__expected\nb,fn: output.trim().length > 3\n", "tests.csv").cases
    assert case["scorers"] == [{"characters": {"min": 4}}]


GRADERS = {
    "evals/grade.py": "def get_assert(output, context):\n    return True\n\nasync def later(output, context): ...\n"
}


def graded(value: str, kind: str = "python", **more: Any) -> tuple[list[Any], str]:
    test = {"vars": {"a": "b"}, "assert": [{"type": kind, "value": value, **more}]}
    config = json.dumps({"prompts": ["Say {{ a }}"], "tests": [test]})
    bundle = read_bundle(config, "evals/promptfooconfig.json", GRADERS.get)
    (case,) = bundle.suites[0].cases
    scorers = case.get("scorers", [])
    assert isinstance(scorers, list)
    return scorers, bundle.losses[0].what


def test_a_grader_in_a_file_gets_promptfoos_arguments() -> None:
    found, said = graded("file://grade.py", threshold=0.5, metric="tone", config={"a": 1})
    options = {"function": "evals.grade:get_assert", "interface": "promptfoo", "config": {"a": 1}, "threshold": 0.5}
    assert found == [{"python": options, "name": "tone"}]
    assert "context.prompt holds the question" in said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("file://grade.py:missing", "there is no missing in evals/grade.py"),
        ("file://grade.py:later", "later in evals/grade.py is an async function"),
        ("file://gone.py", "evals/gone.py is not a text file of the repository"),
        ("file://my-grader.py", "evals/my-grader.py cannot be named as a module"),
        ("file://../../etc/x.py", "it names no function of a file inside the repository"),
    ],
)
def test_a_grader_that_cannot_be_called_is_named(value: str, said: str) -> None:
    found, told = graded(value)
    assert found == [] and said in told
