"""The specification of a prompt as a file that a person edits: everything that is wrong with it is told at once."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import cast, get_args

from gate.domain.jsonvalue import digest
from gate.domain.promptspec import (
    RULES_PER_COMPONENT,
    AuthorQuestion,
    Component,
    Grounding,
    InputRule,
    OutputRule,
    QuestionKind,
    Specification,
)
from gate.inputs.fields import Fields
from gate.inputs.limits import PROMPT_CHARS, SPECIFICATION_CHARS
from gate.inputs.nodes import described
from gate.inputs.problems import Problems, one_problem, quoted
from gate.inputs.yamltext import parse_yaml

VERSION = 1
KEYS = ("version", "prompt", "tests", "generator", "reviewer", "intent", "inputs", "rules", "questions")
INPUT = ("name", "description", "rules")
INPUT_RULE = ("text", "evidence")
RULE = ("id", "rule", "evidence", "inverse", "grounding", "origin", "obsolete")
QUESTION = ("kind", "about", "text")
GROUNDINGS: tuple[str, ...] = get_args(Grounding)
QUESTION_KINDS: tuple[str, ...] = get_args(QuestionKind)
BY_HAND = "hand"

_ID = re.compile(r"R[1-9][0-9]{0,5}")
_DIGITS = 8


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """A rule as the file has it.

    Args:
        rule: with its id, given or not.
        obsolete: it is kept for its id alone.
    """

    rule: OutputRule
    obsolete: bool


@dataclass(frozen=True, slots=True)
class SpecFile:
    """What the file says.

    Args:
        specification: without rules that are obsolete.
        rules: all of them, in the order of the file.
        tests: what the tests in the case file were made from, as an update left it; empty where it did not.
    """

    specification: Specification
    rules: tuple[WrittenRule, ...]
    tests: str = ""

    @property
    def taken(self) -> frozenset[str]:
        """Ids that no new rule may have."""
        return frozenset(one.rule.id for one in self.rules)


def parse(text: str, file: str) -> Specification:
    """The specification; see `read`."""
    return read(text, file).specification


def read(text: str, file: str) -> SpecFile:
    """Read the file.

    A rule needs nothing but `rule`: it gets the next free id, and counts as edited. So does one whose text is not what
    was generated, which its `origin` tells; an inverse that is still that of the old text is left out then.

    Args:
        text: YAML.
        file: its path, for messages.

    Raises:
        InputErrors: every mistake.
    """
    if len(text) > SPECIFICATION_CHARS:
        raise one_problem(file, 0, f"is longer than {SPECIFICATION_CHARS:,} characters", "a specification is shorter")
    problems = Problems(file)
    root = parse_yaml(text, problems)
    problems.check()
    fields = Fields(root, "", problems)
    fields.only(KEYS, meant={"components": "inputs", "output": "rules", "model": "generator"})
    if fields.require("version", f"version: {VERSION}") and (found := fields.get("version")):
        if found.value != VERSION or isinstance(found.value, bool):
            problems.add(found.line, f"version must be {VERSION}, not {described(found.value)}")
    rules = _rules(fields)
    specification = Specification(
        prompt=_text(fields, "prompt"),
        intent=_text(fields, "intent"),
        components=_components(fields),
        rules=tuple(one.rule for one in rules if not one.obsolete),
        questions=tuple(_questions(fields)),
        generator=_text(fields, "generator") or BY_HAND,
        reviewer=_text(fields, "reviewer"),
    )
    tests = _text(fields, "tests")
    problems.check()
    return SpecFile(specification, rules, tests)


def origin_of(rule: OutputRule) -> str:
    """What tells later whether a person has edited the rule, and whether its inverse was made for it."""
    return f"{_short(rule.text)}-{_short(rule.inverse)}"


def _short(text: str) -> str:
    return digest(text)[:_DIGITS]


def _text(fields: Fields, key: str) -> str:
    """Empty where it is missing, nothing or blank."""
    node = fields.get(key)
    if node is None or node.value is None or (isinstance(node.value, str) and not node.value.strip()):
        return ""
    return fields.text(key, most=PROMPT_CHARS)


def _listed(fields: Fields, key: str, name: str) -> Iterator[Fields]:
    """The mappings of a list."""
    node = fields.get(key)
    if node is None or node.value is None:
        return
    if not isinstance(node.value, tuple):
        fields.problems.add(node.line, f"{key} must be a list, not {described(node.value)}", "begin each with '- '")
        return
    for number, item in enumerate(node.value, start=1):
        if isinstance(item.value, Mapping):
            yield Fields(item, f"{name} {number}", fields.problems)
        else:
            message = f"{name} {number} must be a mapping, not {described(item.value)}"
            fields.problems.add(item.line, message, "write '- rule: …'" if key == "rules" else "")


def _components(fields: Fields) -> tuple[Component, ...]:
    found: dict[str, Component] = {}
    for one in _listed(fields, "inputs", "input"):
        one.only(INPUT)
        one.require("name", "name: question")
        name = one.text("name")
        if name in found:
            one.problems.add(one.line_of("name"), f"two inputs are named {quoted(name)}", "give one another name")
        rules = tuple(_input_rule(rule) for rule in _listed(one, "rules", f"{one.name}, rule"))
        if len(rules) > RULES_PER_COMPONENT:
            message = f"{one.name} has {len(rules)} rules; at most {RULES_PER_COMPONENT} are allowed"
            one.problems.add(one.line_of("rules"), message, "keep those that matter most")
        found[name] = Component(name, _text(one, "description"), rules)
    return tuple(found.values())


def _input_rule(fields: Fields) -> InputRule:
    fields.only(INPUT_RULE, meant={"rule": "text"})
    fields.require("text", 'text: "It is one sentence."')
    return InputRule(fields.text("text", most=PROMPT_CHARS), _text(fields, "evidence"))


def _rules(fields: Fields) -> tuple[WrittenRule, ...]:
    listed = list(_listed(fields, "rules", "rule"))
    lines: dict[str, int] = {}
    read = [_rule(one, lines) for one in listed]
    free = max((int(name[1:]) for name in lines), default=0)
    numbered: list[WrittenRule] = []
    for one in read:
        if not one.rule.id:
            free += 1
            one = replace(one, rule=replace(one.rule, id=f"R{free}"))
        numbered.append(one)
    return tuple(numbered)


def _rule(fields: Fields, lines: dict[str, int]) -> WrittenRule:
    fields.only(RULE, meant={"text": "rule"})
    fields.require("rule", 'rule: "The answer has at most 80 words."')
    text, inverse, origin = fields.text("rule", most=PROMPT_CHARS), _text(fields, "inverse"), _text(fields, "origin")
    grounding = fields.choice("grounding", "unknown" if origin else "edited", GROUNDINGS)
    own, _, other = origin.partition("-")
    if origin and own != _short(text):
        grounding = "edited"
        inverse = "" if other == _short(inverse) else inverse
    rule = OutputRule(_rule_id(fields, lines), text, _text(fields, "evidence"), inverse, cast("Grounding", grounding))
    return WrittenRule(rule, fields.flag("obsolete", False))


def _rule_id(fields: Fields, lines: dict[str, int]) -> str:
    name, line = _text(fields, "id"), fields.line_of("id")
    if not name:
        return ""
    if not _ID.fullmatch(name):
        fields.problems.add(line, f"{fields.name}.id must be R and a number, not {quoted(name)}", "or leave it out")
        return ""
    if name in lines:
        message = f"the id {name} is already used on line {lines[name]}"
        fields.problems.add(line, message, "leave the id out, and the rule gets one")
    lines.setdefault(name, line)
    return name


def _questions(fields: Fields) -> Iterator[AuthorQuestion]:
    for one in _listed(fields, "questions", "question"):
        one.only(QUESTION)
        for key, example in (("kind", "kind: conflict"), ("text", 'text: "Which of the two counts?"')):
            one.require(key, example)
        kind = one.choice("kind", "assumption", QUESTION_KINDS)
        about = tuple(str(node.value) for node in one.texts("about"))
        yield AuthorQuestion(cast("QuestionKind", kind), about, one.text("text", most=PROMPT_CHARS))
