"""YAML: scalars of the core schema, lines of values, and refusals."""

import pytest

from gate.errors import InputErrors
from gate.inputs.nodes import Node, plain
from gate.inputs.problems import Problems
from gate.inputs.yamltext import parse_yaml
from tests.unit.inputs.texts import errors


def parsed(text: str) -> Node | None:
    problems = Problems("f.yaml")
    root = parse_yaml(text, problems)
    problems.check()
    return root


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("~", None),
        ("Null", None),
        ("True", True),
        ("no", "no"),
        ("off", "off"),
        ("'true'", "true"),
        ("012", 12),
        ("0o17", 15),
        ("0x1F", 31),
        ("-7", -7),
        ("1_000", "1_000"),
        ("1.5e3", 1500.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e", "1e"),
        ("2024-01-01", "2024-01-01"),
        ("12:30", "12:30"),
        ("|\n  a\n  b\n", "a\nb\n"),
        ("[a, {b: [1, null]}]", ["a", {"b": [1, None]}]),
        ('"\\U0001F600"', "\U0001f600"),
    ],
)
def test_values(text: str, value: object) -> None:
    root = parsed(text)
    assert root is not None
    assert plain(root) == value
    assert type(plain(root)) is type(value)


def test_lines() -> None:
    root = parsed("\n# c\na:\n  b: 1\n  c:\n    - x\n    - {y: 2,\n       z: 3}\n")
    assert root is not None and isinstance(root.value, dict)
    a = root.value["a"]
    assert isinstance(a.value, dict)
    c = a.value["c"]
    assert isinstance(c.value, tuple) and isinstance(c.value[1].value, dict)
    lines = [root.line, a.line, a.value["b"].line, c.line, c.value[0].line, c.value[1].value["z"].line]
    assert lines == [3, 3, 4, 5, 6, 8]


def test_no_document() -> None:
    assert parsed("") is None
    assert parsed("# nothing\n") is None


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
TOWER = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [[[[[[[[*a{n - 1}]]]]]]]]\n" for n in range(1, 12))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "f.yaml:5: more than 20,000 values (split the file, or use fewer aliases)"),
        (TOWER, "f.yaml:9: nested more than 64 levels deep"),
        ("[" * 70, "f.yaml:1: nested more than 64 levels deep"),
        ("a: &a [*a]", "f.yaml:1: the alias '*a' contains itself"),
        ("a: *b", "f.yaml:1: the alias '*b' names no anchor above it"),
        ("a: &x {b: 1}\nc:\n  <<: *x", "f.yaml:3: the merge key '<<' is not supported (write the keys out)"),
        ("a: !!python/object/apply:os.system [ls]", "f.yaml:1: the YAML tag 'tag:yaml.org,2002:python/object/apply:"),
        ("a: !x 1", "f.yaml:1: the YAML tag '!x' is not supported"),
        ("a: 1\nb: 2\na: 3", "f.yaml:3: the key 'a' is already set on line 1"),
        ("? [a]\n: 1", "f.yaml:1: a key must be a plain word"),
        ("a: 1\n---\nb: 2", "f.yaml:2: a second YAML document starts here"),
        ('a: "\\ud800"', "f.yaml:1: half of a surrogate pair"),
        ("a: b: c", "f.yaml:1: invalid YAML: mapping values are not allowed here (put text that holds ': ' in quotes)"),
        ("a: 'b", "f.yaml:1: invalid YAML: "),
        ("a: \x07", "f.yaml: invalid YAML: "),
    ],
)
def test_messages(text: str, message: str) -> None:
    assert message in errors(lambda: parsed(text))


def test_several_doubled_keys_are_all_named() -> None:
    with pytest.raises(InputErrors) as caught:
        parsed("a: 1\na: 2\nb: {c: 1, c: 2}")
    assert [problem.line for problem in caught.value.problems] == [2, 3]
