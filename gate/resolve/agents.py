"""The agent of each arm: the files that its programs run in, and who may choose it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from gate.config.documents import one_problem, quoted
from gate.config.gatefile import Config, SuiteConfig
from gate.config.naming import PYTHON_PREFIX
from gate.config.targets import SESSION, HttpAgent, PythonAgent, Target, ToolLoop, runs_code
from gate.errors import GateError
from gate.paths import matches
from gate.prompts.files import FileSource, file_of, missing
from gate.prompts.version import PromptVersion
from gate.resolve.pairing import Sides
from gate.suite import Arm
from gate.values import JsonValue, digest


def arm_of(sides: Sides, source: FileSource, config: SuiteConfig, version: PromptVersion) -> Arm:
    """One arm of a suite.

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
    """A digest of the files that an agent depends on."""
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
