"""The kinds of scorers with their options.

To add a scorer, add a model here, list it in `VALIDATORS`, and add a function in `gate.scoring.validators`.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, cast

from pydantic import (
    BeforeValidator,
    Field,
    field_validator,
    model_validator,
)

from gate.config.documents import quoted
from gate.config.models import Params
from gate.config.rubrics import RubricOptions
from gate.config.validation import FileModel, Matches, value_error, value_errors
from gate.config.values import (
    Amount,
    Count,
    Function,
    JsonPath,
    JsonSchema,
    Language,
    ModelName,
    Name,
    Path,
    Pattern,
    Phrases,
    Steps,
    Template,
    Texts,
    Threshold,
    Variable,
    empty_is,
    json_template,
)
from gate.values import JsonValue

EXPECTED = "{{ expected }}"
USUAL_THRESHOLD = 0.7
COMMON = ("name", "weight", "required", "negate")
"""Options that may stand beside the scorer's kind, too."""
_VALUE = "The text or number that counts; {{ expected }} is that of the case."
_CASE = "Ignore upper and lower case."
_FENCE = "Allow a code fence around it."
_MARK = "Score at which an answer passes."


class Options(FileModel):
    """What every scorer has.

    Attributes:
        short: the option that `kind: text` sets; empty if there is no short form.
        any_bound: it checks an instruction of its kind whatever its options are; users may set another bound.
    """

    short: ClassVar[str] = ""
    any_bound: ClassVar[bool] = False

    name: Name | None = Field(default=None, description="Shown in reports, unique in its suite.")
    weight: float = Field(default=1.0, gt=0, le=1000, description="Weight in the mean of a sample's scores.")

    @classmethod
    def _without_null(cls, value: dict[str, Any]) -> dict[str, Any]:
        """An empty option is an error, since it would be the same as a missing one."""
        return value

    @field_validator("name")
    @classmethod
    def _printable(cls, name: str | None) -> str | None:
        if name is not None and not name.isprintable():
            raise value_error("contains a control character")
        return name

    def options(self) -> dict[str, JsonValue]:
        """The options of this kind with their defaults, without unset and common ones."""
        found: dict[str, JsonValue] = self.model_dump(mode="json", by_alias=True, exclude=set(COMMON))
        return {key: value for key, value in found.items() if value is not None}

    def some(self, *names: str) -> list[str]:
        """Those of the options that are set, by their names in the file."""
        fields = type(self).model_fields
        return [fields[name].alias or name for name in names if name in self.model_fields_set]

    def needs_one(self, *names: str) -> None:
        """Raise if none of these is set."""
        if not self.some(*names):
            raise value_error(f"needs {' or '.join(names)}")

    def takes_one(self, *names: str) -> None:
        """Raise if several of these are set."""
        if len(given := self.some(*names)) > 1:
            raise value_error(f"takes one of {' and '.join(given)}, not both")


class Validator(Options):
    """What every scorer has that is code."""

    required: bool = Field(default=False, description="A score of 0 makes the whole sample 0.")
    negate: bool = Field(default=False, description="A score s becomes 1 - s.")


class Exact(Validator):
    """The answer is the value, letter by letter."""

    short = "value"
    value: Template = Field(default=EXPECTED, description=_VALUE)
    ignore_case: bool = Field(default=False, description=_CASE)
    strip: bool = Field(default=True, description="Ignore spaces around the answer.")


class Contains(Validator):
    """The value occurs in the answer."""

    short = "value"
    value: Template | None = Field(default=EXPECTED, description=_VALUE)
    any: Texts | None = Field(default=None, description="At least one of these.")
    all: Texts | None = Field(default=None, description="Each of these.")
    none: Texts | None = Field(default=None, description="None of these.")
    ignore_case: bool = Field(default=True, description=_CASE)

    def options(self) -> dict[str, JsonValue]:
        found = super().options()
        if self.some("any", "all", "none") and not self.some("value"):
            del found["value"]
        return found


class Regex(Validator):
    """The pattern matches somewhere in the answer."""

    short = "pattern"
    pattern: Pattern = Field(examples=["'^[0-9]+$'"], description="A regular expression in Python's syntax.")
    ignore_case: bool = Field(default=False, description=_CASE)


