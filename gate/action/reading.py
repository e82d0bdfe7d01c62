"""How long a change may be read before the first call, and what is said when that is over."""

from dataclasses import dataclass

from gate.settings.inputs import Inputs

READING_MINUTES = 5.0
"""For all that comes before the first call, unless max-minutes is set: no budget counts yet."""

_FIRST = "the files of both sides were read"


@dataclass(slots=True)
class Reading:
    """How long the change may be read, and how far that is.

    Args:
        minutes: it may take.
        doing: what is under way, after "while".
    """

    minutes: float
    doing: str = _FIRST

    def told(self) -> tuple[str, str]:
        """What to say when the time is over, and what helps."""
        limit = f"{self.minutes:g} minute{'' if self.minutes == 1 else 's'}"
        message = f"reading the change took longer than {limit}; the time ran out while {self.doing}"
        hint = (
            "look among what it brings for templates with long loops or very long tags, for JSON Schemas and patterns "
            "in many cases, and for large case files that several suites name; the input max-minutes gives it more time"
        )
        if self.doing == _FIRST:
            hint = f"GitHub may be slow, or the repository very large: run the job again; or {hint}"
        return message, hint


def reading(inputs: Inputs) -> Reading:
    """The time for reading: as the workflow says for the run, which no change from outside can touch."""
    return Reading(inputs.max_minutes or READING_MINUTES)
