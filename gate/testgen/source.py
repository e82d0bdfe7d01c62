"""What the stages that make tests read: the prompt, its specification, and what they are to do."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from gate.domain.promptspec import Component, GeneratedTest, Specification
from gate.testgen.assembly import Shape, shape_of
from gate.testgen.effort import EffortSettings
from gate.testgen.frames import fence
from gate.testgen.subject import PromptSubject

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Source:
    """What tests are made from.

    Args:
        subject: the prompt under test.
        specification: what it promises.
        settings: how much is done.
        shape: of each test.
    """

    subject: PromptSubject
    specification: Specification
    settings: EffortSettings
    shape: Shape

    @classmethod
    def of(cls, subject: PromptSubject, specification: Specification, settings: EffortSettings) -> "Source":
        """The source of the tests of a prompt."""
        return cls(subject, specification, settings, shape_of(subject, specification, settings))

    def view(self, *texts: str) -> dict[str, object]:
        """What the templates of all stages show, behind a fence that holds the prompt, its inputs and `texts`."""
        components = self.specification.components
        told = (self.subject.text, self.specification.intent, *texts_of(components), *texts)
        return {
            "prompt": self.subject.text,
            "intent": self.specification.intent,
            "components": components,
            "shape": self.shape,
            "fence": fence(*told),
        }


@dataclass(frozen=True, slots=True)
class Made:
    """What a stage gives.

    Args:
        tests: in the order of their ids.
        notes: what did not go as it should, a line each.
    """

    tests: tuple[GeneratedTest, ...]
    notes: tuple[str, ...] = ()


def texts_of(components: Sequence[Component]) -> tuple[str, ...]:
    """All that an input specification says."""
    return tuple(text for one in components for text in (one.name, one.description, *(rule.text for rule in one.rules)))


def in_batches(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Neighbours together, `size` at a time."""
    return [items[start : start + size] for start in range(0, len(items), size)]
