"""Scorers with their options, and lists of scorers in configuration and cases."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeAlias

from pydantic import (
    AfterValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import CoreSchema, core_schema

from gate.config.documents import Document, described, did_you_mean, quoted
from gate.config.models import Params, parse_params
from gate.config.scorer_options import COMMON, KINDS, Options
from gate.config.validation import adapter_of, relocated, validate, value_error, value_errors
from gate.values import FreeNames, JsonValue

COMPARATIVE = frozenset({"pairwise"})
"""Kinds of scorers that look at the answers of both arms at once."""
JUDGED = frozenset({"judge", "rubric"}) | COMPARATIVE
"""Kinds of scorers that ask a model."""
WHOLE = frozenset({"tools", "database", "latency", "cost"})
"""Kinds of scorers that look at a whole conversation and not at each of its rounds."""
_EXPECTED = frozenset({"rows", "equals", "match", "tolerance"})
"""Options of what looks at a database that say what should be found there."""


@dataclass(frozen=True, slots=True)
class ScorerSpec:
    """A scorer, which gives a sample a score in [0, 1].

    Args:
        kind: one of `gate.config.scorer_options.KINDS`.
        options: strings may contain `{{ expected }}` and other fields of the case.
        name: shown in reports; unique within a suite.
        weight: share in the weighted mean, above 0.
        required: score 0 makes the score of the sample 0.
        negate: a score s becomes 1 - s.
    """

    kind: str
    name: str
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    weight: float = 1.0
    required: bool = False
    negate: bool = False

    @property
    def judged(self) -> bool:
        """Scored by a model."""
        return self.kind in JUDGED

    @property
    def comparative(self) -> bool:
        """Compares the answers of both arms, and cannot score one answer."""
        return self.kind in COMPARATIVE

    @property
    def coded(self) -> bool:
        """Scored by a function of the repository."""
        return self.kind == "python"

    @property
    def whole(self) -> bool:
        """Scores a whole conversation instead of each round."""
        return self.kind in WHOLE

    @property
    def function(self) -> str:
        """The scoring function as `module:function`; empty without one."""
        found = self.options.get("function")
        return found if self.coded and isinstance(found, str) else ""

    @property
    def models(self) -> tuple[str, ...]:
        """Judge models as `provider:name`; empty for a validator, or if no model is set yet."""
        several = self.options.get("models")
        named = several if isinstance(several, list) else [self.options.get("model")]
        return tuple(name for name in named if isinstance(name, str)) if self.judged else ()

    @property
    def files(self) -> tuple[str, ...]:
        """Files of the repository that it uses: a rubric, a judge's prompt."""
        named = (self.options.get(key) for key in ("file", "template")) if self.judged else ()
        return tuple(path for path in named if isinstance(path, str))

    @property
    def lookup(self) -> str:
        """The database and query as a text to compare, without the expected result; empty without a database."""
        if self.kind != "database":
            return ""
        looked: dict[str, JsonValue] = {key: self.options[key] for key in self.options if key not in _EXPECTED}
        if isinstance(messages := looked.get("messages"), dict):
            looked["messages"] = {key: messages[key] for key in messages if key != "min"}
        return json.dumps(looked, sort_keys=True)


def judge_params(spec: ScorerSpec) -> Params:
    """The parameters of the judge models.

    Raises:
        InputErrors: all errors in them.
    """
    given = spec.options.get("params")
    return parse_params(given if isinstance(given, dict) else {}, f"params of the judge {spec.name}")


