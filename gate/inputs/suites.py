"""The suites of `gate.yaml`, with the file's defaults put in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from gate.domain.case import ScorerSpec
from gate.domain.model import ModelRef, Params
from gate.domain.suite import SuitePolicy
from gate.domain.target import Conversing, Target
from gate.inputs import builders, storenames
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import PATH_CHARS
from gate.inputs.models import read_model, read_params
from gate.inputs.names import dimension_complaint, name_complaint
from gate.inputs.nodes import Node, described
from gate.inputs.paths import complaint, is_glob, normal
from gate.inputs.placeholders import read_placeholders
from gate.inputs.policies import read_policy
from gate.inputs.problems import quoted
from gate.inputs.promises import PromisesConfig, read_promises
from gate.inputs.prompts import not_yet
from gate.inputs.scorers.options import read_threshold
from gate.inputs.scorers.read import read_scorers
from gate.inputs.sheets.table import ENDINGS as TABLES
from gate.inputs.targets import read_conversing, read_target

DEFAULTS = ("model", "samples", "params")
SUITE = (
    *(*DEFAULTS, "name", "prompt", "cases", "slices", "scorers", "template", "threshold", "policy"),
    *("target", "conversation", "placeholders", "promises"),
)
SAMPLES = Range(1, 100)

TEMPLATES = ("jinja2", True, False)
CASE_ENDINGS = (".jsonl", ".ndjson", ".json", ".yaml", ".yml", *TABLES)

_MEANT = {
    **{"scorer": "scorers", "prompts": "prompt", "tests": "cases", "dataset": "cases", "k": "samples"},
    "thresholds": "threshold",
    **{"targets": "target", "agent": "target", "tools": "target", "command": "target", "rounds": "conversation"},
}


@dataclass(frozen=True, slots=True)
class SuiteConfig:
    """One entry under `suites`.

    Args:
        name: unique within the file.
        prompt: path, or a pattern that stands for one suite per file.
        cases: path of the case file, or a suite of a store as `gate.inputs.storenames` reads it.
        template: the prompt is Jinja2 whatever its ending says.
        model: who answers; None only while `load` still collects problems.
        params: the defaults' parameters, changed by the suite's own.
        samples: k, outputs per case and arm.
        scorers: with every default filled in, names unique.
        slices: dimensions to test, in this order.
        policy: what the suite tolerates.
        line: 1-based line of the entry.
        threshold: the score at which a sample passes; None where each scorer has its own mark.
        pattern: that the prompt's file matched; empty where the entry names the file.
        scorer_lines: 1-based line of each scorer; what moves within the file changes nothing.
        target: the agent that answers; None where the model is called with the prompt alone.
        conversing: how conversations are led and scored.
        placeholders: see `gate.domain.suite.Exam`.
        promises: compare what the prompt promises before and after; None where nobody wants to know.
        sound: nothing is wrong with the entry; only `gate.inputs.config.in_spite` returns others.
    """

    name: str
    prompt: str
    cases: str
    template: bool
    model: ModelRef | None
    params: Params
    samples: int
    scorers: tuple[ScorerSpec, ...]
    slices: tuple[str, ...]
    policy: SuitePolicy
    line: int
    threshold: float | None = None
    pattern: str = ""
    scorer_lines: tuple[int, ...] = field(default=(), compare=False)
    target: Target | None = None
    conversing: Conversing = Conversing()
    placeholders: Mapping[str, str] | None = None
    promises: PromisesConfig | None = None
    sound: bool = True


def expand(suite: SuiteConfig, paths: Sequence[str]) -> tuple[SuiteConfig, ...]:
    """One suite per prompt file: `support` over `prompts/a.md` and `prompts/b.md` gives `support:a`, `support:b`.

    Args:
        suite: a suite whose prompt may be a pattern; any other is returned as it is.
        paths: the files that match.
    """
    if not is_glob(suite.prompt):
        return (suite,)
    folders = PurePosixPath(suite.prompt).parts
    fixed = next(i for i, part in enumerate(folders) if is_glob(part))
    named = {path: "-".join(PurePosixPath(path).parts[fixed:]) for path in sorted(paths)}
    short = {path: name.rsplit(".", 1)[0] for path, name in named.items()}
    unique = len(set(short.values())) == len(short)
    names = short if unique else named
    return tuple(
        replace(suite, name=f"{suite.name}:{names[path]}", prompt=path, pattern=suite.prompt) for path in names
    )


def read_suites(root: Fields) -> tuple[SuiteConfig, ...]:
    """The list under `suites`, at least one, each with another name."""
    defaults = root.mapping("defaults")
    defaults.only(DEFAULTS, later=("scorers", "slices", "policy", "template"))
    base = SuiteDefaults(
        model=read_model(defaults, "model"),
        has_model=defaults.has("model"),
        samples=defaults.integer("samples", 3, SAMPLES),
        params=read_params(defaults.mapping("params"), Params()),
    )
    if not root.require("suites", "suites: [{name: support, prompt: prompts/support.md, …}]"):
        return ()
    node = root.entries["suites"]
    if not isinstance(node.value, tuple) or not node.value:
        found = "an empty list" if node.value == () else described(node.value)
        root.problems.add(node.line, f"suites must be a list with at least one suite, not {found}", "begin with '- '")
        return ()
    for item in node.value:
        if not isinstance(item.value, Mapping):
            root.problems.add(
                item.line, f"a suite must be a mapping, not {described(item.value)}", "begin with 'name:'"
            )
    suites = [_suite(item, base, root) for item in node.value if isinstance(item.value, Mapping)]
    return _named_once(suites, root)


@dataclass(frozen=True, slots=True)
class SuiteDefaults:
    """What `defaults` gives to suites that do not say otherwise."""

    model: ModelRef | None
    has_model: bool
    samples: int
    params: Params


def _suite(node: Node, base: SuiteDefaults, root: Fields) -> SuiteConfig:
    fields, before = Fields(node, "", root.problems), root.problems.count
    fields.name = f"suite {quoted(name)}" if (name := _name(fields)) else "this suite"
    fields.only(SUITE, meant=_MEANT)
    fields.require("name", "name: support")
    fields.require("prompt", "prompt: prompts/support.md")
    fields.require("cases", "cases: evals/support/cases.jsonl")
    fields.require("scorers", "scorers: [contains]")
    if not fields.has("model") and not base.has_model:
        fields.require("model", "model: openai:gpt-5-mini, here or under 'defaults'")
    fields.name = ""
    slices = _slices(fields)
    suite = SuiteConfig(
        name=name,
        prompt=_prompt(fields),
        cases=_cases(fields),
        template=_template(fields),
        model=read_model(fields, "model") if fields.has("model") else base.model,
        params=read_params(fields.mapping("params"), base.params),
        samples=fields.integer("samples", base.samples, SAMPLES),
        scorers=read_scorers(fields.entries["scorers"], root.problems) if fields.has("scorers") else (),
        slices=slices,
        threshold=read_threshold(fields),
        policy=read_policy(fields.mapping("policy"), slices),
        line=node.line,
        scorer_lines=_lines(fields.get("scorers")),
        target=read_target(fields),
        conversing=read_conversing(fields),
        placeholders=read_placeholders(fields),
        promises=read_promises(fields),
    )
    # Without a model nobody could be asked; what is wrong with the defaults' is said of them.
    return replace(suite, sound=root.problems.count == before and suite.model is not None)


def _lines(scorers: Node | None) -> tuple[int, ...]:
    found = scorers.value if scorers is not None else ()
    return tuple(item.line for item in found) if isinstance(found, tuple) else ()


def _name(fields: Fields) -> str:
    name = fields.text("name")
    if name and (reason := name_complaint(name)):
        fields.problems.add(fields.line_of("name"), f"the suite name {quoted(name)} {reason}")
    return name


def _named_once(suites: Sequence[SuiteConfig], root: Fields) -> tuple[SuiteConfig, ...]:
    first: dict[str, int] = {}
    found = []
    for suite in suites:
        again = bool(suite.name) and suite.name in first
        if again:
            message = f"the suite name {quoted(suite.name)} is already used on line {first[suite.name]}"
            root.problems.add(suite.line, message, "give each suite its own name")
        first.setdefault(suite.name, suite.line)
        found.append(replace(suite, sound=False) if again else suite)
    return tuple(found)


def _path(fields: Fields, key: str) -> str:
    text = fields.text(key, most=PATH_CHARS)
    if text and (reason := complaint(text)):
        hint = "write a path inside the repository, relative to its root"
        fields.problems.add(fields.line_of(key), f"{key} {quoted(text)} {reason}", hint)
        return ""
    return normal(text) if text else ""


def _prompt(fields: Fields) -> str:
    node = fields.get("prompt")
    if node is not None and isinstance(node.value, str) and builders.is_python(node.value):
        return _function(node, node.value, fields)
    if node is not None and isinstance(node.value, str) and (reason := not_yet(node.value)):
        fields.problems.add(node.line, reason, "use .md, .txt, .j2 or a chat file (.yaml, .json)")
        return ""
    return _path(fields, "prompt")


def _function(node: Node, prompt: str, fields: Fields) -> str:
    """A prompt that is code."""
    reason = builders.complaint(prompt)
    if reason:
        hint = "write python:package.module:function, the module with dots from the root of the repository"
        fields.problems.add(node.line, f"prompt {quoted(prompt)} {reason}", hint)
    if (template := fields.get("template")) is not None:
        fields.problems.add(template.line, "template has no meaning where code builds the prompt", "remove it")
    return "" if reason else prompt


def _cases(fields: Fields) -> str:
    node = fields.get("cases")
    if node is not None and isinstance(node.value, str) and storenames.is_store(node.value):
        return _store_suite(node, node.value, fields)
    path = _path(fields, "cases")
    line = fields.line_of("cases")
    if path and is_glob(path):
        fields.problems.add(line, f"cases {quoted(path)} is a pattern", "name one .jsonl file")
    elif path and not path.lower().endswith(CASE_ENDINGS):
        ending = PurePosixPath(path).suffix
        kind = f"ending in {ending}" if ending else "without an ending"
        message = f"case files {kind} are not supported in this version"
        fields.problems.add(
            line, message, "use JSON Lines (.jsonl), a list in JSON or YAML (.json, .yaml), or a table (.csv, .tsv)"
        )
    return path


def _store_suite(node: Node, cases: str, fields: Fields) -> str:
    reason = storenames.complaint(cases)
    if reason:
        hint = "write store:NAME for the newest version of a suite, or store:NAME@12 for one that never changes"
        fields.problems.add(node.line, f"cases {quoted(cases)}: the name of a store's suite {reason}", hint)
    return "" if reason else cases


def _template(fields: Fields) -> bool:
    node = fields.get("template")
    if node is None:
        return False
    if node.value == "jinja2" or isinstance(node.value, bool):
        return node.value is not False
    fields.problems.add(node.line, f"template must be jinja2, true or false, not {described(node.value)}")
    return False


def _slices(fields: Fields) -> tuple[str, ...]:
    good = []
    for node in fields.texts("slices"):
        name = str(node.value)
        if reason := dimension_complaint(name):
            fields.problems.add(node.line, f"the slice dimension {quoted(name)} {reason}", "name dimensions only")
        good.append(name)
    return tuple(good)
