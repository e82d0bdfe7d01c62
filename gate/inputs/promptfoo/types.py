"""Every type of assertion that promptfoo documents: the scorer that it becomes, or what to do without one.

https://www.promptfoo.dev/docs/configuration/expected-outputs/
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gate.domain.jsonvalue import JsonValue
from gate.inputs.problems import quoted
from gate.inputs.promptfoo.context import FILE, criteria, parsed
from gate.inputs.promptfoo.listed import listed
from gate.inputs.promptfoo.patterns import pythons, translated

_DRAFT = "$schema"
_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
"""Of a schema that says nothing else, there."""

Assertion = Mapping[str, JsonValue]
Options = dict[str, JsonValue]


class Unmapped(Exception):
    """This assertion has no equal, though others of its type have."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A type that becomes a scorer.

    Args:
        scorer: its kind, as the documentation says it.
        make: from value and assertion, the scorer: one entry, its kind to its options.
        differs: what is not as it was; empty where it means the same.
        judged: a model scores it.
    """

    scorer: str
    make: Callable[[JsonValue, Assertion], Options]
    differs: str = ""
    judged: bool = False


def _text(value: JsonValue) -> str:
    if value is None:
        raise Unmapped("it has no value")
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # JavaScript writes 5.0 as 5
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _number(value: JsonValue, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unmapped(f"it has no {name}")
    return value


def _texts(value: JsonValue) -> list[str]:
    if isinstance(value, str):
        # There, the template is filled in first, and the commas that come out of it divide, too.
        if "{{" in value or "{%" in value:
            raise Unmapped("its list comes out of a template")
        value = list(listed(value) or ())
    if not isinstance(value, list) or not value:
        raise Unmapped("its value is no list")
    if any(isinstance(item, str) and item.startswith(FILE) for item in value):
        raise Unmapped("one of its texts is in a file")
    return [_text(item) for item in value]


def _equals(value: JsonValue, _: Assertion) -> Options:
    if isinstance(value, (dict, list)):
        return {"json_path": {"path": "$", "equals": value, "fence": False}}
    text = _text(value)
    # No text to be equal to: the scorer wants one, and a pattern can say that there is none.
    return {"exact": {"value": text, "strip": False}} if text.strip() else {"regex": {"pattern": rf"\A{text}\Z"}}


def _contains(ignore_case: bool) -> Callable[[JsonValue, Assertion], Options]:
    return lambda value, _: {"contains": {"value": _text(value), "ignore_case": ignore_case}}


def _contains_several(option: str, ignore_case: bool) -> Callable[[JsonValue, Assertion], Options]:
    def make(value: JsonValue, _: Assertion) -> Options:
        texts = _texts(value)
        if option == "any" and "" in texts:
            raise Unmapped("every answer contains the empty text that it lists")
        # One that is listed twice, or empty, asks for nothing more.
        return {"contains": {option: [*dict.fromkeys(filter(None, texts))], "ignore_case": ignore_case}}

    return make


def _regex(value: JsonValue, _: Assertion) -> Options:
    pattern = _text(value)
    if odd := pythons(pattern):
        raise Unmapped(f"{quoted(odd)} means something else to JavaScript, or nothing")
    return {"regex": {"pattern": translated(pattern)}}


def _json(value: JsonValue, _: Assertion) -> Options:
    if value is None or value == "":
        return {"json": {"fence": False}}
    if isinstance(value, str):
        found = parsed(value, "schema")
        value = found.data if found is not None else None
    if not isinstance(value, dict):
        raise Unmapped("its schema is no mapping in JSON or YAML")
    return {"json_schema": {"schema": {_DRAFT: _DRAFT_7, **value}, "fence": False}}


def unheeded(schema: JsonValue) -> str:
    """What a schema asks that promptfoo looks at and the gate does not, put into words; empty where it is nothing."""
    if isinstance(schema, list):
        return next(filter(None, map(unheeded, schema)), "")
    if not isinstance(schema, dict):
        return ""
    if isinstance(schema.get("format"), str):
        return "format is a remark in its schema, and is not looked at"
    if schema.get("nullable") is True:
        return "nullable is no word of JSON Schema, so null does not pass"
    return unheeded(list(schema.values()))


def _words(value: JsonValue, _: Assertion) -> Options:
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    if isinstance(value, dict):
        limits = {key: value[key] for key in ("min", "max") if value.get(key) is not None}
        return {"words": limits}
    exact = _number(value, "number of words")
    return {"words": {"min": exact, "max": exact}}


def _latency(_: JsonValue, assertion: Assertion) -> Options:
    return {"latency": {"max_s": _number(assertion.get("threshold"), "threshold") / 1000}}


def _cost(_: JsonValue, assertion: Assertion) -> Options:
    return {"cost": {"max_usd": _number(assertion.get("threshold"), "threshold")}}


def _alike(metric: str) -> Callable[[JsonValue, Assertion], Options]:
    def make(value: JsonValue, _: Assertion) -> Options:
        if isinstance(value, list):
            raise Unmapped("it has several values, of which one is enough")
        return {"similarity": {"value": _text(value), "metric": metric}}

    return make


def _judge(name: str, about: bool = True) -> Callable[[JsonValue, Assertion], Options]:
    def make(value: JsonValue, assertion: Assertion) -> Options:
        options: Options = {"criteria": criteria(name, _text(value).strip() if about else "")}
        threshold = assertion.get("threshold")
        if isinstance(threshold, (int, float)) and not isinstance(threshold, bool) and 0 < threshold <= 1:
            options["threshold"] = threshold
        return {"judge": options}

    return make


_WORDS_ALIKE = "the score is the share of words in common (F1), and its threshold is the gate's own, 0.7"
_OWN_PHRASES = "by the gate's own phrases, in six languages; an empty answer is no refusal"
_OWN_WORDS = "dashes and slashes divide words, too, and one without a letter or digit is none"
_BY_OUR_JUDGE = "the gate's judge scores it, by these criteria alone"
_SIMILAR = Mapped("similarity", _alike("token_f1"), f"no embeddings: {_WORDS_ALIKE}")
_OVERLAP = Mapped("similarity", _alike("token_f1"), _WORDS_ALIKE)
_FACTS = Mapped("judge", _judge("factuality"), _BY_OUR_JUDGE, judged=True)

MAPPED: Mapping[str, Mapped] = {
    "equals": Mapped("exact", _equals),
    "contains": Mapped("contains", _contains(False)),
    "icontains": Mapped("contains", _contains(True)),
    "contains-all": Mapped("contains", _contains_several("all", False)),
    "contains-any": Mapped("contains", _contains_several("any", False)),
    "icontains-all": Mapped("contains", _contains_several("all", True)),
    "icontains-any": Mapped("contains", _contains_several("any", True)),
    "starts-with": Mapped("starts_with", lambda value, _: {"starts_with": {"value": _text(value), "strip": False}}),
    "regex": Mapped("regex", _regex),
    "is-json": Mapped("json, json_schema", _json),
    "is-refusal": Mapped("refusal", lambda _, __: {"refusal": {}}, _OWN_PHRASES),
    "word-count": Mapped("words", _words, _OWN_WORDS),
    "latency": Mapped("latency", _latency),
    "cost": Mapped("cost", _cost),
    "levenshtein": Mapped(
        "similarity", _alike("edit"), "the score is 1 minus the distance by the length, not a limit of edits"
    ),
    "similar": _SIMILAR,
    "similar:cosine": _SIMILAR,
    "similar:dot": _SIMILAR,
    "similar:euclidean": _SIMILAR,
    "rouge-n": _OVERLAP,
    "bleu": _OVERLAP,
    "gleu": _OVERLAP,
    "meteor": _OVERLAP,
    "llm-rubric": Mapped("judge", _judge("value"), _BY_OUR_JUDGE, judged=True),
    "g-eval": Mapped("judge", _judge("value"), _BY_OUR_JUDGE, judged=True),
    "model-graded-closedqa": Mapped("judge", _judge("value"), _BY_OUR_JUDGE, judged=True),
    "pi": Mapped("judge", _judge("value"), _BY_OUR_JUDGE, judged=True),
    "factuality": _FACTS,
    "model-graded-factuality": _FACTS,
    "answer-relevance": Mapped("judge", _judge("answer-relevance", False), _BY_OUR_JUDGE, judged=True),
    "context-faithfulness": Mapped("judge", _judge("context-faithfulness", False), _BY_OUR_JUDGE, judged=True),
}

_OWN_CODE = "write it as a function: python: module:function"
_AGENT = "of an agent's tools: the scorer tools"
_COMPARED = "leave it out: gate diff compares two versions; pairwise lets a judge choose"
_NO_SIGNAL = "leave it out, or write criteria for a judge"
NAMED: Mapping[str, str] = {
    "javascript": _OWN_CODE,
    "python": _OWN_CODE,
    "ruby": _OWN_CODE,
    "webhook": _OWN_CODE,
    "contains-json": "take json or json_schema where the answer is JSON and nothing else; otherwise " + _OWN_CODE,
    **dict.fromkeys(("contains-html", "is-html", "contains-xml", "is-xml", "contains-sql", "is-sql"), _OWN_CODE),
    "perplexity": _NO_SIGNAL,
    "perplexity-score": _NO_SIGNAL,
    "finish-reason": "leave it out: how replies end is in the report",
    "is-valid-function-call": _AGENT,
    "is-valid-openai-function-call": _AGENT,
    "is-valid-openai-tools-call": _AGENT,
    "tool-call-f1": _AGENT,
    "skill-used": _AGENT,
    "trajectory:tool-used": _AGENT,
    "trajectory:tool-args-match": _AGENT,
    "trajectory:tool-sequence": _AGENT,
    "trajectory:step-count": _AGENT,
    "trajectory:goal-success": "write the goal as criteria of a judge, and set a target",
    "trace-span-count": _NO_SIGNAL,
    "trace-span-duration": _NO_SIGNAL,
    "trace-error-spans": _NO_SIGNAL,
    "guardrails": _NO_SIGNAL,
    "classifier": _NO_SIGNAL,
    "moderation": _NO_SIGNAL,
    "context-recall": "it judges the context, not the answer: leave it out",
    "context-relevance": "it judges the context, not the answer: leave it out",
    "conversation-relevance": "write the conversation as rounds, and criteria for a judge",
    "search-rubric": "the gate's judges search nothing: write a rubric that needs no search",
    "agent-rubric": "write criteria for a judge",
    "select-best": _COMPARED,
    "max-score": _COMPARED,
    "human": _NO_SIGNAL,
}
"""Types without an equal, and what to do instead."""
