"""Variables of promptfoo's prompts and assertions: what a test leaves out is empty, and what has no value is a loss."""

from collections.abc import Iterator, Mapping, Sequence

from gate.cases.reading import case_of
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.errors import InputErrors
from gate.formats.losses import Losses
from gate.formats.promptfoo_prompts import Found
from gate.inputs.problems import quoted
from gate.inputs.promptfoo.allowance import Allowance
from gate.inputs.promptfoo.context import names_in
from gate.inputs.render import SlowTemplate, fill

_GIVEN = frozenset({"input", "expected", "id", "slices"})
"""What a scorer may name beside the variables of a case."""
_OWN = ("scorers", "extra_scorers")
_REMEDY = "write its value there, or a scorer for it"


def filled(
    cases: list[Entry], prompt: Found, scorers: Sequence[JsonValue], losses: Losses, allowance: Allowance
) -> tuple[Entry, ...]:
    """The cases with an empty text for each variable that prompt or scorers name and they lack, as promptfoo has it.

    Args:
        cases: of the configuration.
        prompt: that is to answer them.
        scorers: of all cases.
        losses: gets cases that the prompt cannot be asked.
        allowance: of the configuration.

    Raises:
        SlowTemplate: reading what they name takes too long.
    """
    if "input" in prompt.names and (lacking := [case for case in cases if "input" not in case]):
        said = f"{len(lacking)} cases give no 'input' to the prompt {quoted(prompt.label)}, and are left out there"
        losses.add(0, said, "give it in each test")
        cases = [case for case in cases if "input" in case]
    found = []
    for case in cases:
        with allowance.filling(0):
            found.append(_complete(case, prompt.names, scorers))
    return tuple(found)


def fillable_everywhere(
    scorers: Sequence[JsonValue], cases: Sequence[Entry], losses: Losses, allowance: Allowance
) -> tuple[JsonValue, ...]:
    """The scorers of all cases without those that name what a case cannot have, such as `{{ env.HOME }}`.

    Args:
        scorers: of all cases.
        cases: of the configuration.
        losses: gets what is left out.
        allowance: of the configuration.

    Raises:
        SlowTemplate: filling them in takes too long.
    """
    kept = []
    for scorer in scorers:
        reasons = (_reason(scorer, case, allowance) for case in cases) if names_in(scorer) else iter(())
        if reason := next(filter(None, reasons), ""):
            losses.add(0, f"the assertion {_kind(scorer)} of defaultTest is not brought along: {reason}", _REMEDY)
        else:
            kept.append(scorer)
    return tuple(kept)


def fillable(case: Entry, losses: Losses, allowance: Allowance) -> Entry:
    """The case without scorers of its own that name what it does not have.

    Args:
        case: of the configuration.
        losses: gets what is left out.
        allowance: of the configuration.

    Raises:
        SlowTemplate: filling them in takes too long.
    """
    result = dict(case)
    for key in _OWN:
        found = case.get(key)
        if not isinstance(found, list):
            continue
        kept: list[JsonValue] = []
        for scorer in found:
            if reason := _reason(scorer, case, allowance) if names_in(scorer) else "":
                told = f"the assertion {_kind(scorer)} of {case['id']} is not brought along: {reason}"
                losses.add(0, told, _REMEDY)
            else:
                kept.append(scorer)
        result[key] = kept
        if not kept:
            del result[key]
    return result


def _complete(case: Entry, names: frozenset[str], scorers: Sequence[JsonValue]) -> Entry:
    known = case.get("vars")
    variables = known if isinstance(known, dict) else {}
    named = names | names_in([*scorers, *(case.get(key) for key in _OWN)])
    empty: dict[str, JsonValue] = {name: "" for name in sorted(named - variables.keys() - _GIVEN)}
    return {**case, "vars": {**variables, **empty}} if empty else case


def _reason(scorer: JsonValue, entry: Entry, allowance: Allowance) -> str:
    """Why the texts of a scorer cannot be filled in for a case; empty where they can."""
    bare = {key: value for key, value in entry.items() if key not in _OWN}
    case = case_of(_complete(bare, frozenset(), [scorer]))
    for text in _texts(scorer):
        try:
            with allowance.filling(0) as seconds:
                fill(text, case, seconds)
        except SlowTemplate:
            raise
        except InputErrors as errors:
            why = errors.problems[0].message.partition(": ")[2]
            return f"{quoted(text[:100])} cannot be filled in ({why})"
    return ""


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for item in inner:
        yield from _texts(item)


def _kind(scorer: JsonValue) -> str:
    return quoted(next(iter(scorer))) if isinstance(scorer, dict) else quoted(str(scorer))
