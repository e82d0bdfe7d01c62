"""Golden transcripts: the documented form as it stands, what each key becomes, and every message about a bad one."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gate.domain.case import Case
from gate.domain.prompt import Message
from gate.inputs import cases, limits
from tests.unit.inputs.texts import errors

DOCUMENTED = (Path(__file__).parents[2] / "data/golden/documented.json").read_text(encoding="utf-8")
TURN = {"role": "user", "content": "My AC is out."}
LEAST = {"id": "a", "state": "welcome", "conversation": [TURN]}


def load(text: str, file: str = "g.json") -> tuple[Case, ...]:
    return cases.parse(text, file)


def wrong(entry: object, file: str = "g.json") -> list[str]:
    text = json.dumps([entry], indent=1) if file.endswith(".json") else json.dumps(entry)
    return errors(lambda: load(text, file)).splitlines()


@pytest.mark.parametrize("text", [DOCUMENTED, f"[\n{DOCUMENTED}\n]", f"\ufeff[{DOCUMENTED}]\n"])
def test_the_documented_entry_loads_as_it_stands(text: str) -> None:
    (case,) = load(text)
    said = "Yeah my AC's been blowing warm since yesterday morning"
    session = {"customer_name": "", "zip_code": "78745", "problem_description": "", "service_address": ""}
    assert (case.id, case.messages, case.input) == ("discovery_verbose_fail", (Message("user", said),), "")
    assert case.slices == {"state": "discovery"}
    assert case.vars == {"state": "discovery", "session": session}
    assert (case.scorers, case.expected, case.cluster) == (None, None, None)
    wanted = {
        "max_sentences": ("sentences", {"max": 2}),
        "must_paraphrase": ("paraphrases", {}),
        "forbidden_words": ("forbidden_words", {"words": ["transition", "process", "handle"]}),
        "should_ask": ("asks", {"about": ["name"]}),
    }
    assert [spec.name for spec in case.extra_scorers] == list(wanted)
    for spec in case.extra_scorers:
        kind, options = wanted[spec.name]
        assert (spec.kind, spec.weight, spec.required, spec.negate) == (kind, 0.25, False, False)
        assert options.items() <= spec.options.items()


def test_a_line_of_json_lines_may_be_a_transcript() -> None:
    lines = "\n".join([json.dumps({"id": "p", "input": "x"}), json.dumps(json.loads(DOCUMENTED))])
    plain, golden = load(lines, "g.jsonl")
    assert (plain.input, golden.where) == ("x", "g.jsonl:2")
    assert replace(golden, where="g.json:1") == load(DOCUMENTED)[0]


def test_a_list_may_hold_plain_cases_and_transcripts() -> None:
    text = '[\n {"id": "p", "input": "x", "slice": "s"},\n\n ' + json.dumps(LEAST) + "]"
    plain, golden = load(text, "mixed.JSON")
    assert (plain.where, plain.slices) == ("mixed.JSON:2", {"slice": "s"})
    assert (golden.where, golden.slices) == ("mixed.JSON:4", {"state": "welcome"})


def test_what_is_left_out_is_not_expected() -> None:
    (bare,) = load(json.dumps(LEAST))
    assert (bare.extra_scorers, bare.vars) == ((), {"state": "welcome", "session": {}})
    nothing = {"max_sentences": None, "must_paraphrase": False, "forbidden_words": [], "should_ask": None}
    (none,) = load(json.dumps({**LEAST, "expect": nothing, "session": None}))
    assert none == bare


@pytest.mark.parametrize(("asked", "about"), [("name", ["name"]), (["address", "street"], ["address", "street"])])
def test_should_ask_is_a_text_or_a_list(asked: object, about: list[str]) -> None:
    (case,) = load(json.dumps({**LEAST, "expect": {"should_ask": asked}}))
    assert case.extra_scorers[0].options["about"] == about


def test_a_transcript_has_what_every_case_may_have() -> None:
    common = {
        "slices": {"tier": "gold"},
        "slice": "loud",
        "cluster": "ron",
        "vars": {"company": "Cool Air"},
        "scorers": ["refusal"],
        "extra_scorers": [{"words": {"max": 20}, "weight": 2}],
        "criteria": "Stays calm.",
        "threshold": 0.9,
    }
    asked = {"should_ask": "name"}
    (case,) = load(json.dumps({**LEAST, "expect": asked, **common}))
    (plain,) = load(json.dumps({"id": "a", "messages": [TURN], **common}))
    (bare,) = load(json.dumps({**LEAST, "expect": asked}))
    assert case == replace(
        plain,
        slices={"tier": "gold", "slice": "loud", "state": "welcome"},
        vars={"company": "Cool Air", "state": "welcome", "session": {}},
        extra_scorers=(*bare.extra_scorers, *plain.extra_scorers),
    )
    assert (case.threshold, case.criteria, [spec.kind for spec in case.extra_scorers]) == (
        0.9,
        "Stays calm.",
        ["asks", "words"],
    )


def test_a_session_may_say_the_state_again() -> None:
    (case,) = load(json.dumps({**LEAST, "session": {"state": "welcome", "tries": [1, None]}}))
    assert case.vars["session"] == {"state": "welcome", "tries": [1, None]}


SYSTEM = [{"role": "system", "content": "x"}, TURN, {"role": "assistant", "content": "y"}]


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        ({"expects": {}}, 11, "unknown key 'expects' (did you mean 'expect'?)"),
        ({"messages": [TURN]}, 11, "unknown key 'messages' (did you mean 'conversation'?)"),
        ({"expected": "Hi."}, 11, "unknown key 'expected' (did you mean 'expect'?)"),
        ({"tags": {}}, 11, "unknown key 'tags' (did you mean 'slices'?)"),
        ({"slices": {"state": "welcome"}}, 12, "'state' and 'slices.state' are the same (keep one of the two)"),
        ({"vars": {"state": "welcome"}}, 12, "'state' and 'vars.state' are the same (keep one of the two)"),
        ({"vars": {"session": {}}}, 12, "'session' and 'vars.session' are the same (keep one of the two)"),
        ({"vars": {"input": "x"}}, 12, "vars must not hold 'input', which has its own meaning"),
        ({"slices": {"tier": None}}, 12, "slices.tier must be text, not nothing"),
        ({"threshold": 1.5}, 11, "threshold must be a number above 0 to 1, not 1.5"),
        ({"criteria": 3}, 11, "criteria must be text, not 3"),
        ({"cluster": {}}, 11, "cluster must be text, not a mapping"),
        ({"scorers": []}, 11, "scorers is empty"),
        ({"extra_scorers": ["contain"]}, 11, "scorers[0] names the unknown scorer 'contain'"),
        ({"conversation": []}, 5, "conversation must be a list of {role, content}, not an empty list"),
        ({"conversation": "hi"}, 5, "conversation must be a list of {role, content}, not 'hi'"),
        ({"conversation": [TURN, "hi"]}, 10, "message 2 must be a mapping, not 'hi'"),
        ({"conversation": [{"role": "caller", "content": "x"}]}, 7, "message 1 has the unknown role 'caller'"),
        ({"conversation": [{"role": "user", "content": " "}]}, 8, "message 1.content is blank"),
        (
            {"conversation": SYSTEM},
            14,
            "the last turn of the conversation must be the user's, not the assistant's (end it with what the reply",
        ),
        ({"state": ""}, 4, "state is blank"),
        ({"state": 3}, 4, "state must be text, not 3 (put it in quotes)"),
        ({"state": " discovery"}, 4, "state must not begin or end with a space"),
        ({"state": "a\tb"}, 4, "state must not hold control characters"),
        ({"state": "x" * 201}, 4, "state is longer than 200 characters"),
        ({"id": ""}, 3, "id must not be blank"),
        ({"session": ["x"]}, 11, "session must be a mapping, not a list"),
        (
            {"session": {"x": 1, "state": "safety"}},
            13,
            "session.state is 'safety', and the state is 'welcome' (keep one",
        ),
        ({"expect": "short"}, 11, "expect must be a mapping, not 'short'"),
        ({"expect": {"max_sentence": 2}}, 12, "unknown key 'max_sentence' in expect (did you mean 'max_sentences'?)"),
        ({"expect": {"must_ask": "x"}}, 12, "unknown key 'must_ask' in expect (did you mean 'should_ask'?)"),
        ({"expect": {"max_sentences": 0}}, 12, "expect.max_sentences must be a whole number from 1 to 100, not 0"),
        ({"expect": {"max_sentences": 1.5}}, 12, "expect.max_sentences must be a whole number from 1 to 100, not 1.5"),
        ({"expect": {"max_sentences": "2"}}, 12, "expect.max_sentences must be a whole number from 1 to 100, not '2'"),
        (
            {"expect": {"max_sentences": True}},
            12,
            "expect.max_sentences must be a whole number from 1 to 100, not true",
        ),
        ({"expect": {"must_paraphrase": "yes"}}, 12, "expect.must_paraphrase must be true or false, not 'yes'"),
        ({"expect": {"must_paraphrase": 1}}, 12, "expect.must_paraphrase must be true or false, not 1"),
        ({"expect": {"forbidden_words": "a"}}, 12, "expect.forbidden_words must be a list of texts, not 'a'"),
        ({"expect": {"forbidden_words": ["a", 2]}}, 14, "expect.forbidden_words must hold texts, not 2"),
        ({"expect": {"forbidden_words": ["a", "a"]}}, 14, "expect.forbidden_words names 'a' twice"),
        (
            {"expect": {"forbidden_words": [" a"]}},
            13,
            "expect.forbidden_words: ' a' must not begin or end with a space",
        ),
        ({"expect": {"should_ask": 4}}, 12, "expect.should_ask must be text or a list of texts, not 4 (for example"),
        ({"expect": {"should_ask": {"a": 1}}}, 12, "expect.should_ask must be text or a list of texts, not a mapping"),
        ({"expect": {"should_ask": ""}}, 12, "expect.should_ask must hold texts, not ''"),
        ({"expect": {"should_ask": ["a", None]}}, 14, "expect.should_ask must hold texts, not nothing"),
    ],
)
def test_messages(change: dict[str, object], line: int, message: str) -> None:
    found = wrong({**LEAST, **change})
    assert len(found) == 1
    assert found[0].startswith(f"g.json:{line}: {message}")
    (same,) = wrong({**LEAST, **change}, "g.jsonl")
    assert same.startswith(f"g.jsonl:1: {message}")


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("id", "'id' is missing"),
        ("state", '\'state\' is missing (for example "state": "discovery")'),
        ("conversation", "'conversation' is missing (for example \"conversation\": [{"),
    ],
)
def test_what_is_required(gone: str, message: str) -> None:
    (found,) = wrong({**{key: value for key, value in LEAST.items() if key != gone}, "session": {}})
    assert found.startswith(f"g.json:2: {message}")


def test_too_many_words() -> None:
    words = [f"w{number}" for number in range(1001)]
    (found,) = wrong({**LEAST, "expect": {"forbidden_words": words}})
    assert found == "g.json:12: expect.forbidden_words holds more than 1,000 texts"


def test_every_mistake_is_named_at_once_with_its_own_line() -> None:
    broken = {
        "id": "a",
        "state": "",
        "conversation": [{"role": "assistant", "content": "x"}],
        "expect": {"max_sentences": 0, "must_paraphrase": "no", "oops": 1},
    }
    text = json.dumps([LEAST, broken, {**LEAST, "id": "b"}, {**LEAST, "session": 1}], indent=1)
    found = errors(lambda: load(text)).splitlines()
    assert [(message.split(": ")[0], message.split(": ")[1].split(" ")[0]) for message in found] == [
        ("g.json:12", "the"),  # id is already used
        ("g.json:14", "state"),
        ("g.json:16", "the"),  # last turn is not the user's
        ("g.json:22", "expect.max_sentences"),
        ("g.json:23", "expect.must_paraphrase"),
        ("g.json:24", "unknown"),
        ("g.json:37", "the"),
        ("g.json:46", "session"),
    ]


def test_duplicate_ids_name_both_lines() -> None:
    found = errors(lambda: load(json.dumps([LEAST, LEAST], indent=1))).splitlines()
    assert found == ["g.json:12: the id 'a' is already used on line 2 (give each case its own id)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "g.json: holds no cases (write a list: ["),
        ("[]", "g.json: holds no cases (write a list: ["),
        ("[1,\n2]", "g.json:1: a case must be a JSON object, not 1 (write one list of JSON objects)"),
        ('"x"', "g.json:1: a case must be a JSON object, not 'x'"),
        ("[\n{]", "g.json:2: invalid JSON at column 2: "),
        (
            '{"id": "1", "input": "x"}\n{"id": "2", "input": "y"}',
            "g.json:2: invalid JSON at column 1: Extra data (JSON",
        ),
    ],
)
def test_a_file_that_is_no_list(text: str, message: str) -> None:
    assert errors(lambda: load(text)).startswith(message)


def test_json_lines_hint_at_the_other_ending() -> None:
    assert "or let the name end in .json" in errors(lambda: load("[\n1]", "g.jsonl"))


def test_a_native_case_does_not_take_expect() -> None:
    (found,) = wrong({"id": "a", "input": "x", "expect": {}})
    assert found.startswith("g.json:5: unknown key 'expect' (did you mean 'expected'?)")


@pytest.mark.parametrize("key", ["session", "state"])
def test_a_case_with_an_input_is_no_transcript(key: str) -> None:
    (found,) = wrong({"id": "a", "input": "x", key: {}})
    assert found.startswith(f"g.json:5: unknown key '{key}' (")


def test_one_case_of_a_list_is_bounded() -> None:
    text = json.dumps([{"id": "a", "input": "x"}, {"id": "b", "input": "x" * limits.LINE_CHARS}], indent=1)
    assert errors(lambda: load(text)) == "g.json:6: the case is longer than 4,194,304 characters"


@pytest.mark.parametrize(
    "inner",
    ['"' + "x" * 5_000_000 + '"', "[" + "[]," * 1_500_000, '{"a":' * 1_000_000, '"' + "\\" * 5_000_000],
    ids=["text", "lists", "deep", "backslashes"],
)
def test_a_case_that_is_too_long_is_refused_before_it_is_read(inner: str) -> None:
    # It is no JSON at its end, which nobody gets to.
    text = f'[\n{json.dumps(LEAST)},\n{{"id": "b", "session": {inner} ?'
    assert errors(lambda: load(text)) == "g.json:3: the case is longer than 4,194,304 characters"


def test_where_a_long_file_has_brackets_in_texts_each_case_is_measured_by_itself() -> None:
    odd = {"a": 'no end: [{"\\', "b": '\\\\"]}', "c": "x" * 1_000_000}
    rows = [{**LEAST, "id": str(number), "session": odd} for number in range(9)]
    assert [case.vars["session"] for case in load(json.dumps(rows))] == [odd] * 9


@pytest.mark.parametrize("deep", ["[" * 10_000 + "]" * 10_000, '{"a":' * 10_000 + "1" + "}" * 10_000, "[" * 100_000])
@pytest.mark.parametrize("file", ["g.json", "g.jsonl"])
def test_what_is_nested_without_end_is_refused(deep: str, file: str) -> None:
    entry = f'{{"id": "b", "state": "a", "session": {{"a": {deep}}}}}'
    (found,) = errors(lambda: load(entry, file)).splitlines()
    assert found.startswith(f"{file}:1: nested more than 64 levels deep")


def test_many_mistakes_are_cut_and_counted() -> None:
    text = json.dumps([{"id": str(number), "inptu": "x"} for number in range(50)], indent=1)
    found = errors(lambda: load(text)).splitlines()
    assert len(found) == 21
    assert "… and 80 more problems" in found[-1]


def test_a_large_file_loads() -> None:
    entry = json.loads(DOCUMENTED)
    text = json.dumps([{**entry, "id": f"c{number}"} for number in range(10_000)], indent=2)
    loaded = load(text)
    assert len(loaded) == 10_000
    assert loaded[-1].where == f"g.json:{text[: text.index('c9999')].count(chr(10))}"
