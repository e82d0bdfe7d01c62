"""From found prompts to suites in the making: their cases and scorers; one suite where there are many prompts alike."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from gate.cases import reading as case_files
from gate.config.gatefile import CASE_ENDINGS
from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.errors import InputErrors
from gate.flows.scaffold import checks, starting
from gate.flows.scaffold.finding import FoundPrompt
from gate.flows.scaffold.naming import Names, bare
from gate.flows.scaffold.patterns import alike, literal, pattern_of
from gate.formats.bundle import BundleSuite
from gate.inputs.limits import NEW_SUITES
from gate.inputs.paths import literal_folder
from gate.inputs.promptyml import is_prompt_yml
from gate.inputs.text import decode

SINGLE = 10
"""Prompts of one kind that get a suite each; more of them share one, with a pattern."""
EVALS = "evals"

_BESIDE = re.compile(r"(?:cases?|tests?|evals?|dataset|examples?|data)", re.IGNORECASE)
_DATA_FOLDERS = ("evals", "eval", "tests", "data", "datasets", "cases")
_TEST_DATA = frozenset({"id", "input", "expected", "vars"})
"""What a case has that test data of a prompt file can hold."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A suite in the making.

    Args:
        name, prompt, cases: as `gate.yaml` has them.
        entries: of the case file that is to be written; None where there is one.
        starter: these cases are made up.
        scorers: as `gate.yaml` has them; empty for the usual ones.
        model, params, slices: of the suite alone.
        template: the prompt has to be read as Jinja2.
        found: its prompts.
        talks: it answers people, and does not work on texts.
        labels: it answers with one of a few words.
        brought: its scorers are those of another tool.
        language: that its prompt seems to be written in, where its cases are made up.
    """

    name: str
    prompt: str
    cases: str
    entries: tuple[Entry, ...] | None = None
    starter: bool = False
    scorers: tuple[JsonValue, ...] = ()
    model: str | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    slices: tuple[str, ...] = ()
    template: bool = False
    found: tuple[FoundPrompt, ...] = ()
    talks: bool = True
    labels: bool = False
    brought: bool = False
    language: str = "en"


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of the repository.

    Args:
        paths: all of them, without what git ignores.
        read: the bytes of one, None where there is none.
    """

    paths: frozenset[str]
    read: Callable[[str], bytes | None]

    def cases(self, path: str) -> tuple[Case, ...]:
        """The cases of a file; empty where it holds none, or has a mistake."""
        try:
            data = self.read(path)
            return () if data is None else case_files.parse(decode(data, path), path)
        except InputErrors:
            return ()


def drafts(
    found: Sequence[FoundPrompt], tree: Tree, names: Names, *, continues: bool = False
) -> tuple[list[Draft], list[str]]:
    """A suite for each prompt, or for each group of many.

    Args:
        found: the prompts.
        tree: where cases may lie beside them.
        names: those that are taken.
        continues: the model goes on with a text.

    Returns:
        The suites; and the prompts for which there was no more room.
    """
    with_data = [one for one in found if is_prompt_yml(one.path) and tree.cases(one.path)]
    plain = [one for one in found if one not in with_data]
    made: list[Draft] = []
    alone: list[FoundPrompt] = list(with_data)
    for group in alike(plain):
        pattern = pattern_of([one.path for one in group], tree.paths) if len(group) > SINGLE else None
        if pattern is None:
            alone += group
        else:
            made.append(_of_group(pattern, group, names, continues))
    room = NEW_SUITES - len(made)
    tree = replace(tree, paths=frozenset(path for path in tree.paths if path.lower().endswith(CASE_ENDINGS)))
    names.expect(one.path for one in alone)
    made += [_of_one(one, tree, (names, continues), single=len(found) == 1) for one in alone[:room]]
    order = {one.path: place for place, one in enumerate(found)}
    made.sort(key=lambda draft: order[draft.found[0].path])
    return made, [one.path for one in alone[room:]]


def of_bundle(suite: BundleSuite, tree: Tree, names: Names) -> Draft:
    """A suite of another tool; test data that stand in the prompt's own file stay there.

    Args:
        suite: with cases.
        tree: the files.
        names: those that are taken.
    """
    name = names.free(suite.name)
    inside = is_prompt_yml(suite.prompt) and len(tree.cases(suite.prompt)) == len(suite.cases)
    own = inside and all(entry.keys() <= _TEST_DATA for entry in suite.cases)
    made = Draft(
        name,
        literal(suite.prompt),
        suite.prompt if own else f"{EVALS}/{name}/cases.jsonl",
        None if own else suite.cases,
        scorers=suite.scorers or checks.from_cases(suite.cases, strict=False),
        template=suite.template,
    )
    return with_settings(made, suite)


