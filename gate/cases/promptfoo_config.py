"""A configuration of promptfoo as suites. https://www.promptfoo.dev/docs/configuration/reference/"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from gate.cases.case import Entry
from gate.cases.convert import valid_cases
from gate.cases.losses import Bundle, BundleSuite, Losses
from gate.cases.promptfoo_files import FILE, IMPORT_CHARS, PromptfooFile, document_at, items
from gate.cases.promptfoo_fitting import fillable_scorers, fitting_cases, with_fillable_scorers
from gate.cases.promptfoo_prompts import read_prompts
from gate.cases.promptfoo_providers import choose_provider, read_providers, set_params
from gate.cases.promptfoo_test_files import test_nodes
from gate.cases.promptfoo_tests import DefaultTest, cases_of_test, read_default_test
from gate.config.documents import Document, one_problem, quoted, read_yaml
from gate.limits import CASES_CHARS
from gate.values import FreeNames, as_mapping

CASES = 10_000
"""Cases of one configuration."""
DIMENSIONS = 20
_READ = frozenset({"prompts", "providers", "targets", "tests", "defaultTest", "scenarios", "assertionTemplates"})
_HARMLESS = frozenset({"description", "$schema", "outputPath", "sharing", "tags", "metadata"})
_TestNode = tuple[Document, PromptfooFile, Mapping[str, Document]]
"""A test with its file and the variables of its scenario."""


def read_config(text: str, path: str, read: Callable[[str], str | None], paths: Collection[str] = ()) -> Bundle:
    """Read the prompts, cases and scorers of a configuration.

    Args:
        read: another file by its path from the root; None if it does not exist.
    """
    root = read_yaml(text, path)
    if not isinstance(root.data, dict):
        raise one_problem(path, 1, "is not a configuration of promptfoo: it must be a mapping", "start with prompts:")
    losses = Losses(path)
    file = PromptfooFile(losses, posixpath.dirname(path), read, root, paths)
    entries = root.entries()
    for key, node in entries.items():
        if key not in _READ | _HARMLESS and not key.startswith("x-"):  # where anchors are kept
            losses.add(node.line, f"{quoted(key)} is left out")
    if not root.data.keys() & {"prompts", "tests", "scenarios"}:
        hint = "red teaming makes attacks of its own, which are not converted" if "redteam" in root.data else ""
        raise one_problem(path, 0, "has neither prompts nor tests", hint or "start with prompts: and tests:")
    prompts = read_prompts(entries.get("prompts"), file)
    _check_any(prompts, losses)
    providers = read_providers(entries.get("providers", entries.get("targets")), file)
    chosen = [choose_provider(providers, prompt.label, prompt.aliases, losses) for prompt in prompts]
    answered = [(prompt, by) for prompt, by in zip(prompts, chosen, strict=True) if by is not None]
    _check_any(answered, losses)
    set_params(providers, losses)
    default = read_default_test(_default_node(entries.get("defaultTest"), file), file)
    cases = valid_cases([(0, case) for case in _cases(entries, file, default)], losses)
    if (IMPORT_CHARS - file.budget.chars) * len(prompts) > IMPORT_CHARS:
        problem = (
            f"its cases come to more than {IMPORT_CHARS:,} characters, written for each of its {len(prompts)} prompts"
        )
        raise one_problem(path, 0, problem, "convert its prompts in parts")
    scorers = tuple(fillable_scorers(default.scorers, cases, "defaultTest", losses, file.budget))
    cases = [with_fillable_scorers(case, losses, file.budget) for case in cases]
    if not scorers and (unscored := sum("scorers" not in case for case in cases)):
        message = f"{unscored} of {len(cases)} cases have no assertion that is converted"
        losses.add(0, message, "write scorers for them, or an expected answer")
    slices = _dimensions(cases)
    suites: list[BundleSuite] = []
    names = FreeNames()
    for prompt, by in answered:
        own = fitting_cases(prompt, cases, scorers, losses, file.budget)
        if cases and not own:
            reason = losses.found[-1].what.rpartition("cannot be converted: ")[2]
            losses.add(0, f"the prompt {quoted(prompt.label)} is left out: {reason}", "write it in Jinja2")
            continue
        name = names.take(re.sub(r"[^\w. -]+", "-", prompt.label).strip("-. ")[:60] or "prompt")
        template = "" if prompt.is_function else "nunjucks"
        suites.append(BundleSuite(name, prompt.path, own, scorers, by.model, by.params, slices, template))
    _check_any(suites, losses)
    return Bundle("promptfoo", tuple(suites), tuple(losses.found))


def _check_any(prompts: Sequence[object], losses: Losses) -> None:
    if not prompts:
        reason = losses.found[-1].what if losses.found else "prompts: is empty"
        rest = "its tests alone: gate cases convert, with the file that holds them"
        raise one_problem(losses.file, 0, "has no prompt that can be converted", f"{reason}; {rest}")


def _default_node(node: Document | None, file: PromptfooFile) -> Document | None:
    """`defaultTest`, which may be in a file."""
    if node is None or not isinstance(node.data, str):
        return node
    return file.load(node.data, node.line, "defaultTest")


def _cases(entries: Mapping[str, Document], file: PromptfooFile, default: DefaultTest) -> list[Entry]:
    cases: list[Entry] = []
    number = 0
    tests = (test for item in items(entries.get("tests")) for test in _tests_of_item(item, file))
    for node, test_file, scenario in chain(tests, _scenario_tests(entries.get("scenarios"), file)):
        number += 1
        cases += cases_of_test(node, number, test_file, default, scenario)
        if len(cases) > CASES:
            message = f"more than {CASES:,} cases; those after test {number} are left out"
            file.losses.add(node.line, message, "convert the tests into a case file")
            return cases[:CASES]
    return cases if number else list(cases_of_test(document_at({}, 0), 1, file, default))


def _tests_of_item(item: Document, file: PromptfooFile) -> Iterator[_TestNode]:
    """A test, or the tests of files that are named in its place."""
    name = item.data
    if isinstance(name, dict) and "path" in name and "vars" not in name:
        name = name["path"]
    if not isinstance(name, str):
        yield file.follow(item), file, {}
        return
    if "://" in name and not name.startswith(FILE):
        message = f"the tests of {name} are left out: they are not in the repository"
        file.losses.add(item.line, message, "save them")
        return
    for one in file.names_matching(name, item.line, "a list of tests"):
        text = file.text(one, item.line, "a list of tests")
        if text is None:
            continue
        path = file.path_of(one)
        if len(text) > CASES_CHARS:
            raise one_problem(path, 0, f"is longer than {CASES_CHARS:,} characters", "split it into several files")
        inner = file.at(path)
        yield from ((node, inner, {}) for node in test_nodes(text, path, inner))


def _scenario_tests(scenarios: Document | None, file: PromptfooFile) -> Iterator[_TestNode]:
    """Each test of a scenario with each of its settings; without tests each setting is a test."""
    for item, own in _scenarios(scenarios, file):
        if not isinstance(item.data, dict):
            own.losses.add(item.line, "a scenario is not a mapping and is left out", "write config: and tests:")
            continue
        settings, tests = item.get("config"), item.get("tests") or document_at({}, item.line)
        for setting in settings.parts() if settings is not None else ():
            keys = setting.entries()
            for key in sorted(keys.keys() - {"vars", "description"}):
                own.losses.add(keys[key].line, f"{quoted(key)} of a scenario's config is left out")
            variables = keys["vars"].entries() if "vars" in keys else {}
            for test in items(tests):
                yield from ((node, inner, variables) for node, inner, _ in _tests_of_item(test, own))


def _scenarios(node: Document | None, file: PromptfooFile) -> Iterator[tuple[Document, PromptfooFile]]:
    """Each scenario with its file, which contains one scenario or a list."""
    for item in items(node):
        if not isinstance(item.data, str):
            yield item, file
            continue
        for name in file.names_matching(item.data, item.line, "a scenario"):
            text = file.text(name, item.line, "a scenario")
            path = file.path_of(name)
            root = read_yaml(text, path) if text else None
            own = replace(file.at(path), root=root)
            yield from ((scenario, own) for scenario in items(root))


def _dimensions(cases: Sequence[Entry]) -> tuple[str, ...]:
    """Dimensions in which the cases differ."""
    values: dict[str, set[str]] = {}
    for case in cases:
        for name, value in as_mapping(case.get("slices")).items():
            values.setdefault(name, set()).add(str(value))
    return tuple(name for name, texts in values.items() if 1 < len(texts) <= DIMENSIONS)[:DIMENSIONS]
