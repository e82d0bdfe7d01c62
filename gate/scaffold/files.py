"""Renders the files of a repository from drafts of suites."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources
from posixpath import dirname, relpath

from jinja2 import Environment, StrictUndefined, Template

from gate.cases.files import line_of
from gate.cases.losses import Loss
from gate.config.documents import printable
from gate.config.values import pointer_of
from gate.config.yaml_editing import flow, lines_of
from gate.record.comparison import FEWEST_UNITS
from gate.report.escape import code_span, markdown_text
from gate.scaffold.exams import ROWS
from gate.scaffold.judges import criteria_of, judge_models
from gate.scaffold.models import JUDGES, ConfigurationModels, label_params, line_params
from gate.scaffold.suites import EVALS, SuiteDraft, expects
from gate.testgen.rules import prompt_scorers
from gate.values import JsonValue

CONFIG = "gate.yaml"
CONFIG_SCHEMA = f"{EVALS}/schemas/gate.schema.json"
CASES_SCHEMA = f"{EVALS}/schemas/cases.schema.json"
WORKFLOW = ".github/workflows/prompt-gate.yml"
LOSSES = f"{EVALS}/not-converted.md"
ACTION = "OWNER/prompt-gate@0000000000000000000000000000000000000000"
"""Placeholder in the workflow until its user fills in the repository and commit of the action."""
_SIGNS = re.compile(r"([*?[])")
"""Characters of a pattern that a file name may also have."""
_LABEL: JsonValue = {"starts_with": {"value": "{{ expected }}", "ignore_case": True}}


@dataclass(frozen=True, slots=True)
class FileSettings:
    """Settings of the written files.

    Args:
        priced: the price of every model is known, so that dollars can be limited.
    """

    config: str
    branch: str
    models: ConfigurationModels
    action: str = ACTION
    priced: bool = False


def config_text(drafts: Sequence[SuiteDraft], layout: FileSettings) -> str:
    """`gate.yaml`, with comments on next steps."""
    models = layout.models
    # Parameters of one model may be none of another's, and defaults would be both's.
    shared = not any(draft.model for draft in drafts)
    own = {} if shared else models.params
    view = {
        "schema": relpath(CONFIG_SCHEMA, dirname(layout.config)),
        "branch": shlex.quote(layout.branch),
        "model": flow(models.answering),
        "hosted": models.hosted,
        "priced": layout.priced,
        "judge": flow(models.judge or ""),
        "params": [f"params: {flow(dict(models.params))}"] if models.params and shared else [],
        "suites": [_suite(_with_params(draft, own), models) for draft in drafts],
        "first_form": next((one.name for one in drafts if one.form), ""),
        "first_judge": next((one.name for one in drafts if one.criteria), ""),
    }
    return _rendered("gate.yaml", view)


def case_text(draft: SuiteDraft, model: str) -> str:
    """The case file of a suite: YAML with empty rows, or cases as JSON Lines.

    Args:
        model: to draft cases with.
    """
    if not draft.form or draft.found is None:
        return "".join(map(line_of, draft.entries or ()))
    view = {
        "schema": relpath(CASES_SCHEMA, dirname(draft.cases)),
        "least": FEWEST_UNITS,
        "rows": ROWS,
        "prompt": printable(shlex.quote(draft.prompt)),
        "model": printable(shlex.quote(model)),
        "input": "the user's text" if draft.found.asks_input else "the user's text, if it is not in vars",
        "variables": [f"{flow(name)}:" for name in draft.found.variables],
        "about": "the answer you want; required" if expects(draft) else _IF_ANY,
    }
    return _rendered("cases.yaml", view)


_IF_ANY = "the answer you want; optional, the judge sees it"


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
    """What could not be converted from other tools' files, by file."""
    return _rendered("losses.md", {"losses": losses})


def with_scorers(draft: SuiteDraft, models: ConfigurationModels, text: str) -> SuiteDraft:
    """The suite with scorers for `expected` or with a judge, and with the parameters that its answers need.

    Args:
        text: of its prompt.
    """
    params = {**_shape_params(draft, models), **draft.params} if draft.model is None else draft.params
    draft = replace(draft, params=params)
    if draft.brought or expects(draft):
        return draft
    if draft.form and draft.labels:
        return replace(draft, scorers=(_LABEL,))
    if models.judge:
        return replace(draft, criteria=criteria_of(text))
    return replace(draft, scorers=("contains", *draft.scorers)) if draft.form else draft


def _shape_params(draft: SuiteDraft, models: ConfigurationModels) -> Mapping[str, JsonValue]:
    """Parameters that a small model needs for the form of answer that the prompt asks for."""
    if draft.labels:
        return label_params(models)
    lines = draft.found is not None and prompt_scorers.has_lines(draft.found.text)
    return line_params(models) if lines else {}


def _with_params(draft: SuiteDraft, params: Mapping[str, JsonValue]) -> SuiteDraft:
    """A suite of the default model with that model's parameters, unless it sets its own."""
    return draft if draft.model else replace(draft, params={**params, **draft.params})


def _suite(draft: SuiteDraft, models: ConfigurationModels) -> Mapping[str, object]:
    prompt = draft.prompt if pointer_of(draft.prompt) else _SIGNS.sub(r"[\1]", draft.prompt)
    head: dict[str, JsonValue] = {"name": draft.name, "prompt": prompt}
    if draft.template:
        head["template"] = draft.template
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
    scorers = lines_of([*draft.scorers], 4) if draft.scorers else []
    return {
        "name": draft.name,
        "head": lines_of([head]),
        "body": [*lines_of(body, 2), "  scorers:", *scorers],
        "form": draft.form,
        "criteria": [printable(line) for line in draft.criteria.splitlines()],
        "unjudged": "" if draft.criteria or draft.brought or expects(draft) else JUDGES["openai"],
    }


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
