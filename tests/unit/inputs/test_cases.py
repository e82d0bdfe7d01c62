"""Case files: what a good line says, and every message about a bad one."""

import json

import pytest

from gate.domain.case import Case
from gate.domain.prompt import Message
from gate.inputs import cases, limits
from tests.unit.inputs.texts import errors


def wrong(*lines: str) -> list[str]:
    return errors(lambda: cases.parse("\n".join(lines), "c.jsonl")).splitlines()


def test_a_whole_case() -> None:
    line = {
        "id": "r1",
        "input": "Where?",
        "expected": {"a": [1, None]},
        "slices": {"tier": "pro", "year": 2024, "paid": True, "rate": 1.5},
        "slice": "enterprise",
        "cluster": 7,
        "scorers": ["exact", {"contains": "x"}],
        "vars": {"name": "Ada", "list": [1]},
        "extra_scorers": [{"regex": "y", "negate": True}],
        "criteria": "Is kind.",
        "threshold": 0.9,
    }
    (case,) = cases.parse(json.dumps(line), "c.jsonl")
    assert (case.id, case.input, case.expected, case.cluster) == ("r1", "Where?", {"a": [1, None]}, "7")
    expected = {"tier": "pro", "year": "2024", "paid": "true", "rate": "1.5", "slice": "enterprise"}
    assert case.slices == expected
    assert [spec.name for spec in case.scorers or ()] == ["exact", "contains"]
    assert [(spec.name, spec.negate) for spec in case.extra_scorers] == [("regex", True)]
    assert (case.criteria, case.threshold) == ("Is kind.", 0.9)
    assert (case.vars, case.where) == ({"name": "Ada", "list": [1]}, "c.jsonl:1")


def test_a_conversation() -> None:
    turns = [("developer", "d"), ("user", "u"), ("assistant", "a"), ("user", "v")]
    line = {"id": 1, "messages": [{"role": role, "content": content} for role, content in turns]}
    (case,) = cases.parse(json.dumps(line), "c.jsonl")
    roles = ("system", "user", "assistant", "user")
    assert case.messages == tuple(
        Message(role, content)  # type: ignore[arg-type]
        for role, (_, content) in zip(roles, turns, strict=True)
    )
    assert (case.id, case.input) == ("1", "")


def test_marks_line_ends_and_separators_are_let_pass() -> None:
    text = '\ufeff{"id":"a","input":"x\u2028y\u0085z"}\r\n\r\n  \n{"id":"b","input":"\U0001f600"}\r\n'
    assert cases.parse(text, "c.jsonl") == (
        Case("a", "x\u2028y\u0085z", where="c.jsonl:1"),
        Case("b", "\U0001f600", where="c.jsonl:4"),
    )


