"""Assertions in code: the forms that are read into scorers, and all else, which is named and never run."""

from typing import Any

import pytest

from gate.inputs.nodes import plain, wrap
from gate.inputs.promptfoo.assertions import from_text, scorers_of
from gate.inputs.promptfoo.context import Context
from tests.unit.formats.test_promptfoo_said import Heard


def read(kind: str, code: str, **more: Any) -> tuple[list[Any], list[str]]:
    """The scorers of one assertion, and what is told of it."""
    heard = Heard()
    return scorers_of(wrap([{"type": kind, "value": code, **more}], 1), Context(heard), "test 1"), heard


@pytest.mark.parametrize(
    ("kind", "code", "scorer"),
    [
        ("javascript", "output.includes('a');", {"contains": {"value": "a", "ignore_case": False}}),
        ("python", "not ('a' in output)", {"contains": {"value": "a", "ignore_case": False}, "negate": True}),
        (
            "javascript",
            "output.includes('a') && !output.includes('b') && (output.includes('c') || output.includes('d'))",
            {"contains": {"all": ["a"], "any": ["c", "d"], "none": ["b"], "ignore_case": False}},
        ),
        ("javascript", "output.trim().toLowerCase() === 'yes'", {"exact": {"value": "yes", "ignore_case": True}}),
        ("javascript", "output !== 'a'", {"exact": {"value": "a", "strip": False}, "negate": True}),
        ("python", "output.strip().endswith('.')", {"ends_with": {"value": "."}}),
        ("javascript", r"/^\\d+\\/x$/i.test(output)", {"regex": {"pattern": r"\A[0-9]+\/x\Z", "ignore_case": True}}),
        (
            "javascript",
            "JSON.parse(output).a['b c'][0] === \"it's\"",
            {"json_path": {"path": '$.a["b c"][0]', "equals": "it's", "fence": False}},
        ),
        (
            "javascript",
            "JSON.parse(output).a === null",
            {"json_path": {"path": "$.a", "one_of": [None], "fence": False}},
        ),
        ("python", "2 < 1 or 'a' in output", None),
    ],
)
def test_a_form_that_means_the_same_is_one_scorer(kind: str, code: str, scorer: Any) -> None:
    found, heard = read(kind, code.replace(r"\\", "\\"))
    assert found == ([] if scorer is None else [scorer])
    assert bool(heard) is (scorer is None)


@pytest.mark.parametrize(
    ("kind", "code", "limits", "told"),
    [
        ("javascript", "output.length < 200", {"max": 199}, "blanks around the answer do not count, and an emoji"),
        ("javascript", "output.trim().length > 9 && output.trim().length <= 20", {"min": 10, "max": 20}, "an emoji is"),
        ("javascript", "output.trim().length > 0", {"min": 1}, ""),
        ("javascript", "output.trim().length > 0 && output.trim().length < 9", {"min": 1, "max": 8}, ": an emoji is"),
        ("javascript", "output.length > 0 && output.trim().length < 9", {"min": 1, "max": 8}, "count; an emoji is"),
        ("python", "len(output) == 5", {"min": 5, "max": 5}, "blanks around the answer do not count"),
        ("python", "len(output.strip()) >= 5", {"min": 5}, ""),
    ],
)
def test_lengths_are_counted_here_in_characters_and_that_is_told(
    kind: str, code: str, limits: dict[str, int], told: str
) -> None:
    found, heard = read(kind, code)
    assert found == [{"characters": limits}]
    assert [told in one for one in heard] == [True] * bool(told)


def test_parts_that_no_scorer_joins_share_the_weight_and_that_is_told() -> None:
    found, heard = read("javascript", "output.startsWith('a') && /b/.test(output)", weight=3, metric="form")
    assert found == [
        {"starts_with": {"value": "a", "strip": False}, "name": "form", "weight": 1.5},
        {"regex": {"pattern": "b"}, "name": "form 2", "weight": 1.5},
    ]
    assert heard == [
        "assertion type 'javascript' of test 1 is put differently: its parts are scored each by itself",
    ]


@pytest.mark.parametrize(
    "code",
    [
        "process.exit(1)",
        "require('fs').readFileSync('x')",
        "!output === 'a'",
        "output.includes('a') || output.length > 3",
        "output.includes('{{ a }}')",
        "output.toLowerCase().includes('A')",
        "output.includes('\\x41')",
        "output.includes('a'",
        "output.includes('a') output.includes('b')",
        "output.length > -1",
        "output.length === 0x10",
        "output.length == '3'",
        "JSON.parse(output).length === 3",
        "JSON.parse(output).a[0] === 'x'",
        "JSON.parse(output) === 3",
        "!JSON.parse(output).a === 3",
        "!(JSON.parse(output).a === 3)",
        "/(?i)a/.test(output)",
        "/a/m.test(output)",
        "output.includes('a') // && false",
        "(" * 400 + "output.includes('a')" + ")" * 400,
        "output.includes('" + "a" * 2_000 + "')",
    ],
)
def test_any_other_javascript_is_a_program_and_named(code: str) -> None:
    assert read("javascript", code) == ([], ["assertion type 'javascript' of test 1 is not brought along"])


@pytest.mark.parametrize(
    "code",
    [
        "__import__('os').system('x')",
        "'a' in output in output",
        "'a' in (output := 'x')",
        "f'{output}' in output",
        "b'a' in output",
        "'a' in output.lower('x')",
        "len(output, 3) < 2",
        "len(output) < True",
        "json.loads(output)['a'] == 1",
        "json.loads(output)['a'] is 'x'",
        "json.loads('{}')['a'] == 'x'",
        "'a' in output\n",
        "'{{ a }}' in output",
        "(" * 400 + "output",
        "(" + "-" * 900 + "1)[0] == 'x'",
        "not " * 100 + "'a' in output",
        "'\\ud800' in output",
    ],
)
def test_any_other_python_is_a_program_and_named(code: str) -> None:
    found, heard = read("python", code)
    assert not found and len(heard) == 1


def test_python_turned_round_is_named_since_promptfoo_does_not_turn_it() -> None:
    assert read("not-python", "'a' in output")[0] == []
    assert read("not-javascript", "output.includes('a')")[0] == [
        {"contains": {"value": "a", "ignore_case": False}, "negate": True}
    ]


def test_code_in_a_cell_of_a_table_is_read_as_well() -> None:
    assertion = plain(from_text("fn: output.trim().length > 3", 1))
    assert scorers_of(wrap([assertion], 1), Context(Heard()), "test 1") == [{"characters": {"min": 4}}]
