"""Two validators that no answer can satisfy together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

from gate.cases.case import Case
from gate.config.scorer import ScorerSpec
from gate.config.values import language_code
from gate.scoring.interface import Options, Subject, number_of, quote, shown_value, texts_of
from gate.scoring.panel import validate
from gate.scoring.validators.json_answers import same_json
from gate.values import JsonValue, as_mapping, counted

_COUNTED = {"words": "word", "sentences": "sentence", "characters": "character"}
_AT_LEAST = {"characters": ("words", "sentences"), "words": ("sentences",)}
"""A text has at least as many of these as of those."""
_PLAIN = ("contains", "starts_with", "ends_with", "regex", "json", "json_schema", "json_path", "words", "sentences")
"""Kinds of scorers that a whole text can be tried with, whatever blanks stand around it."""
_OPPOSITES = frozenset(("exact", *_PLAIN, "characters", "forbidden_words", "language", "number", "refusal", "asks"))
"""Kinds of scorers whose score is 0 or 1."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two scorers, or the parts of one, that no answer satisfies together; `why` has both demands."""

    names: tuple[str, ...]
    why: str


def contradictions(scorers: Sequence[ScorerSpec]) -> Iterator[Contradiction]:
    """Those among the scorers of one answer. Options that hold fields of the case are not compared."""
    fixed = [spec for spec in scorers if not spec.judged and not spec.coded and not _has_template(dict(spec.options))]
    for one, other in combinations_with_replacement(fixed, 2):
        if why := contradiction(one, other):
            yield Contradiction(tuple(dict.fromkeys((one.name, other.name))), why)


def contradiction(one: ScorerSpec, other: ScorerSpec) -> str:
    """Why no answer satisfies both, as `at least 100 words, and at most 20 words`; empty where one may."""
    for rule in (_bounds, _json, _languages, _phrases, _edges, _values, _tools, _negation):
        if why := rule(one, other) or rule(other, one):
            return why
    return _exact(one, other) or _exact(other, one)


def _has_template(value: JsonValue) -> bool:
    if isinstance(value, dict):
        return any(map(_has_template, value.values()))
    return any(map(_has_template, value)) if isinstance(value, list) else isinstance(value, str) and "{{" in value


def _bounds(one: ScorerSpec, other: ScorerSpec) -> str:
    """The least number that one demands is above the greatest of the other."""
    units = one.kind, other.kind
    if units[0] != units[1] and units[0] not in _AT_LEAST.get(units[1], ()):
        return ""
    low, high = _least(one), _most(other)
    if low is None or high is None or low <= high:
        return ""
    return f"{_at('least', low, one)}, and {_at('most', high, other)}"


def _at(which: str, number: float, spec: ScorerSpec) -> str:
    return f"at {which} {counted(round(number), _COUNTED[spec.kind])}"


def _least(spec: ScorerSpec) -> float | None:
    if spec.kind not in _COUNTED:
        return None
    low, high = number_of(spec.options, "min"), number_of(spec.options, "max")
    if not spec.negate:
        return low
    # Neither bound has to be the one that is broken.
    return high + 1 if high is not None and not low else None


def _most(spec: ScorerSpec) -> float | None:
    if spec.kind not in _COUNTED:
        return None
    low, high = number_of(spec.options, "min"), number_of(spec.options, "max")
    if not spec.negate:
        return high
    return low - 1 if low is not None and high is None else None


def _negation(one: ScorerSpec, other: ScorerSpec) -> str:
    same = one.kind == other.kind and dict(one.options) == dict(other.options)
    if not same or one.negate == other.negate or one.kind not in _OPPOSITES:
        return ""
    return f"{one.kind} of {shown_value(dict(one.options))}, and not that"


