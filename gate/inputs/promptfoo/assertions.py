"""Assertions of promptfoo as scorers; what has no equal is told with its line."""

import re
from collections.abc import Mapping

from gate.config.documents import Document
from gate.config.scorers import parse_scorers
from gate.domain.jsonvalue import JsonValue
from gate.errors import InputErrors
from gate.inputs.models import foreign_model
from gate.inputs.problems import did_you_mean, quoted
from gate.inputs.promptfoo.code import LANGUAGES, Options, scorer_of
from gate.inputs.promptfoo.context import CODE, FILE, Context, criteria, parsed, value_at, values
from gate.inputs.promptfoo.listed import listed
from gate.inputs.promptfoo.types import MAPPED, NAMED, Unmapped, unheeded

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
"""The threshold that a cell gives to those where it names none; a configuration gives none."""
_LENGTHS = "blanks around the answer do not count, and an emoji is one character"
_SHORT = {"fn": "javascript", "eval": "javascript", "grade": "llm-rubric"}


def scorers_of(node: Document | None, context: Context, place: str) -> list[JsonValue]:
    """The scorers that a list of assertions comes to.

    Args:
        node: the list under `assert`; None where there is none.
        context: of the file.
        place: whose they are, for messages: `test 3`.
    """
    if node is None or node.data is None:
        return []
    if not isinstance(node.data, list):
        context.tell.add(node.line, f"assert of {place} is no list", "begin each assertion with '- type: …'")
        return []
    found: list[JsonValue] = []
    for item in node.parts():
        found += _scorers(context.resolved(item), context, place, 1.0)
    return _apart(found)


def from_text(text: str, line: int) -> Document:
    """An assertion as the cell of a table has it: `contains:Paris`, `similar(0.8):…`, or a text to be equal to."""
    text = text.strip()
    head, colon, rest = text.partition(":")
    if colon and head in _SHORT:
        return value_at({"type": _SHORT[head], "value": rest.strip()}, line)
    if text.startswith(FILE) and any(ending in text for ending in CODE):
        return value_at({"type": "python" if ".py" in text else "javascript", "value": text}, line)
    match = _STRING.fullmatch(text)
    if match is None:
        return value_at({"type": "equals", "value": text}, line)
    negated, base, threshold, value = match.groups()
    row: Options = {"type": f"{negated or ''}{base}"}
    if value is not None:
        value = value.strip()
        found = listed(value) if base in _LISTED else None
        row["value"] = value if found is None else list(found)
    if threshold or base in _CELL_MARKS:
        row["threshold"] = float(threshold or _CELL_MARK)
    return value_at(row, line)


def _scorers(node: Document, context: Context, place: str, share: float) -> list[JsonValue]:
    """Of one assertion; `share` is what its set leaves of its weight."""
    row = values(node)
    if "type" not in row:
        if node.data:
            context.tell.add(node.line, f"an assertion of {place} has no type", "write type: contains")
        return []
    kind = str(row["type"])
    weight = _weight(row)
    if weight == 0:
        context.tell.add(node.line, f"{kind} of {place} has weight 0 and checks nothing, so it is left out")
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
        context.tell.add(node.line, message, "set the case's threshold")
    resolved = [context.resolved(item) for item in (inner.parts() if inner is not None else ())]
    whole = sum(_weight(values(item)) for item in resolved)
    found: list[JsonValue] = []
    for item in resolved:
        if values(item).get("type") == SET:
            # There, too, a set holds no sets; with references it might hold itself.
            context.tell.add(item.line, f"an assert-set inside another of {place} is left out", "write it beside it")
            continue
        found += _scorers(item, context, place, share / whole if whole else 1)
    return found


def _made(row: Options, kind: str, node: Document, context: Context, place: str) -> Options | None:
    """The scorer of one assertion without its weight; None where there is none, which is told."""
    base = kind.removeprefix(_NOT)
    told = f"assertion type {quoted(kind)} of {place}"
    # promptfoo does not turn Python round.
    of_code = scorer_of(base, row.get("value")) if base in LANGUAGES and kind != "not-python" else None
    if base not in MAPPED and of_code is None:
        hint = NAMED.get(base) or did_you_mean(base, sorted(KNOWN))
        unknown = "" if base in NAMED else ", which is unknown,"
        context.tell.add(node.line, f"{told}{unknown} is not brought along", hint)
        return None
    if changed := [key for key in _CHANGED if key in row]:
        context.tell.add(node.line, f"{told} has {', '.join(changed)}, so it is not brought along", NAMED["python"])
        return None
    if of_code is None:
        return _scorer(row, kind, node, context, told)
    if kind != base and not of_code.pop("negate", False):
        of_code["negate"] = True
    differs = _LENGTHS if "characters" in of_code else ""
    return of_code if _with_rest(of_code, row, node.line, (differs, told, context)) else None


