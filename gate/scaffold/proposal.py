"""Decides what `gate init` writes, from the files of a repository; writes nothing itself."""

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.calls.endpoints import refused_parameters
from gate.cases import reading as case_files
from gate.cases.bundles import is_bundle, read_bundle
from gate.cases.case import Case
from gate.cases.losses import Bundle, BundleSuite, Loss, described_losses
from gate.config.documents import decode
from gate.config.gatefile import CASE_ENDINGS
from gate.config.models import parse_model, parse_params
from gate.errors import GateError, InputErrors
from gate.scaffold import discovery, files
from gate.scaffold.discovery import CODE_ENDINGS, FoundPrompt, PassedFile, PromptConstant, prompt_constants
from gate.scaffold.files import FileSettings
from gate.scaffold.starter_cases import NOTE
from gate.scaffold.suites import (
    JUDGES,
    ConfigurationModels,
    RepositoryFiles,
    SuiteDraft,
    SuiteNames,
    bundle_draft,
    count_unasked_judges,
    suite_drafts,
    with_cases,
    with_judges,
    with_settings,
    without_judges,
)
from gate.values import JsonValue

_ASKED = "A prompt among tests or documentation is gated when it is named: gate init --prompt PATH."


@dataclass(frozen=True, slots=True)
class InitChoices:
    """Options of `gate init`.

    Args:
        prompts: paths from the root; empty to look for them.
        bundle: a configuration of another tool; empty to look for one.
        cases: a case file for all suites; empty to look for some.
    """

    prompts: tuple[str, ...] = ()
    bundle: str = ""
    cases: str = ""
    in_code: bool = False
    workflow: bool = True


