"""Cases as tests of promptfoo; scorers that it has no assertion for are kept in the metadata, and told."""

from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.formats.shared import metadata_of
from gate.inputs.promptfoo.patterns import javascript

_SIMPLE: Mapping[str, str] = {
    "regex": "regex",
    "starts_with": "starts-with",
    "refusal": "is-refusal",
    "json": "is-json",
}
_LISTS = ("all", "any")
_COMMON = ("name", "weight", "negate")


def test_of(entry: Entry) -> dict[str, JsonValue]:
    """The test that a case is."""
    variables = entry.get("vars")
    asked = {key: entry[key] for key in ("input", "messages", "expected") if key in entry}
    test: dict[str, JsonValue] = {"vars": {**asked, **(variables if isinstance(variables, dict) else {})}}
    test |= {key: entry[key] for key in ("description", "threshold") if key in entry}
    scorers = entry.get("scorers", entry.get("extra_scorers"))
    if isinstance(scorers, list):
        asserts: list[JsonValue] = [found for found in map(assertion_of, scorers) if found is not None]
        if asserts:
            test["assert"] = asserts
    return {**test, "metadata": metadata_of(entry)}


def assertion_of(scorer: JsonValue) -> dict[str, JsonValue] | None:
    """The assertion that means what a scorer means; None where there is none."""
    if isinstance(scorer, str):
        scorer = {scorer: {}}
    if not isinstance(scorer, dict):
        return None
    kinds = [key for key in scorer if key not in (*_COMMON, "required")]
    if len(kinds) != 1:
        return None
    options = scorer[kinds[0]]
    if not isinstance(options, dict):
        options = {"value": options} if options is not None else {}
    common = {key: value for key, value in {**options, **scorer}.items() if key in _COMMON}
    found = _assertion(kinds[0], {key: value for key, value in options.items() if key not in _COMMON})
    if found is None:
        return None
    negated = "not-" if common.get("negate") is True else ""
    row: dict[str, JsonValue] = {"type": f"{negated}{found.pop('type')}", **found}
    row |= {"weight": common["weight"]} if "weight" in common else {}
    return {**row, "metric": common["name"]} if "name" in common else row


def _assertion(kind: str, options: dict[str, JsonValue]) -> dict[str, JsonValue] | None:
    value = options.get("value", options.get("pattern", options.get("criteria", "{{ expected }}")))
    match kind:
        case "exact" if not options.get("ignore_case"):
            return {"type": "equals", "value": value}
        case "contains":
            return _contains(options)
        case "judge" if "models" not in options:
            threshold = {"threshold": options["threshold"]} if "threshold" in options else {}
            return {"type": "llm-rubric", "value": value, **threshold}
        case "json_schema":
            return {"type": "is-json", "value": options.get("schema", options.get("value"))}
        case "words":
            return {"type": "word-count", "value": options}
        case "latency" if isinstance(options.get("max_s", options.get("value")), (int, float)):
            seconds = options.get("max_s", options.get("value"))
            return {"type": "latency", "threshold": float(str(seconds)) * 1000}
        case "cost":
            return {"type": "cost", "threshold": options.get("max_usd", options.get("value"))}
        case "refusal" | "json":
            return {"type": _SIMPLE[kind]}
        case "regex" | "starts_with" if not options.get("ignore_case"):
            return _looked_for(kind, value)
    return None


def _looked_for(kind: str, value: JsonValue) -> dict[str, JsonValue] | None:
    wanted = javascript(str(value)) if kind == "regex" else value
    return None if wanted is None else {"type": _SIMPLE[kind], "value": wanted}


def _contains(options: dict[str, JsonValue]) -> dict[str, JsonValue] | None:
    any_case = "i" if options.get("ignore_case", True) else ""
    lists = [key for key in _LISTS if key in options]
    if options.get("none") or len(lists) > 1 or (lists and "value" in options):
        return None
    if lists:
        return {"type": f"{any_case}contains-{lists[0]}", "value": options[lists[0]]}
    return {"type": f"{any_case}contains", "value": options.get("value", "{{ expected }}")}