def _json(one: ScorerSpec, other: ScorerSpec) -> str:
    """JSON, and no JSON or a text that cannot be JSON; JSON of two types."""
    if not _is_json(one):
        return ""
    fence = one.options.get("fence") is not False
    if other.kind == "json" and other.negate and (not fence or other.options.get("fence") is not False):
        return "JSON, and no JSON"
    if other.kind == "starts_with" and not other.negate and other.options.get("strip") is not False:
        first = str(other.options["value"]).strip()[:1]
        if first and first not in '{["-0123456789tfn' + ("`~" if fence else "") and not _folds(other, first):
            return f"JSON, and a text that starts with {quote(str(other.options['value']))}"
    kinds = _type(one), _type(other)
    if _is_json(other) and all(kinds) and set(kinds) != {"integer", "number"} and kinds[0] != kinds[1]:
        return f"JSON of the type {kinds[0]}, and of the type {kinds[1]}"
    return ""


def _is_json(spec: ScorerSpec) -> bool:
    path = spec.kind == "json_path" and spec.options.get("exists") is not False
    return not spec.negate and (path or spec.kind in ("json", "json_schema"))


def _type(spec: ScorerSpec) -> str:
    kind = as_mapping(spec.options.get("schema")).get("type") if spec.kind == "json_schema" else None
    return kind if isinstance(kind, str) else ""


def _folds(spec: ScorerSpec, first: str) -> bool:
    return bool(spec.options.get("ignore_case")) and first.casefold() in "tfn"


def _languages(one: ScorerSpec, other: ScorerSpec) -> str:
    if one.kind != "language" or other.kind != "language" or one.negate:
        return ""
    first, second = (language_code(str(spec.options.get("is"))) for spec in (one, other))
    if first is None or second is None or (first == second) != other.negate:
        return ""
    return f"in the language {first}, and {'not in it' if other.negate else f'in the language {second}'}"


@dataclass(frozen=True, slots=True)
class _Texts:
    """Texts of a `contains`, which an answer needs or must not have."""

    texts: tuple[str, ...]
    ignore_case: bool

    def within(self, text: str, *, ignore_case: bool) -> str:
        """The first of these that is certainly in every answer with the text; empty where none is."""
        if ignore_case and not self.ignore_case:
            return ""
        held = text.casefold() if self.ignore_case else text
        return next((one for one in self.texts if (one.casefold() if self.ignore_case else one) in held), "")


def _phrases(one: ScorerSpec, other: ScorerSpec) -> str:
    """A text is needed, and a part of it forbidden; or it is longer than an answer may be."""
    folds = bool(one.options.get("ignore_case"))
    needed = _needed(one)
    forbidden = _forbidden(other)
    for text in needed:
        if forbidden is not None and (found := forbidden.within(text, ignore_case=folds)):
            return f"{quote(text)} is in it, and {quote(found)} is not"
        if other.kind == "characters" and (most := _most(other)) is not None and len(text.strip()) > most and not folds:
            return f"{quote(text)} is in it, and {_at('most', most, other)}"
    some = texts_of(one.options, "any") if one.kind == "contains" and not one.negate else []
    if some and forbidden is not None and all(forbidden.within(text, ignore_case=folds) for text in some):
        return f"one of {shown_value(list(some))} is in it, and none of {shown_value(list(forbidden.texts))}"
    return ""


def _needed(spec: ScorerSpec) -> list[str]:
    if spec.kind in ("starts_with", "ends_with") and not spec.negate:
        return [str(spec.options["value"])] if isinstance(spec.options["value"], str) else []
    if spec.kind != "contains" or spec.negate:
        return []
    return [*texts_of(spec.options, "value"), *texts_of(spec.options, "all")]


def _forbidden(spec: ScorerSpec) -> _Texts | None:
    if spec.kind != "contains":
        return None
    folds = bool(spec.options.get("ignore_case"))
    if not spec.negate:
        texts = texts_of(spec.options, "none")
    elif not texts_of(spec.options, "all") and not texts_of(spec.options, "none"):
        given = texts_of(spec.options, "value"), texts_of(spec.options, "any")
        texts = [] if all(given) or len(given[0]) > 1 else [*given[0], *given[1]]
    else:
        texts = []
    return _Texts(tuple(texts), folds) if texts else None


