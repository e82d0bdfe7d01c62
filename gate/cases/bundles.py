"""Reads configurations of other tools, recognized by their file names."""

import posixpath
import re
from collections.abc import Callable, Collection, Mapping

from gate.cases.case import Entry
from gate.cases.convert import is_promptfoo
from gate.cases.criteria import judge_criteria
from gate.cases.losses import Bundle, BundleSuite, Losses
from gate.cases.promptfoo_config import read_config
from gate.cases.promptfoo_files import ImportBudget
from gate.cases.promptfoo_fitting import fillable_scorers
from gate.cases.promptfoo_providers import params_of
from gate.cases.prompty import model_of, sample_of
from gate.cases.reading import read
from gate.config.documents import BadJson, Document, one_problem, parse_json, quoted, read_yaml
from gate.config.models import foreign_model
from gate.config.scorer import parse_scorers
from gate.errors import InputErrors
from gate.limits import PROMPT_CHARS
from gate.prompts import reading
from gate.prompts.reading import ENDINGS, TEST_DATA, is_prompt_yml
from gate.prompts.version import Library, is_prompty
from gate.values import JsonValue, as_mapping

_STRINGS = {"equals": "exact", "contains": "contains", "startsWith": "starts_with", "endsWith": "ends_with"}
"""In the order in which the other tool takes the first that is given."""
_COMPLETION = re.compile(r"\{\{\s*completion\s*\}\}")


def read_prompt_yml(text: str, file: str) -> Bundle:
    """Read a prompt of GitHub Models with its test data and evaluators."""
    reading.parse(text, file)
    losses, entries = Losses(file), read_yaml(text, file).entries()
    data = entries.get(TEST_DATA)
    cases = tuple(case.entry for case in read(text, file)) if data is not None and data.parts() else ()
    evaluators = entries.get("evaluators")
    items = evaluators.parts() if evaluators is not None else []
    scorers = [found for item in items for found in _evaluator(item, losses)]
    model = _model(entries["model"].data if "model" in entries else None, losses)
    given = entries.get("modelParameters")
    params = params_of(given.data, given.line, losses) if given is not None else {}
    scorers += _format(entries, losses)
    if cases:
        scorers = fillable_scorers(scorers, cases, "the evaluators", losses, ImportBudget())
    name = posixpath.basename(file)
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    suite = BundleSuite(name or "prompt", file, cases, tuple(scorers), model, params)
    return Bundle("prompt-yml", (suite,), tuple(losses.found))


def _format(entries: Mapping[str, Document], losses: Losses) -> list[JsonValue]:
    """The scorer for `responseFormat`: the gate does not request a format, but checks the answers."""
    node = entries.get("responseFormat", entries.get("jsonSchema"))
    kind = None if node is None else entries["responseFormat"].data if "responseFormat" in entries else "json_schema"
    if node is None or kind == "text":
        return []
    said = "the format of answers is changed: a scorer checks it, and the provider is not asked for it"
    losses.add(node.line, said, "ask for JSON in the prompt")
    given = entries["jsonSchema"].data if "jsonSchema" in entries else None
    if kind != "json_schema" or given is None:
        return ["json"]
    try:
        found = parse_json(given) if isinstance(given, str) else given
    except BadJson:
        found = None
    schema = found.get("schema", found) if isinstance(found, dict) else None
    scorer: JsonValue = {"json_schema": {"schema": schema}}
    return [scorer] if _is_valid(scorer, "jsonSchema", node.line, losses) else ["json"]


def read_prompty(text: str, file: str, other: Callable[[str], str | None]) -> Bundle:
    """Read a prompt of Prompty with its sample."""
    library = Library(file, lambda path: None if (found := other(path)) is None else found.encode())
    reading.parse(text, file, library=library)
    losses = Losses(file)
    model = model_of(text, file, losses, other)
    try:
        cases: tuple[Entry, ...] = (sample_of(text, file, losses, other),)
    except InputErrors:
        cases = ()
    scorers: tuple[JsonValue, ...] = ("json",) if model.json else ()
    name = posixpath.basename(file).rsplit(".", 1)[0] or "prompt"
    suite = BundleSuite(name, file, cases, scorers, model.name, model.params)
    return Bundle("prompty", (suite,), tuple(losses.found))


