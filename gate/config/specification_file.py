"""The specification file, which people edit: reading, creating and updating."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from gate.config.documents import one_problem, printable, read_yaml
from gate.config.specification import (
    RULES_PER_COMPONENT,
    AuthorQuestion,
    CheckKind,
    CompiledRule,
    Component,
    Grounding,
    InputRule,
    OutputRule,
    QuestionKind,
    RuleCheck,
    Specification,
)
from gate.config.validation import FileModel, describe_attributes, file_schema, validate, value_error, value_errors
from gate.config.values import not_blank
from gate.config.yaml_editing import lines_of, rewritten
from gate.limits import PROMPT_CHARS, SPECIFICATION_CHARS
from gate.templates.rendering import plain_template
from gate.values import JsonValue, digest

VERSION = 1
BY_HAND = "hand"
_ID = re.compile(r"R[1-9][0-9]{0,5}")
_DIGITS = 8


def _rule_id(name: str) -> str:
    if name and not _ID.fullmatch(name):
        raise value_error("must be R and a number, such as R7", "or leave it out")
    return name


MaybeText: TypeAlias = Annotated[str, Field(max_length=PROMPT_CHARS)]
Text: TypeAlias = Annotated[MaybeText, AfterValidator(not_blank)]


class SpecificationModel(FileModel):
    """A part of the file."""

    model_config = ConfigDict(json_schema_extra=describe_attributes)


class InputRuleModel(SpecificationModel):
    """One demand on a component of the input."""

    meant = {"rule": "text"}

    text: Annotated[Text, Field(examples=["It is one sentence."])]
    evidence: MaybeText = ""


class ComponentModel(SpecificationModel):
    """One part of an input."""

    name: Annotated[Text, Field(max_length=200, examples=["question"])]
    description: MaybeText = ""
    rules: Annotated[list[InputRuleModel], Field(max_length=RULES_PER_COMPONENT)] = []


class CheckModel(SpecificationModel):
    """How code checks a rule."""

    kind: Annotated[CheckKind, Field(examples=["max_words"])]
    value: Annotated[list[str | int] | str | int, Field(examples=[80])] = []
    """The number or the words that the check is about; they have to stand in the rule or its evidence."""
    keeps: MaybeText = ""
    """An output that the rule allows."""
    breaks: MaybeText = ""
    """An output that breaks the rule."""


class RuleModel(SpecificationModel):
    """One demand that can be checked with only the output; only `rule` is required."""

    meant = {"text": "rule"}

    id: Annotated[str, AfterValidator(_rule_id)] = ""
    """R and a number; a rule without one gets the next free one."""
    rule: Annotated[Text, Field(examples=["The answer has at most 80 words."])]
    evidence: MaybeText = ""
    """The words of the prompt that state it."""
    inverse: MaybeText = ""
    """A sentence that contradicts the rule."""
    check: CheckModel | None = None
    """How code checks it; without one, or a plain sentence, a judge does."""
    grounding: Grounding | None = None
    origin: MaybeText = ""
    """Distinguishes an edited rule from a generated one."""
    obsolete: bool = False
    """The rule no longer exists; its id is not used again."""


class QuestionModel(SpecificationModel):
    """Something that the author of the prompt should decide."""

    kind: QuestionKind
    about: list[str] = []
    text: Annotated[Text, Field(examples=["Which of the two counts?"])]


class SpecificationFile(SpecificationModel):
    """The specification file."""

    meant = {"components": "inputs", "output": "rules", "model": "generator"}

    version: Literal[1]
    prompt: MaybeText = ""
    tests: MaybeText = ""
    generator: MaybeText = ""
    reviewer: MaybeText = ""
    intent: MaybeText = ""
    inputs: list[ComponentModel] = []
    rules: list[RuleModel] = []
    questions: list[QuestionModel] = []

    @model_validator(mode="after")
    def _each_once(self) -> "SpecificationFile":
        named: list[tuple[str, str, list[str]]] = [
            ("inputs", "name", [one.name for one in self.inputs]),
            ("rules", "id", [one.id for one in self.rules]),
        ]
        for where, key, names in named:
            for at, name in enumerate(names):
                if name and name in names[:at]:
                    other = f"{where}[{names.index(name)}]"
                    raise value_errors(((where, at, key), f"is {name!r}, the name of {other}", "rename one"))
        return self


def specification_schema() -> dict[str, Any]:
    """The JSON Schema of the specification file."""
    return file_schema(SpecificationFile, "specification")


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """A rule of the file.

    Args:
        rule: with an id, even if the file has none.
        obsolete: stays in the file only to reserve its id.
    """

    rule: OutputRule
    obsolete: bool


@dataclass(frozen=True, slots=True)
class SpecFile:
    """Content of the file.

    Args:
        specification: without obsolete rules.
        rules: all rules, in the order of the file.
        tests: stamp of the state that the tests in the case file were made from; empty before the first update.
    """

    specification: Specification
    rules: tuple[WrittenRule, ...]
    tests: str = ""

    @property
    def ids(self) -> frozenset[str]:
        """Ids of all rules, also of obsolete ones."""
        return frozenset(one.rule.id for one in self.rules)


def parse_specification(text: str, file: str) -> Specification:
    """The specification; see `read`."""
    return read_specification(text, file).specification


def read_specification(text: str, file: str) -> SpecFile:
    """Read the file.

    A rule without an id gets the next free one and counts as edited. A rule whose text differs from the generated one
    (by its `origin`) counts as edited, too; its inverse is dropped if it still belongs to the old text.
    """
    if len(text) > SPECIFICATION_CHARS:
        raise one_problem(file, 0, f"is longer than {SPECIFICATION_CHARS:,} characters", "shorten the specification")
    found = validate(SpecificationFile, read_yaml(text.removeprefix("\ufeff"), file))
    rules = _with_ids([_written_rule(one) for one in found.rules])
    specification = Specification(
        prompt=_unless_blank(found.prompt),
        intent=_unless_blank(found.intent),
        components=tuple(
            Component(
                one.name,
                _unless_blank(one.description),
                tuple(InputRule(rule.text, _unless_blank(rule.evidence)) for rule in one.rules),
            )
            for one in found.inputs
        ),
        rules=tuple(one.rule for one in rules if not one.obsolete),
        questions=tuple(AuthorQuestion(one.kind, tuple(one.about), one.text) for one in found.questions),
        generator=_unless_blank(found.generator) or BY_HAND,
        reviewer=_unless_blank(found.reviewer),
    )
    return SpecFile(specification, tuple(rules), _unless_blank(found.tests))


def specification_text(specification: Specification, compiled: Sequence[CompiledRule] = ()) -> str:
    """The text of a new file, which `parse_specification` reads as the same specification.

    Args:
        specification: no text in it consists of only white space.
        compiled: rules that code can check; each gets a comment that describes the check.
    """
    wordings: dict[str, list[str]] = {}
    for one in compiled:
        kinds = ", ".join(dict.fromkeys(spec.kind for spec in one.scorers))
        wordings.setdefault(one.rule, []).append(printable(f"{kinds} ({one.wording})"))
    head: dict[str, JsonValue] = {
        "version": VERSION,
        "prompt": specification.prompt,
        "generator": specification.generator or BY_HAND,
        "reviewer": specification.reviewer,
        "intent": specification.intent,
    }
    rules = [(lines_of([_rule(one)], 2), wordings.get(one.id, [])) for one in specification.rules]
    # The values are already quoted for YAML, and this is not HTML.
    text = plain_template("gate.config", "specification.yaml.j2").render(
        head=lines_of(head),
        inputs=[lines_of([_component(one)], 2) for one in specification.components],
        rules=[{"lines": lines, "checked": checked} for lines, checked in rules],
        questions=[lines_of([_question(one)], 2) for one in specification.questions],
    )
    return f"{text.rstrip()}\n"


def updated_specification(text: str, specification: Specification, file: str = "the specification") -> str:
    """The file updated to a later state of its rules; keeps what people have written.

    Adds new rules and missing inverses, marks missing rules as obsolete and returning rules as current, and updates the
    digest of the prompt. Other texts stay, but the reviewer is removed if rules were added or became obsolete.

    Args:
        specification: its rules have the ids of the file (`read_specification`); new rules have free ids.

    Raises:
        GateError: the file has YAML that cannot be edited safely.
    """
    found, data = read_specification(text, file), _data(text, file)
    listed = data.get("rules")
    rows: list[JsonValue] = listed if isinstance(listed, list) else []
    known = [
        _updated_row(row, written, specification.rule(written.rule.id)) if isinstance(row, dict) else row
        for row, written in zip(rows, found.rules, strict=False)
    ]
    new: list[JsonValue] = [_rule(rule) for rule in specification.rules if rule.id not in found.ids]
    removed = any(specification.rule(one.rule.id) is None and not one.obsolete for one in found.rules)
    if known or new:
        data["rules"] = [*known, *new]
    if (new or removed) and data.get("reviewer"):
        data["reviewer"] = ""  # nobody has reviewed the new state
    if specification.prompt and specification.prompt != found.specification.prompt:
        data["prompt"] = specification.prompt
    return rewritten(text, file, data)


def stamped_specification(text: str, tests: str, file: str = "the specification") -> str:
    """The file with the stamp of its tests (`gate.testgen.specdiff.update.stamp_of_tests`)."""
    if read_specification(text, file).tests == tests:
        return text
    return rewritten(text, file, {**_data(text, file), "tests": tests})


def _origin_of(rule: OutputRule) -> str:
    """Digests that later show whether a person edited the rule, and whether its inverse and its check belong to it."""
    texts = (rule.text, rule.inverse, *([] if rule.check is None else [_check_text(rule.check)]))
    return "-".join(map(_short_digest, texts))


def _check_text(check: RuleCheck | None) -> str:
    return "" if check is None else f"{check.kind}: {'; '.join(check.value)}"


def _short_digest(text: str) -> str:
    return digest(text)[:_DIGITS]


def _unless_blank(text: str) -> str:
    """The text; empty if it is blank."""
    return text if text.strip() else ""


def _written_rule(row: RuleModel) -> WrittenRule:
    inverse, grounding = _unless_blank(row.inverse), row.grounding or ("unknown" if row.origin else "edited")
    check = _rule_check(row.check)
    text_digest, inverse_digest, check_digest = (*row.origin.split("-"), "", "")[:3]
    if row.origin and text_digest != _short_digest(row.rule):
        grounding = "edited"
        inverse = "" if inverse_digest == _short_digest(inverse) else inverse
        check = None if check_digest == _short_digest(_check_text(check)) else check
    rule = OutputRule(row.id, row.rule, _unless_blank(row.evidence), inverse, grounding, check)
    return WrittenRule(rule, row.obsolete)


def _rule_check(row: CheckModel | None) -> RuleCheck | None:
    if row is None:
        return None
    values = row.value if isinstance(row.value, list) else [row.value]
    return RuleCheck(row.kind, tuple(map(str, values)), row.keeps, row.breaks)


def _with_ids(rules: Sequence[WrittenRule]) -> list[WrittenRule]:
    free = max((int(one.rule.id[1:]) for one in rules if one.rule.id), default=0)
    numbered: list[WrittenRule] = []
    for one in rules:
        if not one.rule.id:
            free += 1
            one = replace(one, rule=replace(one.rule, id=f"R{free}"))
        numbered.append(one)
    return numbered


def _data(text: str, file: str) -> dict[str, JsonValue]:
    data = read_yaml(text.removeprefix("\ufeff"), file).data
    return dict(data) if isinstance(data, dict) else {}


def _updated_row(row: dict[str, JsonValue], written: WrittenRule, now: OutputRule | None) -> dict[str, JsonValue]:
    after = dict(row)
    if "id" not in row:
        after["id"] = written.rule.id
    if (now is None) != written.obsolete:
        after["obsolete"] = now is None
    if now is not None and now.inverse and not written.rule.inverse:
        after["inverse"] = now.inverse
    return after


def _component(one: Component) -> dict[str, JsonValue]:
    rules: list[JsonValue] = [
        {"text": rule.text, **({"evidence": rule.evidence} if rule.evidence else {})} for rule in one.rules
    ]
    return {"name": one.name, "description": one.description, "rules": rules}


def _rule(rule: OutputRule) -> dict[str, JsonValue]:
    row: dict[str, Any] = {"id": rule.id, "rule": rule.text}
    if rule.evidence:
        row["evidence"] = rule.evidence
    if rule.inverse:
        row["inverse"] = rule.inverse
    if rule.check is not None:
        examples = {"keeps": rule.check.keeps, "breaks": rule.check.breaks}
        row["check"] = {"kind": rule.check.kind, "value": [*rule.check.value], **examples}
    row["grounding"] = rule.grounding
    if rule.grounding != "edited":
        row["origin"] = _origin_of(rule)
    return row


def _question(one: AuthorQuestion) -> dict[str, JsonValue]:
    return {"kind": one.kind, "about": [*one.about], "text": one.text}
