"""Makes the files of a repository from drafts of suites."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from posixpath import dirname, relpath

from jinja2 import Environment, StrictUndefined, Template

from gate.cases.files import line_of
from gate.cases.losses import Loss
from gate.config.yaml_editing import flow, lines_of
from gate.report.escape import code_span, markdown_text
from gate.scaffold.starter_cases import has_made_up_heads
from gate.scaffold.suites import EVALS, JUDGES, ConfigurationModels, SuiteDraft, judge_models, label_params, line_params
from gate.testgen.rules import prompt_scorers
from gate.values import JsonValue

CONFIG = "gate.yaml"
JUDGE_FILE = f"{EVALS}/judge.md.j2"
CONFIG_SCHEMA = f"{EVALS}/schemas/gate.schema.json"
CASES_SCHEMA = f"{EVALS}/schemas/cases.schema.json"
WORKFLOW = ".github/workflows/prompt-gate.yml"
LOSSES = f"{EVALS}/not-brought-along.md"
ACTION = "OWNER/prompt-gate@0000000000000000000000000000000000000000"
"""Placeholder in the workflow until its user fills in the repository and commit of the action."""
_OF_EXPECTED = frozenset({"contains", "exact", "starts_with", "similarity", "number", "json_path"})
"""Scorers given by `checks.from_cases`."""


@dataclass(frozen=True, slots=True)
class FileSettings:
    """Settings of the written files."""

    config: str
    branch: str
    models: ConfigurationModels
    action: str = ACTION


def config_text(drafts: Sequence[SuiteDraft], layout: FileSettings) -> str:
    """`gate.yaml`, with comments on likely next steps."""
    models = layout.models
    # Parameters of one model may be none of another's, and defaults would be both's.
    shared = not any(draft.model for draft in drafts)
    own = {} if shared else models.params
    suites = [_suite(_with_params(draft, own), models, first=draft is _first(drafts)) for draft in drafts]
    view = {
        "schema": relpath(CONFIG_SCHEMA, dirname(layout.config)),
        "branch": shlex.quote(layout.branch),
        "model": flow(models.answering),
        "hosted": models.hosted,
        "packaged": models.packaged,
        "judge": {"model": flow(models.judge or JUDGES["openai"]), "off": "" if models.judge else "# "},
        "judge_file": JUDGE_FILE,
        "params": [f"params: {flow(dict(models.params))}"] if models.params and shared else [],
        "suites": suites,
    }
    return _rendered("gate.yaml", view)


def case_text(draft: SuiteDraft, layout: FileSettings) -> str:
    """The case file of a suite: YAML for editing where the cases are made up, else JSON Lines."""
    found = draft.entries or ()
    if not draft.starter:
        return "".join(map(line_of, found))
    schema = relpath(CASES_SCHEMA, dirname(draft.cases))
    heads = layout.models.packaged and has_made_up_heads(found)
    lines = lines_of([dict(entry) for entry in found])
    return _rendered("cases.yaml", {"schema": schema, "heads": heads, "lines": lines})


def judge_text() -> str:
    """The judge's own prompt, from the package."""
    return _file("judge.md.j2")


def workflow_text(drafts: Sequence[SuiteDraft], layout: FileSettings) -> str:
    """The workflow with the permissions that the comment needs."""
    view = {
        "keys": keys_of(drafts, layout.models),
        "config": "" if layout.config == CONFIG else flow(layout.config),
        "packaged": layout.models.packaged,
        "action": layout.action,
        "remark": " # your copy, by its commit" if layout.action == ACTION else "",
    }
    return _rendered("workflow.yml", view)


def keys_of(drafts: Sequence[SuiteDraft], models: ConfigurationModels) -> tuple[str, ...]:
    """Variables that hold the keys of all models, judges included."""
    answering = [draft.model for draft in drafts if draft.model]
    return models.keys((*answering, *(name for draft in drafts for name in judge_models(draft))))


