"""Drafts of suites: prompt, cases and scorers."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from gate.cases.case import Case, Entry
from gate.cases.losses import BundleSuite
from gate.prompts.discovery import FoundPrompt, PassedFile
from gate.prompts.reading import is_prompt_yml
from gate.scaffold.exams import FoundCases, find_cases
from gate.scaffold.names import safe_name
from gate.scaffold.search import Candidate, RepositoryFiles
from gate.testgen.rules import prompt_scorers
from gate.values import JsonValue

EVALS = "evals"
_TEST_DATA = frozenset({"id", "input", "expected", "vars"})
"""Fields of a case that the test data of a prompt file can have."""
SCORERS = ("scorers", "extra_scorers")
"""Keys of a case that has its own scorers."""


@dataclass(frozen=True, slots=True)
class SuiteDraft:
    """A suite in preparation.

    Args:
        name, prompt, cases: as in `gate.yaml`.
        candidate: path of what it is made from.
        entries: of the new case file; None if one exists or is left empty.
        form: the case file has empty rows.
        source: the data file of the cases.
        count: cases that are there.
        scorers: as in `gate.yaml`.
        criteria: of the judge that the suite needs; empty for none.
        model, params, slices: of this suite only.
        template: how the prompt is read, as in gate.yaml; empty to decide by its file.
        found: the prompt, where another tool's file does not hold all of it.
        brought: its scorers are from another tool.
        passed: data files that the search left out.
    """

    name: str
    prompt: str
    cases: str
    candidate: str
    entries: tuple[Entry, ...] | None = None
    form: bool = False
    source: str = ""
    count: int = 0
    scorers: tuple[JsonValue, ...] = ()
    criteria: str = ""
    model: str | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    slices: tuple[str, ...] = ()
    template: str = ""
    found: FoundPrompt | None = None
    brought: bool = False
    passed: tuple[PassedFile, ...] = ()

    @property
    def labels(self) -> bool:
        """Does the prompt ask for one word out of a few?"""
        return self.found is not None and bool(prompt_scorers.labels_of(self.found.text))


def draft_of(
    found: FoundPrompt, name: str, tree: RepositoryFiles, candidate: Candidate, given: FoundCases | None = None
) -> SuiteDraft:
    """A suite for one prompt: with the given cases, cases of the repository, or empty rows."""
    checks = prompt_scorers.prompt_scorers(found.text)
    made = SuiteDraft(
        name,
        found.path,
        f"{EVALS}/{name}/cases.yaml",
        candidate.path,
        form=True,
        scorers=checks,
        template="jinja2" if found.template else "",
        found=found,
    )
    if candidate.bundle is not None:
        made = with_settings(made, candidate.bundle.suites[0])
    if given is None and (cases := tree.cases(made.cases)):
        given = FoundCases(made.cases, cases)
    passed: tuple[PassedFile, ...] = ()
    if given is None:
        given, passed = find_cases(found, tree, name)
    made = made if given is None else with_cases(made, given)
    return replace(made, passed=passed)


def bundle_draft(suite: BundleSuite, name: str, tree: RepositoryFiles, candidate: Candidate) -> SuiteDraft:
    """A suite of another tool; test data in the prompt file stay there."""
    inside = is_prompt_yml(suite.prompt) and len(tree.cases(suite.prompt)) == len(suite.cases)
    own = inside and all(entry.keys() <= _TEST_DATA for entry in suite.cases)
    entries, scorers = _hoisted(suite)
    made = SuiteDraft(
        name,
        suite.prompt,
        suite.prompt if own else f"{EVALS}/{name}/cases.jsonl",
        candidate.path,
        None if own else entries,
        source=candidate.path,
        count=len(suite.cases),
        scorers=scorers or prompt_scorers.case_scorers(suite.cases, strict=False),
        template=suite.template,
        brought=bool(scorers),
    )
    return with_settings(made, suite)


def _hoisted(suite: BundleSuite) -> tuple[tuple[Entry, ...], tuple[JsonValue, ...]]:
    """The cases and scorers; if every case has its own, the most common ones go to the suite."""
    own = [found for entry in suite.cases if isinstance(found := entry.get("scorers"), list)]
    if suite.scorers or not own or len(own) < len(suite.cases):
        return suite.cases, suite.scorers
    shared = max(own, key=own.count)
    rest = ({k: v for k, v in one.items() if k != "scorers" or v != shared} for one in suite.cases)
    return tuple(rest), tuple(shared)


def with_settings(draft: SuiteDraft, suite: BundleSuite) -> SuiteDraft:
    """The suite with another tool's settings of its model and scorers."""
    return replace(
        draft,
        scorers=suite.scorers or draft.scorers,
        model=suite.model or draft.model,
        params={**draft.params, **suite.params},
        slices=suite.slices or draft.slices,
        brought=draft.brought or bool(suite.scorers),
    )


def with_cases(draft: SuiteDraft, found: FoundCases) -> SuiteDraft:
    """The suite with cases of the repository, and with scorers for what they expect."""
    if found.cases:
        expected: list[Entry] = [{"expected": case.expected} for case in found.cases]
        draft = replace(draft, cases=found.path, entries=None, slices=_slices(found.cases))
        scored = all(case.scorers for case in found.cases)
    else:
        expected, scored = list(found.entries), False
        draft = replace(draft, cases=f"{EVALS}/{draft.name}/cases.jsonl", entries=found.entries)
    scorers = draft.scorers
    if not draft.brought and not scored:
        own = prompt_scorers.case_scorers(expected, strict=draft.labels)
        # The expected label says more than that there is one.
        scorers = own if own and draft.labels else (*own, *draft.scorers)
    return replace(
        draft,
        form=False,
        source=found.path,
        count=len(expected),
        scorers=scorers,
        brought=draft.brought or scored or any(case.extra_scorers for case in found.cases),
    )


def _slices(cases: Sequence[Case]) -> tuple[str, ...]:
    """Dimensions of the cases, without those that have a different value for nearly every case."""
    values = {name: Counter(case.slices.get(name) for case in cases) for case in cases for name in case.slices}
    return tuple(name for name, found in values.items() if len(found) <= max(2, len(cases) // 3))


def expects(draft: SuiteDraft) -> bool:
    """Is each answer compared with an expected one?"""
    return any("expected" in str(scorer) or scorer in ("contains", "similarity", "number") for scorer in draft.scorers)


def suites_of(candidates: Sequence[Candidate]) -> list[tuple[Candidate, BundleSuite | None, str]]:
    """Everything that becomes a suite, with its path: each prompt, and each suite of another tool's file."""
    found: list[tuple[Candidate, BundleSuite | None, str]] = []
    for one in candidates:
        if one.prompt is not None or one.bundle is None:
            found.append((one, None, one.path))
        else:
            folder = PurePosixPath(one.path).parent
            found += [(one, suite, str(folder / safe_name(suite.name))) for suite in one.bundle.suites]
    return found
