"""Which cases and scorers fit a prompt: the gate sends and checks what promptfoo does, or the loss is listed."""

import re
from collections.abc import Collection, Mapping, Sequence

from gate.cases.case import Entry, SlowTemplate, all_texts, fill, variables_of
from gate.cases.losses import Losses
from gate.cases.promptfoo_files import ImportBudget
from gate.cases.promptfoo_prompts import PromptfooPrompt
from gate.cases.reading import case_of
from gate.config.documents import quoted
from gate.errors import InputErrors
from gate.prompts.promptfoo import messages_in
from gate.templates import nunjucks
from gate.templates.rendering import compile_template
from gate.templates.sandbox import BadTemplate
from gate.values import JsonValue, as_mapping, listed

_FIELDS = frozenset({"input", "expected", "id", "slices"})
"""What a scorer may name beside the variables of a case."""
_SCORERS = ("scorers", "extra_scorers")
_TURNS = re.compile(r'\s*([\[{](?=.*"role")|-\s*role:)', re.DOTALL)


def fitting_cases(
    prompt: PromptfooPrompt,
    cases: Sequence[Entry],
    scorers: Sequence[JsonValue],
    losses: Losses,
    budget: ImportBudget,
) -> tuple[Entry, ...]:
    """The cases that a prompt can be tested on, with empty texts for variables without a value, as in promptfoo.

    Those that are left out become losses.
    """
    fitting: list[Entry] = []
    left_out: dict[str, list[str]] = {}
    for case in _cases_with_input(prompt, cases, losses):
        try:
            if prompt.is_function:
                fitting.append(_with_empty_values(_for_function(case, prompt), prompt.variables, scorers))
            else:
                rendered = _rendered_case(prompt, case, scorers, budget)
                fitting.append(_with_empty_values(rendered, frozenset(), scorers))
        except BadTemplate as error:
            left_out.setdefault(error.message, []).append(str(case["id"]))
    for reason, names_left_out in left_out.items():
        ids = listed(names_left_out)
        message = f"for the prompt {quoted(prompt.label)}, {ids} cannot be converted: {reason}"
        losses.add(0, message, "write the prompt in Jinja2, or change these values")
    return tuple(fitting)


def _cases_with_input(prompt: PromptfooPrompt, cases: Sequence[Entry], losses: Losses) -> Sequence[Entry]:
    """The cases that give `input` to a prompt that uses it."""
    lacking = sum("input" not in case for case in cases)
    if "input" not in prompt.variables or not lacking:
        return cases
    message = f"{lacking} cases give no 'input' to the prompt {quoted(prompt.label)}; they are left out there"
    losses.add(0, message, "give it in each test")
    return [case for case in cases if "input" in case]


def _for_function(case: Entry, prompt: PromptfooPrompt) -> Entry:
    """The case with its variables under the names that the function has for them, and no other message."""
    values = _values(case)
    renamed = {name: values[source] for name, source in prompt.sources.items() if source in values}
    rest: Entry = {key: value for key, value in case.items() if key != "input" or "input" in prompt.variables}
    return {**rest, "vars": {**as_mapping(case.get("vars")), **renamed}}


def _rendered_case(prompt: PromptfooPrompt, case: Entry, scorers: Sequence[JsonValue], budget: ImportBudget) -> Entry:
    """The case with the variables that the prompt needs.

    Raises:
        BadTemplate: promptfoo would send something else.
    """
    values, empty = _values(case), set[str]()
    with budget.rendering() as seconds:
        while True:
            given = {**values, **dict.fromkeys(empty, nunjucks.NoValue())}
            try:
                texts = [nunjucks.render(content, given, seconds) for content in prompt.contents]
                break
            except BadTemplate as error:
                missing = sorted(prompt.variables - values.keys() - empty)
                name = next((name for name in missing if f"'{name}' is undefined" in error.message), "")
                if not error.undefined or not name:
                    raise
                empty.add(name)
    if not all(text.strip() for text in texts):
        raise BadTemplate("its text is empty")
    if prompt.thread and messages_in(texts[0]) is None:
        raise BadTemplate(f"{quoted(prompt.thread)} is no list of messages that can be sent")
    if not prompt.chat and _TURNS.match(texts[0]):
        raise BadTemplate("its template writes the turns of a chat, and not a list of messages with templates")
    fitted = dict(case)
    if "input" in case and "input" not in prompt.variables:
        if "input" in variables_in([*scorers, *(case.get(key) for key in _SCORERS)]):
            raise BadTemplate("the prompt does not use input, and its scorers do")
        del fitted["input"]  # the gate would send it after the prompt
    variables = {**as_mapping(fitted.pop("vars", None)), **dict.fromkeys(sorted(empty), "")}
    if variables or "input" not in fitted:
        fitted["vars"] = variables or {"test": case["id"]}
    return fitted


