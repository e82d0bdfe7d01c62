"""Reading case files: cases, places of errors, and the JSON Schema."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from gate import limits
from gate.cases.case import Case, Persona
from gate.cases.forms import AgentTest, Expectations, GoldenTranscript, PlainCase, case_schema, cases_schema
from gate.cases.reading import parse
from gate.errors import InputErrors
from gate.messages import Message
from tests.config.texts import errors

DATA = Path(__file__).parents[1] / "data/golden"
TURN = {"role": "user", "content": "My AC is out."}
TRANSCRIPT = {"id": "a", "state": "welcome", "conversation": [TURN]}
AGENT = {"name": "a", "prompt": "Hi"}
ROUNDS = {
    "name": "b",
    "rounds": [{"prompt": "Hi", "expected_tools": ["t"], "judge_threshold": 0.9}, {"prompt": "And?"}],
}


def one(entry: object, file: str = "c.jsonl") -> Case:
    (case,) = parse(json.dumps(entry), file)
    return case


def test_a_plain_case() -> None:
    entry = {
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
    case = one(entry)
    assert (case.id, case.input, case.expected, case.cluster) == ("r1", "Where?", {"a": [1, None]}, "7")
    expected = {"tier": "pro", "year": "2024", "paid": "true", "rate": "1.5", "slice": "enterprise"}
    assert case.slices == expected
    assert [spec.name for spec in case.scorers or ()] == ["exact", "contains"]
    assert [(spec.name, spec.negate) for spec in case.extra_scorers] == [("regex", True)]
    assert (case.criteria, case.threshold, case.where) == ("Is kind.", 0.9, "c.jsonl:1")


def test_byte_order_marks_line_ends_and_separators_are_accepted() -> None:
    text = '\ufeff{"id":"a","input":"x\u2028y\u0085z"}\r\n\r\n  \n{"id":"b","input":"\\ud83d\\ude00"}\r\n'
    assert parse(text, "c.jsonl") == (
        Case("a", "x\u2028y\u0085z", where="c.jsonl:1"),
        Case("b", "\U0001f600", where="c.jsonl:4"),
    )


def test_the_documented_golden_transcript() -> None:
    case = parse((DATA / "documented.json").read_text(encoding="utf-8"), "g.json")[0]
    said = "Yeah my AC's been blowing warm since yesterday morning"
    assert (case.id, case.messages, case.input) == ("discovery_verbose_fail", (Message("user", said),), "")
    assert case.slices == {"state": "discovery"}
    assert case.vars["state"] == "discovery"
    assert case.vars["session"]["zip_code"] == "78745"
    wanted = [
        ("max_sentences", "sentences", ("max", 2)),
        ("must_paraphrase", "paraphrases", None),
        ("forbidden_words", "forbidden_words", ("words", ["transition", "process", "handle"])),
        ("should_ask", "asks", ("about", ["name"])),
    ]
    assert [(spec.name, spec.kind) for spec in case.extra_scorers] == [(name, kind) for name, kind, _ in wanted]
    for spec, (_, _, option) in zip(case.extra_scorers, wanted, strict=True):
        assert (spec.weight, spec.required) == (0.25, False)
        assert option is None or spec.options[option[0]] == option[1]


def test_missing_expectations_of_a_transcript_are_not_checked() -> None:
    bare = one(TRANSCRIPT)
    nothing = {"max_sentences": None, "must_paraphrase": False, "forbidden_words": [], "should_ask": None}
    assert one({**TRANSCRIPT, "expect": nothing, "session": None}) == bare
    assert (bare.extra_scorers, bare.vars) == ((), {"state": "welcome", "session": {}})
    common = {"slice": "loud", "vars": {"company": "Cool Air"}, "criteria": "Stays calm.", "scorers": ["refusal"]}
    case = one({**TRANSCRIPT, **common})
    assert case.slices == {"slice": "loud", "state": "welcome"}
    assert case.vars == {"company": "Cool Air", "state": "welcome", "session": {}}


def test_tests_of_agents() -> None:
    entry = {
        **{"name": "occupancy", "prompt": "How full is it?", "judge_prompt": "Names a share.", "judge_threshold": 0.7},
        **{"facts": {"listing": "Beach House", "month": "May"}, "expected_tools": {"in_order": ["a", "b"]}},
    }
    case = one(entry)
    assert (case.id, case.input, case.criteria, case.judge_threshold) == ("occupancy", "How full is it?",
                                                                         "Names a share.", 0.7)  # fmt: skip
    assert case.facts == "listing: Beach House\nmonth: May"
    (tools,) = case.extra_scorers
    assert (tools.kind, tools.name, tools.required, tools.options["in_order"]) == (
        *("tools", "expected_tools", True),
        ["a", "b"],
    )
    talk = one({**ROUNDS, "id": "n-1", "test_agent_revival": True})
    assert (talk.id, talk.input, talk.revival, [said.said for said in talk.rounds]) == (
        "n-1",
        "Hi",
        True,
        ["Hi", "And?"],
    )
    assert (talk.rounds[0].threshold, talk.rounds[0].scorers[0].name) == (0.9, "expected_tools of rounds")
    assert one({"name": "u", "user": {"goal": "Learn."}}).user == Persona("a customer", "Learn.", 6)


GOOD: list[dict[str, Any]] = [
    {"id": 1, "messages": [TURN], "slices": {"n": 2, "b": True}},
    {"id": "1", "vars": {"x": [1, {"y": None}]}, "expected": {"a": 1}},
    {"id": "1", "input": "x", "slice": "s", "cluster": "c", "criteria": "k", "threshold": 0.5, "obsolete": False},
    {"id": "1", "input": "x", "scorers": ["exact"], "extra_scorers": [{"contains": "y", "weight": 2}]},
    {**TRANSCRIPT, "expect": {"max_sentences": 2, "should_ask": "name"}, "session": {"a": 1}},
    {**AGENT, "expected_tools": ["t"], "judge_prompt": "k", "judge_threshold": 0.5},
    {**ROUNDS, "test_agent_revival": True, "facts": {"a": 1}},
    {"name": "1", "user": {"goal": "g", "persona": "p", "max_turns": 3}},
]
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"input": "x"}, "'id' is missing"),
    ({"id": "a", "input": 3}, "input must be text, not 3"),
    ({"id": "a", "inptu": "x"}, "unknown key 'inptu' (did you mean 'input'?)"),
    ({"id": "a", "messages": [{"role": "usr", "content": "x"}]}, "messages[0].role must be system, developer, user or"),
    ({"id": "a", "input": "x", "slices": ["a"]}, "slices must be a mapping, not a list"),
    ({"id": "a", "input": "x", "scorers": ["exat"]}, "is not a scorer: 'exat' (did you mean 'exact'?"),
    ({**TRANSCRIPT, "messages": [TURN]}, "unknown key 'messages' (did you mean 'conversation'?)"),
    ({**TRANSCRIPT, "expect": {"must_ask": "x"}}, "unknown key 'must_ask' in expect (did you mean 'should_ask'?)"),
    ({"name": "a", "rounds": []}, "rounds is empty"),
    ({"name": "a", "rounds": [{"input": "x"}]}, "unknown key 'input' in rounds[0] (did you mean 'prompt'?)"),
    ({"name": "a", "rounds": [{"prompt": "x"}] * 51}, "rounds has more than 50 entries"),
    ({"name": "a", "user": {"persona": "p"}}, "'goal' is missing in user"),
]
"""Mistakes that the JSON Schema knows, too."""
WRONG_TOGETHER: list[tuple[dict[str, Any], str]] = [
    ({"id": "a"}, "'input' is missing"),
    ({"id": "a", "input": "  "}, "input must not be blank"),
    ({"id": "a\x1b[0m", "input": "x"}, "id must not contain control characters"),
    ({"id": "a", "input": "x", "messages": [TURN]}, "messages and 'input' cannot be combined"),
    ({"id": "a", "messages": [{"role": "assistant", "content": "x"}]}, "messages must end with the user's turn"),
    ({"id": "a", "input": "x", "slices": {"a=b": 1}}, "is not a dimension: it must not contain '=' or '/'"),
    ({"id": "a", "input": "x", "slice": "b", "slices": {"slice": "c"}}, "slice and 'slices.slice' are the same"),
    ({"id": "a", "input": "x", "vars": {"expected": 1}}, "vars.expected is reserved"),
    ({**TRANSCRIPT, "session": {"state": "safety"}}, "session.state is not the state 'welcome'"),
    ({**TRANSCRIPT, "expect": {"forbidden_words": ["a", "a"]}}, "expect.forbidden_words lists 'a' twice"),
    ({**AGENT, "rounds": [{"prompt": "x"}]}, "prompt and 'rounds' cannot be combined"),
    ({**AGENT, "test_agent_revival": True}, "test_agent_revival needs two rounds or more"),
    ({**AGENT, "expected_tools": ["t", "t"]}, "expected_tools"),
]


@pytest.mark.parametrize(("entry", "message"), WRONG + WRONG_TOGETHER)
def test_each_error_is_reported(entry: dict[str, Any], message: str) -> None:
    assert message in errors(lambda: one(entry))


def test_the_schema_accepts_what_the_reader_accepts_and_rejects_what_it_rejects() -> None:
    case, cases = Draft202012Validator(case_schema()), Draft202012Validator(cases_schema())
    for entry in GOOD:
        assert one(entry).id
        assert case.is_valid(entry), entry
    assert cases.is_valid(GOOD)
    assert [entry for entry, _ in WRONG if "exat" not in str(entry) and case.is_valid(entry)] == []


def test_every_key_is_described() -> None:
    forms = case_schema()["$defs"]
    for model in (PlainCase, GoldenTranscript, AgentTest):
        keys = forms[model.__name__]["properties"]
        assert keys
        assert [key for key, about in keys.items() if not about.get("description")] == []


BAD = {"id": "b", "input": 3, "vars": {"a": [1]}}


@pytest.mark.parametrize(
    ("text", "file", "said"),
    [
(json.dumps({"id": "a"}) + "\n\n" + json.dumps(BAD), "c.jsonl", ["c.jsonl:1: 'input' is", "c.jsonl:3: input"]),
(json.dumps([{"id": "a"}, BAD]), "c.json", ["c.json: 'input' is missing in cases[0]", "cases[1].input m"]),
("- id: a\n  input: x\n- id: b\n  cluster: c\n  input: 3\n- 4", "c.yaml", ["c.yaml:5: input", "c.yaml:6: "]),
("id,input,threshold\n1,x,high\n", "c.csv", ["c.csv:2: column 'threshold' must be a number, not 'high'"]),
("messages: []\ntestData:\n- input: x\n  slices: {}\n- 3\n", "p.prompt.yml", [
            "p.prompt.yml:3: vars.slices is reserved", "p.prompt.yml:5: testData[1] must be a mapping",
        ]),
('{"id": "a", "input": }\n{"id": "a"}', "c.jsonl", ["c.jsonl:1: invalid JSON at", "c.jsonl:2: 'input'"]),
('{"id": "a"}\n{"id": "b"}', "c.json", ["use the ending .jsonl for JSON Lines"]),
("[\n", "c.jsonl", ["c.jsonl:1: is JSON over several lines, not JSON Lines"]),
('{"id":"a","input":"x"}\n' * 2, "c.jsonl", ["c.jsonl:2: the id 'a' is already used on line 1"]),
("", "c.jsonl", ["c.jsonl: has no cases (write one JSON object per line: "]),
],
)  # fmt: skip
def test_each_error_has_its_place(text: str, file: str, said: list[str]) -> None:
    found = errors(lambda: parse(text, file))
    assert [part for part in said if part not in found] == [], found


def test_a_long_list_of_errors_is_cut_and_counted() -> None:
    text = "".join(f'{{"id": {number}, "input": "x", "wrong{number}": 1}}\n' for number in range(50))
    found = errors(lambda: parse(text, "c.jsonl")).splitlines()
    assert (len(found), found[20]) == (21, "c.jsonl:21: … and 30 more errors")


def test_equal_losses_are_one_line_with_the_first_places() -> None:
    good, bad = '{"id": "%d", "input": "x"}\n', '{"id": "%d"}\n'
    text = "".join((bad if number % 2 else good) % number for number in range(46))
    assert errors(lambda: parse(text, "c.jsonl")).startswith("c.jsonl:2: lines 2, 4, 6 and 20 more: 'input' is missing")
    text = "".join((bad if number in (1, 3) else good) % number for number in range(46))
    assert errors(lambda: parse(text, "c.jsonl")).startswith("c.jsonl:2: lines 2 and 4: 'input' is missing")


@pytest.mark.threat("multiplying")
def test_hostile_files_are_refused_at_once() -> None:
    for text, file, said in (
        ('{"id": "a", "input": "x", "expected": ' + "[" * 99_999, "c.jsonl", "nested more than 64 levels deep"),
        ("[" * 300, "c.yaml", "nested more than 64 levels deep"),
        ('"' + "x" * limits.LINE_CHARS, "c.jsonl", "longer than 4,194,304 characters"),
        (" " * (limits.CASES_CHARS + 1), "c.jsonl", "is longer than 67,108,864 characters"),
        ("a: !!python/object/apply:os.system [ls]", "c.yaml", "the YAML tag"),
    ):
        assert said in errors(partial(parse, text, file)), said


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=10,
)
KEYS = sorted({*PlainCase.model_fields, *GoldenTranscript.model_fields, *AgentTest.model_fields, "surprise"})
EXPECT = st.dictionaries(st.sampled_from(sorted(Expectations.model_fields)), ANY, max_size=3)


@given(st.lists(st.dictionaries(st.sampled_from(KEYS), ANY | EXPECT | st.lists(EXPECT), max_size=5) | ANY, max_size=3))
def test_whatever_the_file_holds_the_error_can_be_read(entries: list[object]) -> None:
    for text, file in (
        (json.dumps(entries), "c.json"),
        ("\n".join(map(json.dumps, entries)), "c.jsonl"),
        (json.dumps(entries)[:-1], "c.yaml"),
        (json.dumps({"testData": entries}), "p.prompt.yml"),
    ):
        try:
            parse(text, file)
        except InputErrors as error:
            assert all(str(problem).isprintable() for problem in error.problems)
