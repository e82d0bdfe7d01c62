"""Checks YAML blocks of a page: a whole or partial `gate.yaml`, cases, scorers, a workflow or a workflow step."""

import functools
import io
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from gate.cases import reading as cases
from gate.config import gatefile
from gate.config.gatefile import GateFile, SuiteOptions
from gate.config.rubrics import parse_rubric
from gate.config.scorer import parse_scorers
from gate.config.scorer_options import KINDS
from gate.config.specification_file import parse_specification
from gate.config.targets import ToolLoop, parse_tools
from gate.errors import GateError
from gate.prompts import reading
from tests.support.docsite.commandlines import wrong_commands

ACTION = Path(__file__).parents[3] / "action.yml"
HOOKS = ACTION.with_name(".pre-commit-hooks.yaml")
_CASE = frozenset({"input", "messages", "vars", "prompt", "rounds", "conversation"})
_ANY_PROMPT = {"prompt": "p.md"}
_ANY_SUITE = {"name": "s", "cases": "c.jsonl", "scorers": ["contains"], "model": "fake:echo"}


Check = Callable[[str, Any], str]
"""Returns the errors of a text and of its contents."""


def wrong_yaml(text: str) -> str:
    """The errors of a block of YAML; empty if there are none.

    Args:
        text: of the block.

    Raises:
        ValueError: it is no YAML.
    """
    try:
        found = YAML(typ="safe").load(text)
    except YAMLError as error:
        raise ValueError(str(error)) from None
    check = _check(found)
    if check is None:
        return f"no reader takes this: {json.dumps(found, default=str)[:120]}"
    try:
        return check(text, found)
    except GateError as error:
        return error.message


def _check(found: Any) -> Check | None:
    if isinstance(found, str):
        return _scorers([found]) if found in KINDS else None
    if isinstance(found, list) and found and all(isinstance(one, dict) for one in found):
        return _check_list(found)
    return _check_mapping(found) if isinstance(found, dict) else None


def _check_mapping(found: dict[str, Any]) -> Check | None:
    for marks, check in _FILES:
        if marks(found):
            return check
    known = set(found)
    for keys, whole in (
        (GateFile.model_fields, lambda part: {**part, "suites": [{}]}),
        (_suite_keys(), lambda part: {"suites": [part]}),
        (_tool_keys(), lambda part: {"suites": [{"target": {"tools": part}}]}),
    ):
        if known <= set(keys):
            return lambda _, part, whole=whole: _loaded(whole(part))
    return _scorers([found]) if known & set(KINDS) else None


def _check_list(found: list[dict[str, Any]]) -> Check | None:
    if all("uses" in one or "run" in one for one in found):
        return lambda _, steps: "; ".join(filter(None, map(_step, steps)))
    if all(_CASE & set(one) and {"id", "name"} & set(one) for one in found):
        return lambda text, _: "" if cases.parse(text, "cases.yaml") else "no case"
    return _scorers(found) if all(set(one) & set(KINDS) for one in found) else None


def _scorers(several: list[Any]) -> Callable[[str, Any], str]:
    return lambda text, found: "" if parse_scorers(several, "scorers") else "no scorer"


def _loaded(shown: dict[str, Any]) -> str:
    """A `gate.yaml`, to which what the page leaves out is added: most show what they are about, and no more."""
    suites = [
        {
            **({} if "system" in suite else _ANY_PROMPT),
            **_ANY_SUITE,
            "name": f"s{at}",
            "slices": _dimensions(suite),
            **suite,
        }
        for at, suite in enumerate(shown["suites"])
    ]
    stream = io.StringIO()
    YAML(typ="safe").dump({"version": 1, **shown, "suites": suites}, stream)
    return "" if gatefile.load(stream.getvalue(), "gate.yaml").suites else "no suite"


def _rules(shown: dict[str, Any]) -> str:
    """A specification, to which what the page leaves out is added."""
    stream = io.StringIO()
    YAML(typ="safe").dump({"version": 1, "prompt": "p.md", **shown}, stream)
    return "" if parse_specification(stream.getvalue(), "spec.yaml").rules else "no rule"


def _dimensions(suite: dict[str, Any]) -> list[str]:
    """Those that the policy of a suite names."""
    policy = suite.get("policy") or {}
    named = [name for key in ("required", "advisory", "slices") for name in policy.get(key) or ()]
    return sorted({name.partition("=")[0] for name in named if "=" in name})


def _tool_keys() -> set[str]:
    return set(ToolLoop.model_fields)


def _suite_keys() -> set[str]:
    return set(SuiteOptions.model_fields)


@functools.cache
def _workflows() -> jsonschema.Draft7Validator:
    schema = files("check_jsonschema") / "builtin_schemas" / "vendor" / "github-workflows.json"
    return jsonschema.Draft7Validator(json.loads(schema.read_text(encoding="utf-8")))


def _workflow(workflow: dict[str, Any]) -> str:
    """A workflow by GitHub's own schema; a page may leave out what starts it, and where its jobs run."""
    jobs = {name: job if "uses" in job else {"runs-on": "any", **job} for name, job in workflow["jobs"].items()}
    whole = {"on": "push", **workflow, "jobs": jobs}
    faults = [error.message for error in _workflows().iter_errors(json.loads(json.dumps(whole, default=str)))]
    steps = [step for job in workflow["jobs"].values() for step in job.get("steps", [])]
    return "; ".join(fault for fault in [*faults, *map(_step, steps)] if fault)


def _step(step: dict[str, Any]) -> str:
    return _inputs(step.get("with", {})) if "prompt-gate" in step.get("uses", "") else ""


def _inputs(given: dict[str, Any]) -> str:
    known = YAML(typ="safe").load(ACTION)["inputs"]
    return "; ".join(f"the action has no input {name}" for name in given if name not in known)


def _hooks(found: dict[str, Any]) -> str:
    known = {hook["id"] for hook in YAML(typ="safe").load(HOOKS)}
    named = [hook["id"] for repo in found["repos"] for hook in repo["hooks"]]
    return "; ".join(f"there is no hook {name}" for name in named if name not in known)


def _is_gitlab(found: dict[str, Any]) -> bool:
    return bool(found) and all(isinstance(job, dict) and "script" in job for job in found.values())


def _script(job: dict[str, Any]) -> str:
    return job["script"] if isinstance(job["script"], str) else "\n".join(job["script"])


_FILES: tuple[tuple[Callable[[dict[str, Any]], bool], Check], ...] = (
    (lambda found: "jobs" in found, lambda _, found: _workflow(found)),
    (lambda found: "steps" in found, lambda _, found: _workflow({"jobs": {"job": found}})),
    (_is_gitlab, lambda _, found: wrong_commands("\n".join(_script(job) for job in found.values()))),
    (lambda found: set(found) in ({"with"}, {"env"}), lambda _, found: _inputs(found.get("with", {}))),
    (lambda found: "repos" in found, lambda _, found: _hooks(found)),
    (lambda found: "dimensions" in found, lambda text, _: "" if parse_rubric(text, "rubric.yaml") else "no dimension"),
    (lambda found: isinstance(found.get("tools"), list), lambda text, _: "" if parse_tools(text, "t.yaml") else "none"),
    (
        lambda found: "messages" in found,
        lambda text, _: "" if reading.parse(text, "shown.prompt.yml") else "no message",
    ),
    (lambda found: "suites" in found, lambda _, found: _loaded(found)),
    (lambda found: set(found) == {"rules"}, lambda _, found: _rules(found)),
)
"""Files that are known by a key, and what reads them."""
