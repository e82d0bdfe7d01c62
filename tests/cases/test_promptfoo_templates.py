"""Templates of promptfoo: the gate sends what Nunjucks writes, or the prompt and the case are listed."""

import json
from pathlib import Path
from typing import Any

import pytest

from gate.cases.bundles import read_bundle
from gate.cases.case import fill
from gate.cases.losses import Bundle
from gate.cases.reading import case_of
from gate.errors import InputErrors
from tests.support.promptfoo import sent_messages

DATA = json.loads((Path(__file__).parents[1] / "data/formats/promptfoo/nunjucks/rendered.json").read_text())
"""Recorded with Nunjucks itself."""
Sent = list[tuple[str, str]]

TRANSLATED = {
    "{% for k, v in o %}{{ k }}={{ v }};{% endfor %}": "b=1;a=z;",
    "{{ swap.b + cnt * 2 - 1 }}": "8",
    '{{ "a" ~ t }}': "atrue",
    '{{ xs.length }}{{ " of " if xs.length }}': "3 of ",
    "{{ s | safe }}|{{ s | safe | upper }}": "hello big end|HELLO BIG END",
    "{% if n === 5 %}y{% else %}n{% endif %}": "y",
    "{% if empty %}a{% elseif n %}b{% else %}c{% endif %}": "b",
    "{{ o | dump }}": '{"b":1,"a":"z"}',
    '{{ missing | default("d") }}': "d",
    "{% if missing is defined %}y{% else %}n{% endif %}": "n",
    '{{ "a" if n }}': "a",
}
"""What the first set of variables gives. These have a translation, or need none."""


def bundle_of(prompt: str, tests: list[dict[str, Any]], files: dict[str, str] | None = None) -> Bundle:
    return read_bundle(configuration(prompt, tests), "promptfooconfig.yaml", (files or {}).get)


def configuration(prompt: str, tests: list[dict[str, Any]]) -> str:
    return json.dumps({"prompts": [prompt], "tests": tests}, ensure_ascii=False)


def sent(prompt: str, tests: list[dict[str, Any]], files: dict[str, str] | None = None) -> dict[str, Sent]:
    """What the gate sends for each test; a test that is listed as not converted is missing."""
    try:
        bundle = bundle_of(prompt, tests, files)
    except InputErrors as error:
        assert "has no prompt that can be converted" in error.message
        return {}
    (suite,) = bundle.suites
    everything = {**(files or {}), "promptfooconfig.yaml": configuration(prompt, tests)}
    messages = {str(case["id"]): sent_messages(suite, case, everything) for case in suite.cases}
    listed = " ".join(loss.what for loss in bundle.losses)
    names = [f"test-{number}" for number in range(1, len(tests) + 1)] if len(tests) > 1 else ["test-1"]
    assert all(name in messages or name in listed for name in names)
    return messages


@pytest.mark.parametrize("row", DATA["rows"], ids=lambda row: row["template"])
def test_nothing_is_sent_that_nunjucks_would_not_write(row: dict[str, Any]) -> None:
    tests = [{"vars": variables, "options": {"disableVarExpansion": True}} for variables in DATA["variables"]]
    found = sent(f"Say: {row['template']}", tests)
    for number, text in enumerate(row["rendered"], start=1):
        messages = found.get(f"test-{number}")
        assert messages is None or messages == [("user", f"Say: {text}")]
    if row["template"] in TRANSLATED:
        assert found["test-1"] == [("user", f"Say: {TRANSLATED[row['template']]}")]


@pytest.mark.parametrize("text", ["4 / 2", "2 * 7 % 4", "2.4 | round", "xs | sort | first", "o.items()", "s[0:2]"])
def test_what_has_another_meaning_in_nunjucks_is_listed(text: str) -> None:
    with pytest.raises(InputErrors, match="means something else in Nunjucks"):
        bundle_of("{{ " + text + " }}", [{"vars": {"xs": [1, 2], "s": "abc", "o": {"a": 1}}}])


def test_a_mapping_in_the_order_of_javascript_is_listed() -> None:
    assert sent("{{ o | dump }}", [{"vars": {"o": {"b": 1, "1": 2}}}]) == {}  # {"1":2,"b":1}


@pytest.mark.parametrize("part", ["1 == (", "x | default(", '"a" ~ ('])
def test_deep_templates_cost_no_more_than_their_length(part: str) -> None:
    depth = 40
    sent("{{ " + part * depth + "1" + ")" * depth + " }}", [{"vars": {"a": "b"}}])


