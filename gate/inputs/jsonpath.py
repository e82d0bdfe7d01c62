"""Paths to one value inside JSON: the singular queries of JSONPath (RFC 9535, section 2.3.5.1).

`$.items[0]['first name']`: names and indexes, nothing that could select several values. What selects several
(`*`, `..`, slices, filters) is refused: whether one or all of them have to fit, a path does not say.
"""

import re
from typing import TypeAlias

from gate.domain.jsonvalue import JsonValue
from gate.inputs.jsontext import BadJson, parse_json
from gate.inputs.problems import quoted

JsonPath: TypeAlias = tuple[str | int, ...]
"""Names and indexes, from the outside in; a negative index counts from the end."""

STEPS = 64
"""Names and indexes of one path: no deeper JSON is read."""

_STEP = re.compile(
    r"""[ \t\r\n]*(?:
        \.(?P<name>[A-Za-z_\u0080-\ud7ff\ue000-\U0010ffff][A-Za-z0-9_\u0080-\ud7ff\ue000-\U0010ffff]*)
        | \[[ \t\r\n]*(?:
            (?P<index>0|-?[1-9][0-9]{0,14})
            | "(?P<double>(?:[^"\\\x00-\x1f]|\\.)*)"
            | '(?P<single>(?:[^'\\\x00-\x1f]|\\.)*)'
          )[ \t\r\n]*\]
    )""",
    re.VERBOSE,
)
_SEVERAL = re.compile(r"[ \t\r\n]*(?:\.\.|\.\*|\[[ \t\r\n]*(?:\*|\?|-?[0-9]*[ \t\r\n]*:|[^\]]*,))")


class BadPath(Exception):
    """A text that is no path to one value; the message says why."""


def parse_path(text: str) -> JsonPath:
    """The steps of a path.

    Args:
        text: such as `$.items[0].name`; `items[0].name` means the same.

    Raises:
        BadPath: it is none, or could select several values.
    """
    if "{{" in text:
        raise BadPath("a path holds no fields of the case")
    rest = text.strip()
    if not rest.startswith("$"):
        rest = "$" + (rest if rest.startswith("[") else f".{rest}")
    steps: list[str | int] = []
    place = 1
    while place < len(rest):
        step = _STEP.match(rest, place)
        if step is None:
            if _SEVERAL.match(rest, place):
                raise BadPath(f"{quoted(rest[place:])} may select several values, and a path here leads to one")
            raise BadPath(f"{quoted(rest[place:])} is neither .name nor ['name'] nor [0]")
        steps.append(_step(step))
        place = step.end()
    if len(steps) > STEPS:
        raise BadPath(f"it has more than {STEPS} steps")
    return tuple(steps)


def _step(step: re.Match[str]) -> str | int:
    if step["index"] is not None:
        return int(step["index"])
    if step["name"] is not None:
        return step["name"]
    if step["double"] is not None:
        return _unescaped(step["double"])
    # JSON knows double quotes only.
    return _unescaped(re.sub(r"\\.|\"", lambda found: _SWAPPED.get(found[0], found[0]), step["single"]))


_SWAPPED = {"\\'": "'", '"': '\\"'}


def _unescaped(text: str) -> str:
    try:
        value = parse_json(f'"{text}"')
    except BadJson:
        raise BadPath(f"{quoted(text)} holds an escape that JSON does not know") from None
    return str(value)


class NotThere(Exception):
    """A path leads nowhere in this value; the message names the place."""


def look_up(path: JsonPath, value: JsonValue) -> JsonValue:
    """The value that a path leads to.

    Args:
        path: from `parse_path`.
        value: the whole JSON value.

    Raises:
        NotThere: a name that the mapping does not have, an index outside the list, or a step into something else.
    """
    for number, step in enumerate(path):
        if isinstance(value, dict) and isinstance(step, str) and step in value:
            value = value[step]
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            raise NotThere(f"nothing at {written(path[: number + 1])}")
    return value


def written(path: JsonPath) -> str:
    """The path in its plainest form: `$.a[0]`."""
    named = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
    parts = [f".{s}" if isinstance(s, str) and named.fullmatch(s) else f"[{s!r}]" for s in path]
    return "$" + "".join(parts)
