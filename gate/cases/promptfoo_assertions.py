"""Assertions of promptfoo as scorers. https://www.promptfoo.dev/docs/configuration/expected-outputs/"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gate.cases.case import all_texts
from gate.cases.criteria import judge_criteria
from gate.cases.promptfoo_files import FILE, PromptfooFile, document_at, is_code, parse_data
from gate.cases.promptfoo_patterns import python_pattern, unknown_to_javascript
from gate.cases.promptfoo_providers import model_of
from gate.config.documents import Document, did_you_mean, quoted
from gate.config.scorer import parse_scorers
from gate.errors import InputErrors
from gate.templates.nunjucks import to_jinja
from gate.templates.sandbox import BadTemplate
from gate.values import FreeNames, JsonValue, as_mapping

Mapped = dict[str, JsonValue]
"""An assertion, or a scorer."""


class NoEquivalent(Exception):
    """An assertion without a scorer, although others of its type have one."""


@dataclass(frozen=True, slots=True)
class AssertionType:
    """A type of assertion.

    Args:
        scorer: kinds of scorer that it becomes, as in the documentation; empty for none.
        convert: makes the scorer from the value and the whole assertion; raises NoEquivalent.
        change: how its meaning changes; empty if it does not.
        instead: what to do without a scorer.
    """

    scorer: str = ""
    convert: Callable[[JsonValue, Mapped], Mapped] | None = None
    change: str = ""
    instead: str = "write a scorer for it"


def text_of(value: JsonValue) -> str:
    """The text that an assertion looks for."""
    if value is None:
        raise NoEquivalent("it has no value")
    if isinstance(value, float) and float.is_integer(value):
        value = int(value)  # JavaScript writes 5.0 as 5
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def texts_of(value: JsonValue) -> list[str]:
    """The texts of a list, or of a text such as `red, "green, blue"`."""
    if isinstance(value, str):
        # promptfoo fills in the template first, so commas in its values separate items, too.
        if "{{" in value or "{%" in value:
            raise NoEquivalent("its list comes out of a template")
        value = list(split_list(value) or ())
    if not isinstance(value, list) or not value:
        raise NoEquivalent("its value is no list")
    if any(isinstance(item, str) and item.startswith(FILE) for item in value):
        raise NoEquivalent("one of its texts is in a file")
    return [text_of(item) for item in value]


def number_of(value: JsonValue, name: str) -> float:
    """A number that an assertion needs."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NoEquivalent(f"it has no {name}")
    return value


def _text_scorer(kind: str, **options: JsonValue) -> Callable[[JsonValue, Mapped], Mapped]:
    return lambda value, row: {kind: {"value": text_of(value), **options}}


def _contains_several(option: str, *, ignore_case: bool) -> Callable[[JsonValue, Mapped], Mapped]:
    def convert(value: JsonValue, row: Mapped) -> Mapped:
        texts = texts_of(value)
        if option == "any" and "" in texts:
            raise NoEquivalent("every answer contains the empty text that it lists")
        # Duplicate and empty texts do not change the result.
        return {"contains": {option: [*dict.fromkeys(filter(None, texts))], "ignore_case": ignore_case}}

    return convert


def _equals(value: JsonValue, row: Mapped) -> Mapped:
    if isinstance(value, (dict, list)):
        return {"json_path": {"path": "$", "equals": value, "fence": False}}
    text = text_of(value)
    # The scorer does not accept a blank value, so a pattern checks for it.
    return {"exact": {"value": text, "strip": False}} if text.strip() else {"regex": {"pattern": rf"\A{text}\Z"}}


def _regex(value: JsonValue, row: Mapped) -> Mapped:
    pattern = text_of(value)
    if odd := unknown_to_javascript(pattern):
        raise NoEquivalent(f"{quoted(odd)} means something else to JavaScript, or nothing")
    return {"regex": {"pattern": python_pattern(pattern)}}