def _model(value: JsonValue, losses: Losses) -> str | None:
    if not isinstance(value, str) or not value:
        return None
    found = foreign_model(value)
    if found is None:
        losses.add(0, f"the model {quoted(value)} is not a model of the gate", "use a model: openai:…, anthropic:…")
        return None
    return f"{found.provider}:{found.name}"


def _evaluator(node: Document, losses: Losses) -> list[JsonValue]:
    row = as_mapping(node.data)
    label = f"the evaluator {quoted(str(row.get('name', '')))}"
    found: list[dict[str, JsonValue]] = []
    strings = row.get("string")
    given = [key for key in _STRINGS if isinstance(strings, dict) and strings.get(key)]
    if given and isinstance(strings, dict):
        how: dict[str, JsonValue] = {"strip": False} if given[0] != "contains" else {}
        how |= {"ignore_case": True} if given[0] != "equals" else {}
        found.append({_STRINGS[given[0]]: {"value": strings[given[0]], **how}})
    if len(given) > 1:
        losses.add(node.line, f"of {label} only {given[0]} is converted, since the others do not count there either")
    if isinstance(row.get("llm"), dict):
        found.append(_llm(as_mapping(row["llm"]), label, node.line, losses))
    uses = row.get("uses")
    if uses == "github/similarity":
        losses.add(node.line, f"{label} is changed: a judge compares with the expected answer", "or similarity")
        found.append({"judge": {"criteria": judge_criteria("factuality", "{{ expected }}")}})
    elif uses in ("github/relevance", "github/groundedness", "github/fluency", "github/coherence"):
        losses.add(node.line, f"{label} is changed: the gate's judge scores it, by its own criteria")
        found.append({"judge": {"criteria": judge_criteria(str(uses))}})
    if not found:
        losses.add(node.line, f"{label} is left out: the gate does not have it", "write a scorer for it")
    if row.get("name") and len(found) == 1:
        found[0]["name"] = str(row["name"])[:200]
    return [scorer for scorer in found if _is_valid(scorer, label, node.line, losses)]


def _llm(row: dict[str, JsonValue], label: str, line: int, losses: Losses) -> dict[str, JsonValue]:
    """A judge with the evaluator's prompt as criteria, including its choices; the judge sets the score."""
    losses.add(line, f"{label} is changed: its words are criteria of the gate's judge", "check its scores once")
    choices = row.get("choices")
    rows = [one for one in choices if isinstance(one, dict)] if isinstance(choices, list) else []
    said = [f"{one.get('choice')} = {one.get('score')}" for one in rows]
    words = [str(row[key]) for key in ("systemPrompt", "prompt") if row.get(key)]
    text = "\n\n".join([*words, *(["; ".join(said)] if said else [])])
    options: dict[str, JsonValue] = {"criteria": _COMPLETION.sub("the answer", text)}
    model = foreign_model(str(row.get("modelId", row.get("model", ""))))
    return {"judge": {**options, **({"model": f"{model.provider}:{model.name}"} if model is not None else {})}}


def _is_valid(scorer: JsonValue, label: str, line: int, losses: Losses) -> bool:
    try:
        parse_scorers([scorer], "scorers")
    except InputErrors as errors:
        losses.add(line, f"{label} is left out: {errors.problems[0].message}", errors.problems[0].hint)
        return False
    return True


def is_bundle(file: str) -> bool:
    """Does `read_bundle` know this file name?"""
    return is_prompt_yml(file) or is_prompty(file) or is_promptfoo(file)


def read_bundle(text: str, file: str, other: Callable[[str], str | None], paths: Collection[str] = ()) -> Bundle:
    """Read prompts, cases, scorers and model from another tool's configuration, with the losses.

    Args:
        text: content of the file; with an unknown name it is read as promptfoo's.
        other: reads another file by its path from the root; None if it does not exist or is outside.
        paths: all files, to expand patterns.
    """
    if len(text) > PROMPT_CHARS:
        raise one_problem(file, 0, f"is longer than {PROMPT_CHARS:,} characters", "move its tests into a separate file")
    text = text.removeprefix("\ufeff")
    if is_prompt_yml(file):
        return read_prompt_yml(text, file)
    if is_prompty(file):
        return read_prompty(text, file, other)
    return read_config(text, file, other, paths)