def _edges(one: ScorerSpec, other: ScorerSpec) -> str:
    """Two beginnings, or two ends, of which neither goes on with the other."""
    if one.kind != other.kind or one.kind not in ("starts_with", "ends_with") or one.negate:
        return ""
    if any(spec.options.get("strip") is False for spec in (one, other)):
        return ""
    given = one.options["value"], other.options["value"]
    if not all(isinstance(text, str) for text in given):
        return ""
    first, second = (str(text).strip() for text in given)
    if one.options.get("ignore_case") or other.options.get("ignore_case"):
        if other.negate and not other.options.get("ignore_case"):
            return ""
        first, second = first.casefold(), second.casefold()
    goes_on = str.startswith if one.kind == "starts_with" else str.endswith
    where = one.kind.replace("_", " ")
    if other.negate:
        return f"{where} {quote(first)}, and not with {quote(second)}" if goes_on(first, second) else ""
    if goes_on(first, second) or goes_on(second, first):
        return ""
    return f"{where} {quote(first)}, and with {quote(second)}"


def _values(one: ScorerSpec, other: ScorerSpec) -> str:
    """Two values, or a value and none, at one place of a JSON answer."""
    if one.kind != "json_path" or other.kind != "json_path" or one.negate or other.negate:
        return ""
    path = one.options["path"]
    if other.options["path"] != path or (wanted := _wanted(one)) is None:
        return ""
    if other.options.get("exists") is False:
        return f"{path} is {shown_value(wanted)}, and is not there"
    others = _wanted(other)
    if others is None or any(same_json(left, right) for left, right in product(wanted, others)):
        return ""
    return f"{path} is {shown_value(wanted)}, and is {shown_value(others)}"


def _wanted(spec: ScorerSpec) -> list[JsonValue] | None:
    """The values that a place may have; None where any will do."""
    if "equals" in spec.options:
        return [spec.options["equals"]]
    several = spec.options.get("one_of")
    return several if isinstance(several, list) else None


def _tools(one: ScorerSpec, other: ScorerSpec) -> str:
    """A tool has to be called that must not be, or more calls than there may be."""
    if one.kind != "tools" or other.kind != "tools" or one.negate or other.negate:
        return ""
    needed, banned = _called(one.options), set(texts_of(other.options, "forbidden"))
    for name in needed:
        if name in banned:
            return f"the tool {quote(name)} is called, and is not"
    some = texts_of(one.options, "any")
    if some and banned.issuperset(some):
        return f"one of the tools {shown_value(list(some))} is called, and none of them"
    exact = other.options.get("exact")
    if isinstance(exact, list) and (absent := [name for name in needed if name not in exact]):
        return f"the tool {quote(absent[0])} is called, and no tools but {shown_value(exact)}"
    least = max(len(needed), number_of(one.options, "min_calls") or 0, int(bool(some)))
    most = number_of(other.options, "max_calls")
    if most is not None and least > most:
        return f"at least {counted(round(least), 'tool call')}, and at most {counted(round(most), 'tool call')}"
    return ""


def _called(options: Options) -> list[str]:
    """The names of tools that have to be called, each once."""
    arguments: Mapping[str, JsonValue] = as_mapping(options.get("arguments"))
    listed = (name for key in ("all", "in_order", "exact") for name in texts_of(options, key))
    return list(dict.fromkeys((*listed, *arguments)))


def _exact(one: ScorerSpec, other: ScorerSpec) -> str:
    """An answer that is exactly a text is tried with the other scorer."""
    value = one.options.get("value")
    if one.kind != "exact" or one.negate or one.options.get("ignore_case") or not isinstance(value, str):
        return ""
    if other.kind not in ("exact", *_PLAIN) or (one.options.get("strip") is False) != (
        other.options.get("strip") is False
    ):
        return ""
    score = validate(other, Subject(Case("", input="?"), value.strip()))
    return f"exactly {quote(value)}, and not what {other.name} accepts ({score.reason})" if score.value == 0.0 else ""
