"""The sandbox of templates: allowed values and methods, and a time limit."""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, Undefined, nodes
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS as JINJA_FILTERS
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment
from jinja2.tests import TESTS as JINJA_TESTS

from gate.limits import LOOP_STEPS, RENDERED_CHARS, RENDERING_S, TEMPLATE_TAGS, TEMPLATE_TOKENS


class TooLong(SecurityError):
    """A rendering took too long."""


_ending: ContextVar[tuple[float, float]] = ContextVar("ending")
"""End of the current rendering's time, by the clock of the thread, and its limit."""


@contextmanager
def limited(seconds: float = RENDERING_S) -> Iterator[None]:
    """Limit the time of rendering or constant folding inside.

    Args:
        seconds: of this thread's processor time; waiting for another process does not count.
    """
    token = _ending.set((time.thread_time() + seconds, seconds))
    try:
        yield
    finally:
        _ending.reset(token)


def check() -> None:
    """Check the time wherever a template does work: at each turn, filter, test, call, operator and piece of the result.

    Raises:
        TooLong: the time is used up.
    """
    end, seconds = _ending.get((float("inf"), 0.0))
    if time.thread_time() > end:
        raise TooLong(f"takes longer than {seconds:g} s to render; shorten its loops, or their values")


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test of Jinja that checks the time first; its error messages stay."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        check()
        return function(*args, **kwargs)

    return run


METHODS = frozenset(
    "capitalize count endswith find get index isalpha isdigit islower isupper items keys lower lstrip rsplit rstrip "
    "split splitlines startswith strip title upper values".split()
)

_INDENT = 100
_MAX_BITS = 4096


def sized(value: Any) -> Any:
    """The value itself, if its size is bounded; shared parts count as often as they would be written."""
    characters, values = RENDERED_CHARS, LOOP_STEPS
    stack = [value]
    while stack:
        item = stack.pop()
        values -= 1
        characters -= len(item) if isinstance(item, str) else 0
        if characters < 0 or values < 0 or (isinstance(item, int) and item.bit_length() > _MAX_BITS):
            raise _too_large()
        if isinstance(item, Mapping):
            stack.extend(item.keys())
            stack.extend(item.values())
        elif isinstance(item, (list, tuple)):
            stack.extend(item)
    return value


def text_of(value: Any) -> str:
    """A value as text: strings as they are, everything else as JSON."""
    if isinstance(value, (str, Undefined)):
        return str(value)
    return to_json(value)


def to_json(value: Any, indent: int | None = None, separators: tuple[str, str] | None = None) -> str:
    """JSON of bounded length, with letters of all languages as they are."""
    if indent is not None and not 0 <= indent <= _INDENT:
        raise SecurityError(f"an indent must be from 0 to {_INDENT}")
    encoder = json.JSONEncoder(ensure_ascii=False, indent=indent, separators=separators, default=_as_list)
    pieces: list[str] = []
    left = RENDERED_CHARS
    for piece in encoder.iterencode(value):
        left -= len(piece)
        if left < 0:
            raise _too_large()
        pieces.append(piece)
    return "".join(pieces)


def _dump(value: Any, indent: int | None = None) -> str:
    """JSON as Nunjucks writes it: without blanks where it is on one line."""
    return to_json(value, indent, (",", ":") if indent is None else None)


def joined(values: Iterable[Any], separator: str = "") -> str:
    """Texts joined, with their length checked on the way."""
    pieces: list[str] = []
    left = RENDERED_CHARS
    for value in values:
        check()
        piece = text_of(value)
        left -= len(piece) + len(separator)
        if left < 0:
            raise _too_large()
        pieces.append(piece)
    return separator.join(pieces)


def _too_large() -> SecurityError:
    return SecurityError(f"a value of more than {RENDERED_CHARS:,} characters or {LOOP_STEPS:,} parts is not supported")


def _as_list(value: object) -> list[Any]:
    if isinstance(value, Undefined):
        str(value)
    if not isinstance(value, Iterable):
        raise TypeError(f"{type(value).__name__} cannot be written as text")
    items = list(islice(value, LOOP_STEPS + 1))
    if len(items) > LOOP_STEPS:
        raise _too_large()
    return items


def _replace(value: Any, old: Any, new: Any) -> str:
    text, before, after = text_of(value), text_of(old), text_of(new)
    if len(text) + text.count(before) * len(after) > RENDERED_CHARS:
        raise _too_large()
    return text.replace(before, after)


def _indent(value: Any, width: int = 4, first: bool = False) -> str:
    if not 0 <= width <= _INDENT:
        raise SecurityError(f"an indent must be from 0 to {_INDENT}")
    text, pad = text_of(value), " " * width
    if len(text) + text.count("\n") * width > RENDERED_CHARS:
        raise _too_large()
    lines = text.split("\n")
    padded = [pad + line if line and (number or first) else line for number, line in enumerate(lines)]
    return "\n".join(padded)


def _join(values: Iterable[Any], d: str = "") -> str:
    return joined(values, d)


_KEPT = (
    "abs capitalize count d default dictsort first float int items last length list lower map max min reject "
    "rejectattr reverse round select selectattr sort title trim truncate unique upper wordcount"
).split()

_OWN: Mapping[str, Callable[..., Any]] = {
    "dump": _dump,
    "indent": _indent,
    "join": _join,
    "replace": _replace,
    "safe": lambda value: value,  # nothing is escaped
    "string": text_of,
    "tojson": lambda value, indent=None: to_json(value, indent),
}

_JINJAS: dict[str, Any] = {name: JINJA_FILTERS[name] for name in _KEPT}
_TESTS: dict[str, Any] = dict(JINJA_TESTS)

