"""Types of values that several files use: names, paths, templates, patterns, models."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    Strict,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, core_schema

from gate.config.documents import BadJson, described, did_you_mean, parse_json, quoted
from gate.config.models import ModelRef, parse_model
from gate.config.validation import Matches, value_error, value_errors
from gate.errors import GateError
from gate.files import is_glob, normal, path_complaint
from gate.limits import NAME_CHARS, PATH_CHARS, PATTERN_CHARS, PROMPT_CHARS
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue

OVERALL = "overall"
"""The slice of all cases."""


def name_complaint(name: str) -> str:
    """Why a suite's name is invalid; empty if it is valid."""
    if "/" in name:
        return "must not contain '/', which joins suite and slice"
    return value_complaint(name)


def dimension_complaint(name: str) -> str:
    """Why the name of a slice dimension is invalid; empty if it is valid."""
    if name == OVERALL:
        return f"must not be {OVERALL!r}, the slice of all cases"
    if "=" in name or "/" in name:
        return "must not contain '=' or '/', which separate the parts of a slice name"
    return value_complaint(name)


def slice_complaint(name: str, dimensions: tuple[str, ...]) -> str:
    """Why `dimension=value` is invalid for a suite with these dimensions; empty if it is valid."""
    dimension, equals, value = name.partition("=")
    if not equals or not value:
        return "must be written dimension=value"
    return "" if dimension in dimensions else f"uses the dimension {dimension!r}, which is not in 'slices'"


def value_complaint(name: str) -> str:
    """Why a slice's value, an id, a cluster or a person's name is invalid; empty if it is valid."""
    if not name.strip():
        return "must not be blank"
    if name != name.strip():
        return "must not start or end with a space"
    if len(name) > NAME_CHARS:
        return f"must not be longer than {NAME_CHARS} characters"
    if not name.isprintable():
        return "must not contain control characters"
    return ""


STORE_PREFIX = "store:"
_VERSION = re.compile(r"[1-9][0-9]{0,8}")


@dataclass(frozen=True, slots=True)
class StoreName:
    """Name of a suite in a store, `store:NAME[@version]`.

    Args:
        version: from 1; None for the newest.
    """

    name: str
    version: int | None = None

    @property
    def text(self) -> str:
        """As in gate.yaml."""
        return f"{STORE_PREFIX}{self.name}" if self.version is None else f"{STORE_PREFIX}{self.name}@{self.version}"


def is_store(text: str) -> bool:
    """Does the text begin like the name of a store's suite, valid or not?"""
    return text.startswith(STORE_PREFIX)


def parse_store_name(text: str) -> StoreName | None:
    """The suite that a text names; None if it is not a valid name of a store's suite."""
    if not is_store(text) or store_name_complaint(text):
        return None
    name, _, version = text.removeprefix(STORE_PREFIX).partition("@")
    return StoreName(name, int(version) if version else None)


def store_name_complaint(text: str) -> str:
    """Why the name of a store's suite is invalid; empty if it is valid."""
    name, at, version = text.removeprefix(STORE_PREFIX).partition("@")
    if reason := name_complaint(name):
        return reason
    if at and not _VERSION.fullmatch(version):
        return "must be NAME, or NAME@VERSION with the number of a version"
    return ""


PYTHON_PREFIX = "python:"
SOURCES = ("", "src/")
"""Folders that modules are looked for in, in this order."""
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ENTRY = re.compile(rf"python:(?P<module>{_NAME}(\.{_NAME})*):(?P<function>{_NAME})", re.ASCII)


@dataclass(frozen=True, slots=True)
class FunctionName:
    """A function of the repository."""

    module: str
    function: str

    def __str__(self) -> str:
        return f"{PYTHON_PREFIX}{self.module}:{self.function}"

    @property
    def files(self) -> tuple[str, ...]:
        """Possible files of the module, in the order of precedence."""
        path = self.module.replace(".", "/")
        return tuple(f"{folder}{path}{end}" for folder in SOURCES for end in ("/__init__.py", ".py"))


def is_python(prompt: str) -> bool:
    """Does a prompt name a Python function instead of a file?"""
    return prompt.startswith(PYTHON_PREFIX)