MEANT: Mapping[str, str] = {
    **dict.fromkeys(("equals", "equal", "exact_match", "is"), "exact"),
    **dict.fromkeys(("includes", "include", "icontains", "substring"), "contains"),
    **dict.fromkeys(("contains_any", "icontains_any"), "contains: {any: [one, two]}"),
    **dict.fromkeys(("contains_all", "icontains_all"), "contains: {all: [one, two]}"),
    **dict.fromkeys(("excludes", "contains_none"), "contains: {none: [one, two]}"),
    **dict.fromkeys(("match", "matches", "pattern", "re"), "regex"),
    **dict.fromkeys(("prefix", "startswith", "begins_with"), "starts_with"),
    **dict.fromkeys(("suffix", "endswith"), "ends_with"),
    **dict.fromkeys(("is_json", "valid_json", "json_valid", "contains_json"), "json"),
    **dict.fromkeys(("schema", "jsonschema", "is_valid_json_schema"), "json_schema"),
    **dict.fromkeys(("jsonpath", "json_field"), "json_path"),
    **dict.fromkeys(("numeric", "number_tolerance", "math", "close_to"), "number"),
    **dict.fromkeys(("word_count", "words_count", "max_words", "min_words"), "words: {min: 10, max: 60}"),
    **dict.fromkeys(("sentence_count", "max_sentences", "min_sentences"), "sentences: {max: 2}"),
    **dict.fromkeys(("length", "chars", "character_count", "max_length", "min_length"), "characters: {max: 280}"),
    **dict.fromkeys(("banned_words", "blocklist", "banned", "forbidden"), "forbidden_words"),
    **dict.fromkeys(("should_ask", "asks_for", "ask", "question"), "asks"),
    **dict.fromkeys(("lang", "is_language", "language_is"), "language"),
    **dict.fromkeys(("similar", "f1", "token_f1", "rouge_n", "rouge_l", "bleu", "meteor"), "similarity"),
    **dict.fromkeys(("levenshtein", "edit_distance", "fuzzy"), "similarity: {metric: edit}"),
    **dict.fromkeys(("duration", "max_latency", "response_time"), "latency"),
    **dict.fromkeys(("price", "max_cost"), "cost"),
    **dict.fromkeys(("is_refusal", "refuses", "refused"), "refusal"),
    **dict.fromkeys(("function", "custom", "assert_fn", "callable"), "python"),
    **dict.fromkeys(("tool", "tool_calls", "expected_tools", "called_tools", "tool_correctness"), "tools"),
    **dict.fromkeys(("sql", "db", "query"), "database"),
    **dict.fromkeys(("llm", "llm_judge", "llm_rubric", "g_eval", "geval", "model_graded", "answer_relevance"), "judge"),
}
"""What users of other tools write, hyphens or underscores, to what it is called here."""


class _ScorerEntry:
    """One entry under `scorers`: `contains`, `contains: text` or `contains: {…}`."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(_entry, ref="gate.config.scorer.Scorer:1")

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        forms = {kind: _kind_schema(kind, model, handler) for kind, model in KINDS.items()}
        bare = [kind for kind, model in KINDS.items() if _needs_no_options(model)]
        return {"anyOf": [{"enum": bare}, *forms.values()], "title": "a scorer"}


class _ScorerList:
    """A list of scorers; those without a name get one."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        listed = handler.generate_schema(Annotated[list[_ScorerEntry], Field(min_length=1)])
        return core_schema.no_info_after_validator_function(_with_names, listed)


Scorers: TypeAlias = Annotated[tuple[ScorerSpec, ...], _ScorerList()]
"""One scorer or more; one without a name is called after its kind: `contains`, `contains-2`."""


def without_files(specs: tuple[ScorerSpec, ...] | None) -> tuple[ScorerSpec, ...] | None:
    """The scorers of a case. Raises value errors for those that name a file: its changes would not be noticed."""
    hint = "put it into the suite's scorers, or write the dimensions here"
    found = [
        ((at, spec.kind), f"names the file {quoted(spec.files[0])}, which only gate.yaml may do", hint)
        for at, spec in enumerate(specs or ())
        if spec.files
    ]
    if found:
        raise value_errors(*found)
    return specs


CaseScorers: TypeAlias = Annotated[Scorers, AfterValidator(without_files)]
"""The same, where no file may be named."""


def parse_scorers(value: JsonValue, file: str) -> tuple[ScorerSpec, ...]:
    """A list of scorers from outside a file, such as `["contains"]` or `[{"judge": {"criteria": "…"}}]`."""
    return validate(_SCORERS, Document(file, {"scorers": value}).part("scorers"))


