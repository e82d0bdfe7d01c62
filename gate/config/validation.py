"""pydantic models of files: every mistake at once, each with its place, in plain words."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args, get_origin

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
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails, InitErrorDetails, PydanticCustomError, core_schema

from gate.config.documents import Document, Loc, described, did_you_mean, quoted
from gate.errors import InputErrors, Problem

T = TypeVar("T")


class FileModel(BaseModel):
    """A mapping in a file that users write: strict, frozen, and without unknown keys.

    A key with an empty value counts as not given where the field has a default. The first of `Field(examples=[…])` is
    shown where the key is missing or its value is wrong.

    Attributes:
        meant: what users of other tools write, to the key that they mean.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
    meant: ClassVar[Mapping[str, str]] = {}

    @model_validator(mode="wrap")
    @classmethod
    def _in_plain_words(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        given = cls._without_null(value) if isinstance(value, dict) else value
        try:
            return handler(given)
        except ValidationError as error:
            found = [_explained(cls, one, value) for one in error.errors(include_url=False)]
        raise ValidationError.from_exception_data(cls.__name__, found)

    @classmethod
    def _without_null(cls, value: dict[str, Any]) -> dict[str, Any]:
        """What an empty value stands for; a model in which it says something else has its own way."""
        keys = {field.alias or name: field.is_required() for name, field in cls.model_fields.items()}
        return {key: inner for key, inner in value.items() if inner is not None or keys.get(key, True)}


def wrong(message: str, hint: str = "") -> PydanticCustomError:
    """What a validator raises for the value that it looks at.

    Args:
        message: goes on from the value's name: `must not hold '/'`.
    """
    return _Words("said", message, hint).error()


def wrong_at(*mistakes: tuple[Loc, str, str]) -> ValidationError:
    """What a validator of a whole model raises for values inside it."""
    details = [InitErrorDetails(type=wrong(message, hint), loc=loc, input=None) for loc, message, hint in mistakes]
    return ValidationError.from_exception_data("", details)


def moved(error: ValidationError, way: Callable[[Loc], Loc]) -> ValidationError:
    """The same mistakes as seen from around the model that has them."""
    found: list[InitErrorDetails] = []
    for one in error.errors(include_url=False):
        words = _Words.of(one) or _translated(one)
        found.append({"type": words.error(), "loc": way(one["loc"]), "input": one["input"]})
    return ValidationError.from_exception_data(error.title, found)


@dataclass(frozen=True, slots=True)
class Matches:
    """A text that a regular expression matches.

    Args:
        pattern: goes into the JSON Schema, too.
        message: goes on from the name of a value that does not match.
    """

    pattern: str
    message: str
    hint: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(schema), "pattern": self.pattern}

    def _check(self, text: str) -> str:
        if not re.search(self.pattern, text, re.ASCII):
            raise wrong(self.message, self.hint)
        return text


def validate(model: type[T] | TypeAdapter[T], document: Document, context: Mapping[str, Any] | None = None) -> T:
    """The document's data as a model.

    Args:
        context: for validators that ask for it; `providers` are names of model providers beside the built-in ones,
            without which any word is taken for one.
    """
    try:
        return adapter_of(model).validate_python(document.data, context=context)
    except ValidationError as error:
        raise InputErrors(_problems(error, document)) from None


def attempt(
    model: type[T] | TypeAdapter[T], document: Document, context: Mapping[str, Any] | None = None
) -> tuple[T | None, list[Problem]]:
    """The same without raising: the model and nothing, or None and all that is wrong."""
    try:
        return adapter_of(model).validate_python(document.data, context=context), []
    except ValidationError as error:
        return None, _problems(error, document)


def adapter_of(model: type[T] | TypeAdapter[T]) -> TypeAdapter[T]:
    """What reads a model, made once: that takes milliseconds."""
    if isinstance(model, TypeAdapter):
        return model
    if model not in _ADAPTERS:
        _ADAPTERS[model] = TypeAdapter(model)
    return _ADAPTERS[model]


_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


@dataclass(frozen=True, slots=True)
class _Words:
    """What a message says of one value.

    Args:
        kind: `must` (`must be {said}, not …`), `said` (the name, then `said`), or `key` (`{said} in …`).
    """

    kind: str
    said: str
    hint: str = ""

    def error(self) -> PydanticCustomError:
        return PydanticCustomError("plain", "{said}", {"kind": self.kind, "said": self.said, "hint": self.hint})

    @classmethod
    def of(cls, error: ErrorDetails) -> "_Words | None":
        """What an error says that is in plain words already; None where it is pydantic's own."""
        if error["type"] != "plain":
            return None
        found = error["ctx"]
        return cls(found["kind"], found["said"], found["hint"])


def _problems(error: ValidationError, document: Document) -> list[Problem]:
    return list(_told(error.errors(include_url=False), document))


def _told(errors: Sequence[ErrorDetails], document: Document) -> Iterator[Problem]:
    """Errors of one value that say what it must be, as each alternative of a union has one, make one sentence."""
    musts: dict[Loc, list[tuple[_Words, Any]]] = {}
    for error in errors:
        loc, words = _way(error, document.data), _Words.of(error) or _translated(error)
        name = document.name_of(loc)
        if words.kind == "must":
            musts.setdefault(loc, []).append((words, error["input"]))
        elif words.kind == "key":
            within = document.name_of(loc[:-1])
            yield document.problem(loc, words.said + (f" in {within}" if within else ""), words.hint)
        else:
            yield document.problem(loc, f"{name} {words.said}".strip(), words.hint)
    for loc, found in musts.items():
        said = " or ".join(dict.fromkeys(words.said for words, _ in found))
        hint = next((words.hint for words, _ in found if words.hint), "")
        message = f"{document.name_of(loc)} must be {said}, not {described(found[0][1])}".strip()
        yield document.problem(loc, message, hint)


