"""Prompts with known rules, and changed versions of them: made by code, and by hand in the data."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from ruamel.yaml import YAML

from benchmarks.paths import DATA
from gate.config.scorer import ScorerSpec
from gate.config.specification import CompiledRule, OutputRule, Specification
from gate.testgen.specdiff.carryover import carry_over
from gate.testgen.specdiff.diff import PromptVersion
from gate.testgen.specdiff.places import quoted_spans
from gate.testgen.specdiff.sentences import PromptSentence, sentences_of

Kind: TypeAlias = Literal[
    "sentence dropped",
    "words dropped",
    "loosened",
    "tightened",
    "added",
    "paraphrased",
    "order",
    "white space",
    "markup",
]
KINDS: tuple[Kind, ...] = (
    "sentence dropped", "words dropped", "loosened", "tightened", "added",
    "paraphrased", "order", "white space", "markup",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Subject:
    """One prompt.

    Args:
        name: name of the prompt.
        version: text and specification.
        code: scorers by the text of a rule.
        changes: changes made by hand.
    """

    name: str
    version: PromptVersion
    code: Mapping[str, CompiledRule]
    changes: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one prompt.

    Args:
        subject: the prompt.
        kind: kind of change.
        text: the changed prompt.
        rules: ids of the affected rules; empty for a harmless change.
        reads: the rules of its changed sentences.
    """

    subject: Subject
    kind: Kind
    text: str
    rules: frozenset[str]
    reads: tuple[OutputRule, ...]


def subjects() -> tuple[Subject, ...]:
    """The prompts in the data."""
    found = []
    for file in sorted((DATA / "spec_mutants").glob("*.yaml")):
        for row in YAML(typ="safe").load(file.read_text(encoding="utf-8")):
            rules = tuple(_rule(one["id"], one) for one in row["rules"])
            worded = [*row["rules"], *(read for change in row["changes"] for read in change["reads"])]
            code = {one["text"]: _code(one["code"]) for one in worded if "code" in one}
            version = PromptVersion(Specification("", "", rules=rules, generator="hand"), row["text"])
            found.append(Subject(row["name"], version, code, row["changes"]))
    return tuple(found)


def mutants(subject: Subject, draw: random.Random) -> Iterator[Mutant]:
    """All changes of one prompt, by code and by hand."""
    text, rules = subject.version.text, subject.version.specification.rules
    for unit in sentences_of(text):
        hit = frozenset(rule.id for rule in rules if _rests(rule, text, unit))
        if hit:
            gone = text[: unit.start] + text[unit.end :]
            yield Mutant(subject, "sentence dropped", gone, hit, _left(subject, gone, hit))
    for rule in rules:
        ((start, end), *_) = quoted_spans(rule.evidence, text)
        gone = text[:start] + text[end:]
        hit = frozenset(one.id for one in rules if not quoted_spans(one.evidence, gone))
        yield Mutant(subject, "words dropped", gone, hit, _left(subject, gone, hit))
    for change in subject.changes:
        put = text.replace(change["find"], change["put"], 1)
        reads = tuple(_rule(f"R{place}", one) for place, one in enumerate(change["reads"], 1))
        yield Mutant(subject, change["kind"], put, frozenset({change["rule"]}), reads)
    kinds: tuple[Kind, ...] = ("order", "white space", "markup")
    for kind in kinds:
        for _ in range(5):
            yield Mutant(subject, kind, _harmless(kind, text, draw), frozenset(), ())


def _rule(name: str, row: Mapping[str, Any]) -> OutputRule:
    return OutputRule(name, row["text"], row["evidence"], grounding="verbatim")


def _code(code: Mapping[str, Mapping[str, Any]]) -> CompiledRule:
    return CompiledRule("", tuple(ScorerSpec(kind, kind, options) for kind, options in code.items()), "by hand")


def _rests(rule: OutputRule, text: str, unit: PromptSentence) -> bool:
    return any(start < unit.end and unit.start < end for start, end in quoted_spans(rule.evidence, text))


def _left(subject: Subject, text: str, gone: frozenset[str]) -> tuple[OutputRule, ...]:
    """The rules that are still in the changed sentences."""
    base = subject.version
    carried = {rule.id for rule in carry_over(base.specification, base.text, text).rules}
    return tuple(
        replace(rule, id=f"R{place}")
        for place, rule in enumerate(base.specification.rules)
        if rule.id not in gone and rule.id not in carried and quoted_spans(rule.evidence, text)
    )


def _harmless(kind: Kind, text: str, draw: random.Random) -> str:
    if kind == "order":
        return _reordered(text, draw)
    if kind == "white space":
        gaps = re.sub(r"(?<=[a-zäöü,]) (?=[a-zäöü])", lambda found: draw.choice([" ", " ", " ", "\n", "  "]), text)
        return gaps.replace("\n\n", draw.choice(["\n\n", "\n\n\n"]))
    marked = re.sub(r"(?m)^- ", draw.choice(["* ", "1. ", "• "]), text)
    word = draw.choice(re.findall(r"(?<=[a-z] )[a-z]{4,}(?= [a-z])", marked))
    return re.sub(rf"\b{word}\b", draw.choice(["**{}**", "__{}__"]).format(word), marked)


def _reordered(text: str, draw: random.Random) -> str:
    """Reorder the sentences of one scope; headings and lead-ins stay."""
    whole = (unit for unit in sentences_of(text) if not unit.words.endswith(":"))
    units = [unit for unit in whole if text[: unit.end].endswith((".", "!", "?")) or unit.under]
    scopes = {under: [one for one in units if one.under == under] for under in {one.under for one in units}}
    several = sorted(under for under, own in scopes.items() if len(own) > 1 and not _titled(text, own))
    if not several:
        return text
    own = scopes[draw.choice(several)]
    first, second = sorted(draw.sample(own, 2), key=lambda unit: unit.start)
    one, two = text[first.start : first.end], text[second.start : second.end]
    return text[: first.start] + two + text[first.end : second.start] + one + text[second.end :]


def _titled(text: str, own: Sequence[PromptSentence]) -> bool:
    return any(text[one.start] == "#" for one in own)
