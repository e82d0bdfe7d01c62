"""The form of a case: filled from a case, read from a browser, checked, and converted to a case."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, TypeAlias, get_args

from gate.cases.forms import AgentTest, GoldenTranscript
from gate.cases.forms import form_of as model_of
from gate.cases.stored import Entry
from gate.config.documents import BadJson, Document, Loc, parse_json, read_yaml
from gate.config.validation import attempt
from gate.config.yaml_editing import dumped
from gate.errors import InputErrors, Problem
from gate.values import JsonValue
from gate.web.requests import SentForm

CaseKind: TypeAlias = Literal["agent", "plain", "golden"]
REST = "rest"
_LABELS: Mapping[str, str] = {
    **{"name": "Name", "description": "Description", "prompt": "User prompt", "tools": "Expected tools"},
    **{"criteria": "Judge criteria", "threshold": "Threshold", "expected": "Expected answer", "revival": "Revival"},
    **{"slices": "Slices", "rounds": "Rounds", REST: "Other keys"},
}


@dataclass(frozen=True, slots=True)
class RoundForm:
    """One round, as typed; `tools` has one tool per line."""

    prompt: str = ""
    tools: str = ""
    criteria: str = ""
    threshold: str = ""

    @property
    def blank(self) -> bool:
        return not any(getattr(self, one.name).strip() for one in fields(self))


@dataclass(frozen=True, slots=True)
class CaseForm:
    """A case, as typed.

    Args:
        tools: expected calls, one per line.
        revival: close the session after the first round and open it again.
        rest: keys without a field, in YAML or JSON.
        keys: keys of the saved case, in order.
    """

    name: str = ""
    description: str = ""
    prompt: str = ""
    rounds: tuple[RoundForm, ...] = ()
    tools: str = ""
    criteria: str = ""
    threshold: str = ""
    expected: str = ""
    revival: bool = False
    slices: tuple[tuple[str, str], ...] = ()
    rest: str = ""
    kind: CaseKind = "agent"
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FormError:
    """An error in a form.

    Args:
        field: name of the field, such as `threshold` or `rounds.2.prompt`; empty for the whole form.
    """

    field: str
    message: str
    hint: str = ""

    @property
    def label(self) -> str:
        """The field's label on the page; empty for the whole form."""
        group, _, rest = self.field.partition(".")
        if group == "rounds":
            number, _, name = rest.partition(".")
            return f"Round {number}: {_LABELS.get(name, name)}"
        return f"Slice {rest}" if group == "slices" and rest else _LABELS.get(self.field, self.field)


def keys_of_fields(form: CaseForm) -> dict[str, str]:
    """The key of the case for each field of the form."""
    agent = form.kind == "agent"
    talks = form.rounds or form.tools.strip() or form.revival
    name = "name" if agent and "id" not in form.keys else "id"
    found = {
        "name": name,
        "description": "description",
        "prompt": "prompt" if agent or talks else "input",
        "rounds": "rounds",
        "tools": "expected_tools",
        "criteria": _key(form, "judge_prompt", "criteria"),
        "threshold": _key(form, "judge_threshold", "threshold"),
        "revival": "test_agent_revival",
        "slices": "slices",
        "expected": "expected",
    }
    return {name: found[name] for name in _GOLDEN} if form.kind == "golden" else found


_GOLDEN = ("name", "criteria", "threshold", "slices")


def _key(form: CaseForm, agents: str, common: str) -> str:
    return agents if form.kind == "agent" and (agents in form.keys or common not in form.keys) else common


def form_of_entry(entry: Entry) -> CaseForm:
    """The form of a case; values that a field cannot show stay in `rest`."""
    model = model_of(entry)
    kind: CaseKind = "golden" if model is GoldenTranscript else "agent" if model is AgentTest else "plain"
    form, rest = CaseForm(kind=kind, keys=tuple(entry)), dict(entry)
    for name, key in keys_of_fields(form).items():
        shown = _SHOWN[name](entry.get(key))
        if shown:
            form = replace(form, **{name: shown})
            del rest[key]
    return replace(form, rest=rest_text(rest))


def rest_text(rest: Entry) -> str:
    return dumped(dict(rest)) if rest else ""


def copy_of_form(form: CaseForm) -> CaseForm:
    """The same case without its name."""
    key = keys_of_fields(form)["name"]
    if form.name:
        return replace(form, name="")
    rest, _ = _rest(form.rest)
    return replace(form, rest=rest_text({name: value for name, value in rest.items() if name != key}))