def test_every_translation_is_among_the_recorded_templates() -> None:
    assert TRANSLATED.keys() <= {row["template"] for row in DATA["rows"]}


@pytest.mark.parametrize("row", DATA["rows"], ids=lambda row: row["template"])
def test_a_template_in_an_assertion_means_the_same_or_is_listed(row: dict[str, Any]) -> None:
    variables = DATA["variables"][0]
    assertion = {"type": "equals", "value": f"= {row['template']}"}
    options = {"disableVarExpansion": True}
    bundle = bundle_of("Say a", [{"vars": variables, "assert": [assertion], "options": options}])
    (case,) = bundle.suites[0].cases
    own = case.get("scorers")
    if not own:
        assert any("cannot be converted" in loss.what for loss in bundle.losses)
        return
    assert isinstance(own, list) and isinstance(own[0], dict)
    exact = own[0]["exact"]
    assert isinstance(exact, dict)
    assert fill(str(exact["value"]), case_of(case)) == f"= {row['rendered'][0]}"


CHAT = [{"role": "system", "content": 'Be "kind"'}, {"role": "user", "content": "Hi\nthere"}]
LONG = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b, c"}, {"role": "user", "content": "{d}"}]
LOOP = '{% for m in messages %}{"role": "{{ m.role }}", "content": {{ m.content | dump }}}'
LAST = '{"role": "user", "content": "x"}]'
SYSTEM = '{"role": "system", "content": "Answer {{ name }}, briefly"}'


def turns(chat: list[dict[str, str]]) -> Sent:
    return [(one["role"], one["content"]) for one in chat]


@pytest.mark.parametrize("place", ["inline", "p.txt", "p.json", "p.j2"])
@pytest.mark.parametrize("template", ["{{ messages | dump }}", " {{messages|dump}} "])
def test_the_turns_of_a_variable_are_sent(template: str, place: str) -> None:
    prompt, files = (template, {}) if place == "inline" else (f"file://{place}", {place: template})
    found = sent(prompt, [{"vars": {"messages": chat, "name": "Ada"}} for chat in (CHAT, LONG)], files)
    assert found == {"test-1": turns(CHAT), "test-2": turns(LONG)}


@pytest.mark.parametrize("messages", ["Hello", [1], [{"role": "tool", "content": "x"}], [], {"a": "b"}])
def test_a_variable_without_turns_is_listed(messages: Any) -> None:
    assert sent("{{ messages | dump }}", [{"vars": {"messages": messages}}]) == {}


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages | dump(2) | safe }}",
        "[" + LOOP + "{% if not loop.last %},{% endif %}{% endfor %}]",
        "[" + SYSTEM + "{% for m in messages %}, {{ m | dump }}{% endfor %}]",
        '[{% for m in messages %}{"role": "user", "content": "Q: {{ m.content }}"},{% endfor %}' + LAST,
        '[{% if name %}{"role": "system", "content": "{{ name }}"},{% endif %}' + LAST,
        "{% for m in messages %}\n- role: {{ m.role }}\n  content: {{ m.content }}\n{% endfor %}",
        '[{% for m in messages %}{"role": "tool", "content": {{ m.content | dump }}},{% endfor %}' + LAST,
        "{% for m in messages %}" + '{"role": "{{ m.role }}", "content": {{ m.content | dump }}},' + "{% endfor %}",
    ],
)
def test_turns_that_a_template_writes_are_listed_and_never_one_message(template: str) -> None:
    chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}]
    assert sent(template, [{"vars": {"messages": chat, "name": "Ada"}}]) == {}


def test_turns_in_a_text_are_listed_and_another_text_is_sent() -> None:
    tests = [{"vars": {"messages": json.dumps(CHAT)}}, {"vars": {"messages": "Hello"}}]
    assert sent("{{ messages }}", tests) == {"test-2": [("user", "Hello")]}
    assert sent("{{ messages }}", [{"vars": {"messages": CHAT}}]) == {}  # [object Object]


def test_an_input_that_a_prompt_does_not_use_is_not_sent() -> None:
    tests = [{"vars": {"input": "Hello", "name": "Ada"}}, {"vars": {"input": "Bye", "name": "Bo"}}]
    assert sent("Greet {{ name }}", tests) == {"test-1": [("user", "Greet Ada")], "test-2": [("user", "Greet Bo")]}