def function_complaint(prompt: str) -> str:
    """Why a prompt that begins with `python:` names no function; empty if it names one."""
    if len(prompt) > PATH_CHARS:
        return f"is longer than {PATH_CHARS:,} characters"
    return "" if _ENTRY.fullmatch(prompt) else "is not python:module:function"


def function_named(prompt: str) -> FunctionName:
    """The function of a prompt `python:module:function`."""
    found = _ENTRY.fullmatch(prompt)
    if found is None:
        raise ValueError(f"{prompt} is not a function")
    return FunctionName(found["module"], found["function"])


POINTER_MARK = "::"
_BRACKETS = re.compile(r"\[(\d+)\]")
POINTER_ENDINGS = (
    *(".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx"),
    *(".yaml", ".yml", ".json", ".toml", ".txt"),
)
"""Files whose texts can be named."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A text inside a file.

    Args:
        name: dotted name or key: `Class.attribute`, `agent.system_template`, `items.0`.
    """

    path: str
    name: str

    def __str__(self) -> str:
        return f"{self.path}{POINTER_MARK}{self.name}"


def pointer_of(prompt: str) -> Pointer | None:
    """The text inside a file that a prompt names; None for a file, a pattern or a function."""
    path, mark, name = prompt.partition(POINTER_MARK)
    return Pointer(path, name) if mark and not is_python(prompt) else None


def file_part(prompt: str) -> str:
    """The path before `::`, or the prompt itself."""
    pointer = pointer_of(prompt)
    return prompt if pointer is None else pointer.path


AND = " + "
"""Between the system message and the user message of a suite that names both."""


def prompt_parts(prompt: str) -> tuple[str, ...]:
    """The parts of a prompt: one file, text or function, or one for the system and one for the user message."""
    return tuple(prompt.split(AND))


def first_file(prompt: str) -> str:
    """The file of a prompt that is not a function; for two messages, that of the first."""
    return file_part(prompt_parts(prompt)[0])


def is_pointer(prompt: str) -> bool:
    """Does a prompt name texts inside files?"""
    return pointer_of(prompt) is not None


def pointer_complaint(pointer: Pointer) -> str:
    """Why a pointer is invalid, apart from its path; empty if it is valid."""
    if not pointer.path.lower().endswith(POINTER_ENDINGS):
        return f"is a text inside a file that does not end in {', '.join(POINTER_ENDINGS)}"
    if "*" in pointer.path or "?" in pointer.path:
        return "is a text inside several files"
    if _BRACKETS.search(pointer.name):
        dotted = _BRACKETS.sub(r".\1", pointer.name).removeprefix(".")
        return f"has a number in brackets: write {pointer.path}{POINTER_MARK}{dotted}"
    if not pointer.name.strip() or not pointer.name.isprintable() or is_glob(pointer.name):
        return "has no name of a text"
    return ""


LANGUAGES = frozenset(
    (
        "af am an ar as az ba be bg bn br bs ca cs cy da de dz el en eo es et eu fa fi fo fr fy ga gd gl gu ha he "
        "hi hr ht hu hy id ig is it ja jv ka kk km kn ko ku ky la lb lg ln lo lt lv mg mk ml mn mr ms mt my ne nl "
        "nn no oc om or pa pl ps pt qu ro ru rw sa se si sk sl sn so sq sr st sv sw ta te tg th tk tl tr tt ug uk "
        "ur uz vi vo wa xh yo zh zu"
    ).split()
)
"""Those with two letters that the detector knows."""

_SAME = {"nb": "no", "iw": "he", "in": "id", "fil": "tl", "cmn": "zh"}


def language_code(text: str) -> str | None:
    """The language of a code such as `de`, `de-AT` or `zh_Hant`."""
    code = text.strip().replace("_", "-").split("-")[0].lower()
    code = _SAME.get(code, code)
    return code if code in LANGUAGES else None


JsonSteps: TypeAlias = tuple[str | int, ...]
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


class BadPath(Exception):
    """A text that is not a path to one value."""


def parse_path(text: str) -> JsonSteps:
    """The steps of a path.

    Args:
        text: such as `$.items[0].name`; `items[0].name` means the same.

    Raises:
        BadPath: the text is not a path, or could select several values.
    """
    if "{{" in text:
        raise BadPath("a path cannot contain fields of the case")
    rest = text.strip()
    if not rest.startswith("$"):
        rest = "$" + (rest if rest.startswith("[") else f".{rest}")
    steps: list[str | int] = []
    place = 1
    while place < len(rest):
        step = _STEP.match(rest, place)
        if step is None:
            raise BadPath(f"{quoted(rest[place:])} is not .name, ['name'] or [0]")
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
    # JSON has only double quotes.
    return _unescaped(re.sub(r"\\.|\"", lambda found: _SWAPPED.get(found[0], found[0]), step["single"]))


