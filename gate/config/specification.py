"""The specification of a prompt (its rules), and the tests generated from it."""

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
the output that is written as one on the input."""

RULES_PER_COMPONENT = 2
"""Of an input specification, at most (arXiv:2503.05070, appendix A.2)."""


@dataclass(frozen=True, slots=True)
class InputRule:
    """One demand on a component of the input.

    Args:
        text: one sentence, only about the input.
        evidence: words of the prompt that state it; empty for an assumption.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    text: str
    evidence: str = ""

    @property
    def assumed(self) -> bool:
        """The prompt does not state it."""
        return not self.evidence


@dataclass(frozen=True, slots=True)
class Component:
    """One part of an input.

    Args:
        name: short, unique within the specification.
        description: what it is.
        rules: at most 2.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    name: str
    description: str
    rules: tuple[InputRule, ...] = ()


CheckKind: TypeAlias = Literal[
    "max_words",
    "min_words",
    "exact_words",
    "max_sentences",
    "min_sentences",
    "exact_sentences",
    "max_characters",
    "min_characters",
    "exact_characters",
    "max_lines",
    "min_lines",
    "exact_lines",
    "max_paragraphs",
    "min_paragraphs",
    "exact_paragraphs",
    "max_bullets",
    "min_bullets",
    "exact_bullets",
    "contains",
    "contains_any",
    "not_contains",
    "starts_with",
    "ends_with",
    "one_of",
    "regex",
    "not_regex",
    "language",
    "json",
    "json_object",
    "json_array",
    "json_keys",
    "number",
    "uppercase",
    "lowercase",
    "no_markdown",
    "no_emoji",
    "no_links",
    "ends_with_question",
]
"""How code can check a rule."""


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """A proposal for checking a rule by code, and two outputs that show whether it does.

    Args:
        kind: what is checked.
        value: numbers or words of the rule; empty where the kind says it all.
        keeps: an output that the rule allows; may be empty in a person's check.
        breaks: an output that breaks the rule; may be empty in a person's check.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    kind: CheckKind
    value: tuple[str, ...] = ()
    keeps: str = ""
    breaks: str = ""


@dataclass(frozen=True, slots=True)
class OutputRule:
    """One demand that can be checked with only the output.

    Args:
        id: `R1`, `R2`, …; does not change as long as the rule exists.
        text: one sentence.
        evidence: the words of the prompt that state it, as a quote; empty if there are none.
        inverse: a sentence that contradicts it; empty if not generated yet.
        grounding: how it was found to be in the prompt.
        check: how code can check it; None if nobody proposed a check.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    id: str
    text: str
    evidence: str = ""
    inverse: str = ""
    grounding: Grounding = "unknown"
    check: RuleCheck | None = None


@dataclass(frozen=True, slots=True)
class AuthorQuestion:
    """A question for the author of the prompt.

    Args:
        kind: reason for the question.
        about: ids of rules, or names of components.
        text: one sentence.
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    kind: QuestionKind
    about: tuple[str, ...]
    text: str


READ_BY_MODEL = "model:"
"""What the name of a reviewer starts with that is a model."""


@dataclass(frozen=True, slots=True)
class Specification:
    """The rules of a prompt.

    Args:
        prompt: SHA-256 of its prompt.
        intent: what the prompt is for, in a sentence or two.
        components: of the input.
        rules: of the output, in the order of their ids.
        questions: for the author.
        generator: the model that extracted it, as `provider:name`; `hand` if a person wrote it.
        reviewer: who reviewed it: a person, or `model: NAME`; empty before a review.
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
        """A person reviewed it, not only a model."""
        return bool(self.reviewer.strip()) and not self.reviewer.strip().lower().startswith(READ_BY_MODEL)

    def rule(self, name: str) -> OutputRule | None:
        """The rule with an id."""
        return next((rule for rule in self.rules if rule.id == name), None)

    @property
    def digest(self) -> str:
        """SHA-256 of all parts that tests are generated from."""
        inputs: list[JsonValue] = [
            [one.name, one.description, [[rule.text, rule.evidence] for rule in one.rules]] for one in self.components
        ]
        rules: list[JsonValue] = [[rule.id, rule.text, rule.inverse] for rule in self.rules]
        return digest({"intent": self.intent, "components": inputs, "rules": rules})


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule that code can check.

    Args:
        scorers: all must pass; named after the rule.
        wording: description of the check for users.
    """

    rule: str
    scorers: tuple[ScorerSpec, ...]
    wording: str


TestKind: TypeAlias = Literal["rule", "inverse", "control"]
Scenario: TypeAlias = Literal["boundary", "typical", "edge"]


@dataclass(frozen=True, slots=True)
class GeneratedTest:
    """One input that tests a rule.

    Args:
        id: unique within one generation: `R3-rule-1`, `R3-inverse-2`, `control-7`.
        kind: made from a rule, from its inverse, or by the control generator from only the prompt.
        rule: id; empty for a control case.
        input: the user's message; empty if `turns` or only `vars` are used.
        components: parts of the input, by the names of the specification.
        turns: messages of the user, for a test of several turns; else empty.
        vars: further values for a prompt that is a template.
        scenario: region of the input space; None for a control case.
        reasoning: why it tests the rule.
        behaviour: what a good output does; not a reference answer.
        expected: answer of a reference model, if requested.
        valid: does the input follow the input rules; None if not checked.
        invalid: reason if it does not.
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
        """The whole input as one text, to find duplicates."""
        if self.turns:
            return "\n".join(self.turns)
        return self.input or "\n".join(f"{name}: {value}" for name, value in sorted(self.vars.items()))


@dataclass(frozen=True, slots=True)
class Discarded:
    """A generated test that is not used.

    Args:
        why: one line for the summary, such as "the same as R1-rule-2".
    """

    __pydantic_config__: ClassVar[ConfigDict] = COMPLETE
    test: GeneratedTest
    why: str
