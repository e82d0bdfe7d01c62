"""Options of the scorers that are code, kind by kind."""

from collections.abc import Mapping

from gate.inputs.fields import Range
from gate.inputs.scorers.database import JsonMapping, Rows, Statement, TableKey, Variable, check_database
from gate.inputs.scorers.kind import AtLeastOne, AtMostOne, Exactly, Kind, Ordered
from gate.inputs.scorers.options import Choice, Flag, JsonSchema, Number, Pattern, Template, Threshold, Whole
from gate.inputs.scorers.toolargs import ToolArguments
from gate.inputs.scorers.values import Amount, AnyJson, Function, JsonList, Language, Path, Texts, WordLists

EXPECTED = "{{ expected }}"
RUN_WORDS = Range(1, 10)
"""Words of a run that counts as copied."""
COPIED = Range(0, 1, below=True)
"""Share of copied runs that is let pass."""
COUNT = Range(0, 10_000_000)
QUESTIONS = Range(1, 1_000)
TOLERANCE = Range(0, 1e15)
PERCENT = Range(0, 1_000)
SECONDS = Range(0, 86_400, above=True)
DOLLARS = Range(0, 1_000_000)
WORD_CHARS = 200
"""One word or phrase."""


_LOOKS = ("conversation", "messages", "query")
_OF_TOOLS = ("all", "any", "in_order", "exact", "forbidden", "arguments", "min_calls", "max_calls", "max_errors")


def _count() -> Kind:
    options = {"min": Whole(allowed=COUNT), "max": Whole(allowed=COUNT)}
    return Kind(options, rules=(AtLeastOne(("min", "max")), Ordered("min", "max")))


def _end() -> Kind:
    text = Template(default=EXPECTED)
    return Kind({"value": text, "ignore_case": Flag(default=False), "strip": Flag(default=True)}, "value")


VALIDATORS: Mapping[str, Kind] = {
    "exact": Kind(
        {"value": Template(default=EXPECTED), "ignore_case": Flag(default=False), "strip": Flag(default=True)}, "value"
    ),
    "contains": Kind(
        {
            "value": Template(default=EXPECTED, unless=("any", "all", "none")),
            "any": Texts(),
            "all": Texts(),
            "none": Texts(),
            "ignore_case": Flag(default=True),
        },
        "value",
    ),
    "regex": Kind({"pattern": Pattern(example="pattern: '^[0-9]+$'"), "ignore_case": Flag(default=False)}, "pattern"),
    "starts_with": _end(),
    "ends_with": _end(),
    "json": Kind({"fence": Flag(default=True)}),
    "json_schema": Kind(
        {"schema": JsonSchema(example="schema: {type: object, required: [answer]}"), "fence": Flag(default=True)}
    ),
    "json_path": Kind(
        {
            "path": Path(example="path: $.items[0].name"),
            "equals": AnyJson(),
            "one_of": JsonList(),
            "exists": Flag(default=True),
            "fence": Flag(default=True),
        },
        "path",
        (AtMostOne(("equals", "one_of", "exists")),),
    ),
    "number": Kind(
        {
            "value": Amount(default=EXPECTED),
            "tolerance": Number(allowed=TOLERANCE),
            "percent": Number(allowed=PERCENT),
            "which": Choice(words=("any", "first", "last", "only"), default="any"),
            "decimal": Choice(words=("point", "comma"), default="point"),
        },
        "value",
        (AtMostOne(("tolerance", "percent")),),
    ),
    "words": _count(),
    "sentences": _count(),
    "characters": _count(),
    "forbidden_words": Kind(
        {"words": Texts(example="words: [transition, process]", most=WORD_CHARS), "inflections": Flag(default=False)},
        "words",
    ),
    "asks": Kind(
        {
            "about": Texts(example="about: [name]", most=WORD_CHARS),
            "words": WordLists(),
            "max_questions": Whole(allowed=QUESTIONS),
        },
        "about",
    ),
    "language": Kind({"is": Language(example="is: de")}, "is"),
    "similarity": Kind(
        {
            "value": Template(default=EXPECTED),
            "metric": Choice(words=("token_f1", "edit"), default="token_f1"),
            "threshold": Threshold(),
        },
        "value",
    ),
    "latency": Kind({"max_s": Number(allowed=SECONDS, example="max_s: 2.5")}, "max_s"),
    "cost": Kind({"max_usd": Number(allowed=DOLLARS, example="max_usd: 0.01")}, "max_usd"),
    "refusal": Kind({}),
    "paraphrases": Kind({"n": Whole(allowed=RUN_WORDS, default=3), "max_copied": Number(allowed=COPIED, default=0.2)}),
    "tools": Kind(
        {
            **{key: Texts(most=WORD_CHARS) for key in ("all", "any", "forbidden")},
            **{key: Texts(most=WORD_CHARS, again=True) for key in ("in_order", "exact")},
            "arguments": ToolArguments(),
            **{key: Whole(allowed=COUNT) for key in ("min_calls", "max_calls", "max_errors")},
        },
        "all",
        (AtLeastOne(_OF_TOOLS), Exactly("exact", ("all", "in_order"), "forbidden")),
        required=True,
    ),
    "database": Kind(
        {
            "url": Variable(example="url: AGENT_DATABASE_URL"),
            "conversation": TableKey(),
            "messages": TableKey(least=True),
            "query": Statement(),
            "rows": Rows(),
            "equals": AnyJson(),
            "match": JsonMapping(),
        },
        rules=(AtLeastOne(_LOOKS), AtMostOne(_LOOKS)),
        required=True,
        check=check_database,
    ),
    "python": Kind(
        {
            "function": Function(example="function: evals.checks:polite"),
            "threshold": Threshold(),
        },
        "function",
    ),
}
