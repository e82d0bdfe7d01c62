"""Converts promptfoo tests to cases and back, in a separate file or inside a configuration."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gate.cases.case import Entry
from gate.cases.losses import Losses
from gate.cases.promptfoo_assertions import MAPPED, scorers_of
from gate.cases.promptfoo_context import Context, items, javascript, value_at
from gate.cases.promptfoo_tests import NOTHING, cases_of, default_of, tests_of
from gate.cases.reading import documents, is_table
from gate.cases.rows import difference, metadata_of
from gate.cases.tables import read_table
from gate.cases.turns import OWN, PLAIN
from gate.config.documents import Document, Problems, one_problem, quoted
from gate.config.scorer import parse_scorers
from gate.errors import InputErrors, Problem
from gate.limits import CASES
from gate.values import JsonValue

_SIMPLE: Mapping[str, str] = {
    "regex": "regex",
    "starts_with": "starts-with",
    "refusal": "is-refusal",
    "json": "is-json",
}
_LISTS = ("all", "any")
_COMMON = ("name", "weight", "negate")


def test_of(entry: Entry) -> dict[str, JsonValue]:
    """The promptfoo test of a case."""
    variables = entry.get("vars")
    question = {key: entry[key] for key in ("input", "messages", "expected") if key in entry}
    test: dict[str, JsonValue] = {"vars": {**question, **(variables if isinstance(variables, dict) else {})}}
    test |= {key: entry[key] for key in ("description", "threshold") if key in entry}
    scorers = entry.get("scorers", entry.get("extra_scorers"))
    if isinstance(scorers, list):
        asserts: list[JsonValue] = [found for found in map(assertion_of, scorers) if found is not None]
        if asserts:
            test["assert"] = asserts
    return {**test, "metadata": metadata_of(entry)}


def assertion_of(scorer: JsonValue) -> dict[str, JsonValue] | None:
    """The assertion equivalent to a scorer; None if there is none."""
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


_OF_CONFIG = frozenset({"prompts", "providers", "targets", "scenarios", "redteam"})


def tests_in(text: str, file: str, losses: Losses) -> list[tuple[int, Entry]]:
    """The cases of a file of tests."""
    default = NOTHING
    context = Context(losses)
    nodes = tests_of_file(text, file, context)
    if not is_table(file):
        if len(nodes) == 1 and _is_config(nodes[0].entries()):
            whole = nodes[0].entries()
            all_of_it = f"gate init --prompt {shlex.quote(file)}"
            context = Context(losses, root=nodes[0])
            nodes = _listed(whole.get("tests", value_at([], 0)), losses)
            default = default_of(whole.get("defaultTest"), context)
            losses.add(0, "only the tests of the configuration are converted", all_of_it)
            if default.scorers:
                losses.add(0, "the assertions of defaultTest are the suite's scorers", all_of_it)
    found: list[tuple[int, Entry]] = []
    for number, node in enumerate(nodes, start=1):
        found += ((node.line, case) for case in cases_of(node, number, context, default))
        if len(found) > CASES:
            # A test with lists as variables can expand to many cases.
            raise one_problem(file, node.line, f"has more than {CASES:,} cases", "split it into several files")
    return found


def tests_of_file(text: str, file: str, context: Context) -> list[Document]:
    """The tests of a table, or the rows of any other file."""
    problems = Problems(file)
    if is_table(file):
        table = read_table(text, file)
        found = tests_of(table, context, problems) if table is not None else []
        problems.check()
        return found
    wrong: list[Problem] = []
    found = list(documents(text, file, wrong))
    if wrong:
        raise InputErrors(wrong)
    return found


def _is_config(entries: Mapping[str, object]) -> bool:
    return "tests" in entries or not entries.keys() & {"vars", "assert"} and bool(entries.keys() & _OF_CONFIG)


def _listed(tests: Document, losses: Losses) -> list[Document]:
    listed = items(tests)
    good = [item for item in listed if isinstance(item.data, dict)]
    named = ", ".join(str(item.data) for item in listed if not isinstance(item.data, dict))
    if len(good) < len(listed):
        said = f"tests in other files are left out: {named[:200]}"
        losses.add(tests.line, said, "convert those files, or take gate init --prompt")
    if not listed:
        losses.add(0, "the configuration has no tests", "name a file that holds some")
    return good


def to_tests(entries: Sequence[Entry], losses: Losses) -> list[Mapping[str, JsonValue]]:
    """Each case as a test."""
    return [test for number, entry in enumerate(entries, start=1) if (test := _test(entry, number, losses))]


def _test(entry: Entry, number: int, losses: Losses) -> dict[str, JsonValue] | None:
    label = quoted(str(entry.get("id", entry.get("name", ""))))
    if not entry.keys() <= PLAIN:
        losses.add(0, f"the case {label} is a conversation with an agent; it is left out", "keep it in a file")
        return None
    for key in ("scorers", "extra_scorers"):
        scorers = entry.get(key)
        for scorer in scorers if isinstance(scorers, list) else ():
            kind = scorer if isinstance(scorer, str) else next(iter(scorer), "") if isinstance(scorer, dict) else ""
            assertion = assertion_of(scorer)
            if assertion is None:
                losses.add(0, f"promptfoo has no assertion for the scorer {kind} of the case {label}")
            elif not _means_the_same(assertion, scorer):
                said = (
                    f"the scorer {kind} of the case {label} is {assertion['type']} there, which is not quite the same"
                )
                losses.add(0, said, "the gate keeps its own in the metadata")
    test = test_of(entry)
    variables = test["vars"]
    if isinstance(variables, dict) and any(isinstance(value, list) for value in variables.values()):
        test["options"] = {"disableVarExpansion": True}
    test = _with_rest(test, entry, number)
    if difference(entry, _back(test, number)):
        losses.add(0, f"the case {label} changes if it is read back", "keep it in a .jsonl file")
    return {key: value for key, value in test.items() if value != {}}


def _means_the_same(assertion: dict[str, JsonValue], scorer: JsonValue) -> bool:
    """Does the assertion convert to that scorer without a known difference?"""
    kind = str(assertion["type"]).removeprefix("not-")
    if kind not in MAPPED or MAPPED[kind].differs:
        return False
    back = scorers_of(value_at([assertion], 1), Context(Losses()), "")
    try:
        one, other = (parse_scorers(each, "scorers") for each in ([scorer], back))
    except InputErrors:
        return False
    return [replace(spec, name="") for spec in one] == [replace(spec, name="") for spec in other]


def _with_rest(test: dict[str, JsonValue], entry: Entry, number: int) -> dict[str, JsonValue]:
    kept = difference(entry, _back(test, number))
    metadata = test.get("metadata")
    return {**test, "metadata": {**metadata, OWN: kept}} if kept and isinstance(metadata, dict) else test


def _back(test: Mapping[str, JsonValue], number: int) -> Entry:
    found = cases_of(value_at(dict(test), 1), number, Context(Losses()))
    return found[0] if len(found) == 1 else {}
