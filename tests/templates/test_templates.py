"""Templates from strangers: what they may do, and that nothing they write is expensive or unsafe."""

import pytest

from gate.templates.rendering import compile_template, hidden
from gate.templates.sandbox import BadTemplate

DATA = {"input": "hi", "xs": ["b", "a"], "d": {"items": [1], "copy": "c"}, "yes": True, "big": "x" * 1_000_000}


def rendered(text: str) -> str:
    return compile_template(text).render(DATA)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{{ input }}\n", "hi\n"),
        ("{# note #}{{ input|upper }}", "HI"),
        (
            "{% for x in xs %}{{ loop.index }}/{{ loop.length }}{{ x }}{% if not loop.last %},{% endif %}{% endfor %}",
            "1/2b,2/2a",
        ),
        ("{% for x in [] %}a{% else %}none{% endfor %}", "none"),
        ("{% for k, v in d|dictsort %}{{ k }}={{ v }};{% endfor %}", "copy=c;items=[1];"),
        ("{{ d.items }} {{ d.copy }} {{ d['items'][0] }}", "[1] c 1"),
        ("{{ d.keys()|list }}", '["items", "copy"]'),
        ("{{ xs|map('upper')|join(', ') }} {{ xs|sort }} {{ xs|length }}", 'B, A ["a", "b"] 2'),
        ("{{ input ~ 1 ~ yes }}", "hi1true"),
        ("{% set a = 1 + 2 %}{{ a }}{% with b = a * 2 %}{{ b }}{% endwith %}", "36"),
        ("{{ missing|default('x') }} {{ missing is defined }}", "x false"),
        ("{{ 'a-b'|replace('-', '+') }} {{ 'é'|tojson }} {{ xs|tojson(1) }}", 'a+b "é" [\n "b",\n "a"\n]'),
        ("{{ 'a\nb'|indent(2) }}", "a\n  b"),
        ("{{ input.upper() }} {{ 'a,b'.split(',') }}", 'HI ["a", "b"]'),
        ("{{ range(3)|list }} {{ 7 % 4 }} {{ 2 ** 3 }} {{ 7 // 2 }}", "[0, 1, 2] 3 8 3"),
        ("{% raw %}{{ x }}{% endraw %}", "{{ x }}"),
        ("{{ '<a&b>' }}", "<a&b>"),
    ],
)
def test_what_a_prompt_needs(text: str, result: str) -> None:
    assert rendered(text) == result


def test_names_that_a_template_mentions() -> None:
    assert compile_template("{{ a }}{% set b = c %}{{ b }}{% for x in y %}{{ x }}{% endfor %}").names == {"a", "c", "y"}


DOUBLED = "{% set a = a ~ a %}" * 40
NESTED = "{% set a = [a, a] %}" * 40


