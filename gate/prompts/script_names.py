"""The names of a JavaScript or TypeScript file and every place that gives one a value: nothing of it runs."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

from gate.limits import TEXT_DEPTH
from gate.prompts.expressions import (
    BROKEN,
    HIDDEN,
    PLACES,
    Definition,
    Definitions,
    meant_by,
    no_definitions,
    touched,
)

if TYPE_CHECKING:
    from tree_sitter import Language, Node


WRAPPERS = frozenset(("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"))


_FUNCTIONS = frozenset(
    "arrow_function function_expression function_declaration generator_function generator_function_declaration "
    "method_definition".split()
)


NAMES = frozenset(("identifier", "member_expression", "subscript_expression"))


_ESCAPE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)


_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


_LINE_ENDS = ("\n", "\r\n", "\r", "\u2028", "\u2029")


@dataclass(frozen=True, slots=True)
class ScriptExpression:
    """A node with the names that it sees.

    Args:
        scope: start of the names of the function around it; empty outside of functions.
        parameters: of that function.
        readable: False for a place that gives a name a value which only running the code would tell.
    """

    node: "Node"
    scope: str = ""
    parameters: frozenset[str] = frozenset()
    readable: bool = True

    def at(self, node: "Node") -> "ScriptExpression":
        """Another node that sees the same names."""
        return replace(self, node=node)


@cache
def _language(ending: str) -> "Language":
    """No grammar is loaded before a file needs it."""
    from tree_sitter import Language

    if ending in (".ts", ".tsx"):
        import tree_sitter_typescript as typescript

        return Language(typescript.language_tsx() if ending == ".tsx" else typescript.language_typescript())
    import tree_sitter_javascript as javascript

    return Language(javascript.language())


def script_definitions(content: str, ending: str) -> Definitions[ScriptExpression]:
    """The names at the top of a file, without statements that cannot be read; `BROKEN` marks that there are some."""
    from tree_sitter import Parser

    root = Parser(_language(ending)).parse(content.encode("utf-8", "replace")).root_node
    found: Definitions[ScriptExpression] = no_definitions()
    for statement in root.named_children:
        if not statement.has_error:
            _define(found, statement)
    for name, node in _bindings(root, frozenset()):
        _note(found, name, node)
    _note_touched(found, root)
    if root.has_error:
        bad = next(_errors(root), root)
        found[BROKEN].append(Definition(*lines_of(bad), ScriptExpression(bad)))
    return found


def _note_touched(found: Definitions[ScriptExpression], root: "Node") -> None:
    """Note what changes an object under another name, and statements that may change one by a call."""
    functions = {field_of(node, "name"): node for node in below(root) if node.type == "function_declaration"}
    others = _other_names(root, functions)
    for node, scope in _with_scopes(root):
        names = {**others[""], **others.get(scope, {})}
        for name in _bound_names(node) if names else ():
            for meant in meant_by(name, names) if "." in name or node.type == "call_expression" else ():
                if meant.split(".")[0] in found:
                    _note(found, meant, node)
        for name in _used_by_statement(node):
            if one := longest("", name, found):
                place = ScriptExpression(node, readable=False)
                found[touched(one)].append(Definition(*lines_of(node), place))


def _with_scopes(root: "Node") -> "Iterator[tuple[Node, str]]":
    """Every node with the name of the declared function around it; empty outside of functions."""
    waiting = [(root, "")]
    while waiting:
        node, scope = waiting.pop()
        yield node, scope
        inner = field_of(node, "name") if node.type == "function_declaration" else scope
        waiting += [(child, inner) for child in node.named_children if child.type != "comment"]


def _other_names(root: "Node", functions: "Mapping[str, Node]") -> dict[str, dict[str, set[str]]]:
    """For each function, for names inside of it, the names of the objects that they may be."""
    others: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for node, scope in _with_scopes(root):
        left = node.child_by_field_name("name") or node.child_by_field_name("left")
        right = node.child_by_field_name("value") or node.child_by_field_name("right")
        if node.type == "for_in_statement" and left is not None and right is not None and right.type == "array":
            pairs = [(left, one) for one in right.named_children]
        elif node.type in ("variable_declarator", "assignment_expression") and left is not None and right is not None:
            pairs = [(left, right)]
        elif node.type == "call_expression" and (function := functions.get(field_of(node, "function"))) is not None:
            parameters = function.child_by_field_name("parameters")
            names = [] if parameters is None else parameters.named_children
            named = [one.child_by_field_name("pattern") or one for one in names]
            pairs, scope = [*zip(named, arguments_of(node), strict=False)], field_of(function, "name")
        else:
            continue
        for target, value in pairs:
            if (name := dotted(target)) and (one := dotted(unwrapped(value))):
                others[scope][name].add(one)
    return others


def _used_by_statement(node: "Node") -> Iterator[str]:
    """The objects that a call uses of which nothing else is done with the result."""
    call = next(iter(node.named_children), node) if node.type == "expression_statement" else node
    if call.type == "await_expression" and call.named_child_count:
        call = call.named_children[0]
    if call is node or call.type != "call_expression":
        return
    called = call.child_by_field_name("function") or call
    for value in (called.child_by_field_name("object"), *arguments_of(call)):
        if value is not None and (name := dotted(value)):
            yield name


def below(node: "Node") -> "Iterator[Node]":
    """A node and all below it, in the order of the file, without comments."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.type != "comment":
            yield node
            waiting += reversed(node.children)


