"""One demand on the whole output, in few verbs: to be something, to contain, start with or end with something."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clause:
    """A demand, as its sentence says it but for the verb.

    Args:
        said: begins with `be`, `contain`, `start with`, `end with` or `each`; texts that stood in quotation marks are
            `§0§`, `§1§`, ….
        literals: those texts.
        negated: the output must not do so.
    """

    said: str
    literals: tuple[str, ...] = ()
    negated: bool = False
