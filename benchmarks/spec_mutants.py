"""Mutants of prompts with known promises: which dropped, loosened and tightened promises a comparison sees, and what it
says of changes that are none.

No model reads anything here. The rules of an unchanged sentence are carried over by code; those of a changed one are
read by a person (`reads` in the data) or, where code made the mutant, are the old rules whose words still stand. Nobody
is asked about meaning either, so what code alone cannot tell is "not known". `--list` prints each mutant that was not
named rightly, `--seed` draws others.
"""

import argparse
import asyncio
import random
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from rich.console import Console
from rich.table import Table
from ruamel.yaml import YAML

from gate.domain.case import ScorerSpec
from gate.domain.promptspec import CompiledRule, OutputRule, Specification
from gate.domain.specdiff import QUIET, SpecDiff
from gate.stats.wilson import wilson
from gate.testgen.specdiff.carry import carry_over, joined
from gate.testgen.specdiff.diff import Means, Version, spec_diff
from gate.testgen.specdiff.place import spans
from gate.testgen.specdiff.units import Unit, units_of

DATA = Path(__file__).parent / "data" / "spec_mutants"
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
STATES = {"sentence dropped": "removed", "words dropped": "removed"}
"""What a kind should be called, where the kind is not the word."""
HARMLESS = ("paraphrased", "order", "white space", "markup")


@dataclass(frozen=True, slots=True)
class Subject:
    """One prompt.

    Args:
        name: of the prompt.
        version: text and specification.
        code: what code checks, by the words of a rule.
        changes: those that a person made.
    """

    name: str
    version: Version
    code: Mapping[str, CompiledRule]
    changes: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one prompt.

    Args:
        subject: the prompt.
        kind: what was done.
        text: the changed prompt.
        rules: ids of the rules that it is about; none for a change that is none.
        reads: the rules of its changed sentences.
    """

    subject: Subject
    kind: Kind
    text: str
    rules: frozenset[str]
    reads: tuple[OutputRule, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the comparison said.

    Args:
        mutant: of what.
        states: by the id of each rule that is not quiet.
    """

    mutant: Mutant
    states: Mapping[str, str]

    @property
    def right(self) -> bool:
        """Every rule that it is about has the right name; of a change that is none, nothing is said."""
        if self.mutant.kind in HARMLESS:
            return not self.states
        wanted = STATES.get(self.mutant.kind, self.mutant.kind)
        return all(self.states.get(name) == wanted for name in self.mutant.rules)

    @property
    def wrong(self) -> bool:
        """A rule that it is about is missed or has a wrong name; of a change that is none, one is said to differ."""
        said = self.states.values() if self.mutant.kind in HARMLESS else map(self._said, self.mutant.rules)
        return not self.right and any(state != "unknown" for state in said)

    @property
    def alarm(self) -> bool:
        """Another rule is said to differ."""
        return any(state != "unknown" for name, state in self.states.items() if name not in self.mutant.rules)

    def _said(self, name: str) -> str:
        wanted = STATES.get(self.mutant.kind, self.mutant.kind)
        found = self.states.get(name, "missed")
        return "unknown" if found in (wanted, "unknown") else found


def subjects() -> tuple[Subject, ...]:
    """The prompts in the data."""
    found = []
    for file in sorted(DATA.glob("*.yaml")):
        for row in YAML(typ="safe").load(file.read_text(encoding="utf-8")):
            rules = tuple(_rule(one["id"], one) for one in row["rules"])
            worded = [*row["rules"], *(read for change in row["changes"] for read in change["reads"])]
            code = {one["text"]: _code(one["code"]) for one in worded if "code" in one}
            version = Version(Specification("", "", rules=rules, generator="hand"), row["text"])
            found.append(Subject(row["name"], version, code, row["changes"]))
    return tuple(found)


def mutants(subject: Subject, draw: random.Random) -> Iterator[Mutant]:
    """All changes of one prompt: by code and by hand."""
    text, rules = subject.version.text, subject.version.specification.rules
    for unit in units_of(text):
        hit = frozenset(rule.id for rule in rules if _rests(rule, text, unit))
        if hit:
            gone = text[: unit.start] + text[unit.end :]
            yield Mutant(subject, "sentence dropped", gone, hit, _left(subject, gone, hit))
    for rule in rules:
        ((start, end), *_) = spans(rule.evidence, text)
        gone = text[:start] + text[end:]
        hit = frozenset(one.id for one in rules if not spans(one.evidence, gone))
        yield Mutant(subject, "words dropped", gone, hit, _left(subject, gone, hit))
    for change in subject.changes:
        put = text.replace(change["find"], change["put"], 1)
        reads = tuple(_rule(f"R{place}", one) for place, one in enumerate(change["reads"], 1))
        yield Mutant(subject, change["kind"], put, frozenset({change["rule"]}), reads)
    kinds: tuple[Kind, ...] = ("order", "white space", "markup")
    for kind in kinds:
        for _ in range(5):
            yield Mutant(subject, kind, _harmless(kind, text, draw), frozenset(), ())


