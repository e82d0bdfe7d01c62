"""Turns the templates of the stages into messages; what comes from outside stands inside fences."""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources

from jinja2 import Environment, StrictUndefined, Template

from gate.domain.jsonvalue import JsonValue
from gate.domain.message import Message


def framed(stage: str, view: Mapping[str, object], instructions: str, problem: str) -> tuple[Message, ...]:
    """The two messages of a stage: `templates/STAGE_system.md.j2` and `templates/STAGE_user.md.j2`.

    Args:
        stage: name of the templates.
        view: what they show.
        instructions: what the user of the gate adds to the stage.
        problem: what was wrong with the last reply; empty for the first request.
    """
    told = {**view, "instructions": instructions, "problem": problem}
    return Message("system", rendered(f"{stage}_system", told)), Message("user", rendered(f"{stage}_user", told))


def rendered(name: str, view: Mapping[str, object]) -> str:
    """One template, filled in: `templates/NAME.md.j2`.

    Args:
        name: of the template.
        view: what it shows.
    """
    return _template(name).render(view).strip()


def fence(*texts: str) -> str:
    """A mark that none of the texts can hold, since it is made of all of them; the same texts get the same one."""
    joined = "\0".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:24]


def object_schema(properties: Mapping[str, Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    """JSON Schema of an object with exactly these properties, in the form that every interface takes."""
    return {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def list_schema(
    item: Mapping[str, JsonValue],
    least: int = 0,
    each: Sequence[Mapping[str, JsonValue]] = (),
    most: int | None = None,
) -> dict[str, JsonValue]:
    """JSON Schema of a list. Bounds reach those models alone whose replies follow a grammar; all are told in words.

    Args:
        item: schema of any item.
        least: number of items that a list of use has.
        each: schemas of the items one by one, where it is known how many there are.
        most: number of items that are read.
    """
    found: dict[str, JsonValue] = {"type": "array", "items": dict(item)}
    if least:
        found["minItems"] = least
    if most is not None:
        found["maxItems"] = most
    if each:
        found["prefixItems"] = [dict(one) for one in each]
    return found


TEXT: Mapping[str, JsonValue] = {"type": "string"}
SENTENCE: Mapping[str, JsonValue] = {"type": "string", "minLength": 20}
"""A text that one word cannot be; see `list_schema` about bounds."""
REMARK: Mapping[str, JsonValue] = {"type": "string", "minLength": 20, "maxLength": 400}
"""A sentence for the reader of a test."""
FLAG: Mapping[str, JsonValue] = {"type": "boolean"}


def one_of(*words: str) -> dict[str, JsonValue]:
    """JSON Schema of one of some words."""
    return {"type": "string", "enum": [*words]}


@lru_cache
def _template(name: str) -> Template:
    source = resources.files("gate.testgen").joinpath("templates", f"{name}.md.j2").read_text(encoding="utf-8")
    # No HTML is made here: the result is a message to a model.
    env = Environment(undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True)  # noqa: S701
    return env.from_string(source)