def test_case_text_may_hold_escaped_surrogate_pairs() -> None:
    assert cases.parse(r'{"id":"a","input":"\ud83d\ude00"}', "c")[0].input == "\U0001f600"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a", "input": }', "c.jsonl:1: invalid JSON at column 22: Expecting value (each line must be one JSON"),
        ('{"id": "a" "input": 1}', "c.jsonl:1: invalid JSON at column 12: Expecting ',' delimiter"),
        ("[1]", "c.jsonl:1: a case must be a JSON object, not a list"),
        ('{"id": "a", "input": NaN}', "c.jsonl:1: NaN is not a JSON number"),
        ('{"id": "a", "input": "x", "expected": -Infinity}', "c.jsonl:1: -Infinity is not a JSON number"),
        ('{"id": "a", "input": "x", "expected": 1e999}', "c.jsonl:1: '1e999' is too large a number"),
        ('{"id": "a", "input": "x", "expected": ' + "9" * 5000 + "}", "c.jsonl:1: '99999999999999"),
        ('{"id": "a", "input": "\\ud800"}', "c.jsonl:1: half of a surrogate pair"),
        ('{"id": "a", "input": "\ud800"}', "c.jsonl:1: half of a surrogate pair"),
        ('{"id": "a", "input": "x", "expected": ' + "[" * 65 + "]" * 65 + "}", "c.jsonl:1: nested more than 64 level"),
        ('{"id": "a", "input": "x", "expected": ' + "[" * 99999, "c.jsonl:1: nested more than 64 levels deep"),
        ('{"id": "a", "id": "b", "input": "x"}', "c.jsonl:1: the key 'id' is given twice"),
        ('{"input": "x"}', 'c.jsonl:1: \'id\' is missing (for example "id": "refund-1")'),
        ('{"id": "a"}', 'c.jsonl:1: \'input\' is missing (for example "input": "Where is my order?")'),
        ('{"id": "a", "input": "  "}', "c.jsonl:1: input is blank"),
        ('{"id": "a", "input": 3}', "c.jsonl:1: input must be text, not 3 (put it in quotes)"),
        ('{"id": ["a"], "input": "x"}', "c.jsonl:1: id must be text, not a list"),
        ('{"id": " ", "input": "x"}', "c.jsonl:1: id must not be blank"),
        ('{"id": "a\\u001b[0m", "input": "x"}', "c.jsonl:1: id must not hold control characters"),
        ('{"id": "a", "inptu": "x"}', "c.jsonl:1: unknown key 'inptu' (did you mean 'input'?)"),
        ('{"id": "a", "question": "x"}', "c.jsonl:1: unknown key 'question' (did you mean 'input'?)"),
        ('{"id": "a", "input": "x", "answer": "y"}', "c.jsonl:1: unknown key 'answer' (did you mean 'expected'?)"),
        ('{"id": "a", "rounds": []}', "c.jsonl:1: rounds must be a list of rounds, not an empty list"),
        ('{"id": "a", "input": "x", "messages": []}', "c.jsonl:1: a case has either 'input' or 'messages', not both"),
        ('{"id": "a", "messages": []}', "c.jsonl:1: messages must be a list of {role, content}, not an empty list"),
        ('{"id": "a", "messages": "x"}', "c.jsonl:1: messages must be a list of {role, content}, not 'x'"),
        ('{"id": "a", "messages": ["x"]}', "c.jsonl:1: message 1 must be a mapping, not 'x'"),
        ('{"id": "a", "messages": [{"role": "user"}]}', "c.jsonl:1: 'content' is missing in message 1"),
        ('{"id": "a", "messages": [{"role": "usr", "content": "x"}]}', "message 1 has the unknown role 'usr' (did you"),
        (
            '{"id": "a", "messages": [{"role": "assistant", "content": "x"}]}',
            "c.jsonl:1: the last message must be the user's, not the assistant's",
        ),
        ('{"id": "a", "input": "x", "slices": ["a"]}', "c.jsonl:1: slices must be a mapping, not a list"),
        ('{"id": "a", "input": "x", "slices": {"a=b": 1}}', "the slice dimension 'a=b' must not hold '=' or '/'"),
        ('{"id": "a", "input": "x", "slices": {"overall": 1}}', "the slice dimension 'overall' must not be 'overall'"),
        ('{"id": "a", "input": "x", "slices": {"a\\n": 1}}', "the slice dimension 'a\\n' must not begin or end with"),
        ('{"id": "a", "input": "x", "slices": {"a\\n": null}}', "c.jsonl:1: slices.a\\n must be text, not nothing"),
        ('{"id": "a", "input": "x", "slices": {"a": null}}', "c.jsonl:1: slices.a must be text, not nothing"),
        ('{"id": "a", "input": "x", "slices": {"a": "b\\tc"}}', "c.jsonl:1: slices.a must not hold control characters"),
        (
            '{"id": "a", "input": "x", "slice": "b", "slices": {"slice": "c"}}',
            "c.jsonl:1: 'slice' and 'slices.slice' are the same dimension (keep one of the two)",
        ),
        ('{"id": "a", "input": "x", "cluster": {}}', "c.jsonl:1: cluster must be text, not a mapping"),
        (
            '{"id": "a", "input": "x", "scorers": ["exat"]}',
            "c.jsonl:1: scorers[0] names the unknown scorer 'exat' (did",
        ),
        ('{"id": "a", "input": "x", "vars": {"expected": 1}}', "c.jsonl:1: vars must not hold 'expected', which has"),
    ],
)
def test_messages(line: str, message: str) -> None:
    assert message in "\n".join(wrong(line))


def test_duplicate_ids_name_both_lines() -> None:
    found = wrong('{"id":"a","input":"x"}', "", '{"id":"a","input":"y"}')
    assert found == ["c.jsonl:3: the id 'a' is already used on line 1 (give each case its own id)"]


def test_a_mistake_on_line_17_is_found_with_all_others() -> None:
    lines = [json.dumps({"id": str(number), "input": "x"}) for number in range(1, 20)]
    lines[16] = '{"id": "17", input: "x"}'
    lines[2] = "{}"
    starts = [line.split(": ")[0] for line in wrong(*lines)]
    assert starts == ["c.jsonl:3", "c.jsonl:3", "c.jsonl:17"]


def test_a_long_list_is_cut_and_counted() -> None:
    found = wrong(*["nonsense"] * 50)
    assert len(found) == 21
    assert found[19].startswith("c.jsonl:20: invalid JSON")
    assert found[20] == "c.jsonl:21: … and 30 more problems"


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", " \r\n"])
def test_an_empty_file(text: str) -> None:
    assert wrong(text)[0].startswith("c.jsonl: holds no cases (write one JSON object per line: ")


@pytest.mark.parametrize("first", ["[", "{"])
def test_pretty_printed_json_is_called_that(first: str) -> None:
    (message,) = wrong("", first, '  "id": 1,', "}")
    assert message.startswith("c.jsonl:2: is JSON spread over several lines, not JSON Lines")


def test_sizes_are_bounded() -> None:
    assert "longer than 4,194,304 characters" in wrong('"' + "x" * limits.LINE_CHARS)[0]
    many = "\n".join(json.dumps({"id": number, "input": "x"}) for number in range(2000))
    assert len(cases.parse(many, "c.jsonl")) == 2000
    assert "c: is longer than 67,108,864 characters" in errors(lambda: cases.parse(" " * (limits.CASES_CHARS + 1), "c"))


@pytest.mark.parametrize(
    "form",
    [
        {"input": "Where?"},
        {"rounds": [{"prompt": "Where?"}, {"prompt": "When?"}]},
        {"state": "discovery", "conversation": [{"role": "user", "content": "My AC is out."}]},
    ],
)
def test_a_case_of_every_form_may_be_obsolete(form: dict[str, object]) -> None:
    line = {"id": "r1", **form}
    (marked,) = cases.parse(json.dumps({**line, "obsolete": True}), "c.jsonl")
    (plain,) = cases.parse(json.dumps(line), "c.jsonl")
    assert (marked.obsolete, plain.obsolete) == (True, False)
    assert "obsolete must be true or false" in wrong(json.dumps({**line, "obsolete": "yes"}))[0]