@dataclass(frozen=True, slots=True)
class RepositoryFindings:
    """Result of the search.

    Args:
        bundles: content of other tools' files, by path.
        left: files that look like prompts and are left out.
    """

    found: tuple[FoundPrompt, ...] = ()
    bundles: Mapping[str, Bundle] = field(default_factory=dict)
    left: tuple[PassedFile, ...] = ()
    constants: tuple[PromptConstant, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """Files and suites to be written."""

    texts: Mapping[str, str]
    drafts: tuple[SuiteDraft, ...]
    layout: FileSettings
    more: tuple[str, ...] = ()
    unjudged: int = 0


def search_repository(tree: RepositoryFiles, wishes: InitChoices) -> RepositoryFindings:
    """Find prompts, configurations of other tools, and on request constants.

    Raises:
        InputErrors: a file named by the user cannot be read.
        GateError: a file named by the user is missing.
    """
    bundles: dict[str, Bundle] = {}
    left: list[PassedFile] = []
    if wishes.bundle:
        bundles[wishes.bundle] = _bundle(tree, wishes.bundle)
    paths = list(wishes.prompts) or ([] if wishes.bundle else discovery.likely_prompts(tree.paths))
    named = set(wishes.prompts)
    if not wishes.bundle and not wishes.prompts:
        # A file of another tool may name prompts, and is asked before them.
        others = (path for path in tree.paths if is_bundle(path) and not discovery.is_passed_over(path))
        for path in sorted(others):
            try:
                bundles[path] = _bundle(tree, path)
            except GateError as error:
                # A prompt file may still be read as a prompt alone.
                left += [] if path in paths else [PassedFile(path, *_first(error))]
    suites = [suite for bundle in bundles.values() for suite in bundle.suites]
    bare = dict.fromkeys(suite.prompt for suite in suites if not suite.cases)
    taken = ({suite.prompt for suite in suites} | set(bundles)) - bare.keys()
    read = _with_files(tree, bundles)
    found: list[FoundPrompt] = []
    for path in dict.fromkeys((*paths, *bare)):
        one = None if path in taken else _one(path, read, asked=path in named or path in bare)
        if isinstance(one, PassedFile) and path in named:
            raise GateError(f"{path}: {one.reason}", "name another prompt")
        if one is None and path in named and path not in taken:
            raise GateError(f"{path} holds no prompt", "name a text, or a list of messages")
        left += [one] if isinstance(one, PassedFile) else []
        found += [one] if isinstance(one, FoundPrompt) else []
    kept = found if named else discovery.without_parts(_not_copied(found, bundles, bare))
    # Who has no prompt in a file has them in code.
    in_code = wishes.in_code or not (kept or suites or named)
    return RepositoryFindings(tuple(kept), bundles, tuple(left), _constants(tree) if in_code else ())


def _one(path: str, read: Callable[[str], bytes | None], *, asked: bool) -> FoundPrompt | PassedFile | None:
    """Read a prompt; one among tests or documentation only if the user names it."""
    found = discovery.read_prompt_file(path, read)
    folder = "" if asked else discovery.example_folder(path)
    if folder and isinstance(found, FoundPrompt):
        return PassedFile(path, f"lies in a folder {folder}", _ASKED)
    return None if folder else found


def _not_copied(
    found: Sequence[FoundPrompt], bundles: Mapping[str, Bundle], bare: Collection[str]
) -> list[FoundPrompt]:
    """Prompts of which no bundle holds a copy: another tool's file may name them, too."""
    copies = [text.strip() for bundle in bundles.values() for text in bundle.files.values() if text.strip()]
    return [one for one in found if one.path in bare or not any(copy in one.text for copy in copies)]


def propose(seen: RepositoryFindings, tree: RepositoryFiles, wishes: InitChoices, layout: FileSettings) -> Proposal:
    """Decide on suites and files; existing files are never overwritten.

    Raises:
        InputErrors: the case file named by the user has mistakes.
    """
    names = SuiteNames()
    suites = [suite for bundle in seen.bundles.values() for suite in bundle.suites]
    made = [bundle_draft(suite, tree, names) for suite in suites if suite.cases]
    own, more = suite_drafts(seen.found, tree, names, continues=layout.models.packaged)
    bare = {suite.prompt: suite for suite in suites if not suite.cases}
    own = [_with_own(one, bare) for one in own]
    if wishes.cases:
        own = [with_cases(draft, wishes.cases, _cases(tree, wishes.cases)) for draft in own]
    made, layout = _with_models([*made, *own], layout)
    made = [_with_kept(draft, tree) for draft in made]
    unjudged = 0
    if judge := layout.models.judge:
        made = [with_judges(draft, judge) for draft in made]
    elif layout.models.packaged:
        unjudged = sum(count_unasked_judges(draft, layout.models) for draft in made)
        made = [without_judges(draft, layout.models) for draft in made]
    made = [files.with_scorers(draft, layout.models) for draft in made]
    texts = {path: text for bundle in seen.bundles.values() for path, text in bundle.files.items()}
    texts[layout.config] = files.config_text(made, layout)
    texts |= {draft.cases: files.case_text(draft, layout) for draft in made if draft.entries is not None}
    if any(map(files.needs_judge, made)):
        texts[files.JUDGE_FILE] = files.judge_text()
    if wishes.workflow:
        texts[files.WORKFLOW] = files.workflow_text(made, layout)
    if losses := losses_of(seen):
        texts[files.LOSSES] = files.losses_text(losses)
    return Proposal(texts, tuple(made), layout, tuple(more), unjudged)


def losses_of(seen: RepositoryFindings) -> dict[str, tuple[Loss, ...]]:
    """What is lost from other tools' files, by file."""
    return {path: bundle.losses for path, bundle in seen.bundles.items() if bundle.losses}


def loss_lines(losses: Mapping[str, Sequence[Loss]]) -> list[str]:
    """Lines for a terminal: the number of losses, and each kind of them."""
    lines: list[str] = []
    for path, found in losses.items():
        head, *rest = described_losses(found, f"{files.LOSSES} has all of them")
        lines += [f"{path}: {head}", *rest]
    return lines


def _with_models(made: Sequence[SuiteDraft], layout: FileSettings) -> tuple[list[SuiteDraft], FileSettings]:
    """The model of each suite: the user's, else the other tool's, else the default."""
    if layout.models.named:
        return [replace(draft, model=None) for draft in made], layout
    own = [draft.model for draft in made if draft.model]
    if not own or len(own) < len(made):
        return list(made), layout
    # Every suite has its own: the commonest of them is the default.
    commonest = max(own, key=own.count)
    judge = layout.models.judge or JUDGES.get(parse_model(commonest).provider)
    models = ConfigurationModels(commonest, judge, served=layout.models.served)
    return [replace(draft, model=None if draft.model == commonest else draft.model) for draft in made], replace(
        layout, models=models
    )


def _with_own(draft: SuiteDraft, bare: Mapping[str, BundleSuite]) -> SuiteDraft:
    """A suite of one prompt with its settings from another tool, except cases."""
    suite = bare.get(draft.found[0].path) if len(draft.found) == 1 else None
    return draft if suite is None else with_settings(draft, suite)


def _with_kept(draft: SuiteDraft, tree: RepositoryFiles) -> SuiteDraft:
    """Use the existing case file of an earlier attempt."""
    if draft.entries is None or draft.cases not in tree.paths:
        return draft
    cases = tree.cases(draft.cases)
    if not cases:
        return draft
    return replace(with_cases(draft, draft.cases, cases), starter=all(case.description == NOTE for case in cases))


def _bundle(tree: RepositoryFiles, path: str) -> Bundle:
    data = tree.read(path)
    if data is None:
        raise GateError(f"there is no file {path}", "name a file of the repository")

    def other(name: str) -> str | None:
        found = tree.read(name) if name in tree.paths else None
        return None if found is None else decode(found, name)

    return read_bundle(decode(data, path), path, other, tree.paths)


def _with_files(tree: RepositoryFiles, bundles: Mapping[str, Bundle]) -> Callable[[str], bytes | None]:
    """Reads existing files, and prompts that are to be written."""
    texts = {path: text for bundle in bundles.values() for path, text in bundle.files.items()}
    return lambda path: texts[path].encode() if path in texts else tree.read(path)


def _cases(tree: RepositoryFiles, path: str) -> tuple[Case, ...]:
    data = tree.read(path)
    if data is None:
        raise GateError(f"there is no file {path}", "name a case file of the repository")
    if not path.lower().endswith(CASE_ENDINGS):
        hint = f"gate cases convert {shlex.quote(path)} cases.jsonl, and name that file"
        raise GateError(f"{path} is no case file, which ends in {', '.join(CASE_ENDINGS)}", hint)
    return case_files.parse(decode(data, path), path)


def _constants(tree: RepositoryFiles) -> tuple[PromptConstant, ...]:
    found: list[PromptConstant] = []
    for path in sorted(tree.paths):
        if path.lower().endswith(CODE_ENDINGS) and not discovery.is_passed_over(path):
            try:
                data = tree.read(path)
                found += prompt_constants(decode(data, path), path) if data is not None else ()
            except InputErrors:
                continue
    return tuple(found)


def _first(error: GateError) -> tuple[str, str]:
    """The first mistake, and its remedy."""
    first = error.problems[0] if isinstance(error, InputErrors) else error
    return first.message, first.hint


def with_fitting_params(seen: RepositoryFindings, models: ConfigurationModels) -> RepositoryFindings:
    """The findings without parameters that the models do not take; each is a loss of its file."""
    return replace(seen, bundles={path: _fitted(path, bundle, models) for path, bundle in seen.bundles.items()})


def _fitted(path: str, bundle: Bundle, models: ConfigurationModels) -> Bundle:
    suites: list[BundleSuite] = []
    losses: dict[Loss, None] = dict.fromkeys(bundle.losses)
    for suite in bundle.suites:
        own = None if models.named else suite.model
        kept, refused = _taken(suite.params, own or models.answering, path)
        suites.append(replace(suite, params=kept))
        losses |= dict.fromkeys(Loss(path, f"{name} is left out: {why}") for name, why in refused.items())
    return replace(bundle, suites=tuple(suites), losses=tuple(losses))


def _taken(params: Mapping[str, JsonValue], model: str, path: str) -> tuple[dict[str, JsonValue], dict[str, str]]:
    """The parameters that the model takes; and why the rest are left out."""
    kept: dict[str, JsonValue] = {}
    refused: dict[str, str] = {}
    # It decides whether others are taken.
    for name in sorted(params, key=lambda one: one != "reasoning_effort"):
        with_it = {**kept, name: params[name]}
        if error := refused_parameters(parse_model(model), parse_params(with_it, path)):
            refused[name] = error.message
        else:
            kept = with_it
    return kept, refused