def _way(error: ErrorDetails, data: Any) -> Loc:
    """The way to the value, without the names that pydantic gives to the alternatives of a union."""
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


def _explained(model: type[FileModel], error: ErrorDetails, value: Any) -> InitErrorDetails:
    """The same error, in plain words if it is about a field of this model, which knows more than the error does."""
    loc = _way(error, value)
    words = _Words.of(error)
    if words is None and len(loc) <= 1:
        words = _of_field(model, str(loc[0]), error) if loc else _translated(error)
    if words is not None:
        return {"type": words.error(), "loc": loc, "input": error["input"]}
    return {"type": error["type"], "loc": loc, "input": error["input"], "ctx": error.get("ctx", {})}


def _of_field(model: type[FileModel], key: str, error: ErrorDetails) -> _Words:
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    if error["type"] == "extra_forbidden":
        meant = model.meant.get(key)
        hint = f"did you mean {quoted(meant)}?" if meant else did_you_mean(key, fields)
        return _Words("key", f"unknown key {quoted(key)}", hint)
    example = next(iter((fields[key].examples or []) if key in fields else []), None)
    hint = "" if example is None else f"for example {key}: {example}"
    if error["type"] == "missing":
        return _Words("key", f"{quoted(key)} is missing", hint)
    words = _translated(error, _range(fields[key]), _whole(fields[key].annotation)) if key in fields else None
    words = words or _translated(error)
    return words if words.hint else _Words(words.kind, words.said, hint)


_BOUNDS = {
    "greater_than": "above",
    "greater_than_equal": "of at least",
    "less_than": "below",
    "less_than_equal": "of at most",
}
_NUMBERS = {
    **dict.fromkeys(("int_type", "int_from_float", "int_parsing"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a number"),
    **dict.fromkeys(_BOUNDS, "a number"),
}
_KINDS = {
    "string_type": "text",
    "bool_type": "true or false",
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), "a list"),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type"), "a mapping"),
    "none_required": "empty",
}


def _translated(error: ErrorDetails, allowed: str = "", whole: bool = False) -> _Words:
    """An error of pydantic's own."""
    kind, context, value = error["type"], error.get("ctx", {}), error["input"]
    if kind in _NUMBERS:
        if not allowed and kind in _BOUNDS:
            allowed = f"{_BOUNDS[kind]} {next(iter(context.values())):,.15g}"
        return _Words("must", f"{'a whole number' if whole else _NUMBERS[kind]} {allowed}".strip())
    if kind in _KINDS:
        quotes = kind == "string_type" and isinstance(value, (bool, int, float))
        listed = _KINDS[kind] == "a list" and isinstance(value, str)
        hint = "put it in quotes" if quotes else "write it as [one, two]" if listed else ""
        return _Words("must", _KINDS[kind], hint)
    if kind in ("literal_error", "enum"):
        words = str(context["expected"]).replace("'", "")
        return _Words("must", re.sub(r"\b(True|False)\b", lambda word: word[0].lower(), words))
    if kind == "missing":
        return _Words("key", f"{quoted(str(error['loc'][-1]))} is missing")
    return _Words("said", _complaint(kind, context, error))


def _complaint(kind: str, context: Mapping[str, Any], error: ErrorDetails) -> str:
    value = error["input"]
    match kind:
        case "string_pattern_mismatch" | "string_too_short" if isinstance(value, str) and not value.strip():
            return "is blank"
        case "string_too_long":
            return f"is longer than {context['max_length']:,} characters"
        case "too_short":
            least = context["min_length"]
            return "is empty" if least == 1 else f"needs at least {least:,} entries"
        case "too_long":
            return f"has more than {context['max_length']:,} entries"
        case "string_pattern_mismatch":
            return f"does not match {context['pattern']}"
        case "value_error":
            return str(context["error"])
    return error["msg"].removeprefix("Input ").replace("should be", "must be")


_ENDS = ("ge", "gt", "le", "lt")


def _range(field: FieldInfo) -> str:
    """The numbers that a field takes, as words; empty where any is taken."""
    bounds = [*field.metadata, *_annotated(field.annotation)]
    ends = {key: f"{end:,.15g}" for key in _ENDS for one in bounds if (end := getattr(one, key, None)) is not None}
    above, below = "gt" in ends, "lt" in ends
    least, most = ends.get("gt", ends.get("ge")), ends.get("lt", ends.get("le"))
    if least is None or most is None:
        start = f"{'above' if above else 'of at least'} {least}" if least is not None else ""
        return f"{'below' if below else 'of at most'} {most}" if most is not None else start
    link = "and below" if above and below else "to below" if below else "to"
    return f"{'above' if above else 'from'} {least} {link} {most}"


def _whole(annotation: Any) -> bool:
    """Is the only number that an annotation allows an integer?"""
    if get_origin(annotation) is Annotated:
        return _whole(get_args(annotation)[0])
    inner = get_args(annotation)
    return annotation is int or (bool(inner) and any(map(_whole, inner)) and float not in inner)


def _annotated(annotation: Any) -> Iterable[Any]:
    """What stands in `Annotated` inside an annotation such as `Annotated[float, Ge(0)] | None`."""
    if get_origin(annotation) is Annotated:
        kind, *found = get_args(annotation)
        yield from (bound for one in found for bound in (one.metadata if isinstance(one, FieldInfo) else [one]))
        yield from _annotated(kind)
    elif not isinstance(annotation, type):
        for inner in get_args(annotation):
            yield from _annotated(inner)
