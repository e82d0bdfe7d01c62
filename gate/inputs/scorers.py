"""Scorers, as configuration and cases write them: kind, options with every default filled in, name, weight."""

import re
from collections.abc import Mapping
from dataclasses import replace

from gate.domain.case import ScorerSpec
from gate.domain.jsonvalue import JsonValue
from gate.domain.model import Params
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import PATTERN_CHARS, PROMPT_CHARS
from gate.inputs.models import read_model, read_params
from gate.inputs.nodes import Node, described, plain, wrap
from gate.inputs.patterns import complaint
from gate.inputs.problems import Problems, did_you_mean, quoted
from gate.inputs.sandbox import BadTemplate
from gate.inputs.schemacheck import schema_complaint
from gate.inputs.templates import compile_template

COMMON = ("name", "weight", "required")
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "exact": ("value", "ignore_case", "strip"),
    "contains": ("value", "ignore_case"),
    "regex": ("pattern", "ignore_case"),
    "json_schema": ("schema",),
    "judge": ("criteria", "model", "threshold", "params"),
}
SHORTHAND: Mapping[str, str] = {"exact": "value", "contains": "value", "regex": "pattern", "judge": "criteria"}
EXPECTED = "{{ expected }}"
WEIGHT = Range(0, 1000, above=True)
THRESHOLD = Range(0, 1)

_LATER = ("rubric", "tools", "tool", "database", "python", "command", "semantic", "similarity")
_MEANT = {"equals": "exact", "includes": "contains", "match": "regex", "llm": "judge", "llm_judge": "judge"}
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}", re.DOTALL)


def parse_scorers(value: JsonValue, file: str) -> tuple[ScorerSpec, ...]:
    """A list of scorers from outside YAML, such as `["contains"]` or `[{"judge": {"criteria": "…"}}]`.

    Raises:
        InputErrors: everything that is wrong, under the name `file`.
    """
    problems = Problems(file)
    specs = read_scorers(wrap(value, 0), problems)
    problems.check()
    return specs


def read_scorers(node: Node, problems: Problems) -> tuple[ScorerSpec, ...]:
    """The list under `scorers`; a scorer without a name is called after its kind: `contains`, `contains-2`."""
    if not isinstance(node.value, tuple) or not node.value:
        problems.add(node.line, "scorers must be a list with at least one scorer", "for example [contains]")
        return ()
    read = [(item, _scorer(item, problems)) for item in node.value]
    specs = [(item, spec) for item, spec in read if spec is not None]
    taken: set[str] = set()
    for item, spec in specs:
        if spec.name in taken:
            problems.add(item.line, f"two scorers are named {quoted(spec.name)}", "give one another name")
        if spec.name:
            taken.add(spec.name)
    return tuple(spec if spec.name else replace(spec, name=_free(spec.kind, taken)) for _, spec in specs)


def _free(kind: str, taken: set[str]) -> str:
    name, number = kind, 2
    while name in taken:
        name, number = f"{kind}-{number}", number + 1
    taken.add(name)
    return name


def _scorer(node: Node, problems: Problems) -> ScorerSpec | None:
    """One entry: `contains`, `contains: "text"` or `contains: {value: "text", weight: 2}`."""
    if isinstance(node.value, str):
        node = Node({node.value: Node(None, node.line)}, node.line)
    if not isinstance(node.value, Mapping):
        problems.add(node.line, f"a scorer must be a name or a mapping, not {described(node.value)}", _kinds())
        return None
    kinds = [key for key in node.value if key not in COMMON]
    if len(kinds) != 1:
        found = f"these have {len(kinds)}: {', '.join(map(quoted, kinds[:5]))}" if kinds else "this one has none"
        problems.add(node.line, f"each scorer has one kind, and {found}", "begin each scorer with '- '")
        return None
    kind = kinds[0]
    if kind not in OPTIONS:
        _unknown(kind, node.value[kind].line, problems)
        return None
    fields = Fields(_merged(kind, node, problems), kind, problems)
    fields.only(OPTIONS[kind] + COMMON)
    name = fields.text("name")
    if not name.isprintable():
        problems.add(fields.line_of("name"), f"{kind}.name holds a control character")
    weight = fields.number("weight", 1.0, WEIGHT)
    return ScorerSpec(kind, name, _options(kind, fields), weight, fields.flag("required", False))


