"""The port to whatever builds the texts of prompts that are code."""

from collections.abc import Sequence
from typing import Protocol

from gate.config.functions import Entry
from gate.domain.absence import Failed
from gate.domain.code_place import CodePlace
from gate.domain.jsonvalue import JsonValue
from gate.inputs.source import FileSource


class PromptBuilder(Protocol):
    """Runs code of the repository, apart from everything else."""

    def place(self, source: FileSource, what: str) -> CodePlace:
        """Where the code of one side lies, for what is run later.

        Args:
            source: the side.
            what: is to be run.

        Raises:
            GateError: no code may run here.
            CannotEvaluate: the side is in no checkout.
        """
        ...

    def build(
        self, source: FileSource, entry: Entry, sessions: Sequence[dict[str, JsonValue]]
    ) -> tuple[str | Failed, ...]:
        """The text that a function makes of each session, or why it makes none.

        Args:
            source: the side whose code is run.
            entry: the function.
            sessions: what it is called with.

        Raises:
            CannotLoad: the function cannot be had.
            GateError: no code may run here.
            CannotEvaluate: the files of the side cannot be had.
        """
        ...
