"""Prompts inside files of code and settings, read as data: nothing of the file runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from gate.config.documents import one_problem, printable, quoted
from gate.config.values import PYTHON_PREFIX, SOURCES
from gate.limits import CODE_CHARS
from gate.prompts.expressions import (
    BROKEN,
    HIDDEN,
    Computed,
    Definition,
    Definitions,
    Unreadable,
    Work,
    places_of,
    short_code,
)
from gate.prompts.placeholders import plain_text, template_source
from gate.prompts.version import AS_SHOWN, PlaceholderRules

SCRIPT_ENDINGS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx")
_NEAR = 3


@dataclass(frozen=True, slots=True)
class PointedText:
    """A text inside a file.

    Args:
        name: as a pointer names it.
        line, last: of its definition, from 1.
        text: Jinja2 source where `template`, else the text itself.
        variables: in order of appearance.
        plain: the text as the file has it, with `{expression}` where code puts in a value.
        made: variables with digests of the code that makes their values.
    """

    name: str
    line: int
    last: int
    text: str
    template: bool
    variables: tuple[str, ...]
    plain: str
    made: tuple[tuple[str, str], ...] = ()


def pointed_text(content: str, path: str, name: str, where: str, rules: PlaceholderRules = AS_SHOWN) -> PointedText:
    """The text of a name.

    Args:
        path: its ending decides the language.
        where: the name of the file in messages.

    Raises:
        InputErrors: the file cannot be read, there is no such name, it has two values, or it is computed.
    """
    try:
        work = _work(content, _ending(path))
    except Unreadable as error:
        raise one_problem(where, error.line, error.reason, f"so {quoted(name)} cannot be read from it") from None
    found = work.definitions.get(name, [])
    if not found and (broken := work.definitions.get(BROKEN)):
        message = f"is not valid JavaScript or TypeScript here, and {quoted(name)} is not in the rest of the file"
        raise one_problem(where, broken[0].line, message)
    if not found or HIDDEN in name:
        raise one_problem(where, 0, f"has no text named {quoted(name)}", _nearest(work.definitions, name))
    if len(places := places_of(work.definitions, name)) > 1:
        lines = " and on line ".join(map(str, sorted(one.line for one in places)[:2]))
        message = f"{quoted(name)} gets a value on line {lines}"
        raise one_problem(where, found[0].line, message, "use a name that gets a value only once")
    if inner := [one for one in work.definitions if one.startswith(f"{name}.") and HIDDEN not in one]:
        hint = f"use one of its texts: {', '.join(map(printable, inner[:_NEAR]))}"
        raise one_problem(where, found[0].line, f"{quoted(name)} is not a text", hint)
    try:
        return _pointed(name, found[0], work, rules)
    except Computed as error:
        message = f"{quoted(name)} cannot be read without running code: {error.reason}"
        raise one_problem(where, error.line or found[0].line, message, _instead(path, name)) from None


def pointed_texts(content: str, path: str) -> list[PointedText]:
    """Every text that a pointer could refer to, in the order of the file, without computed and empty ones.

    A file that cannot be read has none.
    """
    try:
        work = _work(content, _ending(path))
    except Unreadable:
        return []
    return list(_all(work))


def may_have(content: str, path: str, name: str) -> bool:
    """Is there such a name, computed or not? True also if the file cannot be read, so that this error is reported."""
    try:
        definitions = _definitions(content, _ending(path))
    except Unreadable:
        return True
    return name in definitions or BROKEN in definitions


def _all(work: Work[Any]) -> Iterator[PointedText]:
    for name, found in work.definitions.items():
        if len(places_of(work.definitions, name)) == 1 and found and name and HIDDEN not in name:
            work.steps = 0
            try:
                text = _pointed(name, found[0], work)
            except Computed:
                continue
            if text.text.strip():
                yield text


def _pointed(
    name: str, definition: Definition[Any], work: Work[Any], rules: PlaceholderRules = AS_SHOWN
) -> PointedText:
    if not work.is_text(definition.value):
        raise work.computed(definition.value)
    pieces = work.text(definition.value)
    source = template_source(pieces, rules)
    lines = definition.line, definition.last
    return PointedText(name, *lines, source.text, source.template, source.variables, plain_text(pieces), source.made)


def _ending(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _work(content: str, ending: str) -> Work[Any]:
    """What reads the texts of a file. Raises Unreadable."""
    definitions = _definitions(content, ending)
    if ending == ".py":
        from gate.prompts.python_texts import python_work

        return python_work(content, definitions)
    if ending in SCRIPT_ENDINGS:
        from gate.prompts.script_texts import script_work

        return script_work(definitions)
    from gate.prompts.data_texts import data_work

    return data_work(definitions)


# Reading is pure; both arms, the pairing and the annotations read the same few files.
@lru_cache(maxsize=16)
def _definitions(content: str, ending: str) -> Definitions[Any]:
    if len(content) > CODE_CHARS:
        raise Unreadable(0, f"is longer than {CODE_CHARS:,} characters")
    if ending == ".py":
        from gate.prompts.python_names import python_definitions

        return dict(python_definitions(content))
    if ending in SCRIPT_ENDINGS:
        from gate.prompts.script_names import script_definitions

        return dict(script_definitions(content, ending))
    from gate.prompts.data_texts import data_definitions

    return dict(data_definitions(content, ending))


def nearest_names(content: str, path: str, name: str) -> str:
    """A hint with names of the file that are like another; empty where it cannot be read."""
    try:
        return _nearest(_definitions(content, _ending(path)), name)
    except Unreadable:
        return ""


def _nearest(definitions: Definitions[Any], name: str) -> str:
    names = [one for one in definitions if one and HIDDEN not in one]
    near = get_close_matches(name, names, n=_NEAR, cutoff=0.5)
    if near:
        return f"did you mean {' or '.join(map(printable, near))}?"
    return f"it has {', '.join(short_code(printable(one)) for one in names[:_NEAR])}" if names else "it has no names"


def _instead(path: str, name: str) -> str:
    """What to do about a text that is computed."""
    if not path.endswith(".py"):
        return "write the text there as a plain string, or move it to its own file"
    inner = path.removeprefix(SOURCES[1]).removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return f"write a function that returns the text, and use it: prompt: {PYTHON_PREFIX}{inner}:FUNCTION"
