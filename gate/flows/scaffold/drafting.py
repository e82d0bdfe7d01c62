"""From found prompts to suites in the making: names, cases, scorers; one pattern where there are many prompts alike."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from gate.domain.case import Case
from gate.domain.jsonvalue import JsonValue
from gate.domain.stored_suite import Entry
from gate.errors import InputErrors
from gate.flows.scaffold import checks, starting
from gate.flows.scaffold.finding import FoundPrompt
from gate.formats.bundle import BundleSuite
from gate.inputs import cases as case_files
from gate.inputs.limits import NEW_SUITES
from gate.inputs.paths import literal_folder, matches
from gate.inputs.promptyml import is_prompt_yml
from gate.inputs.suites import CASE_ENDINGS
from gate.inputs.text import decode

SINGLE = 10
"""Prompts of one kind that get a suite each; more of them share one, with a pattern."""
EVALS = "evals"

_GENERAL = frozenset("prompt system system_prompt system-prompt main default index".split())
"""Names that say less than that of the folder."""
_BESIDE = re.compile(r"(?:cases?|tests?|evals?|dataset|examples?|data)", re.IGNORECASE)
_DATA_FOLDERS = ("evals", "eval", "tests", "data", "datasets", "cases")
_TEST_DATA = frozenset({"id", "input", "expected", "vars"})
"""What a case has that test data of a prompt file can hold."""
_UNSAFE = re.compile(r"[^\w.-]+")
_GLOB = re.compile(r"([*?[])")


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


@dataclass(slots=True)
class Names:
    """Names of suites, each given once, in whatever letters: they name folders, too.

    Args:
        taken: names that were given.
        shared: those that several prompts would have.
    """

    taken: set[str] = field(default_factory=set)
    shared: frozenset[str] = frozenset()

    def expect(self, paths: Iterable[str]) -> None:
        """Where several of these prompts have one name, each of them gets its folder before it, the first one, too."""
        seen = Counter(bare(PurePosixPath(path).name).lower() for path in paths)
        self.shared = frozenset(name for name, count in seen.items() if count > 1)

    def of(self, path: str) -> str:
        """A name for the suite of a prompt or pattern."""
        place = PurePosixPath(path)
        folders = [part for part in place.parts[:-1] if part not in ("prompts", "prompt", "src")]
        stem = bare(place.name)
        if stem.lower() in _GENERAL and folders:
            return self.free(folders[-1], folders)
        if stem.lower() in self.shared and folders:
            return self.free(f"{safe(folders[-1])}-{stem}", folders)
        return self.free(stem, folders)

    def free(self, start: str, folders: Sequence[str] = ()) -> str:
        """This name, or with folders before it or a number behind it where it is taken."""
        name = safe(start)
        for folder in reversed(folders):
            if name.lower() in self.taken and safe(folder) not in name.split("-"):
                name = f"{safe(folder)}-{name}"
        first, number = name, 1
        while name.lower() in self.taken:
            number += 1
            name = f"{first}-{number}"
        self.taken.add(name.lower())
        return name


def bare(name: str) -> str:
    """A file's name without what is only its kind: `support` of `support.prompt.yml`."""
    for ending in (".j2", ".jinja2", ".jinja", ".md", ".txt", ".yaml", ".yml", ".json", ".prompty", ".prompt"):
        if name.lower().endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
    return name


def safe(text: str) -> str:
    """A name that a suite, a folder and a shell take as it is."""
    return _UNSAFE.sub("-", text).strip("-._")[:60] or "prompt"


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
    for group in _groups(plain):
        pattern = _pattern([one.path for one in group], tree.paths) if len(group) > SINGLE else None
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


def literal(path: str) -> str:
    """The path as `gate.yaml` names it: one with the signs of a pattern as a pattern that fits it alone."""
    return _GLOB.sub(r"[\1]", path)


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
    every = [checks.from_prompt(one) for one in found]
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


def _groups(found: Iterable[FoundPrompt]) -> list[list[FoundPrompt]]:
    """Those of one ending in one folder of prompts, or below it."""
    groups: dict[tuple[str, str, bool], list[FoundPrompt]] = {}
    for one in found:
        place = PurePosixPath(one.path)
        parts = place.parts[:-1]
        depth = next((at for at, part in enumerate(parts) if part.lower() in ("prompts", "prompt")), None)
        top = "/".join(parts[: depth + 1]) if depth is not None else str(place.parent)
        groups.setdefault((top, _ending(place.name), one.template), []).append(one)
    return list(groups.values())


def _ending(name: str) -> str:
    """`.prompt.yml` of `a.prompt.yml`, `.j2` of `a.md.j2`."""
    lower = name.lower()
    return next((end for end in (".prompt.yml", ".prompt.yaml") if lower.endswith(end)), PurePosixPath(name).suffix)


def _pattern(paths: Sequence[str], every: Iterable[str]) -> str | None:
    """A pattern that fits these paths and no others; None where there is none."""
    wanted = set(paths)
    folders = {PurePosixPath(path).parent for path in paths}
    top = PurePosixPath(*_common([folder.parts for folder in folders]))
    ending = _ending(PurePosixPath(paths[0]).name)
    start = "" if str(top) == "." else f"{literal(str(top))}/"
    for middle in ("*", "**/*"):
        pattern = f"{start}{middle}{ending}"
        if {path for path in every if matches(path, pattern)} == wanted:
            return pattern
    return None


def _common(parts: Sequence[tuple[str, ...]]) -> list[str]:
    common: list[str] = []
    for level in zip(*parts, strict=False):
        if len(set(level)) > 1:
            break
        common.append(level[0])
    return common