def entry_of_form(form: CaseForm) -> tuple[Entry, list[FormError]]:
    """The typed case without blank fields, and the errors found before it is validated."""
    rest, errors = _rest(form.rest)
    made: dict[str, JsonValue] = {}
    for name, key in keys_of_fields(form).items():
        value = _MADE[name](getattr(form, name))
        if value is None:
            continue
        if rest.get(key):
            errors.append(FormError(name, f"{key!r} is given here and under 'Other keys'", "remove one of the two"))
        made[key] = value
    errors += _twice(form.slices)
    whole = {**rest, **made}
    order = [key for key in form.keys if key in whole]
    return {key: whole[key] for key in (*order, *(key for key in whole if key not in order))}, errors


def _rest(text: str) -> tuple[dict[str, JsonValue], list[FormError]]:
    try:
        value = read_yaml(text, "").data
    except InputErrors as error:
        first = error.problems[0]
        return {}, [FormError(REST, f"line {first.line}: {first.message}", first.hint)]
    if value is None:
        return {}, []
    if not isinstance(value, dict):
        return {}, [FormError(REST, "must be keys and values", "for example cluster: refunds")]
    return value, []


def _twice(slices: Sequence[tuple[str, str]]) -> Iterator[FormError]:
    seen: set[str] = set()
    for number, (dimension, _) in enumerate(slices, 1):
        if dimension and dimension in seen:
            yield FormError(f"slices.{number}", f"the dimension {dimension!r} is given twice", "remove one of the two")
        seen.add(dimension)


def _whole(text: object, *, lines: bool = True) -> str:
    """The text if a browser returns it unchanged; otherwise empty."""
    allowed = "\n\t" if lines else "\t"
    if not isinstance(text, str) or any((sign < " " and sign not in allowed) or sign == "\x7f" for sign in text):
        return ""
    return text if text.strip() else ""


def _line(text: object) -> str:
    return _whole(text, lines=False)


def _tools(value: object) -> str:
    names = [_line(name) for name in value] if isinstance(value, list) else []
    return "\n".join(names) if all(name and name == name.strip() for name in names) else ""


def _number(value: object) -> str:
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _slices(value: object) -> tuple[tuple[str, str], ...]:
    pairs = tuple((_line(name), _line(one)) for name, one in value.items()) if isinstance(value, Mapping) else ()
    return pairs if all(name and one for name, one in pairs) else ()


def _rounds(value: object) -> tuple[RoundForm, ...]:
    found = tuple(map(_round, value)) if isinstance(value, list) else ()
    return tuple(one for one in found if one is not None) if None not in found else ()


def _round(value: object) -> RoundForm | None:
    """The round; None if a field cannot show all of it."""
    if not isinstance(value, Mapping):
        return None
    form = RoundForm(**{name: _SHOWN[name](value.get(key)) for name, key in _ROUND.items()})
    return form if _made_round(form) == value else None


def _made_round(form: RoundForm) -> dict[str, JsonValue]:
    made = {key: _MADE[name](getattr(form, name)) for name, key in _ROUND.items()}
    return {key: value for key, value in made.items() if value is not None}


_ROUND = {"prompt": "prompt", "tools": "expected_tools", "criteria": "judge_prompt", "threshold": "judge_threshold"}
_SHOWN: Mapping[str, Callable[[object], Any]] = {
    **{"name": _line, "description": _whole, "prompt": _whole, "criteria": _whole, "expected": _whole},
    **{"rounds": _rounds, "tools": _tools, "threshold": _number, "slices": _slices},
    "revival": lambda value: value is True,
}


def _text(typed: str) -> JsonValue:
    return typed if typed.strip() else None


def _listed(typed: str) -> JsonValue:
    names: list[JsonValue] = [line.strip() for line in typed.split("\n") if line.strip()]
    return names or None


def _figure(typed: str) -> JsonValue:
    """The number; other text stays as it is, and validation reports it."""
    try:
        return parse_json(typed.strip()) if typed.strip() else None
    except BadJson:
        return typed.strip()


def _pairs(typed: Sequence[tuple[str, str]]) -> JsonValue:
    return dict(pair for pair in typed if any(pair)) or None


def _every_round(typed: Sequence[RoundForm]) -> JsonValue:
    return [_made_round(one) for one in typed] or None


_MADE: Mapping[str, Callable[[Any], JsonValue]] = {
    **{"name": _text, "description": _text, "prompt": _text, "criteria": _text, "expected": _text},
    **{"rounds": _every_round, "tools": _listed, "threshold": _figure, "slices": _pairs},
    "revival": lambda typed: True if typed else None,
}


@dataclass(frozen=True, slots=True, order=True)
class CaseProblem(Problem):  # pyrefly: ignore[ordered-dataclass-inheritance]
    """An error in a case."""

    loc: Loc = ()


