"""Any text gives cases or an error for users."""

import json
from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st

from gate.cases import reading as cases
from gate.cases.bundles import read_bundle
from gate.cases.case import Case, fill, render
from gate.config import gatefile, specification_file
from gate.config.documents import BadJson, decode, parse_json
from gate.config.scorer import parse_scorers
from gate.errors import GateError, InputErrors
from gate.messages import Message
from gate.prompts import reading
from gate.prompts.version import Library

NO_FILES = Library("p.json", lambda path: None)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=80)
YAMLISH = st.text("abn:&*!|>-?[]{}#,'\"%@`~<= \n\t0.1\\xue\u2028\x85", max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)
SCORER = st.dictionaries(
    st.sampled_from(["exact", "contains", "regex", "json_schema", "judge", "name", "weight", "required", "x"]),
    JSON | st.dictionaries(st.sampled_from(["value", "pattern", "schema", "criteria", "params", "model"]), JSON),
    max_size=3,
)


def only_readable_errors(job: Callable[[], object]) -> None:
    try:
        job()
    except InputErrors as error:
        assert 1 <= len(error.shown) <= 21
        for problem in error.problems:
            assert problem.line >= 0
            assert str(problem).isprintable()
    except GateError as error:
        assert error.message


@given(YAMLISH | ANY_TEXT)
@example("%YAML 9.9\n---\na")
@example("%TAG ! a\n---\n!x y")
@example('"\\UFFFFFFFF"')
@example("? ? ? a")
@example("- &a\n- *a")
@example("\ud800")
def test_configuration(text: str) -> None:
    only_readable_errors(lambda: gatefile.load(text, "gate.yaml"))
    only_readable_errors(lambda: reading.parse(text, "p.yaml"))
    only_readable_errors(lambda: reading.parse(text, "p.prompt.yml"))
    only_readable_errors(lambda: reading.parse(f"---\n{text}", "p.prompty"))
    only_readable_errors(lambda: cases.parse(text, "p.prompt.yml"))
    only_readable_errors(lambda: specification_file.parse_specification(text, "s.yaml"))


FRONT = st.sampled_from(
    ["model", "inputs", "sample", "template", "base", "configuration", "connection", "provider", "id"]
)


@given(st.dictionaries(FRONT, JSON | st.dictionaries(FRONT, JSON)))
def test_front_matter_of_any_shape(value: object) -> None:
    text = f"---\n{json.dumps(value)}\n---\nuser:\n{{{{a}}}}"
    only_readable_errors(lambda: read_bundle(text, "p.prompty", lambda path: None))


@given(st.dictionaries(st.sampled_from(sorted(gatefile.GateFile.model_fields)), JSON) | JSON)
def test_configuration_of_any_shape(value: object) -> None:
    only_readable_errors(lambda: gatefile.load(json.dumps(value), "gate.yaml"))


@given(JSON | st.lists(SCORER | JSON, max_size=3))
@example([{"json_schema": {"schema": {"$schema": []}}}])
@example([{"json_schema": {"schema": {"$schema": "http://x/y"}}}])
@example([{"json_schema": {"schema": {"$id": "http://[", "$ref": "#/a"}}}])
@example([{"json_schema": {"schema": {"properties": {"$ref": "x"}, "multipleOf": 0}}}])
@example([{"json_schema": {"schema": {"pattern": "(?P<a>x)(?P<a>x)", "allOf": [{"$ref": "#/allOf/0"}]}}}])
@example([{"regex": "(?i"}])
@example([{"regex": "[[a]"}])
@example([{"regex": "a{99999999999}"}])
def test_scorers(value: object) -> None:
    only_readable_errors(lambda: parse_scorers(value, "here"))


TEMPLATE = st.lists(
    st.sampled_from("{{ }} {% %} {# #} if for in x input endfor endif else set = | ( ) [ ] 1 'a' . ~ * ** %".split())
    | st.text(max_size=3),
    max_size=25,
).map(" ".join)


@given(TEMPLATE)
@example("{{ x }}{% for a in x %}{{ a ** x }}{% endfor %}")
@example("{{ 'a' * (-1) }}{{ [1] * 'a' }}")
@example("{{ 'a' ** 'b' }}")
@example("{{ input|round }}{{ 1|join }}{{ 5|replace(1, 2) }}")
@example("{{ 1|tojson('x') }}{{ 'a'|indent('x') }}")
@example("{{ dict(1) }}")
@example("{{ input|truncate(0) }}")
@example("{{ 'a'|int(base=99) }}")
@example("{{ x|sort(attribute=1) }}{{ xs|groupby(1) }}")
def test_templates(text: str) -> None:
    case = Case("c", "hi", expected=1, vars={"x": [1, "a"]}, where="c.jsonl:1")
    only_readable_errors(lambda: render(reading.parse(text, "p.j2"), case, "p.j2"))
    only_readable_errors(lambda: fill("{{" + text, case))
    talk = Case("c", messages=(Message("user", text or "x"),))
    only_readable_errors(lambda: render(reading.parse(text, "p.md"), talk))


@given(st.binary(max_size=60))
def test_bytes(data: bytes) -> None:
    only_readable_errors(lambda: decode(data, "p"))


@given(JSON)
def test_json_goes_in_and_out(value: object) -> None:
    text = json.dumps(value)
    try:
        assert parse_json(text) == value
    except BadJson as error:
        finite = "NaN" not in text and "Infinity" not in text
        assert not finite or "\\ud" in text, error.message


PART = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["text", "image_url", "input_text", "audio"]) | JSON,
        "text": JSON,
        "image_url": JSON | st.fixed_dictionaries({}, optional={"url": ANY_TEXT | JSON, "detail": JSON}),
    },
)
CONTENT = JSON | st.lists(PART | JSON, max_size=4)


@given(CONTENT, st.sampled_from(["system", "user", "assistant"]))
def test_content_parts_of_any_shape(content: object, role: str) -> None:
    turns = [{"role": role, "content": content}, {"role": "user", "content": "Hi"}]
    for fields in ({"input": content}, {"messages": turns}):
        row = json.dumps([{"id": "a", **fields}])
        only_readable_errors(lambda row=row: cases.with_images(cases.parse(row, "c.json"), NO_FILES))
    only_readable_errors(lambda: reading.parse(json.dumps(turns), "p.json", library=NO_FILES))
