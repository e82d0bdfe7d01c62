"""Documents: YAML 1.2 scalars, line numbers, and refused files."""

import pytest

from gate.config.documents import read_json, read_jsonl, read_yaml
from gate.errors import InputErrors
from tests.config.texts import errors


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("~", None),
        ("True", True),
        ("no", "no"),
        ("012", 12),
        ("0o17", 15),
        ("1_000", "1_000"),
        ("1.5e3", 1500.0),
        ("2024-01-01", "2024-01-01"),
        ("[a, {b: [1, null]}]", ["a", {"b": [1, None]}]),
        ("{1: a}", {"1": "a"}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("", None),
    ],
)
def test_values(text: str, value: object) -> None:
    found = read_yaml(text, "f.yaml").data
    assert found == value
    assert type(found) is type(value)


def test_lines_of_yaml() -> None:
    document = read_yaml("\n# c\na:\n  b: 1\n  c:\n    - x\n    - {y: 2,\n       z: 3}\n", "f.yaml")
    ways: list[tuple[str | int, ...]] = [(), ("a",), ("a", "b"), ("a", "c"), ("a", "c", 0), ("a", "c", 1, "z")]
    assert [document.line_of(*way) for way in ways] == [3, 3, 4, 5, 6, 8]
    assert document.line_of("a", "gone", 3) == 3
    part = document.part("a", "c")
    assert (part.line_of(1, "z"), part.name_of((1, "z"))) == (8, "a.c[1].z")


def test_lines_of_json_lines() -> None:
    found = read_jsonl('{"a": 1}\n\n[2]\n', "c.jsonl")
    assert [(one.line_of("a"), one.data) for one in found] == [(1, {"a": 1}), (3, [2])]
    with pytest.raises(InputErrors) as caught:
        read_jsonl('{"a": 1, "a": 2}\n{}\nnope\n{"b": NaN}', "c.jsonl")
    assert [problem.line for problem in caught.value.problems] == [1, 3, 4]


def test_json_documents_have_locations_and_no_lines() -> None:
    document = read_json('{"cases": [{"input": 1}]}', "c.json")
    assert document.line_of("cases", 0) == 0
    assert document.part("cases").parts()[0].name_of(("input",)) == "cases[0].input"


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


@pytest.mark.threat("multiplying")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "more than 20,000 values (split the file, or use fewer aliases)"),
        ("[" * 70 + "]" * 70, "nested more than 64 levels deep"),
        ("a: &a [*a]", "nested more than 64 levels deep"),
        ("a: *b", "f.yaml:1: invalid YAML: found undefined alias 'b'"),
        ("a: !!python/object/apply:os.system [ls]", "f.yaml:1: the YAML tag 'tag:yaml.org,2002:python/object/apply:"),
        ("a: 1\nb: 2\na: 3", "f.yaml:3: the key 'a' is already set on line 1"),
        ("? [a]\n: 1", "f.yaml:1: a key must be plain text"),
        ("a: 1\n---\nb: 2", "f.yaml:2: invalid YAML: but found another document (use one YAML document per file)"),
        ('a: "\\ud800"', "f.yaml:1: half of a surrogate pair"),
        ("a: 1e999", "f.yaml:1: '1e999' is too large a number"),
        (f"a: {'9' * 10_000}", "f.yaml:1: '999"),
    ],
)
def test_refusals(text: str, message: str) -> None:
    assert message in errors(lambda: read_yaml(text, "f.yaml"))