def _json(value: JsonValue, row: Mapped) -> Mapped:
    if value is None or value == "":
        return {"json": {"fence": False}}
    if isinstance(value, str):
        schema = parse_data(value, "schema")
        value = schema.data if schema is not None else None
    if not isinstance(value, dict):
        raise NoEquivalent("its schema is no mapping in JSON or YAML")
    return {"json_schema": {"schema": {"$schema": _DRAFT_7, **value}, "fence": False}}


def _words(value: JsonValue, row: Mapped) -> Mapped:
    if isinstance(value, dict):
        return {"words": {key: value[key] for key in ("min", "max") if value.get(key) is not None}}
    if isinstance(value, str) and value.strip().isdigit():
        value = int(value)
    exact = number_of(value, "number of words")
    return {"words": {"min": exact, "max": exact}}


def _similarity(metric: str) -> Callable[[JsonValue, Mapped], Mapped]:
    def convert(value: JsonValue, row: Mapped) -> Mapped:
        if isinstance(value, list):
            raise NoEquivalent("it has several values, of which one is enough")
        return {"similarity": {"value": text_of(value), "metric": metric}}

    return convert


def _judge(criteria: str, *, with_value: bool = True) -> Callable[[JsonValue, Mapped], Mapped]:
    def convert(value: JsonValue, row: Mapped) -> Mapped:
        options: Mapped = {"criteria": judge_criteria(criteria, text_of(value).strip() if with_value else "")}
        return {"judge": {**options, **_threshold(row)}}

    return convert


def _threshold(row: Mapped) -> Mapped:
    threshold = row.get("threshold")
    good = isinstance(threshold, (int, float)) and not isinstance(threshold, bool) and 0 < threshold <= 1
    return {"threshold": threshold} if good else {}


def _one_line_of_code(includes: str, length: str, parse: str) -> Callable[[JsonValue, Mapped], Mapped]:
    """The scorer of the three forms of code that have one; each is a pattern."""

    def convert(value: JsonValue, row: Mapped) -> Mapped:
        code = value if isinstance(value, str) else ""
        if match := re.fullmatch(includes, code):
            negate: Mapped = {"negate": True} if match["no"] else {}
            return {"contains": {"value": match["text"], "ignore_case": False}, **negate}
        if match := re.fullmatch(length, code):
            return {"characters": _LIMITS[match["sign"]](int(match["number"]))}
        if re.fullmatch(parse, code):
            return {"json": {"fence": False}}
        raise NoEquivalent("it is code, which is not run")

    return convert


_LIMITS: Mapping[str, Callable[[int], Mapped]] = {
    "<": lambda number: {"max": number - 1},
    "<=": lambda number: {"max": number},
    ">": lambda number: {"min": number + 1},
    ">=": lambda number: {"min": number},
    "==": lambda number: {"min": number, "max": number},
    "===": lambda number: {"min": number, "max": number},
}
_TEXT = r"""(?P<quote>['"])(?P<text>(?:(?!(?P=quote))[^\\{])+)(?P=quote)"""
_LENGTH = r"\s*(?P<sign><=|>=|===?|<|>)\s*(?P<number>\d{1,9})"
_END = r"\s*;?\s*"
_DRAFT_7 = "http://json-schema.org/draft-07/schema#"
"""The draft of a schema that names none, in promptfoo."""

_SHARED_WORDS = "the score is the share of words in common (F1), and its threshold is the gate's own, 0.7"
_OUR_JUDGE = "the gate's judge scores it, by these criteria alone"
_SIMILAR = AssertionType("similarity", _similarity("token_f1"), f"no embeddings: {_SHARED_WORDS}")
_OVERLAP = AssertionType("similarity", _similarity("token_f1"), _SHARED_WORDS)
_RUBRIC = AssertionType("judge", _judge("value"), _OUR_JUDGE)
_FACTS = AssertionType("judge", _judge("factuality"), _OUR_JUDGE)
_FUNCTION = AssertionType(instead="write it as a function: python: module:function")
_TOOLS = AssertionType(instead="of an agent's tools: the scorer tools")
_NOTHING = AssertionType(instead="leave it out, or write criteria for a judge")
_CONTEXT = AssertionType(instead="it judges the context, not the answer: leave it out")
_COMPARISON = AssertionType(instead="leave it out: gate diff compares two versions; pairwise lets a judge choose")