def losses_text(losses: Mapping[str, Sequence[Loss]]) -> str:
    """What is lost from other tools' files, by file."""
    return _rendered("losses.md", {"losses": losses})


def with_scorers(draft: SuiteDraft, models: ConfigurationModels) -> SuiteDraft:
    """The suite with scorers, and with the parameters that its answers need."""
    params = {**_shape_params(draft, models), **draft.params} if draft.model is None else draft.params
    found = tuple(draft.scorers)
    if not _about_expected(found) and not draft.labels and not draft.brought:
        taken = {_kind(scorer) for scorer in found}
        found += tuple(
            scorer for scorer in prompt_scorers.usual_scorers(talks=draft.talks) if _kind(scorer) not in taken
        )
    return replace(draft, scorers=found, params=params)


def _shape_params(draft: SuiteDraft, models: ConfigurationModels) -> Mapping[str, JsonValue]:
    """Parameters that a small model needs for the form of answer that the prompt asks for."""
    if draft.labels:
        return label_params(models)
    return line_params(models) if any(prompt_scorers.has_lines(one.text) for one in draft.found) else {}


def needs_judge(draft: SuiteDraft) -> bool:
    """Would a judge add to what the scorers of the suite check?"""
    kinds = {_kind(scorer) for scorer in draft.scorers}
    return (
        not draft.labels
        and not draft.brought
        and (draft.starter or "refusal" in kinds or "similarity" in kinds)
        and "judge" not in kinds
    )


def _with_params(draft: SuiteDraft, params: Mapping[str, JsonValue]) -> SuiteDraft:
    """A suite of the default model with that model's parameters, unless it sets its own."""
    return draft if draft.model else replace(draft, params={**params, **draft.params})


def _first(drafts: Sequence[SuiteDraft]) -> SuiteDraft:
    """The suite that gets the comments, once for all: the first with made-up cases, if there is one."""
    return next((draft for draft in drafts if draft.starter), drafts[0])


def _suite(draft: SuiteDraft, models: ConfigurationModels, *, first: bool) -> Mapping[str, object]:
    head: dict[str, JsonValue] = {"name": draft.name, "prompt": draft.prompt}
    if draft.template:
        head["template"] = "jinja2"
    body: dict[str, JsonValue] = {"cases": draft.cases}
    if draft.model:
        body["model"] = draft.model
    # A model that repeats itself would be paid for three times, to say the same.
    if models.hosted and draft.params.get("temperature") == 0:
        body["samples"] = 1
    if draft.params:
        body["params"] = dict(draft.params)
    if draft.slices:
        body["slices"] = [*draft.slices]
    return {
        "head": lines_of([head]),
        "body": [*lines_of(body, 2), "  scorers:", *lines_of([*draft.scorers], 4)],
        "starter": draft.starter and first,
        "judge": needs_judge(draft) and (first or models.judge is not None),
        "talks": draft.talks,
        "slice": _slice(draft) if first else "",
    }


def _slice(draft: SuiteDraft) -> str:
    """An example of a slice of the suite."""
    if draft.starter:
        return "kind=usual"
    return f"{draft.slices[0]}=…" if draft.slices else ""


def _about_expected(scorers: Sequence[JsonValue]) -> bool:
    return any(_kind(one) in _OF_EXPECTED for one in scorers)


def _kind(scorer: JsonValue) -> str:
    return next(iter(scorer)) if isinstance(scorer, dict) else str(scorer)


@lru_cache(maxsize=8)
def _template(name: str) -> Template:
    # YAML and Markdown, in which nothing is markup; the values are made safe where they are put together.
    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)  # noqa: S701
    environment.filters.update(inline=markdown_text, code=code_span)
    return environment.from_string(_file(name))


def _rendered(name: str, view: Mapping[str, object]) -> str:
    return _template(f"{name}.j2").render(view).rstrip("\n") + "\n"


def _file(name: str) -> str:
    return resources.files("gate.scaffold").joinpath("templates", name).read_text(encoding="utf-8")
