"""Rubrics, as a file of their own or inside `gate.yaml`: dimensions, their weights, and one scale."""

import math
from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.domain.rubric import SCALE, usual_threshold
from gate.inputs.fields import Fields, Range
from gate.inputs.nodes import Node, described
from gate.inputs.problems import Problems, quoted
from gate.inputs.yamltext import parse_yaml

KEYS = ("scale", "threshold", "dimensions")
DIMENSION = ("name", "weight", "description", "anchors")
ENDS = Range(-1e6, 1e6)
SHARE = Range(0, 1, above=True)
DIMENSIONS = 30
"""Of one rubric."""
ANCHORS = 20
"""Of one dimension."""
DESCRIPTION_CHARS = 4_000
"""Of a dimension, and of an anchor."""
EXAMPLE = "One or two short sentences, no filler."

_TOLERANCE = 1e-6
"""Of a sum of weights; so 0.3333 three times is not 1."""
_LONGEST_NUMBER = 30


def parse_rubric(text: str, file: str) -> dict[str, JsonValue]:
    """A rubric's own file.

    Args:
        text: YAML, of which JSON is a part.
        file: its path, for messages.

    Returns:
        The options `scale`, `threshold` and `dimensions`.

    Raises:
        InputErrors: everything that is wrong with it.
    """
    problems = Problems(file)
    root = parse_yaml(text, problems)
    problems.check()
    fields = Fields(root, "", problems)
    fields.only(KEYS)
    found: dict[str, JsonValue] = {"scale": read_scale(fields), "threshold": read_threshold(fields)}
    if fields.require("dimensions", "dimensions: [{name: brevity, weight: 1, description: …}]"):
        found["dimensions"] = read_dimensions(fields)
    problems.check()
    return found


def read_scale(fields: Fields) -> list[JsonValue]:
    """Both ends of the scale; 1 to 5 where none is given."""
    usual: list[JsonValue] = [*SCALE]
    node = fields.get("scale")
    if node is None:
        return usual
    ends = _ends(node)
    if ends is None:
        said = f"{_named(fields, 'scale')} must be two numbers, the lower one first, not {_shown(node)}"
        fields.problems.add(node.line, said, "for example [1, 5]")
        return usual
    return [*ends]


def read_threshold(fields: Fields) -> float:
    """The weighted average at which an answer passes, on the scale."""
    low, high = scale_of(fields)
    hint = f"at {low:,.15g} and below every answer would pass"
    return fields.number("threshold", usual_threshold(low, high), passing(low, high), hint)


def passing(low: float, high: float) -> Range:
    """The thresholds that an answer can miss."""
    return Range(low, high, above=True)


def read_dimensions(fields: Fields) -> list[JsonValue]:
    """The dimensions under `dimensions`, with weights that sum to 1."""
    node = fields.entries["dimensions"]
    if not isinstance(node.value, tuple) or not node.value:
        said = f"{_named(fields, 'dimensions')} must be a list with at least one dimension, not {described(node.value)}"
        fields.problems.add(node.line, said, "begin with '- name:'")
        return []
    if len(node.value) > DIMENSIONS:
        fields.problems.add(node.line, f"a rubric has at most {DIMENSIONS} dimensions, not {len(node.value):,}")
        return []
    read = [_dimension(item, fields) for item in node.value]
    _check_names(node.value, read, fields.problems)
    _weigh(node, read, fields.problems)
    return [dict(one) for one in read]


def scale_of(fields: Fields) -> tuple[float, float]:
    """The scale that is given, if it is one; mistakes in it are told by `read_scale`."""
    node = fields.get("scale")
    return (_ends(node) if node is not None else None) or SCALE


def _ends(node: Node) -> tuple[float, float] | None:
    if not isinstance(node.value, tuple) or len(node.value) != 2:
        return None
    low, high = (item.value for item in node.value)
    if isinstance(low, (bool, str)) or isinstance(high, (bool, str)):
        return None
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return None
    return (float(low), float(high)) if ENDS.holds(low) and ENDS.holds(high) and low < high else None