def _merged(kind: str, node: Node, problems: Problems) -> Node:
    """Options, the shorthand spelled out, with `name`, `weight` and `required` that stand beside the kind."""
    assert isinstance(node.value, Mapping)  # noqa: S101
    body = node.value[kind]
    if isinstance(body.value, Mapping):
        options = dict(body.value)
    elif body.value is None:
        options = {}
    elif kind in SHORTHAND:
        options = {SHORTHAND[kind]: body}
    else:
        problems.add(body.line, f"{kind} must be a mapping, not {described(body.value)}", "see its options in the docs")
        options = {}
    for key in COMMON:
        if key in node.value and key in options:
            problems.add(node.value[key].line, f"{kind}.{key} is given twice")
        if key in node.value:
            options[key] = node.value[key]
    return Node(options, body.line)


def _options(kind: str, fields: Fields) -> dict[str, JsonValue]:
    match kind:
        case "exact":
            return {
                "value": _template(fields, "value", EXPECTED),
                "ignore_case": fields.flag("ignore_case", False),
                "strip": fields.flag("strip", True),
            }
        case "contains":
            return {"value": _template(fields, "value", EXPECTED), "ignore_case": fields.flag("ignore_case", True)}
        case "regex":
            return {"pattern": _pattern(fields), "ignore_case": fields.flag("ignore_case", False)}
        case "json_schema":
            return {"schema": _schema(fields)}
        case _:
            return _judge(fields)


def _judge(fields: Fields) -> dict[str, JsonValue]:
    fields.require("criteria", 'criteria: "Answers only what was asked"')
    model = read_model(fields, "model")
    return {
        "criteria": _template(fields, "criteria", ""),
        "model": str(model) if model else None,
        "threshold": fields.number("threshold", 0.7, THRESHOLD),
        "params": read_params(fields.mapping("params"), Params()).changed(),
    }


def _template(fields: Fields, key: str, default: str) -> str:
    text = fields.text(key, default, most=PROMPT_CHARS)
    if "{{" in text:
        try:
            compile_template(text)
        except BadTemplate as error:
            hint = "write for example {{ expected }}"
            fields.problems.add(fields.line_of(key), f"{fields.name}.{key}: {error.message}", hint)
    return text


def _pattern(fields: Fields) -> str:
    if not fields.require("pattern", "pattern: '^[0-9]+$'"):
        return ""
    text = fields.text("pattern", most=PATTERN_CHARS)
    _template(fields, "pattern", "")
    if reason := complaint(_PLACEHOLDER.sub("x", text)):
        message = f"regex.pattern is not a regular expression: {reason}"
        fields.problems.add(fields.line_of("pattern"), message, "Python's re syntax")
    return text


def _schema(fields: Fields) -> JsonValue:
    if not fields.require("schema", "schema: {type: object, required: [answer]}"):
        return {}
    node = fields.entries["schema"]
    if not isinstance(node.value, Mapping):
        fields.problems.add(node.line, f"json_schema.schema must be a mapping, not {described(node.value)}")
        return {}
    schema = {key: plain(value) for key, value in node.value.items()}
    if complaint := schema_complaint(schema):
        fields.problems.add(node.line, f"json_schema.schema is not a usable JSON Schema: {complaint}")
    return schema


def _unknown(kind: str, line: int, problems: Problems) -> None:
    if kind in _LATER:
        problems.add(line, f"the scorer {kind!r} is not supported in this version", _kinds())
        return
    hint = f"did you mean {_MEANT[kind]!r}?" if kind in _MEANT else did_you_mean(kind, OPTIONS)
    problems.add(line, f"unknown scorer {quoted(kind)}", hint if hint.startswith("known") else f"{hint} {_kinds()}")


def _kinds() -> str:
    return "known: " + ", ".join(OPTIONS)
