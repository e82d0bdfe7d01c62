"""Configurations of other tools, told by their names."""

from collections.abc import Callable, Collection

from gate.formats.bundle import Bundle
from gate.formats.detect import is_promptfoo
from gate.formats.prompt_files import read_prompt_yml, read_prompty
from gate.formats.promptfoo_config import read_config
from gate.inputs.limits import PROMPT_CHARS
from gate.inputs.problems import one_problem
from gate.inputs.prompty import is_prompty
from gate.inputs.promptyml import is_prompt_yml


def is_bundle(file: str) -> bool:
    """Is this a name that `read_bundle` knows?"""
    return is_prompt_yml(file) or is_prompty(file) or is_promptfoo(file)


def read_bundle(text: str, file: str, other: Callable[[str], str | None], paths: Collection[str] = ()) -> Bundle:
    """Prompts, cases, scorers and model of another tool's configuration, and what is lost of it.

    Args:
        text: the file; one of an unknown name is read as promptfoo's.
        file: its path from the root of the repository.
        other: reads another file by its path from the root; None where there is none, or it is outside.
        paths: of all files, for patterns that stand for several.

    Raises:
        InputErrors: it cannot be read.
    """
    if len(text) > PROMPT_CHARS:
        raise one_problem(
            file, 0, f"is longer than {PROMPT_CHARS:,} characters", "move its tests into a file of their own"
        )
    text = text.removeprefix("\ufeff")
    if is_prompt_yml(file):
        return read_prompt_yml(text, file)
    if is_prompty(file):
        return read_prompty(text, file, other)
    return read_config(text, file, other, paths)