def _dimension(node: Node, outer: Fields) -> dict[str, JsonValue]:
    fields = Fields(node, _named(outer, "dimensions"), outer.problems)
    if not isinstance(node.value, Mapping):
        return {}
    fields.require("name", "name: brevity")
    name = fields.text("name")
    if not name.isprintable():
        fields.problems.add(fields.line_of("name"), "the name of a dimension holds a control character")
    if name:
        fields.name = f"dimension {quoted(name)}"
    fields.only(DIMENSION)
    fields.require("description", f"description: {EXAMPLE}")
    hint = f"say what it measures, for example {EXAMPLE}"
    found: dict[str, JsonValue] = {
        "name": name,
        "description": " ".join(fields.text("description", most=DESCRIPTION_CHARS, hint=hint).split()),
        "anchors": _anchors(fields, scale_of(outer)),
    }
    if fields.has("weight"):
        found["weight"] = fields.number("weight", math.nan, SHARE, "a share of 1: 0.2 for 20 %")
    return found


def _anchors(fields: Fields, scale: tuple[float, float]) -> dict[str, JsonValue]:
    inner = fields.mapping("anchors")
    if len(inner.entries) > ANCHORS:
        fields.problems.add(fields.line_of("anchors"), f"{inner.name} has more than {ANCHORS} entries")
        return {}
    found: dict[float, str] = {}
    for key, node in inner.entries.items():
        score = _score(key)
        if score is None:
            fields.problems.add(node.line, f"{inner.name}: {quoted(key)} is no score", "for example 1: Says it twice.")
        elif not scale[0] <= score <= scale[1]:
            said = f"{inner.name}: {quoted(key)} lies outside of the scale {scale[0]:g} to {scale[1]:g}"
            fields.problems.add(node.line, said)
        elif score in found:
            fields.problems.add(node.line, f"{inner.name}: the score {quoted(key)} is given twice")
        else:
            found[score] = " ".join(inner.text(key, most=DESCRIPTION_CHARS).split())
    return {f"{score:g}": found[score] for score in sorted(found)}


def _score(key: str) -> float | None:
    try:
        score = float(key) if len(key) <= _LONGEST_NUMBER else math.nan
    except ValueError:
        return None
    return score if math.isfinite(score) else None


def _check_names(nodes: tuple[Node, ...], read: list[dict[str, JsonValue]], problems: Problems) -> None:
    taken: set[JsonValue] = set()
    for node, one in zip(nodes, read, strict=True):
        name = one.get("name")
        if name and isinstance(name, str) and name in taken:
            problems.add(node.line, f"two dimensions are named {quoted(name)}", "give one another name")
        taken.add(str(name))


def _weigh(node: Node, read: list[dict[str, JsonValue]], problems: Problems) -> None:
    """Dimensions without any weight count alike; where one has a weight, all have, and they sum to 1."""
    given = [one["weight"] for one in read if "weight" in one]
    if not given:
        for one in read:
            one["weight"] = 1.0 / len(read)
        return
    if len(given) < len(read):
        bare = ", ".join(quoted(str(one.get("name", ""))) for one in read if "weight" not in one)
        problems.add(node.line, f"these dimensions have no weight: {bare}", "give every dimension one, or none")
        return
    # Not a number, and so not off, where one of them is none: its own message says that.
    total = math.fsum(float(weight) for weight in given if isinstance(weight, (int, float)))
    if abs(total - 1.0) > _TOLERANCE:
        said = f"the weights of the dimensions sum to {total:.6g}, and they have to sum to 1"
        problems.add(node.line, said, "for example 0.5, 0.3 and 0.2")


def _named(fields: Fields, key: str) -> str:
    return f"{fields.name}.{key}" if fields.name else key


def _shown(node: Node) -> str:
    if isinstance(node.value, tuple) and len(node.value) <= 4:
        return f"[{', '.join(described(item.value) for item in node.value)}]"
    return described(node.value)
