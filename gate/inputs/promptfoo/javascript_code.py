"""An expression of JavaScript about an answer, such as `output.includes('x') && output.length < 200`, as scorers."""

import re
from collections.abc import Callable, Iterator

from gate.domain.jsonvalue import JsonValue
from gate.inputs.promptfoo.code import Answer, NotRead, Said, all_of, checked, json_is, matches, one_of, turned

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
        | (?P<pattern>/(?![/*])(?:\[(?:[^\]\\]|\\.)*\]|[^/\\\[]|\\.)+/[a-z]*)
        | (?P<number>-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?(?![\w.]))
        | (?P<name>[A-Za-z_$][\w$]*)
        | (?P<sign>&&|\|\||===|!==|==|!=|<=|>=|[<>!.()\[\]])
    )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_FOLDS: dict[str, Callable[[str], str]] = {"toLowerCase": str.lower, "toUpperCase": str.upper}
_LITERALS: dict[str, JsonValue] = {"true": True, "false": False, "null": None}
_DEEP = 20
"""Brackets inside brackets."""


def read(code: JsonValue) -> list[Said]:
    """The scorers that mean the same.

    Args:
        code: the value of an assertion of the type `javascript`.

    Raises:
        NotRead: there are none.
    """
    text = checked(code.rstrip() if isinstance(code, str) else code)
    return _Reader(_tokens(re.sub(r";+\s*\Z", "", text))).whole()


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None or match.lastgroup is None:
            raise NotRead
        found.append((match.lastgroup, match[match.lastgroup]))
        at = match.end()
    return found


class _Reader:
    """Reads the tokens of an expression from left to right.

    Args:
        tokens: each its kind and its text.
    """

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens: Iterator[tuple[str, str]] = iter(tokens)
        self._next = next(self._tokens, ("", ""))
        self._depth = 0

    def whole(self) -> list[Said]:
        """All of it."""
        said = self._either()
        if self._next[0]:
            raise NotRead
        return said

    def _take(self, kind: str) -> str:
        found, text = self._next
        if found != kind:
            raise NotRead
        self._next = next(self._tokens, ("", ""))
        return text

    def _sees(self, *signs: str) -> str:
        """The sign that comes next, taken, if it is one of these; else nothing."""
        if self._next[0] != "sign" or self._next[1] not in signs:
            return ""
        return self._take("sign")

    def _need(self, *signs: str) -> str:
        if not (found := self._sees(*signs)):
            raise NotRead
        return found

    def _name(self, *names: str) -> str:
        name = self._take("name")
        if name not in names:
            raise NotRead
        return name

    def _either(self) -> list[Said]:
        parts = [self._both()]
        while self._sees("||"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else one_of(parts)

    def _both(self) -> list[Said]:
        parts = [self._part()]
        while self._sees("&&"):
            parts.append(self._part())
        return parts[0] if len(parts) == 1 else all_of(parts)

    def _part(self) -> list[Said]:
        if self._sees("!"):
            # It turns the next thing round, and not the comparison that it may begin.
            return turned(self._bracketed() if self._next == ("sign", "(") else [self._term(compares=False)])
        return self._bracketed() if self._next == ("sign", "(") else [self._term(compares=True)]

    def _bracketed(self) -> list[Said]:
        self._depth += 1
        if self._depth > _DEEP:
            raise NotRead
        self._need("(")
        said = self._either()
        self._need(")")
        return said

    def _term(self, *, compares: bool) -> Said:
        if self._next[0] == "pattern":
            return self._matched()
        if self._name("output", "JSON") == "JSON":
            if not compares:
                raise NotRead
            return self._inside()
        return self._about(Answer(wide=True), compares=compares)

    def _matched(self) -> Said:
        pattern, _, flags = self._take("pattern")[1:].rpartition("/")
        self._need(".")
        self._name("test")
        self._need("(")
        self._name("output")
        self._need(")")
        return matches(pattern, flags)

    def _about(self, answer: Answer, *, compares: bool) -> Said:
        """What follows `output`."""
        while self._sees("."):
            name = self._name("trim", *_FOLDS, "includes", "startsWith", "endsWith", "length")
            if name == "length":
                if not compares:
                    raise NotRead
                comparison = self._need("<", "<=", ">", ">=", "===", "==", "!==", "!=")
                if comparison[0] == "!":
                    return turned([answer.length("==", self._whole_number())])[0]
                return answer.length(comparison.replace("===", "=="), self._whole_number())
            self._need("(")
            if name in ("trim", *_FOLDS):
                self._need(")")
                answer = Answer(answer.trimmed or name == "trim", _FOLDS.get(name, answer.fold), wide=True)
                continue
            look = {"includes": answer.holds, "startsWith": answer.begins, "endsWith": answer.ends}[name]
            said = look(self._text())
            self._need(")")
            return said
        if not compares:
            raise NotRead
        comparison = self._need("===", "==", "!==", "!=")
        said = answer.equals(self._text())
        return turned([said])[0] if comparison[0] == "!" else said

    def _inside(self) -> Said:
        """What follows `JSON`."""
        self._need(".")
        self._name("parse")
        self._need("(")
        self._name("output")
        self._need(")")
        path: list[str | int] = []
        while step := self._sees(".", "["):
            if step == ".":
                path.append(self._take("name"))
                continue
            path.append(self._text() if self._next[0] == "text" else self._whole_number())
            self._need("]")
        self._need("===")
        if not path or any(isinstance(step, str) and step.isdigit() for step in path):
            raise NotRead
        return json_is(path, self._literal())

    def _literal(self) -> JsonValue:
        if self._next[0] == "text":
            return self._text()
        if self._next[0] == "name":
            return _LITERALS[self._name(*_LITERALS)]
        number = self._take("number")
        return float(number) if "." in number else int(number)

    def _whole_number(self) -> int:
        number = self._take("number")
        if not number.isdigit():
            raise NotRead
        return int(number)

    def _text(self) -> str:
        written = self._take("text")[1:-1]
        if any(one[1] not in _ESCAPES for one in _ESCAPE.finditer(written)):
            raise NotRead
        return _ESCAPE.sub(lambda one: _ESCAPES[one[1]], written)