class StartsWith(Validator):
    """The answer begins with the value."""

    short = "value"
    value: Template = Field(default=EXPECTED, description=_VALUE)
    ignore_case: bool = Field(default=False, description=_CASE)
    strip: bool = Field(default=True, description="Ignore spaces around the answer.")


class EndsWith(StartsWith):
    """The answer ends with the value."""


class Json(Validator):
    """The answer is JSON."""

    any_bound = True
    fence: bool = Field(default=True, description=_FENCE)


class JsonSchemaOptions(Validator):
    """The answer is JSON that satisfies a schema."""

    any_bound = True
    schema_: JsonSchema = Field(
        alias="schema", examples=["{type: object, required: [answer]}"], description="A JSON Schema."
    )
    fence: bool = Field(default=True, description=_FENCE)


class JsonPathOptions(Validator):
    """What stands at a place of a JSON answer."""

    short = "path"
    path: JsonPath = Field(
        examples=["$.items[0].name"], description="Path of names and indexes, such as $.items[0].price."
    )
    equals: JsonValue = Field(default=None, description="Expected value.")
    one_of: list[JsonValue] | None = Field(default=None, min_length=1, description="Allowed values.")
    exists: bool = Field(default=True, description="false if the path must not exist.")
    fence: bool = Field(default=True, description=_FENCE)

    @field_validator("equals")
    @classmethod
    def _check_not_empty(cls, value: JsonValue) -> JsonValue:
        if value is None:
            raise value_error("is empty", "null is written as one_of: [null]")
        return json_template(value)

    @field_validator("one_of")
    @classmethod
    def _check_values(cls, values: list[JsonValue] | None) -> list[JsonValue] | None:
        return values and [json_template(value) for value in values]

    @model_validator(mode="after")
    def _check_combination(self) -> Self:
        self.takes_one("equals", "one_of", "exists")
        return self


class Number(Validator):
    """A number of the answer is the value."""

    short = "value"
    value: Amount = Field(default=EXPECTED, description=_VALUE)
    tolerance: float | None = Field(default=None, ge=0, le=1e15, description="Allowed difference.")
    percent: float | None = Field(
        default=None, ge=0, le=1000, description="Allowed difference in percent of the value."
    )
    which: Literal["any", "first", "last", "only"] = Field(
        default="any", description="Which number of the answer counts."
    )
    decimal: Literal["point", "comma"] = Field(
        default="point", description="Decimal sign: point (1,250.5) or comma (1.250,5)."
    )

    @model_validator(mode="after")
    def _check_combination(self) -> Self:
        self.takes_one("tolerance", "percent")
        return self


class Words(Validator):
    """The answer has so many words."""

    any_bound = True
    min: Count | None = Field(default=None, description="Minimum.")
    max: Count | None = Field(default=None, description="Maximum.")

    @model_validator(mode="after")
    def _check_combination(self) -> Self:
        self.needs_one("min", "max")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise value_error("has min above max")
        return self


class Sentences(Words):
    """The answer has so many sentences."""


class Characters(Words):
    """The answer has so many characters."""


class ForbiddenWords(Validator):
    """None of these words occurs in the answer."""

    short = "words"
    words: Phrases = Field(examples=["[transition, process]"], description="Words or phrases.")
    inflections: bool = Field(default=False, description="Also match English inflections.")


class Asks(Validator):
    """The answer asks about a topic."""

    short = "about"
    about: Phrases = Field(examples=["[name]"], description="A topic, or a list of them.")
    words: Annotated[dict[Annotated[str, Field(pattern=r"\w")], Phrases], empty_is(dict)] = Field(
        default={}, description="Further words for a topic."
    )
    max_questions: int | None = Field(default=None, ge=1, le=1000, description="More questions score 0.")

    def options(self) -> dict[str, JsonValue]:
        return {key: value for key, value in super().options().items() if value != {}}


class LanguageOptions(Validator):
    """The answer is in this language."""

    short = "is"
    any_bound = True
    is_: Language = Field(alias="is", examples=["de"], description="A code such as de, or a field of the case.")


