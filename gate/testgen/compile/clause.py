"""One demand on the whole output, in few verbs: to be something, to contain, start with or end with something."""

import re
from dataclasses import dataclass

_ALONE = re.compile(
    r"(?:,? (?:and|with) nothing else|, nothing (?:else|more)|,? (?:with no|without(?: any)?|and no|no)"
    r"(?: (?:other|extra|additional|further|surrounding|explanatory))?"
    r" (?:text|words?|explanations?|commentary|prose|comments?|output|content|punctuation and no explanation|"
    r"markdown(?: formatting| fences?)?|code (?:fences?|blocks?)))+$",
    re.IGNORECASE,
)


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

    @property
    def alone(self) -> str:
        """What is said without words such as `and nothing else`, for forms that allow nothing else anyway."""
        return _ALONE.sub("", self.said)
