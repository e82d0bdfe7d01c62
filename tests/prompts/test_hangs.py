"""What would take minutes in a small file is refused by what it is, or given up after a time that is set."""

import json

import pytest

from gate.cases import reading as cases
from gate.config.json_schema import pattern_complaint, schema_complaint
from gate.errors import InputErrors
from gate.limits import PATTERN_CHARS, TEMPLATE_TOKENS
from gate.messages import Part, Parts
from gate.prompts import reading
from gate.prompts.version import Library
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate, TooLong, check, limited
from gate.values import JsonValue

LONG = "a template with its included files may have at most 20,000 words and signs in tags"
OPERANDS = "input,\n" * TEMPLATE_TOKENS


@pytest.mark.threat("endless-work", "case-endless")
@pytest.mark.parametrize(
    "text",
    [
        "{% for i in range(99) %}x{% endfor %}",
        "{{ range(99)|map('string')|list }}",
        "{{ range(99)|select('odd')|list }}",
        "{{ input|upper }}",
        "{{ input.upper() }}",
        "{{ input ~ 1 }}",
        "{{ input + 'a' }}",
        "{% if 'y' in input %}{% endif %}",
        "{% if input is string %}{% endif %}",
        "{% set a = input %}",
        "{% with a = input %}{% endwith %}",
        "{{ input }}",
    ],
)
def test_a_rendering_is_given_up_whatever_does_the_work(text: str) -> None:
    compiled = compile_template(text)
    assert compiled.render({"input": "x"}) is not None
    with pytest.raises(BadTemplate, match="^takes longer than -1 s to render; shorten its loops") as caught:
        compiled.render({"input": "x"}, seconds=-1)
    assert caught.value.line == 1


def test_a_rendering_that_does_much_in_few_turns_ends_by_itself() -> None:
    turns = "{% for i in range(99999) %}{% set a = 'x'*4000000 %}{% if 'y' in a ~ i %}{% endif %}{% endfor %}"
    with pytest.raises(BadTemplate, match="takes longer than 0.05 s"):
        compile_template("\n" + turns).render({}, seconds=0.05)


def test_a_limit_holds_for_what_is_inside_it_alone() -> None:
    check()
    with limited(-1), pytest.raises(TooLong):
        check()
    check()


def test_what_jinja_works_out_by_itself_keeps_its_meaning() -> None:
    assert compile_template("{{ 'ab'|upper|lower|title }}{{ 1 < 2 < 3 }}{{ 3 is odd }}").render({}) == "Abtruetrue"


@pytest.mark.parametrize("tag", ["{{ [" + OPERANDS + "] }}", "{% with " + "a=1,\n" * TEMPLATE_TOKENS + "b=1 %}"])
def test_one_tag_of_any_length_is_not_compiled(tag: str) -> None:
    with pytest.raises(BadTemplate, match=LONG) as caught:
        compile_template("\n\n" + tag)
    assert 2 < caught.value.line < TEMPLATE_TOKENS


def test_text_comments_and_raw_blocks_are_no_words_of_tags() -> None:
    words = "a " * TEMPLATE_TOKENS
    text = f"{words}{{# {words} #}}{{% raw %}}{words}{{{{ x }}}}{{% endraw %}}{{{{ '{words}' }}}}"
    assert compile_template(text).render({}) == f"{words}{words}{{{{ x }}}}{words}"


def test_words_of_a_part_count_as_often_as_it_is_used_and_are_reported_where_they_stand() -> None:
    part = Part("a.j2", "\n{{ [" + "b, " * 100 + "] }}", template=True)
    include = "{% include 'a.j2' %}\n"
    compile_template(include * 2, Parts("p.j2", (part,)))
    with pytest.raises(BadTemplate, match=LONG) as caught:
        compile_template(include * 99, Parts("p.j2", (part,)))
    assert (caught.value.file, caught.value.line) == ("a.j2", 2)


def test_a_prompt_with_such_a_tag_is_reported_with_its_line() -> None:
    library = Library("p.j2", {}.get)
    with pytest.raises(InputErrors) as caught:
        reading.parse("Hello\n{{ [" + OPERANDS + "] }}", "p.j2", library=library)
    assert [problem.message for problem in caught.value.problems] == [LONG]
    assert caught.value.problems[0].line > 2


SLOW = "(?fi)" + "[ßa-z]" * 1600


@pytest.mark.parametrize("scorer", [{"regex": {"pattern": SLOW}}, {"json_schema": {"schema": {"pattern": SLOW}}}])
def test_a_pattern_that_takes_long_to_compile_is_refused_by_its_length(scorer: JsonValue) -> None:
    line = json.dumps({"id": "1", "input": "a", "expected": "b", "scorers": [scorer]})
    with pytest.raises(InputErrors, match="is longer than 2,000 characters|is not a 'regex'"):
        cases.parse(line, "cases.jsonl")


def test_a_pattern_that_a_case_fills_is_held_to_the_same_length() -> None:
    assert pattern_complaint("a" * PATTERN_CHARS) == ""
    assert pattern_complaint("a" * (PATTERN_CHARS + 1)) == "it has more than 2,000 characters"


def uses(part: dict[str, JsonValue], times: int, reference: str = "#/$defs/e") -> dict[str, JsonValue]:
    return {"$defs": {"e": part}, "allOf": [{"$ref": reference}] * times}


PROBES: list[JsonValue] = [None, "", 0, [], {}]


def test_a_long_list_of_values_is_paid_for_each_time_that_it_is_gone_through() -> None:
    values: list[JsonValue] = [*([number] for number in range(2_500)), *PROBES]
    assert schema_complaint(uses({"enum": values}, 5)) == ""
    assert "takes more than 20,000 steps" in schema_complaint(uses({"enum": values}, 50))
    assert schema_complaint(uses({"enum": PROBES}, 50)) == ""


def test_a_reference_to_an_anchor_is_paid_by_the_size_of_the_schema() -> None:
    small: dict[str, JsonValue] = {"$anchor": "x"}
    large: dict[str, JsonValue] = {"$anchor": "x", "not": {"allOf": [False] + [{}] * 500}}
    assert schema_complaint(uses(small, 50, "#x")) == ""
    assert "takes more than 20,000 steps" in schema_complaint(uses(large, 50, "#x"))
    assert schema_complaint(uses({"not": large["not"]}, 50)) == ""
