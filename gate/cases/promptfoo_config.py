"""Converts a promptfoo configuration to prompt files and suites. https://www.promptfoo.dev/docs/configuration/reference/"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from gate.cases.case import Entry, SlowTemplate, all_texts, fill, variables_of
from gate.cases.convert import valid_cases
from gate.cases.losses import Bundle, BundleSuite, Losses
from gate.cases.promptfoo_cases import tests_of_file
from gate.cases.promptfoo_context import ALL_CHARS, FILE, Context, RemainingLimits, items, names_in, parsed, value_at
from gate.cases.promptfoo_fitting import fit
from gate.cases.promptfoo_prompts import FoundPrompt, Reader, choose_provider, providers_of, set_params
from gate.cases.promptfoo_tests import Default, cases_of, default_of
from gate.cases.reading import case_of
from gate.config.documents import Document, one_problem, quoted, read_yaml
from gate.errors import InputErrors
from gate.limits import CASES_CHARS
from gate.templates import nunjucks
from gate.templates.sandbox import BadTemplate
from gate.values import FreeNames, JsonValue

_GIVEN = frozenset({"input", "expected", "id", "slices"})
"""What a scorer may name beside the variables of a case."""
_OWN = ("scorers", "extra_scorers")
_REMEDY = "write its value there, or a scorer for it"


def _with_input(cases: list[Entry], prompt: FoundPrompt, losses: Losses) -> list[Entry]:
    """The cases that give `input` to a prompt that uses it."""
    lacking = sum("input" not in case for case in cases)
    if "input" not in prompt.names or not lacking:
        return cases
    said = f"{lacking} cases give no 'input' to the prompt {quoted(prompt.label)}; they are left out there"
    losses.add(0, said, "give it in each test")
    return [case for case in cases if "input" in case]


def _check_any(prompts: Sequence[object], losses: Losses) -> None:
    if not prompts:
        why = losses.found[-1].what if losses.found else "prompts: is empty"
        rest = "its tests alone: gate cases convert, with the file that holds them"
        raise one_problem(losses.file, 0, "has no prompt that can be converted", f"{why}; {rest}")


def _filled(
    cases: list[Entry], prompt: FoundPrompt, scorers: Sequence[JsonValue], limits: RemainingLimits
) -> tuple[Entry, ...]:
    """The cases with empty texts for missing variables of a function and the scorers, as in promptfoo."""
    found = []
    for case in cases:
        with limits.filling(0):
            whole = _for_function(case, prompt) if prompt.function else case
            # Other prompts have theirs already.
            found.append(_complete(whole, prompt.names if prompt.function else frozenset(), scorers))
    return tuple(found)


def _for_function(case: Entry, prompt: FoundPrompt) -> Entry:
    """The case with its variables under the names that the function has for them, and no other message."""
    known = case.get("vars")
    variables = known if isinstance(known, dict) else {}
    given = {**variables, **({"input": case["input"]} if "input" in case else {})}
    renamed = {name: given[source] for name, source in prompt.sources.items() if source in given}
    rest: Entry = {key: value for key, value in case.items() if key != "input" or "input" in prompt.names}
    return {**rest, "vars": {**variables, **renamed}}


def fillable(
    scorers: Sequence[JsonValue], cases: Sequence[Entry], of: str, losses: Losses, limits: RemainingLimits
) -> list[JsonValue]:
    """The scorers without those that use something unavailable to a case, such as `{{ env.HOME }}`."""
    kept = []
    for scorer in scorers:
        filled = any("{{" in text for text in all_texts(scorer))
        reasons = (_reason(scorer, case, limits) for case in cases) if filled else iter(())
        if reason := next(filter(None, reasons), ""):
            losses.add(0, f"the assertion {_kind(scorer)} of {of} cannot be converted: {reason}", _REMEDY)
        else:
            kept.append(scorer)
    return kept


def _with_fillable(case: Entry, losses: Losses, limits: RemainingLimits) -> Entry:
    result = dict(case)
    for key in _OWN:
        found = case.get(key)
        if isinstance(found, list):
            result[key] = fillable(found, [case], str(case["id"]), losses, limits)
            if not result[key]:
                del result[key]
    return result


def _complete(case: Entry, names: frozenset[str], scorers: Sequence[JsonValue]) -> Entry:
    known = case.get("vars")
    variables = known if isinstance(known, dict) else {}
    named = names | names_in([*scorers, *(case.get(key) for key in _OWN)])
    empty: dict[str, JsonValue] = {name: "" for name in sorted(named - variables.keys() - _GIVEN)}
    return {**case, "vars": {**variables, **empty}} if empty else case


def _reason(scorer: JsonValue, entry: Entry, limits: RemainingLimits) -> str:
    """Why the texts of a scorer cannot be rendered for a case; empty if they can."""
    bare = {key: value for key, value in entry.items() if key not in _OWN}
    case = case_of(_complete(bare, frozenset(), [scorer]))
    missing = names_in(scorer) - variables_of(case_of(bare)).keys() - _GIVEN
    given = {**variables_of(case), **dict.fromkeys(missing, nunjucks.NoValue())}
    if case.expected is not None:
        given["expected"] = case.expected
    for text in all_texts(scorer):
        try:
            with limits.filling(0) as seconds:
                fill(text, case, seconds)
                nunjucks.render(text, given, seconds)
        except SlowTemplate:
            raise
        except (BadTemplate, InputErrors) as error:
            why = error.message if isinstance(error, BadTemplate) else error.problems[0].message.partition(": ")[2]
            return f"{quoted(text[:100])} cannot be filled in ({why})"
    return ""


def _kind(scorer: JsonValue) -> str:
    return quoted(next(iter(scorer))) if isinstance(scorer, dict) else quoted(str(scorer))


CASES = 10_000
"""Cases of one configuration."""
FILES = 1_000
"""Files that one configuration names, each counted as often as it is read."""
FILE_CHARS = 16 * 1024 * 1024
"""Characters of all of them."""
DIMENSIONS = 20
_READ = frozenset({"prompts", "providers", "targets", "tests", "defaultTest", "scenarios", "assertionTemplates"})
_HARMLESS = frozenset({"description", "$schema", "outputPath", "sharing", "tags", "metadata"})


@dataclass(frozen=True, slots=True)
class _Config:
    """State while a configuration is read."""

    file: str
    context: Context
    losses: Losses
    entries: Mapping[str, Document]


def _counted(file: str, other: Callable[[str], str | None]) -> Callable[[str], str | None]:
    """A reader of other files that limits their number and size, since one may be named thousands of times."""
    files = chars = 0

    def read(path: str) -> str | None:
        nonlocal files, chars
        text = other(path)
        if text is not None:
            files, chars = files + 1, chars + len(text)
        if files > FILES or chars > FILE_CHARS:
            said = f"names more than {FILES:,} files, or than {FILE_CHARS:,} characters in them"
            raise one_problem(file, 0, said, "convert its tests in parts")
        return text

    return read


def read_config(text: str, file: str, other: Callable[[str], str | None], paths: Collection[str] = ()) -> Bundle:
    """Read the prompts, cases and scorers of a configuration.

    Args:
        other: reads another file by its path from the root; None if it does not exist.
    """
    root = read_yaml(text, file)
    if not isinstance(root.data, dict):
        raise one_problem(file, 1, "is not a configuration of promptfoo: it must be a mapping", "start with prompts:")
    losses = Losses(file)
    context = Context(losses, posixpath.dirname(file), _counted(file, other), root, paths)
    config = _Config(file, context, losses, root.entries())
    for key, node in config.entries.items():
        if key not in _READ | _HARMLESS and not key.startswith("x-"):  # where anchors are kept
            losses.add(node.line, f"{quoted(key)} is left out")
    if not root.data.keys() & {"prompts", "tests", "scenarios"}:
        hint = "red teaming makes attacks of its own, which are not converted" if "redteam" in root.data else ""
        raise one_problem(file, 0, "has neither prompts nor tests", hint or "start with prompts: and tests:")
    reader = Reader(context, losses)
    found = reader.prompts(config.entries.get("prompts"))
    _check_any(found, losses)
    providers = providers_of(config.entries.get("providers", config.entries.get("targets")), losses, context)
    chosen = [
        (one, provider)
        for one in found
        if (provider := choose_provider(providers, one.label, reader.names.get(one.path, ()), losses)) is not None
    ]
    _check_any(chosen, losses)
    set_params(providers, losses)
    default = default_of(_default(config), context)
    cases = valid_cases([(0, case) for case in _cases(config, default)], losses)
    if (ALL_CHARS - context.limits.chars) * len(found) > ALL_CHARS:
        said = f"its cases come to more than {ALL_CHARS:,} characters, written for each of its {len(found)} prompts"
        raise one_problem(file, 0, said, "convert its prompts in parts")
    scorers = tuple(fillable(default.scorers, cases, "defaultTest", losses, context.limits))
    cases = [_with_fillable(case, losses, context.limits) for case in cases]
    if not scorers:
        _add_unscored_loss(cases, losses)
    fits = [
        (*fitted, provider)
        for one, provider in chosen
        if (fitted := fit(one, _with_input(cases, one, losses), scorers, reader)) is not None
    ]
    _check_any(fits, losses)
    reader.add_copy_losses({one.path for one, _, _ in fits})
    names = _names([one.label for one, _, _ in fits])
    suites = tuple(
        BundleSuite(name, one.path, asked, scorers, by.model, by.params, _dimensions(cases), one.template)
        for name, (one, own, by) in zip(names, fits, strict=True)
        for asked in (_filled(own, one, scorers, context.limits),)
    )
    files = {one.path: one.text for one, _, _ in fits if one.text is not None}
    return Bundle("promptfoo", files, suites, tuple(losses.found))


def _default(config: _Config) -> Document | None:
    node = config.entries.get("defaultTest")
    if node is None or not isinstance(node.data, str):
        return node
    text = config.context.text(node.data, node.line, "defaultTest")
    return parsed(text, node.data) if text is not None else None


def _cases(config: _Config, default: Default) -> list[dict[str, JsonValue]]:
    found: list[dict[str, JsonValue]] = []
    number = 0
    for node, context, more in chain(_tests(config), _scenarios(config)):
        number += 1
        found += cases_of(node, number, context, default, more)
        if len(found) > CASES:
            message = f"more than {CASES:,} cases; those after test {number} are left out"
            config.losses.add(node.line, message, "convert the tests into a case file")
            return found[:CASES]
    if not number:
        found = cases_of(value_at({}, 0), 1, config.context, default)
    return found


_Test = tuple[Document, Context, Mapping[str, Document]]


def _tests(config: _Config) -> Iterator[_Test]:
    """The tests, lazily, so that reading stops at the limit of cases."""
    for item in items(config.entries.get("tests")):
        yield from _test(item, config)


def _test(item: Document, config: _Config) -> list[_Test]:
    """A test, or the tests of a file named in its place."""
    named = item.data
    if isinstance(named, dict) and "path" in named and "vars" not in named:
        named = named["path"]
    if not isinstance(named, str):
        return [(config.context.resolved(item), config.context, {})]
    if "://" in named and not named.startswith(FILE):
        config.losses.add(item.line, f"the tests of {named} are left out: they are not in the repository", "save them")
        return []
    names = config.context.listed(named, item.line, "a list of tests")
    return list(chain.from_iterable(_tests_of(name, item.line, config) for name in names))


def _tests_of(named: str, line: int, config: _Config) -> list[_Test]:
    """The tests of one file."""
    text = config.context.text(named, line, "a list of tests")
    if text is None:
        return []
    path = config.context.path(named)
    if len(text) > CASES_CHARS:
        raise one_problem(path, 0, f"is longer than {CASES_CHARS:,} characters", "split it into several files")
    context = replace(config.context, losses=Losses(path, config.losses.found))
    return [(node, context, {}) for node in tests_of_file(text, path, context)]


def _scenarios(config: _Config) -> Iterator[_Test]:
    """Each test of a scenario with each of its settings; without tests each setting is a test."""
    for item, context in _scenario_nodes(config):
        if not isinstance(item.data, dict):
            context.losses.add(item.line, "a scenario is not a mapping and is left out", "write config: and tests:")
            continue
        own = replace(config, context=context)
        settings, tests = item.get("config"), item.get("tests") or value_at({}, item.line)
        for row in settings.parts() if settings is not None else ():
            entries = row.entries()
            for key in sorted(entries.keys() - {"vars", "description"}):
                context.losses.add(entries[key].line, f"{quoted(key)} of a scenario's config is left out")
            given = entries.get("vars")
            variables = given.entries() if given is not None else {}
            for test in items(tests):
                yield from ((one, inner, variables) for one, inner, _ in _test(test, own))


def _scenario_nodes(config: _Config) -> Iterator[tuple[Document, Context]]:
    """Each scenario with the context of its file; a file contains one scenario or a list."""
    for item in items(config.entries.get("scenarios")):
        if not isinstance(item.data, str):
            yield item, config.context
            continue
        for name in config.context.listed(item.data, item.line, "a scenario"):
            text = config.context.text(name, item.line, "a scenario")
            path = config.context.path(name)
            found = read_yaml(text, path) if text else None
            context = replace(config.context, losses=Losses(path, config.losses.found), root=found)
            yield from ((one, context) for one in items(found))


def _add_unscored_loss(cases: list[Entry], losses: Losses) -> None:
    count = sum("scorers" not in case for case in cases)
    if count:
        said = f"{count} of {len(cases)} cases have no assertion that is converted"
        losses.add(0, said, "write scorers for them, or an expected answer")


def _dimensions(cases: list[Entry]) -> tuple[str, ...]:
    """Dimensions in which the cases differ."""
    values: dict[str, set[str]] = {}
    for case in cases:
        slices = case.get("slices")
        for name, value in slices.items() if isinstance(slices, dict) else ():
            values.setdefault(name, set()).add(str(value))
    return tuple(name for name, found in values.items() if 1 < len(found) <= DIMENSIONS)[:DIMENSIONS]


def _names(labels: list[str]) -> list[str]:
    names = FreeNames()
    return [names.take(re.sub(r"[^\w. -]+", "-", label).strip("-. ")[:60] or "prompt") for label in labels]