TYPES: Mapping[str, AssertionType] = {
    "equals": AssertionType("exact", _equals),
    "contains": AssertionType("contains", _text_scorer("contains", ignore_case=False)),
    "icontains": AssertionType("contains", _text_scorer("contains", ignore_case=True)),
    "contains-all": AssertionType("contains", _contains_several("all", ignore_case=False)),
    "contains-any": AssertionType("contains", _contains_several("any", ignore_case=False)),
    "icontains-all": AssertionType("contains", _contains_several("all", ignore_case=True)),
    "icontains-any": AssertionType("contains", _contains_several("any", ignore_case=True)),
    "starts-with": AssertionType("starts_with", _text_scorer("starts_with", strip=False)),
    "regex": AssertionType("regex", _regex),
    "is-json": AssertionType("json, json_schema", _json),
    "is-refusal": AssertionType(
        "refusal",
        lambda value, row: {"refusal": {}},
        "by the gate's own phrases, in six languages; an empty answer is no refusal",
    ),
    "word-count": AssertionType(
        "words", _words, "dashes and slashes divide words, too, and one without a letter or digit is none"
    ),
    "latency": AssertionType(
        "latency", lambda value, row: {"latency": {"max_s": number_of(row.get("threshold"), "threshold") / 1000}}
    ),
    "cost": AssertionType(
        "cost", lambda value, row: {"cost": {"max_usd": number_of(row.get("threshold"), "threshold")}}
    ),
    "levenshtein": AssertionType(
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
    "llm-rubric": _RUBRIC,
    "g-eval": _RUBRIC,
    "model-graded-closedqa": _RUBRIC,
    "pi": _RUBRIC,
    "factuality": _FACTS,
    "model-graded-factuality": _FACTS,
    "answer-relevance": AssertionType("judge", _judge("answer-relevance", with_value=False), _OUR_JUDGE),
    "context-faithfulness": AssertionType("judge", _judge("context-faithfulness", with_value=False), _OUR_JUDGE),
    "javascript": AssertionType(
        "contains, characters, json",
        _one_line_of_code(
            rf"(?P<no>!)?output\.includes\({_TEXT}\){_END}",
            rf"output(?:\.trim\(\))?\.length{_LENGTH}{_END}",
            rf"JSON\.parse\(output\){_END}",
        ),
        instead=_FUNCTION.instead,
    ),
    "python": AssertionType(
        "contains, characters, json",
        _one_line_of_code(
            rf"{_TEXT} (?P<no>not )?in output",
            rf"len\(output(?:\.strip\(\))?\){_LENGTH}",
            r"json\.loads\(output\)",
        ),
        instead=_FUNCTION.instead,
    ),
    "ruby": _FUNCTION,
    "webhook": _FUNCTION,
    "contains-json": AssertionType(
        instead=f"take json or json_schema where the answer is JSON and nothing else; otherwise {_FUNCTION.instead}"
    ),
    "contains-html": _FUNCTION,
    "is-html": _FUNCTION,
    "contains-xml": _FUNCTION,
    "is-xml": _FUNCTION,
    "contains-sql": _FUNCTION,
    "is-sql": _FUNCTION,
    "is-valid-function-call": _TOOLS,
    "is-valid-openai-function-call": _TOOLS,
    "is-valid-openai-tools-call": _TOOLS,
    "tool-call-f1": _TOOLS,
    "skill-used": _TOOLS,
    "trajectory:tool-used": _TOOLS,
    "trajectory:tool-args-match": _TOOLS,
    "trajectory:tool-sequence": _TOOLS,
    "trajectory:step-count": _TOOLS,
    "trajectory:goal-success": AssertionType(instead="write the goal as criteria of a judge, and set a target"),
    "trace-span-count": _NOTHING,
    "trace-span-duration": _NOTHING,
    "trace-error-spans": _NOTHING,
    "perplexity": _NOTHING,
    "perplexity-score": _NOTHING,
    "guardrails": _NOTHING,
    "classifier": _NOTHING,
    "moderation": _NOTHING,
    "human": _NOTHING,
    "finish-reason": AssertionType(instead="leave it out: how replies end is in the report"),
    "context-recall": _CONTEXT,
    "context-relevance": _CONTEXT,
    "conversation-relevance": AssertionType(instead="write the conversation as rounds, and criteria for a judge"),
    "search-rubric": AssertionType(instead="the gate's judges search nothing: write a rubric that needs no search"),
    "agent-rubric": AssertionType(instead="write criteria for a judge"),
    "select-best": _COMPARISON,
    "max-score": _COMPARISON,
}
"""Every documented type but `assert-set`."""

SET = "assert-set"
_NOT = "not-"
_KEYS = frozenset({"type", "value", "threshold", "weight", "metric", "provider", "description", "$ref"})
_CHANGING = ("transform", "contextTransform", "rubricPrompt")
"""Keys without which an assertion is about something else."""
_LENGTH_CHANGE = "blanks around the answer do not count, and an emoji is one character"
_GRADER_CHANGE = (
    "context.prompt holds the question, and a score counts from 0 to 1; only the merge target's code is run"
)


def scorers_of(node: Document | None, file: PromptfooFile, place: str) -> list[JsonValue]:
    """The scorers of a list of assertions.

    Args:
        place: for messages, such as `test 3`.
    """
    if node is None or node.data is None:
        return []
    if not isinstance(node.data, list):
        file.losses.add(node.line, f"assert of {place} is no list", "begin each assertion with '- type: …'")
        return []
    scorers = [scorer for item in node.parts() for scorer in _scorers(file.follow(item), file, place, 1.0)]
    names = FreeNames(" ")
    for scorer in scorers:
        if isinstance(name := scorer.get("name"), str):
            scorer["name"] = names.take(name)
    return [*scorers]


def _scorers(node: Document, file: PromptfooFile, place: str, share: float) -> list[Mapped]:
    """The scorers of one assertion; `share` is the factor for its weight within its set."""
    row = as_mapping(node.data)
    if "type" not in row:
        if node.data:
            file.losses.add(node.line, f"an assertion of {place} has no type", "write type: contains")
        return []
    kind, weight = str(row["type"]), _weight(row)
    if weight == 0:
        file.losses.add(node.line, f"{kind} of {place} has weight 0 and checks nothing, so it is left out")
        return []
    if kind == SET:
        return _set_scorers(node, file, place, share * weight)
    scorer = _scorer(node, file, f"assertion type {quoted(kind)} of {place}")
    if scorer is not None and weight * share != 1:
        scorer["weight"] = round(weight * share, 6)
    return [] if scorer is None else [scorer]


def _weight(row: Mapped) -> float:
    weight = row.get("weight", 1)
    return 1 if isinstance(weight, bool) or not isinstance(weight, (int, float)) else weight


def _set_scorers(node: Document, file: PromptfooFile, place: str, share: float) -> list[Mapped]:
    """The scorers of an assert-set, which divide its weight among them."""
    if "threshold" in as_mapping(node.data):
        message = f"the threshold of an assert-set of {place} is left out: its assertions count by their weights"
        file.losses.add(node.line, message, "set the case's threshold")
    inner = node.get("assert")
    members = [file.follow(item) for item in (inner.parts() if inner is not None else ())]
    total = sum(_weight(as_mapping(item.data)) for item in members)
    scorers: list[Mapped] = []
    for item in members:
        if as_mapping(item.data).get("type") == SET:
            # promptfoo does not nest sets either; with references a set might contain itself.
            message = f"an assert-set inside another of {place} is left out"
            file.losses.add(item.line, message, "write it next to the other")
        else:
            scorers += _scorers(item, file, place, share / total if total else 1)
    return scorers


def _scorer(node: Document, file: PromptfooFile, label: str) -> Mapped | None:
    """The scorer of one assertion without its weight; None and a loss if there is none."""
    row = as_mapping(node.data)
    kind = str(row["type"])
    base = kind.removeprefix(_NOT)
    known = TYPES.get(base)
    if known is None or known.convert is None or kind == "not-python":  # which promptfoo does not negate
        unknown = "" if known else ", which is unknown,"
        hint = known.instead if known else did_you_mean(base, sorted(TYPES))
        file.losses.add(node.line, f"{label}{unknown} cannot be converted", hint)
        return None
    if keys := [key for key in _CHANGING if key in row]:
        message = f"{label} has {', '.join(keys)}, so it cannot be converted"
        file.losses.add(node.line, message, _FUNCTION.instead)
        return None
    try:
        scorer = _converted(row, known.convert, node, file, label)
        if scorer is None:
            return None
        parse_scorers([scorer], "scorers")
    except (BadTemplate, NoEquivalent) as error:
        file.losses.add(node.line, f"{label} cannot be converted: {error}", known.instead)
        return None
    except InputErrors as errors:
        problem = errors.problems[0]
        file.losses.add(node.line, f"{label} cannot be converted: {problem.message}", problem.hint)
        return None
    if change := _change(scorer, known):
        file.losses.add(node.line, f"{label} is changed: {change}", "check its scores once")
    if left_out := sorted(row.keys() - _KEYS - ({"config"} if "python" in scorer else set())):
        file.losses.add(node.line, f"{', '.join(left_out)} of {label} is left out")
    if kind != base:
        _negate(scorer, node.line, file, label)
    _set_grader(scorer, row, node.line, file, label)
    metric = row.get("metric")
    if isinstance(metric, str) and metric.strip() and metric.isprintable():
        scorer["name"] = metric.strip()[:200]
    return scorer


def _converted(
    row: Mapped, convert: Callable[[JsonValue, Mapped], Mapped], node: Document, file: PromptfooFile, label: str
) -> Mapped | None:
    """The scorer of an assertion; None and a loss if its file is not available."""
    value = row.get("value")
    if isinstance(value, str) and value.startswith(FILE):
        if row["type"] == "python":
            return _grader(value, row, file)
        if is_code(value):
            raise NoEquivalent(f"{value} is code, which is not run")
        text = file.text(value, node.line, label)
        if text is None:
            return None
        data = parse_data(text, value) if value.lower().endswith((".json", ".yaml", ".yml")) else None
        value = text.rstrip("\r\n") if data is None else data.data
    return convert(_in_jinja(value), row)


def _grader(name: str, row: Mapped, file: PromptfooFile) -> Mapped:
    """The scorer for a grading function in a Python file."""
    function, problem = file.function(name, "get_assert")
    if problem:
        raise NoEquivalent(problem)
    config: Mapped = {"config": row["config"]} if as_mapping(row.get("config")) else {}
    return {"python": {"function": function, "interface": "promptfoo", **config, **_threshold(row)}}


def _in_jinja(value: JsonValue) -> JsonValue:
    """A value with its texts, which promptfoo fills in, in Jinja2; texts inside of mappings it does not."""
    if isinstance(value, list):
        return [_in_jinja(item) for item in value]
    if isinstance(value, dict) and any("{{" in text for text in all_texts(value)):
        raise NoEquivalent("its mapping holds {{ }}, which promptfoo does not fill in")
    if isinstance(value, str) and "{%" in value and "{{" not in value:
        raise NoEquivalent("it is a template without {{ }}, which is not filled in here")
    return to_jinja(value) if isinstance(value, str) and "{{" in value else value


def _change(scorer: Mapped, known: AssertionType) -> str:
    """How the meaning of an assertion changes; empty if it does not."""
    if "python" in scorer:
        return _GRADER_CHANGE
    if "characters" in scorer:
        return _LENGTH_CHANGE
    return known.change or _unchecked_part(as_mapping(scorer.get("json_schema")).get("schema"))


def _unchecked_part(schema: JsonValue) -> str:
    """The part of a schema that promptfoo checks and the gate does not; empty if there is none."""
    if isinstance(schema, list):
        return next(filter(None, map(_unchecked_part, schema)), "")
    if not isinstance(schema, dict):
        return ""
    if isinstance(schema.get("format"), str):
        return "format is a remark in its schema, and is not looked at"
    if schema.get("nullable") is True:
        return "nullable is no word of JSON Schema, so null does not pass"
    return _unchecked_part(list(schema.values()))


def _negate(scorer: Mapped, line: int, file: PromptfooFile, label: str) -> None:
    if isinstance(judge := scorer.get("judge"), dict):
        judge["criteria"] = judge_criteria("not", str(judge["criteria"]))
        file.losses.add(line, f"{label} is changed: its criteria are turned round in words")
    elif not scorer.pop("negate", False):
        scorer["negate"] = True


def _set_grader(scorer: Mapped, row: Mapped, line: int, file: PromptfooFile, label: str) -> None:
    """Set the model of a judge, if the assertion names one."""
    judge, provider = scorer.get("judge"), row.get("provider")
    if not isinstance(judge, dict) or provider is None:
        return
    if model := model_of(provider):
        judge["model"] = model
    else:
        file.losses.add(line, f"the grader of {label} is not a model of the gate", "name a model of the judge")


_CELL = re.compile(
    r"(not-)?(" + "|".join(sorted(map(re.escape, TYPES), key=len, reverse=True)) + r")"
    r"(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?"
)
_LISTS = ("contains-all", "contains-any", "icontains-all", "icontains-any")
_CELL_THRESHOLDS = {"answer-relevance": 0.75, "context-faithfulness": 0.75}
"""Default thresholds in a cell; a configuration has none."""
_SHORT_TYPES = {"fn": "javascript", "eval": "javascript", "grade": "llm-rubric"}


def assertion_in_cell(text: str, line: int) -> Document:
    """The assertion of a table cell: `contains:Paris`, `similar(0.8):…`, or a text that the answer must equal."""
    text = text.strip()
    head, colon, rest = text.partition(":")
    if colon and head in _SHORT_TYPES:
        return document_at({"type": _SHORT_TYPES[head], "value": rest.strip()}, line)
    if text.startswith(FILE) and is_code(text):
        return document_at({"type": "python" if ".py" in text else "javascript", "value": text}, line)
    match = _CELL.fullmatch(text)
    if match is None:
        return document_at({"type": "equals", "value": text}, line)
    negation, base, threshold, value = match.groups()
    row: Mapped = {"type": f"{negation or ''}{base}"}
    if value is not None:
        texts = split_list(value.strip()) if base in _LISTS else None
        row["value"] = value.strip() if texts is None else [*texts]
    if threshold or base in _CELL_THRESHOLDS:
        row["threshold"] = float(threshold or _CELL_THRESHOLDS[base])
    return document_at(row, line)


_FIELD = re.compile(r'[\s,]*(?:"((?:\\["\\]|""|[^"])*)"\s*(?=,|\Z)|([^",\s][^,]*))')
_MORE = re.compile(r"[^\s,]")
_ESCAPED = re.compile(r'\\(["\\])|""')


def split_list(text: str) -> list[str] | None:
    """The texts of a list such as `red, "green, blue"`; None if a quotation mark is not closed."""
    texts: list[str] = []
    at = 0
    while _MORE.search(text, at):
        match = _FIELD.match(text, at)
        if match is None:
            return None
        quoted_text = match[1]
        unescaped = None if quoted_text is None else _ESCAPED.sub(lambda mark: mark[1] or '"', quoted_text)
        texts.append(match[2].strip() if unescaped is None else unescaped)
        at = match.end()
    return texts
