"""pydantic models of files: reports all errors at once, with their places, in plain words."""

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, ClassVar, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from gate.config.documents import Document, Loc, described, did_you_mean, quoted
from gate.errors import InputErrors, Problem

T = TypeVar("T")


class FileModel(BaseModel):
    """A mapping in a file that users write: strict, frozen, and without unknown keys.

    A key with an empty value counts as not given if the field has a default. The first of `Field(examples=[…])` is
    shown if the key is missing or its value is invalid.

    Attributes:
        meant: suggested key for the names that other tools use.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    meant: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="wrap")
    @classmethod
    def _with_hints(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        given = cls._without_null(value) if isinstance(value, dict) else value
        try:
            return handler(given)
        except ValidationError as error:
            found = [_in_words(one, value, cls) for one in error.errors(include_url=False)]
        raise ValidationError.from_exception_data(cls.__name__, found)

    @classmethod
    def _without_null(cls, value: dict[str, Any]) -> dict[str, Any]:
        """Drop empty values; models in which they have a meaning override this."""
        keys = {field.alias or name: field.is_required() for name, field in cls.model_fields.items()}
        return {key: inner for key, inner in value.items() if inner is not None or keys.get(key, True)}

    @classmethod
    def _hint(cls, key: str, kind: str) -> str:
        """A hint for an error of this kind in the value of a key."""
        fields = {field.alias or name: field for name, field in cls.model_fields.items()}
        if kind == "extra_forbidden":
            return f"did you mean {cls.meant[key]!r}?" if key in cls.meant else did_you_mean(key, fields)
        example = next(iter((fields[key].examples or []) if key in fields else []), None)
        return "" if example is None else f"for example {key}: {example}"


def value_error(message: str, hint: str = "") -> PydanticCustomError:
    """The error that a validator raises; the message follows the name of the value: `must not hold '/'`."""
    return _plain_error("said", message, hint)


def value_errors(*errors: tuple[Loc, str, str]) -> ValidationError:
    """The error that a validator of a model raises for values inside it: place, message and hint of each."""
    details = [InitErrorDetails(type=value_error(message, hint), loc=loc, input=None) for loc, message, hint in errors]
    return ValidationError.from_exception_data("", details)


def missing(key: str, example: str) -> ValidationError:
    """The error that a validator of a model raises for a missing key."""
    error = _plain_error("key", f"{key!r} is missing", f"for example {example}")
    return ValidationError.from_exception_data("", [{"type": error, "loc": (key,), "input": None}])


def relocated(error: ValidationError, convert: Callable[[Loc], Loc]) -> ValidationError:
    """The errors of a model with places in its parent; `convert` converts a place."""
    found = [_in_words(one, None) for one in error.errors(include_url=False)]
    details: list[InitErrorDetails] = [{**one, "loc": convert(one["loc"])} for one in found]
    return ValidationError.from_exception_data(error.title, details)


@dataclass(frozen=True, slots=True)
class Matches:
    """A text that matches a regular expression; the JSON Schema includes the pattern."""

    pattern: str
    message: str
    hint: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "pattern": self.pattern}

    def _check(self, text: str) -> str:
        if not re.search(self.pattern, text, re.ASCII):
            raise value_error(self.message, self.hint)
        return text


def validate(model: type[T] | TypeAdapter[T], document: Document, context: Mapping[str, Any] | None = None) -> T:
    """The document's data as a model; raises `InputErrors` with all errors.

    Args:
        context: for validators; `providers` are names of model providers in addition to the built-in ones. Without
            it any provider name is accepted.
    """
    try:
        return adapter_of(model).validate_python(document.data, context=context)
    except ValidationError as error:
        raise InputErrors(_problems(error, document)) from None


def attempt(
    model: type[T] | TypeAdapter[T], document: Document, context: Mapping[str, Any] | None = None
) -> tuple[T | None, list[Problem]]:
    """As `validate`, without raising: the model and no errors, or None and all errors."""
    try:
        return adapter_of(model).validate_python(document.data, context=context), []
    except ValidationError as error:
        return None, _problems(error, document)


def adapter_of(model: type[T] | TypeAdapter[T]) -> TypeAdapter[T]:
    """The adapter of a model, cached since building one takes milliseconds."""
    if isinstance(model, TypeAdapter):
        return model
    if model not in _ADAPTERS:
        _ADAPTERS[model] = TypeAdapter(model)
    return _ADAPTERS[model]


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


DRAFT = "https://json-schema.org/draft/2020-12/schema"


def file_schema(model: type[FileModel] | TypeAdapter[Any], title: str, id_: str = "") -> dict[str, Any]:
    """The JSON Schema of a file, draft 2020-12, for editors; it does not check paths, model names and templates."""
    found = model.json_schema() if isinstance(model, TypeAdapter) else model.model_json_schema()
    return {"$schema": DRAFT, **({"$id": id_} if id_ else {}), **found, "title": title}


def describe_attributes(schema: dict[str, Any], kind: type[BaseModel]) -> None:
    """Add the texts below the attributes of a model to its JSON Schema; to read them takes too long for each start."""
    keys = {name: field.alias or name for name, field in kind.model_fields.items()}
    for parent in reversed(kind.__mro__):
        if parent is not FileModel and issubclass(parent, FileModel):
            for field, below in pairwise(_classes(parent.__module__)[parent.__name__].body):
                match field, below:
                    case (
                        ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str(text))),
                    ) if keys.get(name) in schema["properties"]:
                        schema["properties"][keys[name]].setdefault("description", inspect.cleandoc(text))


@cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    """The source of each class of a module, read once."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {one.name: one for one in ast.walk(tree) if isinstance(one, ast.ClassDef)}