def _values(case: Entry) -> dict[str, JsonValue]:
    """The variables of a case, `input` among them."""
    return {**as_mapping(case.get("vars")), **({"input": case["input"]} if "input" in case else {})}


def _with_empty_values(case: Entry, names: frozenset[str], scorers: Sequence[JsonValue]) -> Entry:
    """The case with empty texts for variables that it lacks."""
    variables = as_mapping(case.get("vars"))
    used = names | variables_in([*scorers, *(case.get(key) for key in _SCORERS)])
    empty: dict[str, JsonValue] = dict.fromkeys(sorted(used - variables.keys() - _FIELDS), "")
    return {**case, "vars": {**variables, **empty}} if empty else case


def variables_in(value: object) -> frozenset[str]:
    """The variables used in the texts inside a value."""
    if isinstance(value, str) and "{{" in value:
        try:
            return compile_template(value).names
        except BadTemplate:
            return frozenset()
    inner: Collection[object] = ()
    if isinstance(value, Mapping):
        inner = value.values()
    elif isinstance(value, (list, tuple)):
        inner = value
    return frozenset().union(*map(variables_in, inner))


def with_fillable_scorers(case: Entry, losses: Losses, budget: ImportBudget) -> Entry:
    """The case without scorers that use something unavailable; each is a loss."""
    result = dict(case)
    for key in _SCORERS:
        scorers = result.pop(key, None)
        given = scorers if isinstance(scorers, list) else []
        if fillable := fillable_scorers(given, [case], str(case["id"]), losses, budget):
            result[key] = fillable
    return result


def fillable_scorers(
    scorers: Sequence[JsonValue], cases: Sequence[Entry], of: str, losses: Losses, budget: ImportBudget
) -> list[JsonValue]:
    """The scorers without those that use something unavailable to a case, such as `{{ env.HOME }}`."""
    fillable: list[JsonValue] = []
    for scorer in scorers:
        has_template = any("{{" in text for text in all_texts(scorer))
        reasons = (_unfillable_reason(scorer, case, budget) for case in (cases if has_template else ()))
        if reason := next(filter(None, reasons), ""):
            kind = quoted(next(iter(scorer)) if isinstance(scorer, dict) else str(scorer))
            message = f"the assertion {kind} of {of} cannot be converted: {reason}"
            losses.add(0, message, "write its value there, or a scorer for it")
        else:
            fillable.append(scorer)
    return fillable


def _unfillable_reason(scorer: JsonValue, entry: Entry, budget: ImportBudget) -> str:
    """Why the texts of a scorer cannot be rendered for a case; empty if they can."""
    bare = {key: value for key, value in entry.items() if key not in _SCORERS}
    case = case_of(_with_empty_values(bare, frozenset(), [scorer]))
    missing = variables_in(scorer) - variables_of(case_of(bare)).keys() - _FIELDS
    values = {**variables_of(case), **dict.fromkeys(missing, nunjucks.NoValue())}
    if case.expected is not None:
        values["expected"] = case.expected
    for text in all_texts(scorer):
        try:
            with budget.rendering() as seconds:
                fill(text, case, seconds)
                nunjucks.render(text, values, seconds)
        except SlowTemplate:
            raise
        except (BadTemplate, InputErrors) as error:
            reason = error.message if isinstance(error, BadTemplate) else error.problems[0].message.partition(": ")[2]
            return f"{quoted(text[:100])} cannot be filled in ({reason})"
    return ""
