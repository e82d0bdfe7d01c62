"""What a suite's prompt pulls in: is it the same on both sides, and is it all that the change changes?"""

from collections.abc import Iterable
from pathlib import PurePosixPath

from gate.config.gatefile import SuiteConfig
from gate.domain.prompt import PromptVersion
from gate.domain.suite import Suite
from gate.errors import InputErrors
from gate.flows.pairing import Sides
from gate.inputs import prompts
from gate.inputs.parts import Library
from gate.inputs.text import decode

_NAMED = 5


def same_parts(sides: Sides, suite: SuiteConfig) -> bool:
    """Do both sides have the same parts for a prompt whose own file is the same on both?

    Only a template that may include something is read, and of the base no file is.

    Args:
        sides: where to read.
        suite: names the prompt.
    """
    ending = PurePosixPath(suite.prompt).suffix.lower()
    if not (suite.template or prompts.may_pull_in(suite.prompt)):
        return True
    try:
        data = sides.head.read(suite.prompt) or b""
        # In a chat file the word may be written with escapes.
        if b"include" not in data and ending not in prompts.CHAT_ENDINGS:
            return True
        text, library = decode(data, suite.prompt), Library(suite.prompt, sides.head.read)
        parts = prompts.parse(text, suite.prompt, template=suite.template, library=library).parts
    except InputErrors:
        # Mistakes are told where the suite is read in full.
        return False
    return all(sides.head.fingerprint(part.path) == sides.base.fingerprint(part.path) for part in parts.files)


def part_notes(suites: Iterable[Suite]) -> list[str]:
    """A sentence for each prompt that changes by its parts alone, which names them."""
    return [
        f"{suite.candidate.version.path} is itself as before; what changes is {_listed(changed)}, which it pulls in."
        for suite in suites
        if suite.baseline is not None and (changed := _changed(suite.baseline.version, suite.candidate.version))
    ]


def _changed(old: PromptVersion, new: PromptVersion) -> list[str]:
    before, after = old.prompt, new.prompt
    if (before.messages, before.template, before.chat) != (after.messages, after.template, after.chat):
        return []
    differing = set(before.parts.files) ^ set(after.parts.files)
    return sorted({part.path for part in differing})


def _listed(paths: list[str]) -> str:
    more = len(paths) - _NAMED
    return ", ".join(paths[:_NAMED]) + (f" and {more} more" if more > 0 else "")
