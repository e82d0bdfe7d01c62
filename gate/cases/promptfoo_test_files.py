"""Files of promptfoo tests: reading them as cases, and writing cases as tests."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gate.cases.case import Entry
from gate.cases.losses import Losses
from gate.cases.promptfoo_assertions import TYPES, Mapped, scorers_of
from gate.cases.promptfoo_files import PromptfooFile, document_at, items
from gate.cases.promptfoo_patterns import javascript_pattern
from gate.cases.promptfoo_tests import NO_DEFAULTS, cases_of_test, read_default_test, tests_of_table
from gate.cases.reading import documents, is_table
from gate.cases.rows import difference, metadata_of
from gate.cases.tables import read_table
from gate.cases.turns import OWN, PLAIN
from gate.config.documents import Document, Problems, one_problem, quoted
from gate.config.scorer import parse_scorers
from gate.errors import InputErrors, Problem
from gate.limits import CASES
from gate.values import JsonValue, as_mapping

_CONFIG_KEYS = frozenset({"prompts", "providers", "targets", "scenarios", "redteam"})


def test_nodes(text: str, path: str, file: PromptfooFile) -> list[Document]:
    """The tests of a table, or the rows of any other file."""
    problems: list[Problem] = []
    if is_table(path):
        found = Problems(path)
        table = read_table(text, path)
        nodes = tests_of_table(table, file, found) if table is not None else []
        found.check()
        return nodes
    nodes = list(documents(text, path, problems))
    if problems:
        raise InputErrors(problems)
    return nodes


def cases_in_file(text: str, path: str, losses: Losses) -> list[tuple[int, Entry]]:
    """The cases of a file of tests, or of the tests in a configuration, with their lines."""
    default, file = NO_DEFAULTS, PromptfooFile(losses)
    nodes = test_nodes(text, path, file)
    if not is_table(path) and len(nodes) == 1 and _is_config(nodes[0].entries()):
        config = nodes[0].entries()
        remedy = f"gate init --prompt {shlex.quote(path)}"
        file = PromptfooFile(losses, root=nodes[0])
        nodes = _inline_tests(config.get("tests"), losses)
        default = read_default_test(config.get("defaultTest"), file)
        losses.add(0, "only the tests of the configuration are converted", remedy)
        if default.scorers:
            losses.add(0, "the assertions of defaultTest are the suite's scorers", remedy)
    cases: list[tuple[int, Entry]] = []
    for number, node in enumerate(nodes, start=1):
        cases += ((node.line, case) for case in cases_of_test(node, number, file, default))
        if len(cases) > CASES:
            # A test with lists as variables can expand to many cases.
            raise one_problem(path, node.line, f"has more than {CASES:,} cases", "split it into several files")
    return cases


def _is_config(entries: Mapping[str, object]) -> bool:
    return "tests" in entries or not entries.keys() & {"vars", "assert"} and bool(entries.keys() & _CONFIG_KEYS)


def _inline_tests(node: Document | None, losses: Losses) -> list[Document]:
    """The tests in the configuration itself; those in other files are a loss."""
    tests = items(node)
    if names := [str(item.data) for item in tests if not isinstance(item.data, dict)]:
        message = f"tests in other files are left out: {', '.join(names)[:200]}"
        losses.add(node.line if node else 0, message, "convert those files, or take gate init --prompt")
    if not tests:
        losses.add(0, "the configuration has no tests", "name a file that holds some")
    return [item for item in tests if isinstance(item.data, dict)]


def write_tests(entries: Sequence[Entry], losses: Losses) -> list[Mapping[str, JsonValue]]:
    """Each case as a test; what a test has no key for is in its metadata."""
    tests: list[Mapping[str, JsonValue]] = []
    for number, entry in enumerate(entries, start=1):
        label = quoted(str(entry.get("id", entry.get("name", ""))))
        if not entry.keys() <= PLAIN:
            losses.add(0, f"the case {label} is a conversation with an agent; it is left out", "keep it in a file")
            continue
        test = _test_of(entry, label, losses)
        if kept := difference(entry, _read_back(test, number)):
            test["metadata"] = {**as_mapping(test["metadata"]), OWN: kept}
        if difference(entry, _read_back(test, number)):
            losses.add(0, f"the case {label} changes if it is read back", "keep it in a .jsonl file")
        tests.append({key: value for key, value in test.items() if value != {}})
    return tests


def _test_of(entry: Entry, label: str, losses: Losses) -> Mapped:
    question = {key: entry[key] for key in ("input", "messages", "expected") if key in entry}
    variables = {**question, **as_mapping(entry.get("vars"))}
    test: Mapped = {"vars": variables}
    test |= {key: entry[key] for key in ("description", "threshold") if key in entry}
    scorers = entry.get("scorers", entry.get("extra_scorers"))
    if assertions := _assertions(scorers if isinstance(scorers, list) else [], label, losses):
        test["assert"] = assertions
    if any(isinstance(value, list) for value in variables.values()):
        test["options"] = {"disableVarExpansion": True}
    return {**test, "metadata": metadata_of(entry)}


def _read_back(test: Mapped, number: int) -> Entry:
    cases = cases_of_test(document_at(test, 1), number, PromptfooFile(Losses()))
    return cases[0] if len(cases) == 1 else {}


_SETTINGS = ("name", "weight", "negate")


def _assertions(scorers: Sequence[JsonValue], label: str, losses: Losses) -> list[JsonValue]:
    """The assertions of scorers; a scorer without one, or with one of another meaning, is a loss."""
    assertions: list[JsonValue] = []
    for scorer in scorers:
        kind = scorer if isinstance(scorer, str) else next(iter(as_mapping(scorer)), "")
        assertion = assertion_of(scorer)
        if assertion is None:
            losses.add(0, f"promptfoo has no assertion for the scorer {kind} of the case {label}")
            continue
        if not _means_the_same(assertion, scorer):
            message = f"the scorer {kind} of the case {label} is {assertion['type']} there, which is not quite the same"
            losses.add(0, message, "the gate keeps its own in the metadata")
        assertions.append(assertion)
    return assertions


def assertion_of(scorer: JsonValue) -> Mapped | None:
    """The assertion equivalent to a scorer; None if there is none."""
    row: Mapped = {scorer: {}} if isinstance(scorer, str) else as_mapping(scorer)
    kinds = [key for key in row if key not in (*_SETTINGS, "required")]
    if len(kinds) != 1:
        return None
    value = row[kinds[0]]
    options: Mapped = dict(value) if isinstance(value, dict) else {} if value is None else {"value": value}
    settings = {key: inner for key, inner in {**options, **row}.items() if key in _SETTINGS}
    assertion = _assertion(kinds[0], {key: inner for key, inner in options.items() if key not in _SETTINGS})
    if assertion is None:
        return None
    if settings.get("negate") is True:
        assertion["type"] = f"not-{assertion['type']}"
    names = {"weight": "weight", "name": "metric"}
    return {**assertion, **{names[key]: inner for key, inner in settings.items() if key in names}}


def _assertion(kind: str, options: Mapped) -> Mapped | None:
    match kind:
        case "exact" | "starts_with" | "regex" if not options.get("ignore_case"):
            return _text_assertion(kind, options.get("value", options.get("pattern", "{{ expected }}")))
        case "contains":
            return _contains_assertion(options)
        case "judge" if "models" not in options:
            threshold = {"threshold": options["threshold"]} if "threshold" in options else {}
            return {"type": "llm-rubric", "value": options.get("criteria", "{{ expected }}"), **threshold}
        case "json_schema":
            return {"type": "is-json", "value": options.get("schema", options.get("value"))}
        case "words":
            return {"type": "word-count", "value": options}
        case "latency" if isinstance(seconds := options.get("max_s", options.get("value")), (int, float)):
            return {"type": "latency", "threshold": seconds * 1000}
        case "cost":
            return {"type": "cost", "threshold": options.get("max_usd", options.get("value"))}
        case "refusal" | "json":
            return {"type": f"is-{kind}"}
    return None


def _text_assertion(kind: str, value: JsonValue) -> Mapped | None:
    if kind == "regex":
        pattern = javascript_pattern(str(value))
        return None if pattern is None else {"type": kind, "value": pattern}
    return {"type": {"exact": "equals", "starts_with": "starts-with"}[kind], "value": value}


def _contains_assertion(options: Mapped) -> Mapped | None:
    prefix = "i" if options.get("ignore_case", True) else ""
    lists = [key for key in ("all", "any") if key in options]
    if options.get("none") or len(lists) > 1 or (lists and "value" in options):
        return None
    if lists:
        return {"type": f"{prefix}contains-{lists[0]}", "value": options[lists[0]]}
    return {"type": f"{prefix}contains", "value": options.get("value", "{{ expected }}")}


def _means_the_same(assertion: Mapped, scorer: JsonValue) -> bool:
    """Does the assertion convert to that scorer without a known difference?"""
    if TYPES[str(assertion["type"]).removeprefix("not-")].change:
        return False
    back = scorers_of(document_at([assertion], 1), PromptfooFile(Losses()), "")
    try:
        original, converted = (parse_scorers(scorers, "scorers") for scorers in ([scorer], back))
    except InputErrors:
        return False
    return [replace(spec, name="") for spec in original] == [replace(spec, name="") for spec in converted]