_SWAPPED = {"\\'": "'", '"': '\\"'}


def _unescaped(text: str) -> str:
    try:
        value = parse_json(f'"{text}"')
    except BadJson:
        raise BadPath(f"{quoted(text)} contains an escape that JSON does not have") from None
    return str(value)


class NotThere(Exception):
    """A path does not exist in a value; the message names the place."""


def look_up(path: JsonSteps, value: JsonValue) -> JsonValue:
    """The value at a path.

    Raises:
        NotThere: a missing key, an index outside the list, or a step into a scalar.
    """
    for number, step in enumerate(path):
        if isinstance(value, dict) and isinstance(step, str) and step in value:
            value = value[step]
        elif isinstance(value, list) and isinstance(step, int) and -len(value) <= step < len(value):
            value = value[step]
        else:
            raise NotThere(f"nothing at {written(path[: number + 1])}")
    return value


def written(path: JsonSteps) -> str:
    """The path in its shortest form: `$.a[0]`."""
    named = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
    parts = [f".{s}" if isinstance(s, str) and named.fullmatch(s) else f"[{s!r}]" for s in path]
    return "$" + "".join(parts)


T = TypeVar("T", bound=Sequence[str])
_PLACEHOLDER = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_TEXTS = 1_000
"""Texts in one list."""
_AMOUNT = 1e15
FUNCTION_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*:[A-Za-z_][A-Za-z0-9_]*$"


def _template(text: str) -> str:
    if "{{" in text:
        try:
            compile_template(text)
        except BadTemplate as error:
            raise value_error(f"has an error: {error.message}", "write for example {{ expected }}") from None
    return text


def _pattern(text: str) -> str:
    from gate.config.json_schema import pattern_complaint  # imported here, since few suites use patterns

    if reason := pattern_complaint(_PLACEHOLDER.sub("x", text)):
        raise value_error(f"is not a regular expression: {reason}", "use the syntax of Python's re")
    return text


def repository_path(text: str) -> str:
    """A path inside the repository, normalized."""
    if reason := path_complaint(text):
        raise value_error(f"{quoted(text)} {reason}", "write a path inside the repository, relative to its root")
    return normal(text)


def _json_path(text: str) -> str:
    try:
        parse_path(text or "$")
    except BadPath as bad:
        raise value_error(f"is not a path: {bad}", "for example $.items[0].name") from None
    return text


def _schema(schema: dict[str, Any]) -> dict[str, Any]:
    from gate.config.json_schema import schema_complaint

    if reason := schema_complaint(schema):
        raise value_error(f"is not a usable JSON Schema: {reason}")
    return schema


def _language(text: str) -> str:
    if "{{" not in text and language_code(text) is None:
        hint = "write a code of ISO 639, such as en or de"
        close = did_you_mean(text, LANGUAGES)
        raise value_error(
            f"is the unknown language {quoted(text)}", f"{close} {hint}" if close.startswith("did") else hint
        )
    return text


def _model(text: str, info: ValidationInfo) -> str:
    try:
        parse_model(text, (info.context or {}).get("providers"))
    except GateError as error:
        raise value_error(f"is not valid: {error.message}", error.hint) from None
    return text


def not_blank(text: str) -> str:
    """A validator for texts that are not blank."""
    if not text.strip():
        raise value_error("must not be blank")
    return text


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def each_once(texts: T) -> T:
    again = [at for at, text in enumerate(texts) if text in texts[:at]]
    if again:
        raise value_errors(*(((at,), f"lists {quoted(texts[at])} twice", "") for at in again))
    return texts


def _amount(value: Any) -> Any:
    if isinstance(value, str) and "{{" in value:
        return _template(value)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not abs(value) <= _AMOUNT:
        raise value_error(
            f"must be a number, not {described(value)}", "or write a field of the case, such as {{ expected }}"
        )
    return float(value)