def longest(scope: str, name: str, definitions: Definitions[ScriptExpression]) -> str:
    """The longest beginning of a dotted name that has a definition; empty for none."""
    parts = name.split(".")
    ways = (scope + ".".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((one for one in ways if one in definitions), "")


DEFAULT = "="
"""After the name of a parameter: its default."""


def _errors(root: "Node") -> "Iterator[Node]":
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            yield node
        waiting += [child for child in reversed(node.children) if child.has_error or child.is_missing]


def lines_of(node: "Node") -> tuple[int, int]:
    return node.start_point[0] + 1, node.end_point[0] + 1


def source_of(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "replace")


def field_of(node: "Node", name: str) -> str:
    inner = node.child_by_field_name(name)
    return "" if inner is None else source_of(inner)


def _note(found: Definitions[ScriptExpression], name: str, node: "Node", scope: str = "") -> None:
    """Note another place that gives a name a value, which only running the code would tell."""
    known = [one.value.node.start_byte for one in found[name]]
    most = PLACES if HIDDEN in name else 1
    if len(known) <= most and not any(node.start_byte <= one < node.end_byte for one in known):
        found[name].append(Definition(*lines_of(node), ScriptExpression(node, scope, readable=False)))


_MUTATING = frozenset("Object.assign Object.defineProperty Object.defineProperties Reflect.set _.merge".split())
"""Functions that change their first argument."""


_MUTATING_METHODS = frozenset("push pop shift unshift splice sort reverse fill copyWithin".split())


def _bindings(scope: "Node", local: frozenset[str]) -> "Iterator[tuple[str, Node]]":
    """Every place below that gives a name of the file a value, or changes it.

    Args:
        local: names that mean something else here.
    """
    waiting = [(scope, local)]
    while waiting:
        node, local = waiting.pop()
        for name in _bound_names(node):
            if name.split(".")[0] not in local:
                yield name, node
        inner = local | frozenset(_declared_inside(node)) if node is not scope else local
        waiting += [(child, inner) for child in node.named_children]


def _declared_inside(scope: "Node") -> Iterator[str]:
    """What a function, a block or a loop declares for itself."""
    if scope.type in _FUNCTIONS or scope.type == "catch_clause":
        yield from _parameters(scope.child_by_field_name("parameters") or scope.child_by_field_name("parameter"))
    if scope.type == "for_in_statement" and field_of(scope, "kind") in ("let", "const"):
        yield from _pattern_names(scope.child_by_field_name("left") or scope)
    body_of_function = scope.parent is not None and scope.parent.type in _FUNCTIONS
    for one in scope.named_children if scope.type in ("statement_block", "for_statement") else ():
        if one.type == "lexical_declaration" or (one.type == "variable_declaration" and body_of_function):
            yield from _declared_names(one)
        elif one.type in ("function_declaration", "class_declaration"):
            yield field_of(one, "name")


def _declared_names(declaration: "Node") -> Iterator[str]:
    for declarator in declaration.named_children:
        if (name := declarator.child_by_field_name("name")) is not None:
            yield from _pattern_names(name)


def _bound_names(node: "Node") -> Iterator[str]:
    """The names that a node gives a value."""
    match node.type:
        case kind if kind in (*_ASSIGNMENTS, "for_in_statement"):
            left = node.child_by_field_name("left")
            if left is not None and field_of(node, "kind") not in ("let", "const"):
                yield from _pattern_names(left)
        case "update_expression" | "unary_expression":
            if field_of(node, "operator") in ("++", "--", "delete"):
                yield from _pattern_names(node.child_by_field_name("argument") or node)
        case "variable_declarator":
            name = node.child_by_field_name("name")
            # Of what is declared in a block only `var` is a name of the file.
            value = node.child_by_field_name("value")
            if name is not None and value is not None and node.parent is not None and _is_of_file(node.parent):
                yield from _pattern_names(name)
        case "export_specifier":
            alias = field_of(node, "alias")
            if alias and alias != field_of(node, "name"):
                yield alias
        case "call_expression":
            yield from _changed_by_call(node)


def _changed_by_call(call: "Node") -> Iterator[str]:
    if field_of(call, "function") in _MUTATING:
        yield from map(_target, arguments_of(call)[:1])
    called = call.child_by_field_name("function") or call
    owner = called.child_by_field_name("object")
    if owner is not None and field_of(called, "property") in _MUTATING_METHODS:
        yield _target(owner)


def _is_of_file(declaration: "Node") -> bool:
    """Does a declaration give a name to the whole file?"""
    parent = declaration.parent
    at_top = parent is None or parent.type in ("program", "export_statement")
    return at_top or declaration.type == "variable_declaration"


def _target(node: "Node") -> str:
    """The name of what is assigned to; of a key that is not a constant, the object's."""
    while not (name := dotted(node)) and (inner := node.child_by_field_name("object")) is not None:
        node = inner
    return name


def _pattern_names(node: "Node") -> Iterator[str]:
    """The names in the left side of an assignment."""
    if node.type in NAMES:
        if name := _target(node):
            yield name
        return
    if node.type == "shorthand_property_identifier_pattern":
        yield source_of(node)
    elif node.type in ("pair_pattern", "assignment_pattern", "object_assignment_pattern"):
        inner = node.child_by_field_name("value" if node.type == "pair_pattern" else "left")
        yield from () if inner is None else _pattern_names(inner)
    else:
        for inner in node.named_children:
            yield from _pattern_names(inner)


def _define(found: Definitions[ScriptExpression], statement: "Node") -> None:
    """Note the names that a statement defines."""
    if statement.type == "export_statement":
        if value := statement.child_by_field_name("value"):
            _define_value(found, "default", lines_of(statement), ScriptExpression(value))
        if (inner := statement.child_by_field_name("declaration")) is not None:
            _define(found, inner)
    match statement.type:
        case "lexical_declaration" | "variable_declaration":
            for name, value, lines in _declared(statement):
                _define_value(found, name, lines, ScriptExpression(value))
        case "function_declaration":
            _define_value(found, field_of(statement, "name"), lines_of(statement), ScriptExpression(statement))
        case "class_declaration" | "abstract_class_declaration" | "enum_declaration":
            _define_members(found, statement)
        case "expression_statement":
            _define_assigned(found, statement)
        case "import_statement":
            _define_imported(found, statement)


def _define_imported(found: Definitions[ScriptExpression], statement: "Node") -> None:
    names: list[str] = []
    for node in below(statement):
        if node.type == "import_specifier":
            names.append(field_of(node, "alias") or field_of(node, "name"))
        elif node.type in ("import_clause", "namespace_import", "import_require_clause"):
            names += [source_of(one) for one in node.named_children if one.type == "identifier"]
    for name in names:
        found[name].append(Definition(*lines_of(statement), ScriptExpression(statement, readable=False)))


def _declared(statement: "Node") -> "Iterator[tuple[str, Node, tuple[int, int]]]":
    """The names that a declaration gives values."""
    several = sum(one.type == "variable_declarator" for one in statement.named_children) > 1
    for one in statement.named_children:
        name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if name is not None and name.type == "identifier" and value is not None:
            yield source_of(name), value, lines_of(one if several else statement)


def _define_members(found: Definitions[ScriptExpression], statement: "Node") -> None:
    """Note the fields and methods of a class, or the members of an enum."""
    found[field_of(statement, "name")].append(
        Definition(*lines_of(statement), ScriptExpression(statement, readable=False))
    )
    body = statement.child_by_field_name("body")
    for one in body.named_children if body is not None else ():
        key = one.child_by_field_name("name") or one.child_by_field_name("property")
        value = one if one.type == "method_definition" else one.child_by_field_name("value")
        if key is not None and value is not None:
            name = f"{field_of(statement, 'name')}.{key_of(key)}"
            _define_value(found, name, lines_of(one), ScriptExpression(value))
            if key_of(key) == "constructor":
                _define_parameter_fields(found, field_of(statement, "name"), value)
    for one in below(statement) if statement.type != "enum_declaration" else ():
        left = one.child_by_field_name("left") if one.type in _ASSIGNMENTS else None
        if left is not None and field_of(left, "object") == "this":
            owner, name = f"{field_of(statement, 'name')}.", field_of(left, "property")
            if f"{owner}{HIDDEN}.{name}" not in found:
                found[f"{owner}{HIDDEN}.{name}"] += found.get(f"{owner}{name}", [])
            for each in (f"{owner}{HIDDEN}.{name}", f"{owner}{name}"):
                _note(found, each, one)


def _define_parameter_fields(found: Definitions[ScriptExpression], owner: str, constructor: "Node") -> None:
    """Note fields that parameters of a constructor make, such as `private name = "x"`."""
    parameters = constructor.child_by_field_name("parameters")
    for one in () if parameters is None else parameters.named_children:
        name = one.child_by_field_name("pattern")
        if name is not None and any(child.type in ("accessibility_modifier", "readonly") for child in one.children):
            _note(found, f"{owner}.{HIDDEN}.{source_of(name)}", one)


_ASSIGNMENTS = ("assignment_expression", "augmented_assignment_expression")


def _define_assigned(found: Definitions[ScriptExpression], statement: "Node") -> None:
    node = next(iter(statement.named_children), statement)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or not (name := dotted(left)):
        return
    value = right if node.type == "assignment_expression" else node
    _define_value(found, name, lines_of(node), ScriptExpression(value))


def _define_value(
    found: Definitions[ScriptExpression], name: str, lines: tuple[int, int], expression: ScriptExpression
) -> None:
    """Note a name, the properties of an object under it, and the local constants of a function."""
    expression = expression.at(unwrapped(expression.node))
    node = expression.node
    whole = None
    if node.type in _FUNCTIONS:
        expression = _function(found, name, node)
        whole = expression.at(node)
    found[name].append(Definition(*lines, expression, whole))
    if node.type != "object" or name.count(".") >= TEXT_DEPTH:
        return
    for one in node.named_children:
        key = one.child_by_field_name("key") or one.child_by_field_name("name")
        value = one if one.type == "method_definition" else one.child_by_field_name("value")
        if one.type == "shorthand_property_identifier":
            key = value = one
        if key is not None and value is not None and (inner := key_of(key)):
            _define_value(found, f"{name}.{inner}", lines_of(one), expression.at(value))
            if later := next((other for other in _later(one) if _may_override(other)), None):
                place = replace(expression.at(later), readable=False)
                found[f"{name}.{inner}"].append(Definition(*lines_of(later), place))


def _later(node: "Node") -> "Iterator[Node]":
    while (following := node.next_named_sibling) is not None:
        node = following
        yield node


def _may_override(property: "Node") -> bool:
    """May a property have any name? What is spread, or has a computed key, may."""
    key = property.child_by_field_name("key") or property.child_by_field_name("name")
    return property.type == "spread_element" or (key is not None and key.type == "computed_property_name")


def key_of(node: "Node") -> str:
    """The name of a property; empty where it is computed."""
    if node.type == "string":
        return "".join(one for one in quoted_texts(node, ScriptExpression(node)) if isinstance(one, str))
    return "" if node.type == "computed_property_name" else source_of(node)


def unwrapped(node: "Node") -> "Node":
    """The value inside of brackets, types and `Object.freeze`."""
    while True:
        if node.type in WRAPPERS and node.named_child_count:
            node = node.named_children[0]
        elif node.type == "call_expression" and field_of(node, "function") == "Object.freeze":
            arguments = arguments_of(node)
            if len(arguments) != 1:
                return node
            node = arguments[0]
        else:
            return node


def _function(found: Definitions[ScriptExpression], name: str, function: "Node") -> ScriptExpression:
    """The value that a function returns, or the statement because of which it is unknown; notes its local constants."""
    scope = f"{name}.{HIDDEN}."
    parameters = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
    outer = ScriptExpression(function, scope, frozenset(_parameters(parameters)))
    for local, default in () if parameters is None else _defaults(parameters):
        found[f"{scope}{local}{DEFAULT}"].append(Definition(*lines_of(default), outer.at(default)))
    body = function.child_by_field_name("body")
    if body is None or body.type != "statement_block":
        return outer if body is None else outer.at(unwrapped(body))
    for one in body.named_children:
        if one.type == "return_statement" and one.named_child_count:
            return outer.at(unwrapped(one.named_children[0]))
        directive = one.type == "expression_statement" and one.named_children[0].type == "string"
        if one.type == "lexical_declaration":
            for local, value, lines in _declared(one):
                found[scope + local].append(Definition(*lines, outer.at(unwrapped(value))))
            for local in _declared_names(one):
                _note(found, scope + local, one, scope)
        elif one.type != "comment" and not directive:
            return outer.at(one)
    return outer


def _defaults(parameters: "Node") -> "Iterator[tuple[str, Node]]":
    for one in below(parameters):
        left = one.child_by_field_name("pattern") or one.child_by_field_name("left")
        default = one.child_by_field_name("value") or one.child_by_field_name("right")
        if left is not None and default is not None:
            yield from ((name, default) for name in _pattern_names(left))


def _parameters(node: "Node | None") -> Iterator[str]:
    waiting = [] if node is None else [node]
    while waiting:
        one = waiting.pop()
        if one.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield source_of(one)
        left = one.child_by_field_name("pattern") or one.child_by_field_name("left")
        waiting += [left] if left is not None else [inner for inner in one.named_children if "type" not in inner.type]


def dotted(node: "Node") -> str:
    """The name of a constant: `PROMPT`, `Class.field`, `prompts.key` for `prompts["key"]`; empty for anything else."""
    parts: list[str] = []
    while node.type in NAMES and node.type != "identifier":
        last = node.child_by_field_name("property") or node.child_by_field_name("index")
        inner = node.child_by_field_name("object")
        if last is None or inner is None or last.type not in ("property_identifier", "string"):
            return ""
        parts.append(key_of(last))
        node = inner
    return ".".join((source_of(node), *reversed(parts))) if node.type == "identifier" else ""


def quoted_texts(node: "Node", expression: ScriptExpression) -> list[str]:
    """The text of a string without values put in."""
    return [text for text in parts_of(expression.at(node)) if isinstance(text, str)]


def parts_of(expression: ScriptExpression, *, raw: bool = False) -> "Iterator[str | Node]":
    """The texts of a string or of a template literal, and its substitutions."""
    node = expression.node
    source, start = node.text or b"", node.start_byte
    at, fixed = 1, ""
    for one in node.named_children:
        if one.type not in ("escape_sequence", "template_substitution"):
            continue
        fixed += _fragment(source[at : one.start_byte - start])
        at = one.end_byte - start
        if one.type == "escape_sequence":
            fixed += source_of(one) if raw else _escaped(source_of(one))
            continue
        yield _whole(fixed)
        yield one
        fixed = ""
    yield _whole(fixed + _fragment(source[at:-1]))


def _fragment(source: bytes) -> str:
    """Text of the file, with `\\n` for line ends."""
    return source.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def _whole(text: str) -> str:
    """Two halves of a surrogate pair, each an escape, are one character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass") if not text.isascii() else text


def _escaped(sequence: str) -> str:
    found = _ESCAPE.fullmatch(sequence)
    if found is None:
        return sequence
    code = found[1] or found[2] or found[3]
    if code:
        return chr(int(code, 16)) if int(code, 16) <= 0x10FFFF else sequence
    return "" if found[4] in _LINE_ENDS else _SHORT.get(found[4], found[4])


def arguments_of(call: "Node") -> "list[Node]":
    found = call.child_by_field_name("arguments")
    return [] if found is None else [one for one in found.named_children if one.type != "comment"]