def with_settings(draft: Draft, suite: BundleSuite) -> Draft:
    """The suite with what another tool says of its model and scorers."""
    return replace(
        draft,
        scorers=suite.scorers or draft.scorers,
        model=suite.model or draft.model,
        params={**draft.params, **suite.params},
        slices=suite.slices or draft.slices,
        brought=bool(suite.scorers),
    )


def with_cases(draft: Draft, path: str, cases: Sequence[Case]) -> Draft:
    """The suite with the cases of a file that is there."""
    expected: list[Entry] = [{"expected": case.expected} for case in cases]
    values = {name: {case.slices.get(name) for case in cases} for case in cases for name in case.slices}
    # A dimension with another value for nearly each case says nothing about any of them.
    slices = tuple(name for name, found in values.items() if len(found) <= max(2, len(cases) // 3))
    scorers = draft.scorers
    if not draft.brought and not all(case.scorers for case in cases):
        found = checks.from_cases(expected, strict=draft.labels)
        # The expected label says more than that there is one.
        scorers = found if found and draft.labels else (*found, *draft.scorers)
    return replace(draft, cases=path, entries=None, starter=False, scorers=scorers, slices=slices)


def _of_one(one: FoundPrompt, tree: Tree, how: tuple[Names, bool], *, single: bool) -> Draft:
    names, continues = how
    draft = _starting(names.of(one.path), literal(one.path), (one,), continues)
    for path in _beside(one.path, draft.name, tree.paths, single=single):
        cases = tree.cases(path)
        if cases and all(_fits(case, one) for case in cases):
            return with_cases(draft, path, cases)
    return draft


def _of_group(pattern: str, group: Sequence[FoundPrompt], names: Names, continues: bool) -> Draft:
    folder = literal_folder(pattern)
    return _starting(names.of(f"{folder}/prompt" if folder else "prompts"), pattern, tuple(group), continues)


def _starting(name: str, prompt: str, found: tuple[FoundPrompt, ...], continues: bool) -> Draft:
    entries = starting.starter_cases(found, continues=continues)
    labels = len(found) == 1 and bool(checks.labels_of(found[0].text))
    return Draft(
        name,
        prompt,
        f"{EVALS}/{name}/cases.yaml",
        entries,
        starter=True,
        scorers=_common_checks(found),
        slices=(starting.SLICE,),
        template=any(one.template for one in found),
        found=found,
        talks=not starting.works_on_text(found),
        labels=labels,
        language=starting.language_of(found),
    )


def _common_checks(found: Sequence[FoundPrompt]) -> tuple[JsonValue, ...]:
    """What every one of the prompts demands."""
    every = [checks.from_prompt(one.text) for one in found]
    return tuple(scorer for scorer in every[0] if all(scorer in other for other in every[1:]))


def _fits(case: Case, prompt: FoundPrompt) -> bool:
    """Has the case all that the prompt asks for?"""
    asks = bool(case.input or case.messages or case.rounds or case.user)
    # A prompt without variables is asked nothing by values alone, such as those of any table that lies about.
    return set(prompt.variables) <= set(case.vars) and (asks or bool(prompt.variables) and "input" not in prompt.names)


def _beside(path: str, name: str, paths: Iterable[str], *, single: bool) -> Iterator[str]:
    """Files that may hold the cases of a prompt, the likeliest first.

    Args:
        path: of the prompt.
        name: of its suite.
        paths: files whose names end as those of case files.
        single: there is no other prompt that they may be of.
    """
    if is_prompt_yml(path):
        yield path
    stem, folder = bare(PurePosixPath(path).name).lower(), PurePosixPath(path).parent
    for other in sorted(paths):
        place = PurePosixPath(other)
        if other == path or is_prompt_yml(other):
            continue
        own = bare(place.name.rsplit(".", 1)[0]).lower()
        near = place.parent in (folder, folder.parent) or bool(set(place.parts[:-1]) & set(_DATA_FOLDERS))
        about = stem in own or place.parent.name.lower() in (stem, name.lower())
        if near and (_BESIDE.search(own) is not None or about) and (about or single):
            yield other
