"""Variables of a template are asked for as the kind that its syntax tree shows."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from gate.templates.kinds import FILTER_USES, SILENT_FILTERS, TEST_USES
from gate.templates.sandbox import FILTERS, TESTS
from gate.values import listed
from tests.e2e.generate.desk import Desk
from tests.e2e.generate.test_forms import checked
from tests.support.model_server import Behaviour
from tests.support.prompt_reader import reader, stage_of

TEXT, NUMBER, WHOLE, FLAG = "a text", "a number", "a whole number", "true or false"
TEXTS = "a list, each item a text"
RULE = "The answer must have at most 80 words.\n"
KINDS: list[tuple[str, str, Any]] = [
    # A template with the variable V, the form that is asked for ("" for text), and a value.
    ("{{ V }}", "", "Ada"),
    ("{{ V|upper }} {% if V.startswith('a') %}x{% endif %}", "", "Ada"),
    ("{% if V %}Hello {{ V }}{% endif %}", "", "Ada"),
    ("{{ V or 'friend' }} {{ 'a' + V }} {{ V ~ '!' }}", "", "Ada"),
    ("{% if V == 'de' %}x{% elif V in ['fr', 'it'] %}y{% endif %}", "", "de"),
    ("{% if V is string %}x{% endif %}", "", "Ada"),
    ("{% if V %}x{% endif %}", FLAG, False),
    ("{{ 'yes' if V else 'no' }}", FLAG, True),
    ("{% if not V and (V or 1) %}x{% endif %}", FLAG, False),
    ("{% if V == true or V is false %}x{% endif %}", FLAG, True),
    ("{{ V|default(false) }}", FLAG, True),
    ("{{ V + 1 }}", NUMBER, 2.5),
    ("{{ V * 2 - V / 3 }} {{ -V }}", NUMBER, 4),
    ("{% if V > 3 and V <= 9 %}{{ V }}{% endif %}", NUMBER, 3.5),
    ("{% if V is gt 3 %}x{% endif %}", NUMBER, 3.5),
    ("{% if V == 3 %}x{% endif %}", NUMBER, 3),
    ("{{ V|round(2) }} {{ V|abs }}", NUMBER, 1.25),
    ("{% for i in range(V) %}x{% endfor %}", WHOLE, 3),
    ("{{ '-' * V }}", WHOLE, 3),
    ("{% if V is even %}x{% endif %}", WHOLE, 4),
    ("{% for one in V %}- {{ one }} {{ loop.index }}{% endfor %}", TEXTS, ["a", "b"]),
    ("{% if V %}{% for one in V %}{{ one|upper }}{% endfor %}{% endif %}", TEXTS, []),
    ("{% for one in V|sort|unique %}{{ one }}{% else %}none{% endfor %}", TEXTS, ["a"]),
    ("{% for one in V or [] %}{{ one }}{% endfor %}", TEXTS, ["a"]),
    ("{% set all = V|default([]) %}{% for one in all %}{{ one }}{% endfor %}", TEXTS, ["a"]),
    ("{{ V|join(', ') }} {{ V|length }} {{ V[0] }}", TEXTS, ["a"]),
    ("{% for one in V if one > 3 %}{{ one * 2 }}{% endfor %}", "a list, each item a number", [1, 5.5]),
    ("{% for a in V %}{% for b in a %}{{ b }}{% endfor %}{% endfor %}", f"a list, each item {TEXTS}", [["a"], []]),
    ("{{ V.name }} {{ V['city'] }}", 'an object of "name" (a text), "city" (a text)', {"name": "Ada", "city": "Rome"}),
    ("{{ V.get('a') }}{% if V.b.c %}x{% endif %}", 'an object of "a" (a text), "b" (an object of "c" (true or false))',
     {"a": "x", "b": {"c": False}}),
    ("{% for u in V if u.active %}{{ u.name }} {{ u.age + 1 }} {{ u.tags|join }}{% endfor %}",
     f'a list, each item an object of "active" ({FLAG}), "name" ({TEXT}), "age" ({NUMBER}), "tags" ({TEXTS})',
     [{"active": True, "name": "Ada", "age": 36, "tags": ["x"]}]),
    ("{{ V|selectattr('ok')|map(attribute='name')|join(', ') }}",
     f'a list, each item an object of "ok" ({FLAG}), "name" ({TEXT})', [{"ok": True, "name": "Ada"}]),
    ("{% for key, value in V.items() %}{{ key }}: {{ value }}{% endfor %}",
     'a list of objects, each of a "key" (a text) and a "value" (a text)', {"a": "x", "b": "y"}),
    ("{% for key, value in V|dictsort %}{{ key }}: {{ value + 1 }}{% endfor %}",
     'a list of objects, each of a "key" (a text) and a "value" (a number)', {"a": 1}),
]  # fmt: skip
UNSURE = [
    "{{ V|tojson }}",
    "{{ V|length }}",
    "{% if 'a' in V %}x{% endif %}",
    "{% for a in V %}{{ a }}{% endfor %}{{ V|upper }}",
]
"""What does not tell the kind of the variable."""


_COMPONENT = re.compile(
    r'^Component "(\w+)", which fills the variable of that name(?:, whose value is (.*?))?(?:: |$)', re.MULTILINE
)


def replying(values: dict[str, Any], forms: dict[str, str]) -> Callable[[str, str], str]:
    """Writes these values where a value is asked for, and notes the forms that were."""

    def reply(system: str, user: str) -> str:
        said = json.loads(reader(system, user))
        if stage_of(system) == "tests":
            forms.update(_COMPONENT.findall(user))
            for test in said["tests"]:
                for part in test["components"]:
                    if forms[part["name"]]:
                        part["value"] = values[part["name"]]
                        del part["text"]
        return json.dumps(said)

    return reply


def written(value: Any, form: str) -> Any:
    """A value as a model writes it."""
    return [{"key": key, "value": one} for key, one in value.items()] if '"key"' in form else value


def test_each_variable_is_asked_for_as_its_kind_and_written_so(desk: Desk) -> None:
    rows = {f"v{number}": row for number, row in enumerate(KINDS)}
    forms: dict[str, str] = {}
    values = {name: written(value, form) for name, (_, form, value) in rows.items()}
    desk.server.behaviour = Behaviour(judgement=replying(values, forms))
    body = "\n".join(re.sub(r"\bV\b", name, template) for name, (template, _, _) in rows.items())
    desk.write("prompts/shop.j2", f"{RULE}{body}\n")
    made = desk.generate("--effort", "min", prompt="prompts/shop.j2")
    assert made.code == 0, made.err
    assert forms == {name: form for name, (_, form, _) in rows.items()}
    assert "asked for as text" not in made.out + made.err
    for case in desk.cases():
        assert {name: case.vars[name] for name, (_, form, _) in rows.items() if form} == {
            name: value for name, (_, form, value) in rows.items() if form
        }
        assert all(isinstance(case.vars[name], str) for name, (_, form, _) in rows.items() if not form)
    checked(desk, made)


def test_the_prompt_shows_lists_and_flags_as_the_template_means_them(desk: Desk) -> None:
    template = f"{RULE}{{% for one in places %}}- {{{{ one }}}}\n{{% endfor %}}{{% if premium %}}PREMIUM{{% endif %}}\n"
    desk.server.behaviour = Behaviour(judgement=replying({"places": ["Rome", "Oslo"], "premium": False}, {}))
    desk.write("prompts/shop.j2", template)
    checked(desk, desk.generate("--effort", "min", prompt="prompts/shop.j2"))
    answering = [f"{entry.system}{entry.user}" for entry in desk.server.ledger if not stage_of(entry.system)]
    assert any("- Rome\n- Oslo\n" in text for text in answering)
    assert not any("PREMIUM" in text for text in answering)


def test_what_the_template_does_not_tell_is_asked_for_as_text_and_said(desk: Desk) -> None:
    body = "".join(template.replace("V", f"v{number}") for number, template in enumerate(UNSURE))
    desk.write("prompts/shop.j2", f"{RULE}{body}{{% for one in all %}}{{{{ one.data|tojson }}}}{{% endfor %}}\n")
    values = {"all": [{"data": "x"}]}
    desk.server.behaviour = Behaviour(judgement=replying(values, {}))
    made = desk.generate("--effort", "min", prompt="prompts/shop.j2")
    names = listed(["all[].data", *(f"v{number}" for number in range(len(UNSURE)))])
    told = f"asked for as text, since the template does not show their kind: {names}; correct the cases"
    assert told in " ".join(f"{made.out} {made.err}".split()), made


@pytest.mark.parametrize("wrong", ["Rome\nOslo", [1], {"0": "Rome"}, None, True])
def test_a_value_of_another_kind_is_no_test(desk: Desk, wrong: Any) -> None:
    desk.server.behaviour = Behaviour(judgement=replying({"places": wrong}, {}))
    desk.write("prompts/shop.j2", f"{RULE}{{% for one in places %}}{{{{ one }}}}{{% endfor %}}\n")
    made = desk.generate("--effort", "min", prompt="prompts/shop.j2")
    assert made.code == 3
    assert re.search("is not of the type that was asked for|a part of an input is no text", made.err)


def test_every_filter_and_test_of_the_sandbox_has_a_place_in_the_tables() -> None:
    silent = {"callable", "defined", "escaped", "filter", "in", "none", "sameas", "test", "undefined"}
    compared = {*("!=", "<", "<=", "==", ">", ">="), *("eq", "equalto", "ge", "greaterthan", "gt", "le", "lessthan")}
    compared |= {"lt", "ne"}
    assert FILTERS.keys() == FILTER_USES.keys() | SILENT_FILTERS
    assert TESTS.keys() == TEST_USES.keys() | silent | compared