def outcome(mutant: Mutant) -> Outcome:
    """Compare, without any model."""
    base = mutant.subject.version
    carried = carry_over(base.specification, base.text, mutant.text)
    head = joined(base.specification, carried, Specification("", "", rules=mutant.reads))
    compiled = Means(compiled=lambda rule: mutant.subject.code.get(rule.text), lineage=True)
    diff = asyncio.run(spec_diff(base, Version(head, mutant.text), compiled))
    return Outcome(mutant, _states(diff))


def table(outcomes: Sequence[Outcome]) -> Table:
    """What was said, kind by kind, with 95 % Wilson intervals."""
    out = Table(title="Comparison by code alone", title_justify="left")
    for name in ("change", "mutants", "said rightly", "not known", "wrong", "other rules said to differ"):
        out.add_column(name, justify="left" if name == "change" else "right")
    for kind in KINDS:
        own = [one for one in outcomes if one.mutant.kind == kind]
        right, wrong = sum(one.right for one in own), sum(one.wrong for one in own)
        alarms = "" if kind in HARMLESS else _rate(sum(one.alarm for one in own), len(own))
        cells = (_rate(right, len(own)), str(len(own) - right - wrong), _rate(wrong, len(own)), alarms)
        out.add_row(kind, str(len(own)), *cells)
    return out


def main(arguments: Sequence[str]) -> int:
    """Print the table; exit code 1 where code alone said something wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--list", action="store_true")
    wanted = parser.parse_args(arguments)
    console = Console(width=140 if not sys.stdout.isatty() else None)
    outcomes = [
        outcome(one)
        for subject in subjects()
        for one in mutants(subject, random.Random(f"{wanted.seed}{subject.name}"))
    ]
    console.print(table(outcomes))
    for one in outcomes if wanted.list else ():
        if not one.right or one.alarm:
            about = f"{one.mutant.subject.name}, {one.mutant.kind} {sorted(one.mutant.rules)}: {dict(one.states)}"
            console.print(about, highlight=False, markup=False)
    return int(any(one.wrong or one.alarm for one in outcomes))


def _rule(name: str, row: Mapping[str, Any]) -> OutputRule:
    return OutputRule(name, row["text"], row["evidence"], grounding="verbatim")


def _code(code: Mapping[str, Mapping[str, Any]]) -> CompiledRule:
    return CompiledRule("", tuple(ScorerSpec(kind, kind, options) for kind, options in code.items()), "by hand")


def _rests(rule: OutputRule, text: str, unit: Unit) -> bool:
    return any(start < unit.end and unit.start < end for start, end in spans(rule.evidence, text))


def _left(subject: Subject, text: str, gone: frozenset[str]) -> tuple[OutputRule, ...]:
    """The rules that a reader still finds in the sentences that changed."""
    base = subject.version
    carried = {rule.id for rule in carry_over(base.specification, base.text, text).rules}
    return tuple(
        replace(rule, id=f"R{place}")
        for place, rule in enumerate(base.specification.rules)
        if rule.id not in gone and rule.id not in carried and spans(rule.evidence, text)
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
    """Sentences of one scope change places; headings and lead-ins stay."""
    whole = (unit for unit in units_of(text) if not unit.words.endswith(":"))
    units = [unit for unit in whole if text[: unit.end].endswith((".", "!", "?")) or unit.under]
    scopes = {under: [one for one in units if one.under == under] for under in {one.under for one in units}}
    several = sorted(under for under, own in scopes.items() if len(own) > 1 and not _titled(text, own))
    if not several:
        return text
    own = scopes[draw.choice(several)]
    first, second = sorted(draw.sample(own, 2), key=lambda unit: unit.start)
    one, two = text[first.start : first.end], text[second.start : second.end]
    return text[: first.start] + two + text[first.end : second.start] + one + text[second.end :]


def _titled(text: str, own: Sequence[Unit]) -> bool:
    return any(text[one.start] == "#" for one in own)


def _states(diff: SpecDiff) -> dict[str, str]:
    return {(one.base or one.rule).id: one.state for one in diff.rules if one.state not in QUIET}


def _rate(count: int, n: int) -> str:
    found = wilson(count, n)
    return f"{count}/{n} [{found.lower:.0%}, {found.upper:.0%}]" if n else "–"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
