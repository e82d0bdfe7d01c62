"""Where the templates of strangers are read and run: a sandbox, narrowed to what a prompt needs."""

from typing import Any

from jinja2 import StrictUndefined, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment

from gate.inputs.limits import RENDERED_CHARS, TEMPLATE_TAGS
from gate.inputs.templatevalues import FILTERS, METHODS, sized, text_of

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
_SHARED = (nodes.Macro, nodes.Import, nodes.FromImport, nodes.Extends, nodes.Block)


class BadTemplate(Exception):
    """A template that cannot be read or rendered.

    Args:
        message: what is wrong.
        line: 1-based line in the template, 0 when it is not known.
        undefined: the message is about a variable that nobody gives.
        file: the part that the line is in; empty for the template itself.
    """

    def __init__(self, message: str, line: int = 0, *, undefined: bool = False, file: str = "") -> None:
        super().__init__(message)
        self.message, self.line, self.undefined, self.file = message, line, undefined, file


class Environment(SandboxedEnvironment):
    """The sandbox, narrowed to what a prompt needs: an allowlist of methods, and measured operators."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def wrap_str_format(self, value: Any) -> None:
        """`str.format` takes widths like `{:>999999999}`; it is no allowed method."""
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

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
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
    """A fresh one: strict, deterministic, without a loader, so that no template reaches a file."""
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, finalize=text_of)
    environment.filters = dict(FILTERS)
    environment.globals = {"range": environment.globals["range"], "dict": dict}
    return environment


def parsed(environment: Environment, text: str) -> nodes.Template:
    """The tree of a template, in which nothing is left that the sandbox does not run, but for includes.

    Raises:
        BadTemplate: with the line.
    """
    check_tags(tags(text))
    try:
        tree = environment.parse(text)
        refused = next(tree.find_all(_REFUSED), None)
        if refused is not None:
            more = "; pull shared text in with {% include %}" if isinstance(refused, _SHARED) else ""
            raise BadTemplate(f"{_tag(refused)!r} is not supported in templates{more}", refused.lineno)
        _check_names(tree)
    except TemplateSyntaxError as error:
        raise BadTemplate(f"invalid Jinja2: {short(error.message or 'syntax error')}", error.lineno) from None
    except (RecursionError, ValueError, MemoryError):
        raise BadTemplate("invalid Jinja2: too deeply nested") from None
    return tree


def tags(text: str) -> int:
    """How many tags a template has, at most."""
    return text.count("{{") + text.count("{%")


def check_tags(count: int) -> None:
    """Refuse a template of so many tags that compiling it would take too long.

    Raises:
        BadTemplate: it has.
    """
    if count > TEMPLATE_TAGS:
        raise BadTemplate(f"a template, with its parts, has at most {TEMPLATE_TAGS:,} tags", 1)


def short(message: str) -> str:
    """A message on one line, of bounded length."""
    return " ".join(message.split())[:300]


def _check_names(tree: nodes.Template) -> None:
    """Two underscores mark what is Python's own; no variable of a case is worth a name that looks like it.

    Raises:
        BadTemplate: a variable with such a name.
    """
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