class Similarity(Validator):
    """How like the reference the answer is."""

    short = "value"
    value: Template = Field(default=EXPECTED, description=_VALUE)
    metric: Literal["token_f1", "edit"] = Field(default="token_f1", description="Shared words, or edits.")
    threshold: Threshold = Field(default=USUAL_THRESHOLD, description=_MARK)


class Latency(Validator):
    """The answer took no longer than so many seconds."""

    short = "max_s"
    max_s: float = Field(gt=0, le=86_400, examples=[2.5], description="Seconds.")


class Cost(Validator):
    """The answer cost no more than so many dollars."""

    short = "max_usd"
    max_usd: float = Field(ge=0, le=1_000_000, examples=[0.01], description="US dollars.")


class Refusal(Validator):
    """The answer refuses; with negate, it does not."""


class Paraphrases(Validator):
    """The answer does not play the user's last turn back."""

    n: int = Field(default=3, ge=1, le=10, description="Length of a run in words.")
    max_copied: float = Field(default=0.2, ge=0, lt=1, description="Allowed share of copied runs.")


class ToolArguments(FileModel):
    """What the arguments of an agent's calls of one tool have to be."""

    subset: dict[str, JsonValue] | None = Field(default=None, description="Arguments that one of the calls has.")
    schema_: JsonSchema | None = Field(
        default=None, alias="schema", description="JSON Schema for the arguments of each call."
    )

    @model_validator(mode="after")
    def _check_not_empty(self) -> Self:
        if self.subset is None and self.schema_ is None:
            raise value_error("needs subset or schema", "for example get_bookings: {subset: {listing_id: 3}}")
        return self


class Tools(Validator):
    """The tools that an agent called."""

    short = "all"
    required: bool = Field(default=True, description="A score of 0 makes the whole sample 0.")
    all: Phrases | None = Field(default=None, description="All of these are called.")
    any: Phrases | None = Field(default=None, description="At least one of these is called.")
    forbidden: Phrases | None = Field(default=None, description="None of these is called.")
    in_order: Steps | None = Field(default=None, description="Called in this order; others may come between.")
    exact: Steps | None = Field(default=None, description="Exactly these calls.")
    arguments: dict[str, ToolArguments] | None = Field(default=None, description="Rules for arguments, by tool.")
    min_calls: Count | None = Field(default=None, description="Minimum of tool calls.")
    max_calls: Count | None = Field(default=None, description="Maximum.")
    max_errors: Count | None = Field(default=None, description="Maximum of failed calls.")

    @model_validator(mode="after")
    def _check_combination(self) -> Self:
        self.needs_one(
            *("all", "any", "in_order", "exact", "forbidden", "arguments", "min_calls", "max_calls", "max_errors")
        )
        whole = self.exact
        if whole is None:
            return self
        for key in ("all", "in_order"):
            if more := [one for one in getattr(self, key) or () if one not in whole]:
                raise value_error(f"cannot be met: {quoted(more[0])} is in {key} but not in exact")
        if both := [one for one in self.forbidden or () if one in whole]:
            raise value_error(f"cannot be met: {quoted(both[0])} is in both forbidden and exact")
        return self

    def options(self) -> dict[str, JsonValue]:
        found = super().options()
        if self.arguments is not None:
            arguments = {name: one.model_dump(by_alias=True, exclude_none=True) for name, one in self.arguments.items()}
            found["arguments"] = cast("JsonValue", arguments)
        return found


_PLAIN = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*){0,2}$"
_PlainName: TypeAlias = Annotated[
    str, Field(max_length=200), Matches(_PLAIN, "is not a plain name", "use query for other names")
]
_Rows: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]
SQL_QUOTED = (
    r"(?<!\w)[eE]'(?:[^'\\]|\\.|'')*'|'[^']*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/|(?<!\w)\$(?P<tag>\w*)\$.*?\$(?P=tag)\$"
)
"""A pattern of what is no code of a statement: texts, quoted names, comments. Needs `re.DOTALL`."""
_QUOTED = re.compile(SQL_QUOTED, re.DOTALL)
_READS = re.compile(r"\s*(--[^\n]*\n\s*|/\*.*?\*/\s*)*(select|with|values|table)\b", re.IGNORECASE | re.DOTALL)


