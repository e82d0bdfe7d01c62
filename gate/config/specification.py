"""What a prompt promises, and the tests that are made from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from pydantic import ConfigDict

from gate.config.scorer import ScorerSpec
from gate.values import COMPLETE, JsonValue, digest

Grounding: TypeAlias = Literal["verbatim", "judged", "edited", "ungrounded", "unknown"]
"""How a rule is known to stand in the prompt: its evidence does, word for word; a judge said so; a person wrote the
rule; a judge found it nowhere, or it names another number than its evidence; nobody looked, or the
judge gave no answer."""

QuestionKind: TypeAlias = Literal["ungrounded", "assumption", "conflict", "leak"]
"""A rule that the prompt does not state; an assumption about the input; rules that cannot both be kept; a demand on
the output that is told as one on the input."""

RULES_PER_COMPONENT = 2
"""Of an input specification, at most (arXiv:2503.05070, appendix A.2)."""


@dataclass(frozen=True, slots=True)
class InputRule:
    """One demand on a component of the input.

    Args:
        text: one sentence; it says nothing about the output.
        evidence: words of the prompt that say so; empty for an assumption.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    text: str
    evidence: str = ""

    @property
    def assumed(self) -> bool:
        """The prompt does not say so."""
        return not self.evidence


@dataclass(frozen=True, slots=True)
class Component:
    """One part of an input.

    Args:
        name: short, unique within the specification.
        description: what it is.
        rules: at most `RULES_PER_COMPONENT`.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    name: str
    description: str
    rules: tuple[InputRule, ...] = ()


@dataclass(frozen=True, slots=True)
class OutputRule:
    """One demand that can be checked by looking at an output alone.

    Args:
        id: `R1`, `R2`, …; stays the same while the rule lives.
        text: one sentence.
        evidence: the words of the prompt that it rests on, copied from there; empty where there are none.
        inverse: the sentence that contradicts it; empty while there is none.
        grounding: how it is known to stand in the prompt.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    id: str
    text: str
    evidence: str = ""
    inverse: str = ""
    grounding: Grounding = "unknown"


@dataclass(frozen=True, slots=True)
class AuthorQuestion:
    """What the author of the prompt is asked.

    Args:
        kind: why.
        about: ids of rules, or names of components.
        text: the question, in a sentence.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    kind: QuestionKind
    about: tuple[str, ...]
    text: str


READ_BY_MODEL = "model:"
"""What the name of a reviewer starts with that is a model."""


@dataclass(frozen=True, slots=True)
class Specification:
    """What a prompt promises.

    Args:
        prompt: SHA-256 of the prompt that it was taken from (`gate.prompts.version.Prompt.digest`).
        intent: what the prompt is for, in a sentence or two.
        components: of the input.
        rules: of the output, in the order of their ids.
        questions: for the author.
        generator: the model that extracted it, as `provider:name`; `hand` where a person wrote it.
        reviewer: the person who read it, or `model: NAME` where a model did; empty while nobody has.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    prompt: str
    intent: str
    components: tuple[Component, ...] = ()
    rules: tuple[OutputRule, ...] = ()
    questions: tuple[AuthorQuestion, ...] = ()
    generator: str = ""
    reviewer: str = ""

    @property
    def read_by_person(self) -> bool:
        """A person has read it. What a model has read, a person may still have questions about."""
        return bool(self.reviewer.strip()) and not self.reviewer.strip().lower().startswith(READ_BY_MODEL)

    def rule(self, name: str) -> OutputRule | None:
        """The rule of an id."""
        return next((rule for rule in self.rules if rule.id == name), None)

    @property
    def digest(self) -> str:
        """SHA-256 of everything that tests are generated from."""
        inputs: list[JsonValue] = [
            [one.name, one.description, [[rule.text, rule.evidence] for rule in one.rules]] for one in self.components
        ]
        rules: list[JsonValue] = [[rule.id, rule.text, rule.inverse] for rule in self.rules]
        return digest({"intent": self.intent, "components": inputs, "rules": rules})


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule that code can check.

    Args:
        scorers: what checks it, all of which must pass; named after the rule.
        wording: what is checked, in plain words.
    """

    rule: str
    scorers: tuple[ScorerSpec, ...]
    wording: str


TestKind: TypeAlias = Literal["rule", "inverse", "control"]
Scenario: TypeAlias = Literal["boundary", "typical", "edge"]


@dataclass(frozen=True, slots=True)
class GeneratedTest:
    """One input that probes a rule.

    Args:
        id: unique within the generation: `R3-rule-1`, `R3-inverse-2`, `control-7`.
        kind: whether it was made from a rule, from its inverse, or by the control generator from the prompt alone.
        rule: id; empty for a control case.
        input: what is sent as the user's message; empty where `turns` or only `vars` hold it.
        components: the parts of the input by the names of the specification.
        turns: what the user says turn by turn, for a test of several turns; empty for one.
        vars: further values of a prompt that is a template.
        scenario: where in the input space it lies; None for a control case.
        reasoning: why it probes the rule.
        behaviour: what a good output does; no reference answer.
        expected: a reference model's answer, where one was wanted.
        valid: does the input keep the input specification; None where nobody knows.
        invalid: why not, where it does not.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    id: str
    kind: TestKind
    rule: str = ""
    input: str = ""
    components: Mapping[str, str] = field(default_factory=dict)
    turns: tuple[str, ...] = ()
    vars: Mapping[str, JsonValue] = field(default_factory=dict)
    scenario: Scenario | None = None
    reasoning: str = ""
    behaviour: str = ""
    expected: str | None = None
    valid: bool | None = None
    invalid: str = ""

    @property
    def said(self) -> str:
        """All that is put in, as one text: what duplicates are found by."""
        if self.turns:
            return "\n".join(self.turns)
        return self.input or "\n".join(f"{name}: {value}" for name, value in sorted(self.vars.items()))


@dataclass(frozen=True, slots=True)
class Discarded:
    """A test that was made and is not kept.

    Args:
        test: it.
        why: one line for the summary, such as "the same as R1-rule-2".
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    test: GeneratedTest
    why: str