@pytest.mark.threat("case-scorer-text")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ input.__class__.__mro__ }}", "access to attribute '__class__' of 'str' object is unsafe"),
        ("{{ xs|map(attribute='__class__')|list }}", "access to attribute '__class__' of 'str' object is unsafe"),
        ("{{ ''['__class__'] }}", "access to attribute '__class__' of 'str' object is unsafe"),
        ("{{ range.__globals__ }}", "access to attribute '__globals__'"),
        ("{{ loop }}{{ namespace() }}", "'loop' is undefined"),
        ("{{ lipsum() }}", "'lipsum' is undefined"),
        ("{{ xs.append(1) }}", "access to attribute 'append' of 'list' object is unsafe"),
        ("{% for i in range(10**9) %}x{% endfor %}", "Range too big"),
        (
            "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
            "loops have more than 100,0",
        ),
        ("{% for i in range(99) %}{{ big }}{% endfor %}", "renders to more than 4,194,304 characters"),
        ("{{ 'a' * 10**9 }}", "a value of more than 4,194,304 characters"),
        ("{{ 10**9 * [1] }}", "a value of more than 4,194,304 characters"),
        ("{{ big + big + big + big + big }}", "a value of more than 4,194,304 characters"),
        ("{{ big ~ big ~ big ~ big ~ big }}", "a value of more than 4,194,304 characters"),
        ("{{ [big, big, big, big, big]|join }}", "a value of more than 4,194,304 characters"),
        ("{{ [big, big, big, big, big]|tojson }}", "a value of more than 4,194,304 characters"),
        ("{{ big|replace('x', big) }}", "a value of more than 4,194,304 characters"),
        ("{% set a = input %}" + DOUBLED, "a value of more than 4,194,304 characters"),
        ("{% set a = [1] %}" + NESTED, "a value of more than 4,194,304 characters or 100,000 parts"),
        ("{{ 9**9**9 }}", "a power this large is not supported"),
        ("{{ '%999999999s' % 1 }}", "formatting text with % is not supported"),
        ("{{ '{:>999999999}'.format(1) }}", "access to attribute 'format' of 'str' object is unsafe"),
        ("{{ 'a'.ljust(999999999) }}", "access to attribute 'ljust' of 'str' object is unsafe"),
        ("{{ 'a\n'|indent(999999999) }}", "an indent must be from 0 to 100"),
        ("{{ d|tojson(999999999) }}", "an indent must be from 0 to 100"),
        ("{{ 'a'|center(999999999) }}", "No filter named 'center'"),
        ("{{ xs|random }}", "No filter named 'random'"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "'macro' is not supported in templates"),
        ("{% set x %}a{% endset %}", "'set … endset' is not supported in templates"),
        ("{% filter upper %}a{% endfilter %}", "'filter' is not supported in templates"),
        ("{% include '/etc/passwd' %}", "'include' is not supported in templates of this kind"),
        ("{% import 'os' as os %}", "'import' is not supported in templates"),
        ("{% extends 'x' %}", "'extends' is not supported in templates"),
        ("{% for x in [xs] recursive %}{{ loop([xs]) }}{% endfor %}", "refers to itself without end"),
        ("{% for a in range(2) %}" * 30 + "{% endfor %}" * 30, "too many nested loops"),
        ("{{ " + "(" * 3000 + ")" * 3000 + " }}", "too deeply nested"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ '\\ud800' }}", "renders half of a surrogate pair"),
        ("{{ self }}", "cannot be written as text"),
        ("{% if %}", "invalid Jinja2: Expected an expression"),
    ],
)
def test_what_a_fork_may_not_do(text: str, message: str) -> None:
    with pytest.raises(BadTemplate) as caught:
        rendered(text)
    assert message in caught.value.message


def test_errors_name_the_line() -> None:
    with pytest.raises(BadTemplate) as caught:
        rendered("a\nb\n{{ missing }}")
    assert (caught.value.line, caught.value.undefined) == (3, True)
    with pytest.raises(BadTemplate) as caught:
        compile_template("a\n{{ ! }}")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "text",
    [
        "{% if __seen is defined %}x{% endif %}",
        "{% set __steps = __sized %}",
        "{% for __sized in xs %}{% endfor %}",
        "{% with __joined = 1 %}{% endwith %}",
        "{% set __ns.a = 1 %}",
        "{{ xs|map(__x) }}",
    ],
)
def test_a_name_with_two_underscores_in_front_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(BadTemplate, match="must not begin with two underscores, as __") as caught:
        compile_template("a\n" + text)
    assert caught.value.line == 2


@pytest.mark.parametrize("helper", ["seen", "steps", "sized", "joined"])
@pytest.mark.parametrize(
    "form", ["{{{{ {0} }}}}", "{{% set {0} = 1 %}}", "{{% for {0} in xs %}}{{% endfor %}}", "{{% if {0} is defined %}}"]
)
def test_no_template_can_spell_what_bounds_and_watches_it(helper: str, form: str) -> None:
    with pytest.raises(BadTemplate, match="invalid Jinja2"):
        compile_template(form.format(hidden(helper)))


def test_a_name_that_python_reads_as_another_switches_no_limit_off() -> None:
    # Python takes the full-width low line for an underscore in the code that Jinja writes.
    loops = "{% for i in range(999) %}{% for j in range(999) %}{% endfor %}{% endfor %}"
    with pytest.raises(BadTemplate, match="loops have more than"):
        rendered("{% set _＿steps = range %}{% set _＿0steps = range %}" + loops)  # noqa: RUF001
