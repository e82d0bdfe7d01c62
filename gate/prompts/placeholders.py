"""Texts of code with their placeholders, as Jinja2 source in which all else is inert."""

import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gate.limits import NAME_CHARS
from gate.prompts.version import AS_SHOWN, RESERVED, PlaceholderRules, literal
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate


@dataclass(frozen=True, slots=True)
class Variable:
    """A place in a text that a value is put into.

    Args:
        expression: what the code has there.
        code: a digest of all code of the file that makes the value; empty where that is the expression alone.
    """

    expression: str
    code: str = ""


Pieces: TypeAlias = tuple[str | Variable, ...]


@dataclass(frozen=True, slots=True)
class TemplateSource:
    """A text as the gate uses it: Jinja2 if `template`; the variables are in order of appearance.

    Args:
        made: variables with the code that makes their values.
    """

    text: str
    template: bool = False
    variables: tuple[str, ...] = ()
    made: tuple[tuple[str, str], ...] = ()


def template_source(pieces: Pieces, rules: PlaceholderRules = AS_SHOWN) -> TemplateSource:
    """The source of a text. Where code puts values in, it is finished, and its other braces are literal."""
    names = variable_names(piece.expression for piece in pieces if isinstance(piece, Variable))
    made = {(names[one.expression], one.code) for one in pieces if isinstance(one, Variable)}
    return replace(_template_source(pieces, rules), made=tuple(sorted(made)))


def _template_source(pieces: Pieces, rules: PlaceholderRules) -> TemplateSource:
    if rules.template is False:
        return TemplateSource(plain_text(pieces))
    if rules.template:
        names = variable_names(piece.expression for piece in pieces if isinstance(piece, Variable))
        tags = (piece if isinstance(piece, str) else f"{{{{ {names[piece.expression]} }}}}" for piece in pieces)
        return TemplateSource("".join(tags), True)
    found = pieces
    if not any(isinstance(piece, Variable) for piece in pieces):
        plain = plain_pieces("".join(str(piece) for piece in pieces))
        if isinstance(plain, TemplateSource):
            return plain
        found = plain
    kept = [one if isinstance(one, str) or one.expression not in rules.kept else plain_text((one,)) for one in found]
    return _source(kept)


def plain_text(pieces: Pieces) -> str:
    """The text as its file shows it."""
    return "".join(piece if isinstance(piece, str) else f"{{{piece.expression}}}" for piece in pieces)


_JINJA = re.compile(r"\{\{-?\s*[^\W\d][\w.]*\s*(?:\|[^{}]*)?-?\}\}|\{%-?\s*(?:if|for|set|raw)\b")
_SPACED = re.compile(r"\{\{-?\s+[^\W\d]|\{%")
_DOUBLE = re.compile(r"\{\{\s*([^\W\d]\w*)\s*\}\}")
_SINGLE = re.compile(r"\{([^\W\d]\w*)\}")
_PERCENT = re.compile(r"%\(([^\W\d]\w*)\)[sdifgr]|(%%)|(%)")
_SPEC = re.compile(r"(?:.?[<>^=])?[-+ ]?#?[0-9]*[,_]?(?:\.[0-9]+)?[bcdeEfFgGnosxX%]?")


def plain_pieces(text: str) -> Pieces | TemplateSource:
    """The pieces of a text whose values other code puts in, found by its placeholders.

    `{{ name }}` is Jinja2, `%(name)s` is the operator `%`, `{name}` is `str.format` where that takes the whole text,
    and a name replaced by hand where it does not, as in a prompt with JSON in it.
    """
    fields = _format_fields(text)
    if _JINJA.search(text) and (fields is None or _SPACED.search(text)):
        return _jinja_source(text)
    if pieces := _percent_fields(text):
        return pieces
    return _split(text, _SINGLE) if fields is None else fields


def _jinja_source(text: str) -> Pieces | TemplateSource:
    try:
        names = compile_template(text).names - {"range", "dict"}
    except BadTemplate:
        return _split(text, _DOUBLE)
    return TemplateSource(text, True, tuple(sorted(names, key=lambda name: (_place(text, name), name))))


def _place(text: str, name: str) -> int:
    found = re.search(rf"\b{re.escape(name)}\b", text)
    return found.start() if found else len(text)


def _format_fields(text: str) -> Pieces | None:
    """The pieces of a text for `str.format`; None where it is none, or has no field."""
    pieces: list[str | Variable] = []
    try:
        for fixed, field, spec, _ in string.Formatter().parse(text):
            pieces.append(fixed)
            if field is None:
                continue
            if not field.isidentifier() or not _SPEC.fullmatch(spec or ""):
                return None
            pieces.append(Variable(field))
    except ValueError:
        return None
    return tuple(pieces) if any(isinstance(piece, Variable) for piece in pieces) else None


def _percent_fields(text: str) -> Pieces:
    """The pieces of a text for `%` with a mapping; none where it is another."""
    pieces: list[str | Variable] = []
    at = 0
    for found in _PERCENT.finditer(text):
        if found[3]:
            return ()
        pieces += [text[at : found.start()], "%" if found[2] else Variable(found[1])]
        at = found.end()
    pieces.append(text[at:])
    return tuple(pieces) if any(isinstance(piece, Variable) for piece in pieces) else ()


def _split(text: str, placeholder: re.Pattern[str]) -> Pieces:
    pieces: list[str | Variable] = []
    at = 0
    for found in placeholder.finditer(text):
        pieces += [text[at : found.start()], Variable(found[1])]
        at = found.end()
    return (*pieces, text[at:])


def _source(pieces: Sequence[str | Variable]) -> TemplateSource:
    names = variable_names(piece.expression for piece in pieces if isinstance(piece, Variable))
    if not names:
        return TemplateSource("".join(str(piece) for piece in pieces))
    return TemplateSource("".join(_written(_joined(pieces), names)), True, tuple(names.values()))


def _joined(pieces: Iterable[str | Variable]) -> Iterator[str | Variable]:
    """The same with neighbouring texts as one: two braces may come from two of them."""
    fixed = ""
    for piece in pieces:
        if isinstance(piece, str):
            fixed += piece
            continue
        yield fixed
        yield piece
        fixed = ""
    yield fixed


def _written(pieces: Iterable[str | Variable], names: dict[str, str]) -> Iterator[str]:
    for piece in pieces:
        yield literal(piece) if isinstance(piece, str) else f"{{{{ {names[piece.expression]} }}}}"


def variable_names(expressions: Iterable[str]) -> dict[str, str]:
    """A name for each expression: `user_name` for `user.name`, `len_items` for `len(items)`."""
    names: dict[str, str] = {}
    for expression in dict.fromkeys(expressions):
        name = re.sub(r"\W+", "_", expression).strip("_")[:NAME_CHARS] or "value"
        if not name.isidentifier() or name in RESERVED:
            name = f"{name}_" if name.isidentifier() else f"value_{name}"
        if name in names.values():
            name = next(one for n in range(2, len(names) + 3) if (one := f"{name}_{n}") not in names.values())
        names[expression] = name
    return names


def mapped(pieces: Pieces, change: Callable[[str], str]) -> Pieces:
    """A text changed as a whole, such as by `strip`, with its variables in their places."""
    # No text holds half of a surrogate pair, so that these mark nothing else.
    marked = "".join(piece if isinstance(piece, str) else f"\ud800{at}\ud801" for at, piece in enumerate(pieces))
    parts = re.split("\ud800([0-9]+)\ud801", change(marked))
    return tuple(pieces[int(part)] if at % 2 else part for at, part in enumerate(parts))