def json_template(value: JsonValue) -> JsonValue:
    """A validator for any JSON; its texts may contain fields of the case."""
    if isinstance(value, list):
        return [json_template(item) for item in value]
    if isinstance(value, dict):
        return {key: json_template(item) for key, item in value.items()}
    return _template(value) if isinstance(value, str) else value


def empty_is(kind: Callable[[], Any]) -> BeforeValidator:
    """Replaces an empty value by `kind()`, for a mapping or list whose entries are all commented out."""
    return BeforeValidator(lambda value: kind() if value is None else value)


Name: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=NAME_CHARS)]
"""A short text that is not blank."""
Names: TypeAlias = Annotated[tuple[Name, ...], Strict(False), AfterValidator(each_once)]
"""Different short texts."""
Template: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=PROMPT_CHARS), AfterValidator(_template)]
"""A text that may hold fields of the case, such as `{{ expected }}`."""
Pattern: TypeAlias = Annotated[
    str, Field(pattern=r"\S", max_length=PATTERN_CHARS), AfterValidator(_template), AfterValidator(_pattern)
]
"""A regular expression, which may hold fields of the case."""
Path: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=PATH_CHARS), AfterValidator(repository_path)]
"""A file of the repository, which is read later."""
JsonPath: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=PATH_CHARS), AfterValidator(_json_path)]
"""The place of one value inside JSON."""
JsonSchema: TypeAlias = Annotated[dict[str, JsonValue], AfterValidator(_schema)]
Language: TypeAlias = Annotated[
    str, Field(pattern=r"\S", max_length=NAME_CHARS), AfterValidator(_template), AfterValidator(_language)
]
"""The code of a language, or a field of the case that gives one."""
ModelName: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=NAME_CHARS), AfterValidator(_model)]
"""`provider:name`."""


class _AsModelRef:
    """Reads `provider:name` as a `ModelRef`; also accepts a `ModelRef`, for code."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_wrap_validator_function(
            self._read, handler.generate_schema(ModelName), serialization=core_schema.to_string_ser_schema()
        )

    @staticmethod
    def _read(value: Any, text: ValidatorFunctionWrapHandler, info: ValidationInfo) -> ModelRef:
        return value if isinstance(value, ModelRef) else parse_model(text(value), (info.context or {}).get("providers"))


Model: TypeAlias = Annotated[ModelRef, _AsModelRef()]
"""The same, as what it names."""
Function: TypeAlias = Annotated[
    str,
    Field(max_length=PATH_CHARS),
    Matches(FUNCTION_PATTERN, "is not module:function", "for example evals.checks:polite"),
]
"""`module:function`, from the root of the repository."""
Variable: TypeAlias = Annotated[
    str,
    Field(max_length=NAME_CHARS),
    Matches(
        r"^[A-Za-z_][A-Za-z0-9_]*$",
        "must be the name of an environment variable",
        "write the name of the variable, not its value",
    ),
]
"""Name of an environment variable: what it holds is no part of any file."""
_Phrase: TypeAlias = Annotated[str, Field(pattern=r"\S", max_length=200), AfterValidator(_template)]
Texts: TypeAlias = Annotated[
    list[Template],
    Field(min_length=1, max_length=_TEXTS),
    AfterValidator(each_once),
    BeforeValidator(_listed, json_schema_input_type=Template | list[Template]),
]
"""Different texts, which may hold fields of the case; one text stands for a list of one."""
Phrases: TypeAlias = Annotated[
    list[_Phrase],
    Field(min_length=1, max_length=_TEXTS),
    AfterValidator(each_once),
    BeforeValidator(_listed, json_schema_input_type=_Phrase | list[_Phrase]),
]
"""The same, each a word or a phrase."""
Steps: TypeAlias = Annotated[
    list[_Phrase],
    Field(min_length=1, max_length=_TEXTS),
    BeforeValidator(_listed, json_schema_input_type=_Phrase | list[_Phrase]),
]
"""The same, and each may stand there more than once."""
Amount: TypeAlias = Annotated[float | str, BeforeValidator(_amount)]
"""A number, or a text with a field of the case that gives one."""
Count: TypeAlias = Annotated[int, Field(ge=0, le=10_000_000)]
Threshold: TypeAlias = Annotated[float, Field(gt=0, le=1, examples=[0.7])]
"""The score at which an answer passes; with a threshold of 0 nothing could fail."""