_SCORERS: TypeAdapter[tuple[ScorerSpec, ...]] = TypeAdapter(CaseScorers, config={"defer_build": True})


def _entry(value: Any, info: ValidationInfo) -> ScorerSpec:
    entry = {value: None} if isinstance(value, str) else value
    if not isinstance(entry, dict):
        raise value_error(f"must be a name or a mapping, not {described(entry)}", _kinds_hint())
    kinds = [key for key in entry if key not in COMMON]
    if len(kinds) != 1:
        found = f"has {len(kinds)}: {', '.join(map(quoted, kinds[:5]))}" if kinds else "has none"
        raise value_error(f"needs one kind of scorer, and {found}", "start each scorer with '- '")
    kind = kinds[0]
    if kind not in KINDS:
        raise value_error(f"is not a scorer: {quoted(kind)}", _kind_hint(kind))
    model, body = KINDS[kind], entry[kind]
    common = {key: entry[key] for key in COMMON if key in entry}
    if not isinstance(body, dict):
        body = {} if body is None else {model.short: body} if model.short else body
    if not isinstance(body, dict):
        raise value_errors(
            ((kind,), f"must be a mapping, not {described(body)}", "docs/reference/gate-yaml.md lists its options")
        )
    if doubled := [key for key in common if key in body]:
        raise value_errors(*(((kind, key), "is set twice", "keep one of the two") for key in doubled))
    try:
        read = adapter_of(model).validate_python({**body, **common}, context=info.context)
    except ValidationError as error:
        if isinstance(value, str):
            first = error.errors(include_url=False)[0]["ctx"]
            raise value_error(f"names {kind} without options: {kind} {first['said']}", first["hint"]) from None
        raise relocated(error, lambda loc: loc if loc[:1] and loc[0] in common else (kind, *loc)) from None
    required, negate = getattr(read, "required", False), getattr(read, "negate", False)
    return ScorerSpec(kind, read.name or "", read.options(), read.weight, required, negate)


def _with_names(specs: list[ScorerSpec]) -> tuple[ScorerSpec, ...]:
    taken: set[str] = set()
    for at, spec in enumerate(specs):
        if spec.name in taken:
            raise value_errors(((at,), f"is the second scorer named {quoted(spec.name)}", "rename one of them"))
        taken.update(filter(None, (spec.name,)))
    names = FreeNames(taken=taken)
    return tuple(spec if spec.name else replace(spec, name=names.take(spec.kind)) for spec in specs)


def _kind_hint(kind: str) -> str:
    word = kind.lower().replace("-", "_")
    negated = word.startswith("not_")
    word = word[4:] if negated else word
    meant = MEANT.get(word, word if word in KINDS else "")
    hint = f"did you mean {meant!r}{' with negate: true' if negated else ''}?" if meant else did_you_mean(kind, KINDS)
    return hint


def _kinds_hint() -> str:
    return "known: " + ", ".join(KINDS)


def _needs_no_options(model: type[Options]) -> bool:
    """Can the scorer be written without options?"""
    try:
        adapter_of(model).validate_python({})
    except ValidationError:
        return False
    return True


def _kind_schema(kind: str, model: type[Options], handler: GetJsonSchemaHandler) -> dict[str, Any]:
    model.model_rebuild()
    whole = handler(model.__pydantic_core_schema__)
    keys = handler.resolve_ref_schema(whole)["properties"]
    forms: list[dict[str, Any]] = [whole]
    if model.short:
        forms.append({key: value for key, value in keys[model.short].items() if key not in ("title", "default")})
    if _needs_no_options(model):
        forms.append({"type": "null"})
    common = {key: keys[key] for key in COMMON if key in keys}
    described_kind = {"anyOf": forms, "description": str(model.__doc__)}
    return {
        "type": "object",
        "properties": {kind: described_kind, **common},
        "required": [kind],
        "additionalProperties": False,
    }