def _scorer(row: Options, kind: str, node: Document, context: Context, told: str) -> Options | None:
    """The scorer of an assertion that has one; None where its value cannot be had, which is told."""
    base = kind.removeprefix(_NOT)
    mapped, value = MAPPED[base], row.get("value")
    if isinstance(value, str) and value.startswith(FILE):
        text = context.text(value, node.line, told)
        if text is None:
            return None
        value = _loaded(text, value)
    try:
        scorer = mapped.make(value, row)
    except Unmapped as error:
        context.tell.add(node.line, f"{told} is not brought along: {error}", "write a scorer for it")
        return None
    options = next(iter(scorer.values()))
    assert isinstance(options, dict)  # noqa: S101
    differs = mapped.differs or unheeded(options.get("schema"))
    made = _with_rest(scorer, row, node.line, (differs, told, context))
    if made and mapped.judged:
        if kind != base:
            options["criteria"] = criteria("not", str(options["criteria"]))
            context.tell.add(node.line, f"{told} is put differently: its criteria are turned round in words")
        _grader(options, row, node.line, told, context)
    elif kind != base:
        scorer["negate"] = True
    return scorer if made else None


def _with_rest(scorer: Options, row: Options, line: int, around: tuple[str, str, Context]) -> bool:
    """Give it the name of its metric; False where the gate does not take the scorer, which is told."""
    differs, told, context = around
    if not _sound(scorer, told, line, context):
        return False
    if differs:
        context.tell.add(line, f"{told} is put differently: {differs}", "look at its scores once")
    if more := sorted(row.keys() - _OWN - set(_CHANGED)):
        context.tell.add(line, f"{', '.join(more)} of {told} is left out")
    metric = row.get("metric")
    if isinstance(metric, str) and metric.strip() and metric.isprintable():
        scorer["name"] = metric.strip()[:200]
    return True


def _grader(options: Options, row: Options, line: int, told: str, context: Context) -> None:
    provider = row.get("provider")
    if provider is None:
        return
    model = model_of(provider)
    if model is None:
        context.tell.add(line, f"the grader of {told} is no model that the gate knows", "name a model of the judge")
    else:
        options["model"] = model


def model_of(provider: JsonValue) -> str | None:
    """`openai:chat:gpt-5-mini` as the gate writes it, `openai:gpt-5-mini`; None where it is none that it knows."""
    if isinstance(provider, dict):
        provider = provider.get("id") or (next(iter(provider), None) if len(provider) == 1 else None)
    if not isinstance(provider, str):
        return None
    parts = provider.split(":")
    if parts[0] == "openai" and len(parts) > 2 and parts[1] in ("chat", "responses"):
        parts = [parts[0], ":".join(parts[2:])]
    elif parts[0] == "anthropic" and len(parts) > 2 and parts[1] == "messages":
        parts = [parts[0], ":".join(parts[2:])]
    elif parts[0] not in ("openai", "anthropic") or len(parts) != 2:
        return None
    if parts[1] in ("chat", "completion", "responses", "messages") or any(
        word in parts[1] for word in ("embedding", "moderation", "realtime", "agent", "-sdk", "image", "transcri")
    ):
        return None
    found = foreign_model(":".join(parts))
    return f"{found.provider}:{found.name}" if found is not None else None


def _loaded(text: str, named: str) -> JsonValue:
    """A file's content: data where it is a data file, else its text."""
    if named.lower().endswith((".json", ".yaml", ".yml")):
        found = parsed(text, named)
        if found is not None:
            return found.data
    return text.rstrip("\r\n") if not named.lower().endswith(CODE) else text


def _sound(scorer: Options, told: str, line: int, context: Context) -> bool:
    """Does the gate's own reader take the scorer? Else that is told."""
    try:
        parse_scorers([scorer], "scorers")
    except InputErrors as errors:
        reason = errors.problems[0]
        context.tell.add(line, f"{told} is not brought along: {reason.message}", reason.hint)
        return False
    return True


def _apart(scorers: list[JsonValue]) -> list[JsonValue]:
    """Names that are given twice get a number."""
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    for scorer in scorers:
        if isinstance(scorer, dict) and isinstance(name := scorer.get("name"), str):
            free, number = name, numbers.get(name, 2)
            while free in taken:
                free, number = f"{name} {number}", number + 1
            # The next one of this name begins here: from 2, thousands of them would be tried for each.
            numbers[name] = number
            scorer["name"] = free
            taken.add(free)
    return scorers