def _problems(error: ValidationError, document: Document) -> list[Problem]:
    return list(_merged_problems(error.errors(include_url=False), document))


def _merged_problems(errors: Sequence[ErrorDetails], document: Document) -> Iterator[Problem]:
    """One problem per value: errors of several alternatives of a union are joined to one sentence."""
    musts: dict[Loc, list[dict[str, Any]]] = {}
    for error in errors:
        plain = _in_words(error, document.data)
        loc, words = tuple(plain["loc"]), error["ctx"] if error["type"] == "plain" else plain["type"].context or {}  # pyrefly: ignore[missing-attribute]
        if words["kind"] == "must":
            musts.setdefault(loc, []).append({**words, "input": error["input"]})
        elif words["kind"] == "key":
            within = document.name_of(loc[:-1])
            yield document.problem(loc, words["said"] + (f" in {within}" if within else ""), words["hint"])
        else:
            yield document.problem(loc, f"{document.name_of(loc)} {words['said']}".strip(), words["hint"])
    for loc, found in musts.items():
        said = " or ".join(dict.fromkeys(one["said"] for one in found))
        hint = next((one["hint"] for one in found if one["hint"]), "")
        message = f"{document.name_of(loc)} must be {said}, not {described(found[0]['input'])}".strip()
        yield document.problem(loc, message, hint)


def _plain_error(kind: str, said: str, hint: str) -> PydanticCustomError:
    """An error in plain words.

    Args:
        kind: `must` (`must be {said}, not …`), `said` (the name, then `said`), or `key` (`{said} in …`).
    """
    return PydanticCustomError("plain", "{said}", {"kind": kind, "said": said, "hint": hint})


def _in_words(error: ErrorDetails, data: Any, model: type[FileModel] | None = None) -> InitErrorDetails:
    """The error in plain words, with a hint where it is about a field of the model.

    Args:
        data: the validated data; None if the location of the error is already right.
    """
    loc = error["loc"] if data is None else _location(error, data)
    if error["type"] == "plain":
        words = PydanticCustomError("plain", "{said}", error["ctx"])
    else:
        kind, said, hint = _plain(error)
        if model is not None and len(loc) == 1 and not hint:
            hint = model._hint(str(loc[0]), error["type"])
        words = _plain_error(kind, said, hint)
    return {"type": words, "loc": loc, "input": error["input"]}


def _location(error: ErrorDetails, data: Any) -> Loc:
    """The location of the value, without the names that pydantic adds for alternatives of a union."""
    found: list[str | int] = []
    for step in error["loc"]:
        inside = isinstance(data, dict) and step in data
        if inside or (isinstance(data, list) and isinstance(step, int) and step < len(data)):
            data = data[step]
            found.append(step)
    about_key = error["type"] == "missing" or error.get("ctx", {}).get("kind") == "key"
    if about_key and found[-1:] != [error["loc"][-1]]:
        found.append(error["loc"][-1])
    return tuple(found)


_KINDS = {
    "string_type": "text",
    "bool_type": "true or false",
    **dict.fromkeys(("int_type", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "finite_number"), "a number"),
    **dict.fromkeys(("list_type", "tuple_type"), "a list"),
    **dict.fromkeys(("dict_type", "model_type"), "a mapping"),
    "none_required": "empty",
}


def _plain(error: ErrorDetails) -> tuple[str, str, str]:
    """Kind, words and hint for one of pydantic's errors."""
    kind, context, value = error["type"], error.get("ctx", {}), error["input"]
    name = quoted(str(error["loc"][-1])) if error["loc"] else ""
    if kind == "missing":
        return "key", f"{name} is missing", ""
    if kind == "extra_forbidden":
        return "key", f"unknown key {name}", ""
    if kind in _KINDS:
        quotes = kind == "string_type" and isinstance(value, (bool, int, float))
        listed = _KINDS[kind] == "a list" and isinstance(value, str)
        return "must", _KINDS[kind], "put it in quotes" if quotes else "write it as [one, two]" if listed else ""
    if kind == "literal_error":
        words = str(context["expected"]).replace("'", "")
        return "must", re.sub(r"\b(True|False)\b", lambda word: word[0].lower(), words), ""
    if kind in ("string_pattern_mismatch", "string_too_short") and not str(value).strip():
        return "said", "is blank", ""
    if kind == "string_too_long":
        return "said", f"is longer than {context['max_length']:,} characters", ""
    if kind == "too_long":
        return "said", f"has more than {context['max_length']:,} entries", ""
    if kind == "too_short":
        least = context["min_length"]
        return "said", "is empty" if least == 1 else f"needs at least {least:,} entries", ""
    if kind == "value_error":
        return "said", str(context["error"]), ""
    start, _, said = error["msg"].partition("should be ")
    return ("must", said, "") if start == "Input " else ("said", error["msg"].replace("should", "must"), "")