class TableKey(FileModel):
    """A table, and the column that holds the id of the session."""

    table: _PlainName = Field(examples=["conversations"], description="Name of the table.")
    key: _PlainName = Field(examples=["id"], description="Column with the session id.")


class MessageTable(TableKey):
    """The same, and how many rows there have to be."""

    min: _Rows = Field(default=2, description="Minimum of rows.")


class RowCount(FileModel):
    """How many rows."""

    min: _Rows | None = Field(default=None, description="Minimum.")
    max: _Rows | None = Field(default=None, description="Maximum.")

    @model_validator(mode="after")
    def _check_not_empty(self) -> Self:
        if self.min is None and self.max is None:
            raise value_error("needs min or max", "rows: {min: 1}")
        return self


def _as_rows(value: Any) -> Any:
    return {"min": value, "max": value} if isinstance(value, int) and not isinstance(value, bool) else value


class Database(Validator):
    """A database holds what the conversation should have left."""

    required: bool = Field(default=True, description="A score of 0 makes the whole sample 0.")
    url: Variable = Field(examples=["AGENT_DATABASE_URL"], description="Environment variable with the address.")
    conversation: TableKey | None = Field(default=None, description="The session has a row.")
    messages: MessageTable | None = Field(default=None, description="The session has rows.")
    query: Annotated[str, Field(pattern=r"\S", max_length=20_000)] | None = Field(
        default=None, description="One SELECT or WITH statement; :session is the session id."
    )
    rows: Annotated[RowCount, BeforeValidator(_as_rows, json_schema_input_type=_Rows | RowCount)] | None = Field(
        default=None, description="Number of rows of the result."
    )
    equals: JsonValue = Field(default=None, description="The single value of the result.")
    match: dict[str, JsonValue] | None = Field(
        default=None,
        min_length=1,
        examples=["{status: booked}"],
        description="Columns and values of one row of the result.",
    )
    tolerance: float | None = Field(default=None, ge=0, le=1e15, description="Allowed difference of a number.")

    @field_validator("query")
    @classmethod
    def _check_query(cls, query: str | None) -> str | None:
        if query is None:
            return None
        if not _READS.match(query):
            raise value_error("does not only read", "start with SELECT or WITH; the transaction is read-only")
        if ";" in _QUOTED.sub("", query).rstrip().rstrip(";"):
            raise value_error("has more than one statement")
        return query.rstrip().rstrip(";")

    @field_validator("equals")
    @classmethod
    def _check_not_empty(cls, value: JsonValue) -> JsonValue:
        if value is None:
            raise value_error("is empty")
        return json_template(value)

    @field_validator("match")
    @classmethod
    def _check_templates(cls, value: dict[str, JsonValue] | None) -> dict[str, JsonValue] | None:
        return None if value is None else {name: json_template(one) for name, one in value.items()}

    @model_validator(mode="after")
    def _check_combination(self) -> Self:
        self.needs_one("conversation", "messages", "query")
        self.takes_one("conversation", "messages", "query")
        expectations = self.some("rows", "equals", "match")
        if self.query is not None and not expectations:
            raise value_error("needs rows, equals or match together with query", "rows: {min: 1}")
        if expectations and self.query is None:
            raise value_errors(((expectations[0],), "needs query", "messages has a min of its own"))
        if self.tolerance is not None and self.equals is None and self.match is None:
            raise value_errors((("tolerance",), "needs equals or match", "it is the allowed difference of a number"))
        return self

    def options(self) -> dict[str, JsonValue]:
        found = super().options()
        return found if self.rows is None else {**found, "rows": self.rows.model_dump(exclude_none=True)}


class Python(Validator):
    """A Python function, as module:function."""

    short = "function"
    function: Function = Field(
        examples=["evals.checks:polite"], description="As module:function, from the root of the repository."
    )
    interface: Literal["gate", "promptfoo"] = Field(
        default="gate", description="promptfoo calls get_assert(output, context)."
    )
    config: dict[str, Any] = Field(default={}, description="context.config, with interface promptfoo.")
    threshold: Threshold = Field(default=USUAL_THRESHOLD, description=_MARK)


