"""Converts promptfoo assertions of every documented type to scorers, or explains what to do instead.

https://www.promptfoo.dev/docs/configuration/expected-outputs/
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gate.cases.case import all_texts
from gate.cases.promptfoo_context import (
    FILE,
    Context,
    criteria,
    is_code,
    listed,
    parsed,
    pythons,
    translated,
    value_at,
    values,
)
from gate.config.documents import Document, did_you_mean, quoted
from gate.config.models import foreign_model
from gate.config.scorer import parse_scorers
from gate.errors import InputErrors
from gate.templates.nunjucks import to_jinja
from gate.templates.sandbox import BadTemplate
from gate.values import FreeNames, JsonValue

_DRAFT = "$schema"
_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
"""The draft of a schema that names none, in promptfoo."""

Assertion = Mapping[str, JsonValue]
Options = dict[str, JsonValue]


class UnknownAssertion(Exception):
    """An assertion without an equivalent, although others of its type have one."""


@dataclass(frozen=True, slots=True)
class MappedAssertion:
    """An assertion type that becomes a scorer.

    Args:
        scorer: its kind, as in the documentation.
        make: builds the scorer (kind to options) from value and assertion.
        differs: how the meaning changes; empty if it does not.
        judged: scored by a model.
    """

    scorer: str
    make: Callable[[JsonValue, Assertion], Options]
    differs: str = ""
    judged: bool = False


def _text(value: JsonValue) -> str:
    if value is None:
        raise UnknownAssertion("it has no value")
    if isinstance(value, float) and float.is_integer(value):
        value = int(value)  # JavaScript writes 5.0 as 5
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _number(value: JsonValue, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UnknownAssertion(f"it has no {name}")
    return value


def _texts(value: JsonValue) -> list[str]:
    if isinstance(value, str):
        # promptfoo fills in the template first, so commas in its values separate items, too.
        if "{{" in value or "{%" in value:
            raise UnknownAssertion("its list comes out of a template")
        value = list(listed(value) or ())
    if not isinstance(value, list) or not value:
        raise UnknownAssertion("its value is no list")
    if any(isinstance(item, str) and item.startswith(FILE) for item in value):
        raise UnknownAssertion("one of its texts is in a file")
    return [_text(item) for item in value]


def _equals(value: JsonValue, _: Assertion) -> Options:
    if isinstance(value, (dict, list)):
        return {"json_path": {"path": "$", "equals": value, "fence": False}}
    text = _text(value)
    # The scorer does not accept a blank value, so a pattern checks for it.
    return {"exact": {"value": text, "strip": False}} if text.strip() else {"regex": {"pattern": rf"\A{text}\Z"}}


def _contains(ignore_case: bool) -> Callable[[JsonValue, Assertion], Options]:
    return lambda value, _: {"contains": {"value": _text(value), "ignore_case": ignore_case}}


def _contains_several(option: str, ignore_case: bool) -> Callable[[JsonValue, Assertion], Options]:
    def make(value: JsonValue, _: Assertion) -> Options:
        texts = _texts(value)
        if option == "any" and "" in texts:
            raise UnknownAssertion("every answer contains the empty text that it lists")
        # Duplicate and empty texts do not change the result.
        return {"contains": {option: [*dict.fromkeys(filter(None, texts))], "ignore_case": ignore_case}}

    return make


def _regex(value: JsonValue, _: Assertion) -> Options:
    pattern = _text(value)
    if odd := pythons(pattern):
        raise UnknownAssertion(f"{quoted(odd)} means something else to JavaScript, or nothing")
    return {"regex": {"pattern": translated(pattern)}}


def _json(value: JsonValue, _: Assertion) -> Options:
    if value is None or value == "":
        return {"json": {"fence": False}}
    if isinstance(value, str):
        found = parsed(value, "schema")
        value = found.data if found is not None else None
    if not isinstance(value, dict):
        raise UnknownAssertion("its schema is no mapping in JSON or YAML")
    return {"json_schema": {"schema": {_DRAFT: _DRAFT_7, **value}, "fence": False}}


def unchecked_parts(schema: JsonValue) -> str:
    """The parts of a schema that promptfoo checks and the gate does not; empty if there are none."""
    if isinstance(schema, list):
        return next(filter(None, map(unchecked_parts, schema)), "")
    if not isinstance(schema, dict):
        return ""
    if isinstance(schema.get("format"), str):
        return "format is a remark in its schema, and is not looked at"
    if schema.get("nullable") is True:
        return "nullable is no word of JSON Schema, so null does not pass"
    return unchecked_parts(list(schema.values()))


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


def _similarity(metric: str) -> Callable[[JsonValue, Assertion], Options]:
    def make(value: JsonValue, _: Assertion) -> Options:
        if isinstance(value, list):
            raise UnknownAssertion("it has several values, of which one is enough")
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
_SIMILAR = MappedAssertion("similarity", _similarity("token_f1"), f"no embeddings: {_WORDS_ALIKE}")
_OVERLAP = MappedAssertion("similarity", _similarity("token_f1"), _WORDS_ALIKE)
_FACTS = MappedAssertion("judge", _judge("factuality"), _BY_OUR_JUDGE, judged=True)

MAPPED: Mapping[str, MappedAssertion] = {
    "equals": MappedAssertion("exact", _equals),
    "contains": MappedAssertion("contains", _contains(False)),
    "icontains": MappedAssertion("contains", _contains(True)),
    "contains-all": MappedAssertion("contains", _contains_several("all", False)),
    "contains-any": MappedAssertion("contains", _contains_several("any", False)),
    "icontains-all": MappedAssertion("contains", _contains_several("all", True)),
    "icontains-any": MappedAssertion("contains", _contains_several("any", True)),
    "starts-with": MappedAssertion(
        "starts_with", lambda value, _: {"starts_with": {"value": _text(value), "strip": False}}
    ),
    "regex": MappedAssertion("regex", _regex),
    "is-json": MappedAssertion("json, json_schema", _json),
    "is-refusal": MappedAssertion("refusal", lambda _, __: {"refusal": {}}, _OWN_PHRASES),
    "word-count": MappedAssertion("words", _words, _OWN_WORDS),
    "latency": MappedAssertion("latency", _latency),
    "cost": MappedAssertion("cost", _cost),
    "levenshtein": MappedAssertion(
        "similarity", _similarity("edit"), "the score is 1 minus the distance by the length, not a limit of edits"
    ),
    "similar": _SIMILAR,
    "similar:cosine": _SIMILAR,
    "similar:dot": _SIMILAR,
    "similar:euclidean": _SIMILAR,
    "rouge-n": _OVERLAP,
    "bleu": _OVERLAP,
    "gleu": _OVERLAP,
    "meteor": _OVERLAP,
    "llm-rubric": MappedAssertion("judge", _judge("value"), _BY_OUR_JUDGE, judged=True),
    "g-eval": MappedAssertion("judge", _judge("value"), _BY_OUR_JUDGE, judged=True),
    "model-graded-closedqa": MappedAssertion("judge", _judge("value"), _BY_OUR_JUDGE, judged=True),
    "pi": MappedAssertion("judge", _judge("value"), _BY_OUR_JUDGE, judged=True),
    "factuality": _FACTS,
    "model-graded-factuality": _FACTS,
    "answer-relevance": MappedAssertion("judge", _judge("answer-relevance", False), _BY_OUR_JUDGE, judged=True),
    "context-faithfulness": MappedAssertion("judge", _judge("context-faithfulness", False), _BY_OUR_JUDGE, judged=True),
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
"""Types without an equivalent, and what to do instead."""


ScorerOptions = dict[str, JsonValue]

_TEXT = r"""(?P<quote>['"])(?P<text>(?:(?!(?P=quote))[^\\{])+)(?P=quote)"""
_LENGTH = r"(?P<sign><=|>=|===?|<|>)\s*(?P<number>\d{1,9})"
_BOUNDS: Mapping[str, tuple[int | None, int | None]] = {
    "<": (None, -1),
    "<=": (None, 0),
    ">": (1, None),
    ">=": (0, None),
    "==": (0, 0),
    "===": (0, 0),
}
"""What a comparison with a number allows: the least and the most, each from that number."""


def _length(found: re.Match[str]) -> ScorerOptions:
    low, high = _BOUNDS[found["sign"]]
    number = int(found["number"])
    limits: ScorerOptions = {}
    if low is not None:
        limits["min"] = number + low
    if high is not None:
        limits["max"] = number + high
    return {"characters": limits}


def _holds(found: re.Match[str]) -> ScorerOptions:
    return {"contains": {"value": found["text"], "ignore_case": False}}


def _is(found: re.Match[str]) -> ScorerOptions:
    return {"exact": {"value": found["text"], "strip": False}}


def _edge(found: re.Match[str]) -> ScorerOptions:
    return {f"{found['edge'].lower()}s_with": {"value": found["text"], "strip": False}}


def _parsed_json(_: re.Match[str]) -> ScorerOptions:
    return {"json": {"fence": False}}


_FORMS: Mapping[str, tuple[tuple[str, Callable[[re.Match[str]], ScorerOptions]], ...]] = {
    "javascript": (
        (rf"(?P<no>!)?output\.includes\({_TEXT}\)", _holds),
        (rf"(?P<no>!)?output\.(?P<edge>start|end)sWith\({_TEXT}\)", _edge),
        (rf"output\s*(?:(?P<no>!)==?|===?)\s*{_TEXT}", _is),
        (rf"output(?:\.trim\(\))?\.length\s*{_LENGTH}", _length),
        (r"JSON\.parse\(output\)", _parsed_json),
    ),
    "python": (
        (rf"{_TEXT} (?P<no>not )?in output", _holds),
        (rf"(?P<no>not )?output\.(?P<edge>start|end)swith\({_TEXT}\)", _edge),
        (rf"output\s*(?:==|(?P<no>!)=)\s*{_TEXT}", _is),
        (rf"len\(output(?:\.strip\(\))?\)\s*{_LENGTH}", _length),
        (r"json\.loads\(output\)", _parsed_json),
    ),
}
LANGUAGES = frozenset(_FORMS)


def scorer_of(language: str, code: JsonValue) -> ScorerOptions | None:
    """The scorer equivalent to JavaScript or Python code; None if there is none."""
    if not isinstance(code, str):
        return None
    # promptfoo treats multi-line Python as the body of a function.
    text = code.rstrip().removesuffix(";") if language == "javascript" else code
    for pattern, make in _FORMS[language]:
        if found := re.fullmatch(pattern, text):
            negate = bool(found.groupdict().get("no"))
            return {**make(found), **({"negate": True} if negate else {})}
    return None


SET = "assert-set"
KNOWN = frozenset({*MAPPED, *NAMED, SET})
_NOT = "not-"
_OWN = frozenset({"type", "value", "threshold", "weight", "metric", "provider", "description", "$ref"})
_CHANGED = ("transform", "contextTransform", "rubricPrompt")
"""Keys without which an assertion is about something else."""
_STRING = re.compile(
    r"(not-)?(" + "|".join(sorted(map(re.escape, KNOWN - {SET}), key=len, reverse=True)) + r")"
    r"(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?"
)
_LISTED = ("contains-all", "contains-any", "icontains-all", "icontains-any")
_CELL_MARKS = ("answer-relevance", "context-faithfulness")
_CELL_MARK = 0.75
"""The default threshold of those in a cell; a configuration has none."""
_LENGTHS = "blanks around the answer do not count, and an emoji is one character"
_GRADES = "context.prompt holds the question, and a score counts from 0 to 1; only the merge target's code is run"
_SHORT = {"fn": "javascript", "eval": "javascript", "grade": "llm-rubric"}


def scorers_of(node: Document | None, context: Context, place: str) -> list[JsonValue]:
    """The scorers of a list of assertions.

    Args:
        place: for messages, such as `test 3`.
    """
    if node is None or node.data is None:
        return []
    if not isinstance(node.data, list):
        context.losses.add(node.line, f"assert of {place} is no list", "begin each assertion with '- type: …'")
        return []
    found: list[JsonValue] = []
    for item in node.parts():
        found += _scorers(context.resolved(item), context, place, 1.0)
    return _with_unique_names(found)


def from_text(text: str, line: int) -> Document:
    """The assertion in a table cell: `contains:Paris`, `similar(0.8):…`, or a text that the answer must equal."""
    text = text.strip()
    head, colon, rest = text.partition(":")
    if colon and head in _SHORT:
        return value_at({"type": _SHORT[head], "value": rest.strip()}, line)
    if text.startswith(FILE) and is_code(text):
        return value_at({"type": "python" if ".py" in text else "javascript", "value": text}, line)
    match = _STRING.fullmatch(text)
    if match is None:
        return value_at({"type": "equals", "value": text}, line)
    negated, base, threshold, value = match.groups()
    row: ScorerOptions = {"type": f"{negated or ''}{base}"}
    if value is not None:
        value = value.strip()
        found = listed(value) if base in _LISTED else None
        row["value"] = value if found is None else list(found)
    if threshold or base in _CELL_MARKS:
        row["threshold"] = float(threshold or _CELL_MARK)
    return value_at(row, line)


def _scorers(node: Document, context: Context, place: str, share: float) -> list[JsonValue]:
    """The scorers of one assertion; `share` is the factor for its weight within its set."""
    row = values(node)
    if "type" not in row:
        if node.data:
            context.losses.add(node.line, f"an assertion of {place} has no type", "write type: contains")
        return []
    kind = str(row["type"])
    weight = _weight(row)
    if weight == 0:
        context.losses.add(node.line, f"{kind} of {place} has weight 0 and checks nothing, so it is left out")
        return []
    if kind == SET:
        return _set(node, context, place, share * weight)
    scorer = _made(row, kind, node, context, place)
    if scorer is None:
        return []
    if (own := weight * share) != 1:
        scorer["weight"] = round(own, 6)
    return [scorer]


def _weight(row: Mapping[str, JsonValue]) -> float:
    weight = row.get("weight", 1)
    return 1 if isinstance(weight, bool) or not isinstance(weight, (int, float)) else weight


def _set(node: Document, context: Context, place: str, share: float) -> list[JsonValue]:
    inner = node.get("assert")
    if "threshold" in values(node):
        message = f"the threshold of an assert-set of {place} is left out: its assertions count by their weights"
        context.losses.add(node.line, message, "set the case's threshold")
    resolved = [context.resolved(item) for item in (inner.parts() if inner is not None else ())]
    whole = sum(_weight(values(item)) for item in resolved)
    found: list[JsonValue] = []
    for item in resolved:
        if values(item).get("type") == SET:
            # promptfoo does not nest sets either; with references a set might contain itself.
            context.losses.add(
                item.line, f"an assert-set inside another of {place} is left out", "write it next to the other"
            )
            continue
        found += _scorers(item, context, place, share / whole if whole else 1)
    return found


def _made(row: ScorerOptions, kind: str, node: Document, context: Context, place: str) -> ScorerOptions | None:
    """The scorer of one assertion without its weight; None and a loss if there is none."""
    base = kind.removeprefix(_NOT)
    label = f"assertion type {quoted(kind)} of {place}"
    if kind == "python" and str(row.get("value")).startswith(FILE):
        return _graded(row, node, context, label)
    # promptfoo does not negate Python.
    of_code = scorer_of(base, row.get("value")) if base in LANGUAGES and kind != "not-python" else None
    if base not in MAPPED and of_code is None:
        hint = NAMED.get(base) or did_you_mean(base, sorted(KNOWN))
        unknown = "" if base in NAMED else ", which is unknown,"
        context.losses.add(node.line, f"{label}{unknown} cannot be converted", hint)
        return None
    if changed := [key for key in _CHANGED if key in row]:
        context.losses.add(node.line, f"{label} has {', '.join(changed)}, so it cannot be converted", NAMED["python"])
        return None
    if of_code is None:
        return _scorer(row, kind, node, context, label)
    if kind != base and not of_code.pop("negate", False):
        of_code["negate"] = True
    differs = _LENGTHS if "characters" in of_code else ""
    return of_code if _with_rest(of_code, row, node.line, (differs, label, context)) else None


def _graded(row: ScorerOptions, node: Document, context: Context, label: str) -> ScorerOptions | None:
    """The scorer for a grading function in a file; None and a loss if the gate cannot call it."""
    function, reason = context.function(str(row["value"]), "get_assert")
    if changed := [key for key in _CHANGED if key in row]:
        reason = f"it has {', '.join(changed)}"
    if reason:
        context.losses.add(node.line, f"{label} cannot be converted: {reason}", _OWN_CODE)
        return None
    options: ScorerOptions = {"function": function, "interface": "promptfoo"}
    if isinstance(config := row.get("config"), dict) and config:
        options["config"] = config
    threshold = row.get("threshold")
    if isinstance(threshold, (int, float)) and not isinstance(threshold, bool) and 0 < threshold <= 1:
        options["threshold"] = threshold
    rest = {key: value for key, value in row.items() if key != "config"}
    scorer: ScorerOptions = {"python": options}
    return scorer if _with_rest(scorer, rest, node.line, (_GRADES, label, context)) else None


def _scorer(row: ScorerOptions, kind: str, node: Document, context: Context, label: str) -> ScorerOptions | None:
    """The scorer of a mapped assertion; None and a loss if its value is not available."""
    base = kind.removeprefix(_NOT)
    mapped, value = MAPPED[base], row.get("value")
    if isinstance(value, str) and value.startswith(FILE):
        text = context.text(value, node.line, label)
        if text is None:
            return None
        value = _loaded(text, value)
    try:
        scorer = mapped.make(_in_jinja(value), row)
    except (BadTemplate, UnknownAssertion) as error:
        context.losses.add(node.line, f"{label} cannot be converted: {error}", "write a scorer for it")
        return None
    options = next(iter(scorer.values()))
    assert isinstance(options, dict)  # noqa: S101
    differs = mapped.differs or unchecked_parts(options.get("schema"))
    made = _with_rest(scorer, row, node.line, (differs, label, context))
    if made and mapped.judged:
        if kind != base:
            options["criteria"] = criteria("not", str(options["criteria"]))
            context.losses.add(node.line, f"{label} is changed: its criteria are turned round in words")
        _grader(options, row, node.line, label, context)
    elif kind != base:
        scorer["negate"] = True
    return scorer if made else None


def _in_jinja(value: JsonValue) -> JsonValue:
    """A value with its texts, which promptfoo fills in, in Jinja2; texts inside of mappings it does not."""
    if isinstance(value, list):
        return [_in_jinja(item) for item in value]
    if isinstance(value, dict) and any("{{" in text for text in all_texts(value)):
        raise UnknownAssertion("its mapping holds {{ }}, which promptfoo does not fill in")
    if isinstance(value, str) and "{%" in value and "{{" not in value:
        raise UnknownAssertion("it is a template without {{ }}, which is not filled in here")
    return to_jinja(value) if isinstance(value, str) and "{{" in value else value


def _with_rest(scorer: ScorerOptions, row: ScorerOptions, line: int, around: tuple[str, str, Context]) -> bool:
    """Add the name of the metric; False and a loss if the scorer is invalid."""
    differs, label, context = around
    if not _is_valid(scorer, label, line, context):
        return False
    if differs:
        context.losses.add(line, f"{label} is changed: {differs}", "check its scores once")
    if more := sorted(row.keys() - _OWN - set(_CHANGED)):
        context.losses.add(line, f"{', '.join(more)} of {label} is left out")
    metric = row.get("metric")
    if isinstance(metric, str) and metric.strip() and metric.isprintable():
        scorer["name"] = metric.strip()[:200]
    return True


def _grader(options: ScorerOptions, row: ScorerOptions, line: int, label: str, context: Context) -> None:
    provider = row.get("provider")
    if provider is None:
        return
    model = model_of(provider)
    if model is None:
        context.losses.add(line, f"the grader of {label} is not a model of the gate", "name a model of the judge")
    else:
        options["model"] = model


def model_of(provider: JsonValue) -> str | None:
    """Convert `openai:chat:gpt-5-mini` to `openai:gpt-5-mini`; None for an unknown provider."""
    if isinstance(provider, dict):
        provider = provider.get("id") or (next(iter(provider), None) if len(provider) == 1 else None)
    if not isinstance(provider, str):
        return None
    parts = provider.split(":")
    if parts[0] == "openai" and len(parts) > 2 and parts[1] in ("chat", "responses"):
        parts = [parts[0], ":".join(parts[2:])]
    elif parts[0] == "anthropic" and len(parts) > 2 and parts[1] == "messages":
        parts = [parts[0], ":".join(parts[2:])]
    elif parts[0] == "azure" and len(parts) > 2 and parts[1] == "chat":
        parts = [parts[0], ":".join(parts[2:])]
    elif parts[0] in ("bedrock", "vertex"):
        parts = [parts[0], provider.removeprefix(f"{parts[0]}:")]
    elif parts[0] not in ("openai", "anthropic", "azure") or len(parts) != 2:
        return None
    if parts[1] in ("chat", "completion", "responses", "messages") or any(
        word in parts[1] for word in ("embedding", "moderation", "realtime", "agent", "-sdk", "image", "transcri")
    ):
        return None
    found = foreign_model(":".join(parts))
    return f"{found.provider}:{found.name}" if found is not None else None


def _loaded(text: str, named: str) -> JsonValue:
    """The content of a file: data for a data file, else text."""
    if named.lower().endswith((".json", ".yaml", ".yml")):
        found = parsed(text, named)
        if found is not None:
            return found.data
    return text.rstrip("\r\n") if not is_code(named) else text


def _is_valid(scorer: ScorerOptions, label: str, line: int, context: Context) -> bool:
    """Is the scorer valid? Adds a loss if not."""
    try:
        parse_scorers([scorer], "scorers")
    except InputErrors as errors:
        reason = errors.problems[0]
        context.losses.add(line, f"{label} cannot be converted: {reason.message}", reason.hint)
        return False
    return True


def _with_unique_names(scorers: list[JsonValue]) -> list[JsonValue]:
    """Number duplicate names."""
    names = FreeNames(" ")
    for scorer in scorers:
        if isinstance(scorer, dict) and isinstance(name := scorer.get("name"), str):
            scorer["name"] = names.take(name)
    return scorers
