"""Decides what `gate init` writes for the prompts that were chosen; writes nothing itself."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gate.calls.endpoints import refused_parameters
from gate.cases import reading as case_files
from gate.cases.case import Case
from gate.cases.losses import BundleSuite, Loss
from gate.config.documents import decode
from gate.config.gatefile import CASE_ENDINGS
from gate.config.models import parse_model, parse_params
from gate.errors import GateError
from gate.limits import NEW_SUITES
from gate.prompts.discovery import PassedFile, read_prompt
from gate.scaffold import files
from gate.scaffold.exams import FoundCases
from gate.scaffold.files import FileSettings
from gate.scaffold.judges import count_unasked_judges, judge_models, with_judges, without_judges
from gate.scaffold.models import JUDGES, ConfigurationModels
from gate.scaffold.names import suite_names
from gate.scaffold.search import Candidate, RepositoryFiles
from gate.scaffold.suites import SuiteDraft, bundle_draft, draft_of, suites_of
from gate.values import JsonValue

UNREAD = "it has no expected answers and no judge: add `expected` to its cases, or set OPENAI_API_KEY for a judge"


@dataclass(frozen=True, slots=True)
class InitChoices:
    """Options of `gate init`.

    Args:
        cases: a case file for all suites; empty to search for one.
    """

    cases: str = ""
    workflow: bool = True


@dataclass(frozen=True, slots=True)
class Proposal:
    """Files and suites to write.

    Args:
        candidates: what the suites are made from.
        left: prompts and data files that cannot be used.
        losses: what could not be converted, by file.
        unjudged: judges of other tools that are left out.
    """

    texts: Mapping[str, str]
    drafts: tuple[SuiteDraft, ...]
    layout: FileSettings
    candidates: tuple[Candidate, ...] = ()
    left: tuple[PassedFile, ...] = ()
    losses: Mapping[str, tuple[Loss, ...]] = field(default_factory=dict)
    unjudged: int = 0


def propose(
    candidates: Sequence[Candidate],
    tree: RepositoryFiles,
    wishes: InitChoices,
    layout: FileSettings,
    is_priced: Callable[[str], bool],
) -> Proposal:
    """Decide on suites and files.

    Args:
        is_priced: is the price of this model known?

    Raises:
        GateError: the case file of `--cases` has errors.
    """
    candidates = [_with_fitting_params(one, layout.models) for one in candidates]
    planned = suites_of(candidates)
    room, more = planned[:NEW_SUITES], planned[NEW_SUITES:]
    left = [PassedFile(path, f"one change can add at most {NEW_SUITES} suites") for _, _, path in more]
    names = suite_names([path for _, _, path in room])
    given = FoundCases(wishes.cases, _cases(tree, wishes.cases)) if wishes.cases else None
    drafts = [_draft(one, suite, name, tree, given) for (one, suite, _), name in zip(room, names, strict=True)]
    left += dict.fromkeys(passed for draft in drafts for passed in draft.passed)
    drafts, layout = _with_models(drafts, layout)
    unjudged = 0
    if judge := layout.models.judge:
        drafts = [with_judges(draft, judge) for draft in drafts]
    elif layout.models.packaged:
        unjudged = sum(count_unasked_judges(draft, layout.models) for draft in drafts)
        drafts = [without_judges(draft, layout.models) for draft in drafts]
    drafts = [files.with_scorers(draft, layout.models, _text(draft, tree)) for draft in drafts]
    kept = [draft for draft in drafts if draft.scorers or draft.criteria]
    left += [PassedFile(draft.prompt, UNREAD) for draft in drafts if draft not in kept]
    if kept:
        used = (layout.models.answering, *filter(None, (draft.model for draft in kept)))
        judges = [layout.models.judge or ""] if any(draft.criteria for draft in kept) else []
        named = {*used, *judges, *(name for draft in kept for name in judge_models(draft))}
        layout = replace(layout, priced=all(map(is_priced, named)))
    made = Proposal({}, (), layout, tuple(candidates), tuple(left), unjudged=unjudged)
    return with_drafts(made, kept, wishes)


def with_drafts(
    proposal: Proposal, drafts: Sequence[SuiteDraft], wishes: InitChoices, left: Sequence[PassedFile] = ()
) -> Proposal:
    """The proposal with only these suites and their files."""
    layout = proposal.layout
    named = {draft.prompt for draft in proposal.drafts}
    gone = named - {draft.prompt for draft in drafts}
    own = {*(draft.cases for draft in proposal.drafts), layout.config, files.WORKFLOW, files.LOSSES}
    texts = {path: text for path, text in proposal.texts.items() if path not in own | gone}
    sources = {draft.candidate for draft in drafts}
    bundles = {one.path: one.bundle for one in proposal.candidates if one.path in sources and one.bundle is not None}
    losses = {path: bundle.losses for path, bundle in bundles.items() if bundle.losses}
    if drafts:
        texts = {layout.config: files.config_text(drafts, layout), **texts}
        written = [one for one in drafts if one.form or one.entries is not None]
        texts |= {one.cases: files.case_text(one, one.model or layout.models.answering) for one in written}
        if wishes.workflow:
            texts[files.WORKFLOW] = files.workflow_text(drafts, layout)
        if losses:
            texts[files.LOSSES] = files.losses_text(losses)
    return replace(proposal, texts=texts, drafts=tuple(drafts), losses=losses, left=(*proposal.left, *left))


def _draft(
    one: Candidate, suite: BundleSuite | None, name: str, tree: RepositoryFiles, given: FoundCases | None
) -> SuiteDraft:
    if suite is not None:
        return bundle_draft(suite, name, tree, one)
    if one.prompt is None:
        raise GateError(f"{one.path} has no prompt", "give another file")
    return draft_of(one.prompt, name, tree, one, given)


def _text(draft: SuiteDraft, tree: RepositoryFiles) -> str:
    """The text of a suite's prompt."""
    if draft.found is not None:
        return draft.found.text
    found = read_prompt(draft.prompt, tree.read)
    return found.text if found is not None else ""


