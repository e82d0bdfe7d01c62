"""Prompts that are code: built for every case when both sides are read, and never for a change from outside."""

from collections.abc import Iterable, Sequence

from gate.config.functions import entry_of, is_python
from gate.config.gatefile import SuiteConfig
from gate.domain.case import Case
from gate.domain.prompt import Built, Prompt, PromptVersion
from gate.domain.suite import Suite
from gate.flows.pairing import Pair, Sides
from gate.inputs.builders import CannotLoad, file_of
from gate.inputs.problems import one_problem
from gate.inputs.sessions import key_of, session_of
from gate.inputs.source import FileSource

_INSTALL = "it runs in the gate's own environment, where what it imports must be installed, and sees no variables"


def is_code(pair: Pair) -> bool:
    """Is one of the two prompts of a pair code?"""
    return is_python(pair.current.prompt) or (not pair.new_prompt and is_python(pair.exam.prompt))


def version(sides: Sides, source: FileSource, config: SuiteConfig, cases: Iterable[Case]) -> PromptVersion:
    """The prompt that a function of one side builds.

    Args:
        sides: with what builds it.
        source: the side; it has the function's module.
        config: names the function.
        cases: all that the prompt may be asked with.

    Raises:
        InputErrors: the function cannot be had, or a case gives it nothing to be called with.
        CannotEvaluate: the side's files cannot be had.
    """
    sessions = {key_of(session): session for session in map(session_of, cases)}
    place = file_of(source, config.prompt) or config.prompt
    where = place if source.sha is None else f"{source.label}:{place}"
    if sides.builder is None:
        raise one_problem(where, 0, f"{config.prompt} is code, and nothing here runs it", "name a file")
    try:
        texts = sides.builder.build(source, entry_of(config.prompt), tuple(sessions.values()))
    except CannotLoad as error:
        raise one_problem(where, 0, f"{error.message} (at {source.label})", error.hint or _INSTALL) from None
    built = Built(dict(zip(sessions, texts, strict=True)))
    return PromptVersion(config.prompt, source.label, source.sha, Prompt((), built=built))


def same_code(sides: Sides) -> bool:
    """Do both sides have the same files? A function may import or read any of them, cases and configuration too.

    Args:
        sides: two commits; of a working tree it cannot be told.
    """
    old, new = sides.base.listing(), sides.head.listing()
    return old == new and all(new.values()) and sides.base.links("**") == sides.head.links("**")


def build_notes(suites: Iterable[Suite]) -> list[str]:
    """A sentence for each prompt that could not be built for every case."""
    return [_told(arm.version) for suite in suites for arm in suite.arms.values() if _failures(arm.version)]


def incomplete(versions: Sequence[PromptVersion]) -> bool:
    """Is there a prompt that could not be built for every case? Nobody knows whether it would be the same."""
    return any(_failures(version) for version in versions)


def _failures(version: PromptVersion) -> tuple[str, ...]:
    return tuple(failed.reason for failed in version.prompt.built.failures) if version.prompt.built else ()


def _told(version: PromptVersion) -> str:
    reasons = _failures(version)
    total = len(version.prompt.built.texts) if version.prompt.built else 0
    return f"{version.path} at {version.ref} has no text for {len(reasons):,} of {total:,} sessions: {reasons[0]}."