FILTERS = {name: checked(function) for name, function in (*_JINJAS.items(), *_OWN.items())}
TESTS = {name: checked(function) for name, function in _TESTS.items()}


_REFUSED = (
    nodes.Macro,
    nodes.CallBlock,
    nodes.FilterBlock,
    nodes.AssignBlock,
    nodes.Import,
    nodes.FromImport,
    nodes.Extends,
    nodes.Block,
    nodes.ScopedEvalContextModifier,
)
_OUTSIDE = frozenset(
    "block_begin block_end comment comment_begin comment_end data raw_begin raw_end variable_begin variable_end "
    "whitespace".split()
)
"""Tokens of Jinja's lexer other than words and signs of tags."""
_SHARED = (nodes.Macro, nodes.Import, nodes.FromImport, nodes.Extends, nodes.Block)


class BadTemplate(Exception):
    """A template that cannot be read or rendered.

    Args:
        line: 1-based, in the template; 0 when unknown.
        file: the part with that line; empty for the template itself.
    """

    def __init__(
        self, message: str, line: int = 0, *, undefined: bool = False, file: str = "", slow: bool = False
    ) -> None:
        super().__init__(message)
        self.slow = slow
        self.message, self.line, self.undefined, self.file = message, line, undefined, file


class Environment(SandboxedEnvironment):
    """The sandbox, reduced to what a prompt needs: an allowlist of methods, and limited operators."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def wrap_str_format(self, value: Any) -> None:
        """`str.format` takes widths like `{:>999999999}`, so it is not allowed."""
        return None

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A key of the user's data wins over a method of the same name (`vars.items`)."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        if isinstance(obj, (str, int, float, list, tuple, dict, range)):
            return attr in METHODS
        return super().is_safe_attribute(obj, attr, value)

    def call(self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        check()
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        check()
        if operator == "%" and isinstance(left, str):
            raise SecurityError("formatting text with % is not supported")
        if operator == "**" and not (abs(left) <= 1e6 and abs(right) <= 64):
            raise SecurityError("a power this large is not supported")
        if operator == "*":
            for one, other in ((left, right), (right, left)):
                if isinstance(one, (str, list, tuple)) and len(one) * max(other, 0) > RENDERED_CHARS:
                    raise SecurityError(f"a value of more than {RENDERED_CHARS:,} characters is not supported")
        return sized(super().call_binop(context, operator, left, right))


def sandbox() -> Environment:
    """A new sandbox: strict, deterministic, without a loader, so that no template reaches a file."""
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, finalize=checked(text_of))
    environment.filters, environment.tests = dict(FILTERS), dict(TESTS)
    environment.globals = {"range": environment.globals["range"], "dict": dict}
    return environment


@dataclass(slots=True)
class TemplateSize:
    """Amount of a template, with its parts, to compile.

    Args:
        tags, tokens: so far; tokens are the words and signs inside tags.
    """

    tags: int = 0
    tokens: int = 0

    def add(self, environment: Environment, text: str) -> None:
        """Count a template, or a part once more, before it is parsed.

        Raises:
            BadTemplate: it would take too long to compile; with the line in this text where the limit is reached.
            TemplateSyntaxError: the lexer fails.
        """
        self.tags += text.count("{{") + text.count("{%")
        if self.tags > TEMPLATE_TAGS:
            raise BadTemplate(f"a template with its included files may have at most {TEMPLATE_TAGS:,} tags", 1)
        for line, kind, _ in environment.lexer.tokeniter(text, None):
            self.tokens += kind not in _OUTSIDE
            if self.tokens > TEMPLATE_TOKENS:
                message = (
                    f"a template with its included files may have at most {TEMPLATE_TOKENS:,} words and signs in tags"
                )
                raise BadTemplate(message, line)


def parsed(environment: Environment, text: str, extent: TemplateSize | None = None) -> nodes.Template:
    """The tree of a template, checked: apart from includes, it only contains what the sandbox runs.

    Args:
        extent: of the whole template; None for only a text.

    Raises:
        BadTemplate: with the line.
    """
    try:
        (extent or TemplateSize()).add(environment, text)
        tree = environment.parse(text)
        refused = next(tree.find_all(_REFUSED), None)
        if refused is not None:
            more = "; add shared text with {% include %}" if isinstance(refused, _SHARED) else ""
            raise BadTemplate(f"{_tag(refused)!r} is not supported in templates{more}", refused.lineno)
        _check_names(tree)
    except TemplateSyntaxError as error:
        raise BadTemplate(f"invalid Jinja2: {short(error.message or 'syntax error')}", error.lineno) from None
    except (RecursionError, ValueError, MemoryError):
        raise BadTemplate("invalid Jinja2: too deeply nested") from None
    return tree


def short(message: str) -> str:
    """A message on one line, of bounded length."""
    return " ".join(message.split())[:300]


def _check_names(tree: nodes.Template) -> None:
    """Refuse names with two underscores, which are Python's own."""
    for node in tree.find_all((nodes.Name, nodes.NSRef)):
        name = str(getattr(node, "name", ""))
        if name.startswith("__"):
            raise BadTemplate(short(f"a name must not begin with two underscores, as {name} does"), node.lineno)


def _tag(node: nodes.Node) -> str:
    names: dict[type[nodes.Node], str] = {
        nodes.AssignBlock: "set … endset",
        nodes.CallBlock: "call",
        nodes.FilterBlock: "filter",
        nodes.FromImport: "import",
        nodes.ScopedEvalContextModifier: "autoescape",
    }
    return names.get(type(node), type(node).__name__.lower())