def _with_models(drafts: Sequence[SuiteDraft], layout: FileSettings) -> tuple[list[SuiteDraft], FileSettings]:
    """The model of each suite: the user's, else the other tool's, else the default."""
    if layout.models.named:
        return [replace(draft, model=None) for draft in drafts], layout
    own = [draft.model for draft in drafts if draft.model]
    if not own or len(own) < len(drafts):
        return list(drafts), layout
    # Every suite has its own: the commonest of them is the default.
    commonest = max(own, key=own.count)
    judge = JUDGES.get(parse_model(commonest).provider) or layout.models.judge
    models = ConfigurationModels(commonest, judge, served=layout.models.served)
    drafts = [replace(draft, model=None if draft.model == commonest else draft.model) for draft in drafts]
    return list(drafts), replace(layout, models=models)


def _cases(tree: RepositoryFiles, path: str) -> tuple[Case, ...]:
    data = tree.read(path)
    if data is None:
        raise GateError(f"there is no file {path}", "give a case file of the repository")
    if not path.lower().endswith(CASE_ENDINGS):
        hint = f"gate cases convert {shlex.quote(path)} cases.jsonl, and give that file"
        raise GateError(f"{path} is not a case file; its ending must be {', '.join(CASE_ENDINGS)}", hint)
    return case_files.parse(decode(data, path), path)


def _with_fitting_params(one: Candidate, models: ConfigurationModels) -> Candidate:
    """Another tool's file without parameters that the models do not accept; each is reported as lost."""
    if one.bundle is None:
        return one
    suites: list[BundleSuite] = []
    losses: dict[Loss, None] = dict.fromkeys(one.bundle.losses)
    for suite in one.bundle.suites:
        own = None if models.named else suite.model
        kept, refused = _taken(suite.params, own or models.answering, one.path)
        suites.append(replace(suite, params=kept))
        losses |= dict.fromkeys(Loss(one.path, f"{name} is left out: {why}") for name, why in refused.items())
    return replace(one, bundle=replace(one.bundle, suites=tuple(suites), losses=tuple(losses)))


def _taken(params: Mapping[str, JsonValue], model: str, path: str) -> tuple[dict[str, JsonValue], dict[str, str]]:
    """The parameters that the model accepts, and why the others are left out."""
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
