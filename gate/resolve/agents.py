"""The agent of each arm: recorded tools, the files that its programs run in, and who may choose it."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gate.config.documents import decode, one_problem, quoted
from gate.config.gatefile import Config, SuiteConfig
from gate.config.models import ModelRef, parse_model
from gate.config.naming import PYTHON_PREFIX
from gate.config.scorer import ScorerSpec
from gate.config.targets import SESSION, HttpAgent, PythonAgent, Target, ToolLoop, runs_code
from gate.config.tools import parse_tools
from gate.errors import GateError, InputErrors, Problem
from gate.paths import escapes, matches, path_complaint
from gate.prompts.files import FileSource
from gate.prompts.functions import file_of, missing
from gate.prompts.version import PromptVersion
from gate.resolve.pairing import Pair, Sides
from gate.suite import Arm, Suite
from gate.values import JsonValue, digest

Named = Callable[[str], str]
"""A path as the user should read it."""


@dataclass(frozen=True, slots=True)
class ToolFiles:
    """Reads the files of recorded tools that the suites of one side name."""

    source: FileSource
    config_path: str
    named: Named
    problems: list[Problem]

    def of(self, config: Config) -> Config:
        """The configuration with the recorded answers of its tools."""
        return replace(config, suites=tuple(map(self._suite, config.suites)))

    def _suite(self, suite: SuiteConfig) -> SuiteConfig:
        target = suite.target
        if not isinstance(target, ToolLoop) or not target.fixtures:
            return suite
        try:
            tools = parse_tools(self._text(target.fixtures, suite), self.named(target.fixtures))
        except InputErrors as errors:
            self.problems.extend(errors.problems)
            return suite
        return replace(suite, target=target.with_recorded(tools))

    def _text(self, path: str, suite: SuiteConfig) -> str:
        data = self.source.read(path)
        if data is None:
            message = f"suite {suite.name} has the fixtures {quoted(path)}, and there is no such file there"
            raise one_problem(self.named(self.config_path), suite.line, message, "name a file of tools, or add it")
        return decode(data, self.named(path))


def arm_of(sides: Sides, source: FileSource, config: SuiteConfig, version: PromptVersion) -> Arm:
    """One arm of a suite.

    Args:
        sides: with what says where code lies.
        source: the arm's own side.

    Raises:
        GateError: the suite has no model, no program may run here, or there is no such Python agent.
        CannotEvaluate: the side is in no checkout.
    """
    if config.model is None:
        raise GateError(f"suite {config.name} has no model", "name one in the suite, or under defaults")
    if isinstance(config.target, PythonAgent):
        _check_function(PYTHON_PREFIX + config.target.function, source, config)
    arm = Arm(version, config.model, config.params, config.target)
    if not runs_code(config.target):
        return arm
    if sides.builder is None:
        raise GateError(f"suite {config.name} has an agent that is code, and nothing here runs it")
    place = sides.builder.place(source, f"the agent of suite {config.name}")
    return replace(arm, place=place, code=_code(source, config))


def _check_function(function: str, source: FileSource, config: SuiteConfig) -> None:
    if file_of(source, function) is None:
        hint = f"suite {config.name} names it as its agent, as module:name from the root of the repository"
        raise one_problem(function, 0, f"{missing(source, function)} at {source.label}", hint)


def _code(source: FileSource, config: SuiteConfig) -> str:
    """A digest of the files that an agent depends on.

    Raises:
        GateError: it names files, and there are none.
    """
    patterns = () if isinstance(config.target, HttpAgent | None) else config.target.files
    if patterns and not any(matches(path, one) for path in source.listing() for one in patterns):
        names = ", ".join(patterns)
        message = f"the agent of suite {config.name} depends on {names}, and there is no such file at {source.label}"
        raise GateError(message, "mend 'files' of its target, or leave it out: then it depends on all files")
    return code_of(source, patterns)


def code_of(source: FileSource, patterns: Sequence[str] = ()) -> str:
    """A digest of the files of a side; empty where only reading them would give one, as in a working tree.

    Args:
        patterns: of the files that count; empty for all.
    """
    listing = source.listing()
    if patterns:
        listing = {path: known for path, known in listing.items() if any(matches(path, one) for one in patterns)}
    if not all(listing.values()):
        return ""
    told: dict[str, JsonValue] = dict(listing)
    return digest(told)


def forbidden(name: str, target: Target | None, base: Config | None) -> str:
    """Why a change from outside may not have an agent; empty where it may.

    A program would be the change's own code. An address, its limits and the tools that the model is told of have to be
    those of a suite of the merge target: the author of the change writes the prompt, and the agent's tools act with the
    merge target's tokens.
    """
    if target is None:
        return ""
    if runs_code(target):
        return f"suite {name} has an agent that runs programs, and none is run for a change from outside"
    if not _reach(target) or (base is not None and target in _targets(base)):
        return ""
    return f"suite {name} has an agent with addresses or variables, and no suite of the merge target has the same one"


def elsewhere(name: str, target: Target | None, base: Config | None) -> str:
    """A remark on addresses and variables that the merge target does not use; empty where there is none.

    Args:
        base: the merge target's configuration; None, for a first adoption, allows any.
    """
    if base is None or target is None:
        return ""
    known = set().union(*map(_reach, _targets(base)))
    fresh = sorted(_reach(target) - known)
    told = ", ".join(map(quoted, fresh))
    return f"{name} talks to, or uses, {told} in this change, which the merge target does not." if fresh else ""


def _targets(config: Config) -> Iterable[Target]:
    return (suite.target for suite in config.suites if suite.target is not None)


def _reach(target: Target) -> frozenset[str]:
    """Addresses, and the variables whose values are sent to them."""
    match target:
        case HttpAgent():
            return frozenset({target.url, *target.headers.values()})
        case ToolLoop():
            servers = target.servers.values()
            sent = {variable for server in servers for variable in server.headers.values()}
            put_in = {variable for variable in target.inject.values() if variable != SESSION}
            return frozenset({server.url for server in servers if server.url} | sent | put_in)
        case _:
            return frozenset(target.env)


MADE_UP = ("replay", "fake")
_FROM_FILES = ("replay", "local")
_LINK = "120000:"


def refused(pair: Pair, base: Config | None) -> str:
    """What is wrong with the candidate's model; empty where nothing is.

    `base` is None for a first adoption, which may use any model.
    """
    model = pair.current.model
    if model is None or base is None or model in {suite.model for suite in base.suites}:
        return ""
    if model.provider in MADE_UP:
        return f"suite {pair.current.name}: the change answers with {model}, which is no model"
    if model.provider == "local" and (reason := path_complaint(model.name)):
        return f"suite {pair.current.name}: the path of the model {model} {reason}"
    return ""


def of_config(pair: Pair) -> Iterator[ModelRef]:
    """The models that answer and judge, as far as the configuration names them."""
    yield from (model for model in (pair.exam.model, pair.current.model) if model is not None)
    yield from _judges(pair.exam.scorers)


def of_suite(suite: Suite) -> Iterator[ModelRef]:
    """The models that answer and judge."""
    yield from (arm.model for arm in suite.arms.values())
    yield from _judges(suite.exam.all_scorers())


def unfit(sides: Sides, suite: Suite, base: Config | None) -> str:
    """Why the judges of an exam that the change has edited must not be asked; empty where they may.

    A model file may be any file of the machine, so only the base may name one.

    Args:
        sides: where model files are looked up.
        suite: with scorers, or cases, of the change.
    """
    if base is None:
        return ""
    scorers = [spec for suite in base.suites for spec in suite.scorers]
    known = {*(suite.model for suite in base.suites), *_judges(scorers)}
    for spec in suite.exam.all_scorers():
        for model in _judges([spec]):
            if model.provider in (*MADE_UP, *_FROM_FILES) and model not in known:
                return f"the change names the judge {model}, which the merge target does not know"
    paths = replaced(sides, of_suite(suite))
    return f"the change replaces {paths[0]}, which answers or judges" if paths else ""


def replaced(sides: Sides, models: Iterable[ModelRef]) -> list[str]:
    """Model files and recordings that the change brings or replaces, or that lie behind links.

    They are read from the working tree, so the change's own files would answer for both arms, or judge them.

    Args:
        sides: two commits; in a working tree, which is its owner's own, nothing is replaced.
    """
    if sides.head.sha is None:
        return []
    named = dict.fromkeys(posixpath.normpath(model.name) for model in models if model.provider in _FROM_FILES)
    return [path for path in named if not escapes(path) and _differs(sides, path)]


def _judges(scorers: Iterable[ScorerSpec]) -> Iterator[ModelRef]:
    yield from (parse_model(name) for spec in scorers for name in spec.models)


def _differs(sides: Sides, path: str) -> bool:
    parts = path.split("/")
    ways = ["/".join(parts[: count + 1]) for count in range(len(parts))]
    found = [source.fingerprint(way) or "" for source in (sides.base, sides.head) for way in ways]
    linked = any(fingerprint.startswith(_LINK) for fingerprint in found)
    return linked or sides.head.fingerprint(path) != sides.base.fingerprint(path)