class _Entry(Document):
    """An entry whose errors carry their location."""

    def problem(self, loc: Loc, message: str, hint: str = "") -> CaseProblem:
        return CaseProblem(self.file, 0, message, hint, loc=loc)


def check_form(form: CaseForm) -> tuple[Entry, tuple[FormError, ...]]:
    """The case of a form, and its errors."""
    entry, errors = entry_of_form(form)
    if errors:
        return entry, tuple(errors)
    named = keys_of_fields(form)["name"]
    if named not in entry:
        # The name decides the form of a case.
        entry = {named: "", **entry}
    _, problems = attempt(model_of(entry), _Entry("", dict(entry)))
    return entry, tuple(dict.fromkeys(_form_error(one, form) for one in problems))


def _form_error(problem: Problem, form: CaseForm) -> FormError:
    """The error at the field of the wrong key."""
    key, *inner = problem.loc if isinstance(problem, CaseProblem) and problem.loc else ("",)
    field = next((name for name, known in keys_of_fields(form).items() if known == key), REST if key else "")
    if field == "rounds" and inner:
        field_of_round = (
            next((name for name, key in _ROUND.items() if key == inner[1]), "prompt") if len(inner) > 1 else "prompt"
        )
        field = f"rounds.{int(inner[0]) + 1}.{field_of_round}"
    elif field == "slices" and inner:
        row = next((at for at, (name, _) in enumerate(form.slices, 1) if name == inner[0]), 0)
        field = f"slices.{row}" if row else field
    message = "is missing" if problem.message.startswith(f"'{(inner or [key])[-1]}' is missing") else problem.message
    return FormError(field, message, problem.hint)


_REMOVE = re.compile(r"remove-(round|slice)-([0-9]{1,4})")
_RAISE = re.compile(r"raise-round-([0-9]{1,4})")
_TEXTS = ("name", "description", "prompt", "tools", "criteria", "threshold", "expected", "rest")
_OF_ROUND = ("prompt", "tools", "criteria", "threshold")


def typed_form(sent: SentForm) -> CaseForm:
    """The form of a case, as sent by its page."""
    kind = sent.one("kind")
    kinds: tuple[CaseKind, ...] = get_args(CaseKind)
    return CaseForm(
        **{name: sent.one(name) for name in _TEXTS},
        rounds=_typed_rounds(sent),
        revival=bool(sent.one("revival")),
        slices=tuple(_typed_slices(sent)),
        kind=next((one for one in kinds if one == kind), "agent"),
        keys=_keys(sent.one("keys")),
    )


def after_button(form: CaseForm, button: str) -> CaseForm | None:
    """The form after a button that adds, moves or removes a part; None for other buttons."""
    if button == "add-round":
        rounds = form.rounds or (RoundForm(form.prompt),)
        return replace(form, prompt="", rounds=(*rounds, RoundForm()))
    if button == "add-slice":
        return replace(form, slices=(*form.slices, ("", "")))
    if raised := _RAISE.fullmatch(button):
        return replace(form, rounds=_raised(form.rounds, int(raised[1])))
    removed = _REMOVE.fullmatch(button)
    if removed is None:
        return None
    number = int(removed[2])
    if removed[1] == "slice":
        return replace(form, slices=tuple(pair for at, pair in enumerate(form.slices, 1) if at != number))
    left = tuple(one for at, one in enumerate(form.rounds, 1) if at != number)
    if form.rounds and not left:
        return replace(form, prompt=form.rounds[0].prompt, rounds=())
    return replace(form, rounds=left)


def _raised(rounds: tuple[RoundForm, ...], number: int) -> tuple[RoundForm, ...]:
    """The rounds with one moved up; the first stays."""
    if not 1 < number <= len(rounds):
        return rounds
    return (*rounds[: number - 2], rounds[number - 1], rounds[number - 2], *rounds[number:])


def _typed_rounds(sent: SentForm) -> tuple[RoundForm, ...]:
    found: list[RoundForm] = []
    while any(f"rounds.{len(found) + 1}.{name}" in sent.fields for name in _OF_ROUND):
        number = len(found) + 1
        found.append(RoundForm(**{name: sent.one(f"rounds.{number}.{name}") for name in _OF_ROUND}))
    return tuple(found)


def _typed_slices(sent: SentForm) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    while f"slices.{len(found) + 1}.dimension" in sent.fields:
        number = len(found) + 1
        found.append((sent.one(f"slices.{number}.dimension"), sent.one(f"slices.{number}.value")))
    return found


def _keys(text: str) -> tuple[str, ...]:
    """The hidden list of keys; empty where it is invalid."""
    try:
        found = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return ()
    return tuple(key for key in found if isinstance(key, str)) if isinstance(found, list) else ()
