"""`gate.yaml`, version 1: text in, a checked configuration out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from gate.domain.model import ProviderServer
from gate.domain.suite import Budget, CachePolicy, CorrectionName, MethodName, RunPolicy
from gate.inputs.fields import Fields, Range
from gate.inputs.limits import CONFIG_CHARS
from gate.inputs.models import MAX_OUTPUT_TOKENS, read_servers
from gate.inputs.nodes import Node, described
from gate.inputs.problems import Problems, one_problem, quoted
from gate.inputs.suites import SuiteConfig, read_suites
from gate.inputs.yamltext import parse_yaml

VERSION = 1
KEYS = ("version", "policy", "budget", "cache", "providers", "defaults", "suites")
POLICY = ("confidence", "fail_on", "method", "correction", "breakage", "early_stop", "mode")
MODES = ("enforce", "advisory")
BUDGET = ("max_calls", "max_usd", "max_minutes", "max_output_tokens")
CACHE = ("max_age_days", "same_model", "max_mb")
METHODS = ("maxt", "percentile", "t", "mcnemar")
CORRECTIONS = ("none", "bonferroni", "holm")
FAIL_ON = ("block", "hold")
CONFIDENCE = Range(0.5, 0.999, above=True)
MAX_CALLS = Range(1, 10_000_000)
MAX_USD = Range(0, 1_000_000)
MAX_MINUTES = Range(0, 10_000, above=True)
MAX_AGE_DAYS = Range(0, 90)
MAX_MB = Range(1, 100_000)

_LATER = ("server", "store", "github", "extends", "include", "plugins")
_LATER_POLICY = ("futility",)
_OF_A_SUITE = ("margin", "min_pass_rate", "slices", "required", "advisory", "max_cost_increase", "max_latency_increase")


@dataclass(frozen=True, slots=True)
class Config:
    """The whole of `gate.yaml`.

    Args:
        policy: for the whole run.
        budget: limits that are enforced before each call.
        cache: which known answers may be reused.
        suites: in file order, at least one.
        providers: servers by the name that models call them.
    """

    policy: RunPolicy
    budget: Budget
    cache: CachePolicy
    suites: tuple[SuiteConfig, ...]
    providers: Mapping[str, ProviderServer] = field(default_factory=dict)


def load(text: str, file: str) -> Config:
    """Read a configuration.

    Args:
        text: the YAML.
        file: path for messages.

    Raises:
        InputErrors: every mistake with its line.
    """
    problems = Problems(file)
    config = in_spite(text, problems)
    problems.check()
    return config


def in_spite(text: str, problems: Problems) -> Config:
    """Read what can be read of a configuration, whatever is wrong with the rest.

    Args:
        text: the YAML.
        problems: of the file; gets every mistake. A suite that one is about is not `sound`.

    Raises:
        InputErrors: it is no YAML, no mapping, or of another version, so that nothing can be read.
    """
    file = problems.file
    if len(text) > CONFIG_CHARS:
        raise one_problem(file, 0, f"is longer than {CONFIG_CHARS:,} characters", "keep cases and prompts in files")
    root = parse_yaml(text, problems)
    problems.check()
    return _whole(root, problems)


def read(root: Node | None, problems: Problems) -> Config:
    """Read a configuration that has been parsed.

    Args:
        root: the parsed text; None where there was nothing in it.
        problems: of the file, for every mistake with its line.

    Raises:
        InputErrors: there was one.
    """
    config = _whole(root, problems)
    problems.check()
    return config


def _whole(root: Node | None, problems: Problems) -> Config:
    file = problems.file
    if root is None or root.value is None:
        raise one_problem(file, 0, "is empty", "it needs at least 'version: 1' and 'suites'")
    if not isinstance(root.value, Mapping):
        raise one_problem(file, root.line, f"must be a mapping, not {described(root.value)}", "begin with 'version: 1'")
    fields = Fields(root, "", problems)
    _check_version(fields)
    fields.only(KEYS, later=_LATER)
    servers = read_servers(fields)
    problems.providers = tuple(servers)
    return Config(
        policy=_policy(fields.mapping("policy")),
        budget=_budget(fields.mapping("budget")),
        cache=_cache(fields.mapping("cache")),
        suites=read_suites(fields),
        providers=servers,
    )


def _check_version(fields: Fields) -> None:
    """Another version ends all reading: its other mistakes would be guesses."""
    if not fields.require("version", f"version: {VERSION}"):
        return
    node = fields.entries["version"]
    if isinstance(node.value, bool) or node.value != VERSION:
        found = quoted(node.value) if isinstance(node.value, str) else described(node.value)
        message = f"version {found} is not supported; this gate reads version {VERSION}"
        newer = isinstance(node.value, int) and node.value > VERSION
        hint = "update Prompt Gate" if newer else f"write 'version: {VERSION}'"
        raise one_problem(fields.problems.file, node.line, message, hint)


def _policy(fields: Fields) -> RunPolicy:
    for key in _OF_A_SUITE:
        if key in fields.entries:
            fields.problems.add(fields.line_of(key), f"{key!r} is no policy of the run", "give it to a suite's policy")
    fields.only((*POLICY, *_OF_A_SUITE), later=_LATER_POLICY, meant={"fail-on": "fail_on", "alpha": "confidence"})
    policy = RunPolicy(
        confidence=fields.number("confidence", 0.95, CONFIDENCE, "0.95 is usual, 0.999 the strictest"),
        fail_on="hold" if fields.choice("fail_on", "block", FAIL_ON) == "hold" else "block",
        method=cast(MethodName, fields.choice("method", "maxt", METHODS)),
        correction=cast(CorrectionName, fields.choice("correction", "none", CORRECTIONS)),
        breakage=fields.flag("breakage", False),
        early_stop=fields.flag("early_stop", RunPolicy().early_stop),
        mode="advisory" if fields.choice("mode", "enforce", MODES) == "advisory" else "enforce",
    )
    if policy.contradiction:
        fields.problems.add(fields.line, f"policy: {policy.contradiction}", "take one of the two out")
    return policy


def _budget(fields: Fields) -> Budget:
    fields.only(BUDGET, meant={"max_tokens": "max_output_tokens"})
    return Budget(
        max_calls=fields.integer("max_calls", 1, MAX_CALLS) if fields.has("max_calls") else None,
        max_usd=fields.number("max_usd", 0, MAX_USD) if fields.has("max_usd") else None,
        max_minutes=fields.number("max_minutes", 1, MAX_MINUTES) if fields.has("max_minutes") else None,
        max_output_tokens=(
            fields.integer("max_output_tokens", 1, MAX_OUTPUT_TOKENS) if fields.has("max_output_tokens") else None
        ),
    )


def _cache(fields: Fields) -> CachePolicy:
    fields.only(CACHE, meant={"max_age": "max_age_days", "max_size": "max_mb"})
    default = CachePolicy()
    return CachePolicy(
        max_age_days=fields.number("max_age_days", default.max_age_days, MAX_AGE_DAYS, "0 reuses nothing"),
        same_model=fields.flag("same_model", default.same_model),
        max_mb=fields.integer("max_mb", default.max_mb, MAX_MB),
    )
