"""A prompt that the baseline examines and the change deletes: nothing can be compared, and somebody has to agree."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Deletion:
    """One deleted prompt.

    Args:
        prompt: path at the baseline.
        ref: the baseline, as the user named it.
        cases: how many the exams have that it sat; None where they cannot be read.
    """

    prompt: str
    ref: str
    cases: int | None

    def __str__(self) -> str:
        many = "" if self.cases is None else f" with {self.cases:,} case{'' if self.cases == 1 else 's'}"
        return f"{self.prompt}, which {self.ref} examines{many}, is deleted."
