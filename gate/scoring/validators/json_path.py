"""Holds one value inside a JSON answer against what it should be."""

from functools import lru_cache

from gate.domain.jsonvalue import JsonValue
from gate.inputs.jsonpath import JsonPath, NotThere, look_up, parse_path
from gate.inputs.jsontext import BadJson, parse_json
from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding, Options, as_text, finding, shown
from gate.scoring.validators.shape import unfenced
from gate.scoring.validators.words import composed


def json_path(options: Options, subject: Subject) -> Finding:
    """The answer is JSON, and what `path` leads to is `equals`, is in `one_of`, or is there at all (`exists`)."""
    path = _parsed(as_text(options["path"]))
    try:
        value = look_up(path, parse_json(unfenced(subject.text, options)))
    except BadJson as error:
        return 0.0, f"is not JSON: {error}"[:300]
    except NotThere as error:
        return finding(options.get("exists") is False, str(error)[:300], str(error)[:300])
    there = f"{shown(value)} at {as_text(options['path'])[:100]}"
    if "equals" in options:
        return finding(same(value, options["equals"]), there, f"{there}, not {shown(options['equals'])}")
    wanted = options.get("one_of")
    if isinstance(wanted, list):
        return finding(any(same(value, want) for want in wanted), there, f"{there}, none of {len(wanted)}")
    return finding(options.get("exists") is not False, there, there)


def same(one: JsonValue, other: JsonValue) -> bool:
    """Equality of JSON values: 1 is 1.0, `true` is no number, and texts are compared in Unicode's NFC."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return composed(one, whole=True) == composed(other, whole=True)
    return one == other


@lru_cache(maxsize=256)
def _parsed(path: str) -> JsonPath:
    return parse_path(path)