class ModelScorerOptions(Options):
    """What every scorer has that asks one model."""

    model: ModelName | None = Field(default=None, description="Judge model, as provider:name.")
    params: Annotated[Params, empty_is(dict)] = Field(default_factory=Params, description="Parameters of its calls.")
    template: Path | None = Field(default=None, description="File with a prompt for the judge.")
    sees_input: bool = Field(default=True, description="false hides the input from the judge.")
    sees_expected: bool = Field(default=True, description="false hides the reference answer from the judge.")
    sees: list[Literal["tools"]] = Field(
        default=[], description="[tools] shows the judge an agent's calls of tools and their results."
    )

    def options(self) -> dict[str, JsonValue]:
        found = {**super().options(), "params": self.params.changed()}
        return found if self.sees else {key: value for key, value in found.items() if key != "sees"}


class JudgeOptions(ModelScorerOptions):
    """What every scorer has that asks one model or a jury about each answer."""

    required: bool = Field(default=False, description="A score of 0 makes the whole sample 0.")
    models: list[ModelName] | None = Field(
        default=None, min_length=2, max_length=9, description="Models of a jury; each judges every answer."
    )
    combine: Literal["mean", "median", "majority"] | None = Field(
        default=None, description="How to combine the scores of a jury."
    )
    calibration: Path | None = Field(default=None, description="Result file of gate calibrate --judge.")

    @field_validator("models")
    @classmethod
    def _check_models(cls, models: list[str] | None) -> list[str] | None:
        again = [at for at, name in enumerate(models or ()) if models and name in models[:at]]
        if models and again:
            raise value_error(f"names {quoted(models[again[0]])} twice")
        return models

    @model_validator(mode="after")
    def _check_jury(self) -> Self:
        if len(self.some("model", "models")) == 2:
            raise value_error("has both model and models", "keep one of the two")
        if self.combine is not None and self.models is None:
            message = "needs models"
            raise value_errors((("combine",), message, "for example models: [openai:gpt-5, anthropic:claude-x]"))
        return self

    def options(self) -> dict[str, JsonValue]:
        found = super().options()
        return found if self.models is None else {**found, "combine": self.combine or "median"}


class Judge(JudgeOptions):
    """A model's score from 0 to 1 for what an answer has to meet."""

    short = "criteria"
    criteria: Template | None = Field(default=None, description="What a good answer does.")
    threshold: Threshold = Field(default=USUAL_THRESHOLD, description=_MARK)


class RubricScorer(JudgeOptions, RubricOptions):
    """A judge that scores several dimensions apart."""

    short = "file"
    file: Path | None = Field(default=None, description="File of the rubric.")

    @model_validator(mode="after")
    def _check_one_rubric(self) -> Self:
        self.needs_one("file", "dimensions")
        doubled = self.some("scale", "threshold", "dimensions") if self.file is not None else []
        if doubled:
            hint = "remove it here, or remove file"
            raise value_errors(*(((key,), "is already set in the file of rubric.file", hint) for key in doubled))
        return self

    def options(self) -> dict[str, JsonValue]:
        found = {key: value for key, value in super().options().items() if key not in RubricOptions.model_fields}
        return found if self.file is not None else {**found, **self.rubric()}


class Pairwise(ModelScorerOptions):
    """A judge that compares the answers of both versions."""

    short = "criteria"
    criteria: Template | None = Field(default=None, description="What a good answer does.")


VALIDATORS: Mapping[str, type[Options]] = {
    "exact": Exact,
    "contains": Contains,
    "regex": Regex,
    "starts_with": StartsWith,
    "ends_with": EndsWith,
    "json": Json,
    "json_schema": JsonSchemaOptions,
    "json_path": JsonPathOptions,
    "number": Number,
    "words": Words,
    "sentences": Sentences,
    "characters": Characters,
    "forbidden_words": ForbiddenWords,
    "asks": Asks,
    "language": LanguageOptions,
    "similarity": Similarity,
    "latency": Latency,
    "cost": Cost,
    "refusal": Refusal,
    "paraphrases": Paraphrases,
    "tools": Tools,
    "database": Database,
    "python": Python,
}
"""Scorers that are code."""
KINDS: Mapping[str, type[Options]] = {**VALIDATORS, "judge": Judge, "rubric": RubricScorer, "pairwise": Pairwise}
"""Every scorer."""
