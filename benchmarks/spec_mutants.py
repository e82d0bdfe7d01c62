"""Mutants of prompts with known promises: which dropped, loosened and tightened promises a comparison sees, and what it
says of changes that are none.

The rules of an unchanged sentence are carried over by code; those of a changed one were read by a person (`reads` in
the data) or, where code made the mutant, are the old rules whose words still stand. With `--read` the model of
`--model` reads them instead. Without `--model` nobody is asked about meaning either, and what code alone cannot tell is
"not known". Exit code 1 where code alone says something wrong.
"""

import argparse
import asyncio
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.mutating import KINDS, Mutant, mutants, subjects
from gate.calls.caller import Caller, CallPolicy
from gate.calls.providers.factory import Factory
from gate.config.models import ModelRef, Params, parse_model
from gate.config.policy import Budget
from gate.config.specification import Specification
from gate.environment.settings import Settings, keys_of
from gate.errors import CannotEvaluate
from gate.messages import Message
from gate.prompts.version import Prompt
from gate.record.parts import QUIET, SpecDiff
from gate.stats.intervals import wilson
from gate.testgen.effort import LEVELS
from gate.testgen.prompt_under_test import subject_of
from gate.testgen.questions import Asker
from gate.testgen.specdiff.carryover import CarriedSpecification, carry_over, joined_specification, without_carried
from gate.testgen.specdiff.diff import DiffMeans, PromptVersion, spec_diff
from gate.testgen.specification.extraction import find_rules

AT_ONCE = 8
"""Requests under way."""
STATES = {"sentence dropped": "removed", "words dropped": "removed"}
"""What a kind should be called, where the kind is not the word."""
HEAD = ("change", "mutants", "said rightly", "not known", "wrong", "other rules said to differ")
HARMLESS = ("paraphrased", "order", "white space", "markup")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the comparison said.

    Args:
        mutant: of what.
        states: by the id of each rule that is not quiet.
        notes: what could not be compared, and what no rule speaks of.
    """

    mutant: Mutant
    states: Mapping[str, str]
    notes: tuple[str, ...] = ()

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


async def outcome(mutant: Mutant, judge: Asker | None = None, *, read: bool = False) -> Outcome:
    """Compare one mutant with its prompt.

    Args:
        mutant: the change.
        judge: asked for what code cannot tell; None where nobody is.
        read: the judge finds the rules of changed sentences, too.
    """
    base = mutant.subject.version
    carried = carry_over(base.specification, base.text, mutant.text)
    found = Specification("", "", rules=mutant.reads)
    if judge is not None and read:
        found = await _read(mutant, carried, judge) if carried.new else replace(found, rules=())
    head = joined_specification(base.specification, carried, found)
    means = DiffMeans(judge, lambda rule: mutant.subject.code.get(rule.text), lineage=True)
    diff = await spec_diff(base, PromptVersion(head, mutant.text), means)
    return Outcome(mutant, _states(diff), diff.notes)


async def _read(mutant: Mutant, carried: CarriedSpecification, reader: Asker) -> Specification:
    """What a model finds in the changed sentences; nothing where it fails."""
    try:
        rules = await find_rules(subject_of(Prompt((Message("system", mutant.text),))), reader, LEVELS["medium"])
    except CannotEvaluate:
        return Specification("", "")
    return without_carried(Specification("", "", rules=rules.value), carried, mutant.text)


def drawn(seed: int, each: int | None = None) -> list[Mutant]:
    """Mutants of all prompts.

    Args:
        seed: of what code draws.
        each: no more than these of each kind.
    """
    found = [one for subject in subjects() for one in mutants(subject, random.Random(f"{seed}{subject.name}"))]
    if each is None:
        return found
    mixed = random.Random(seed).sample(found, len(found))
    return [one for kind in KINDS for one in [one for one in mixed if one.kind == kind][:each]]


async def outcomes(found: Sequence[Mutant], judge: Asker | None = None, *, read: bool = False) -> list[Outcome]:
    """What is said of each.

    Args:
        found: the mutants.
        judge, read: see `outcome`.
    """
    return list(await asyncio.gather(*(outcome(one, judge, read=read) for one in found)))


async def judged(found: Sequence[Mutant], model: ModelRef, max_usd: float, *, read: bool) -> list[Outcome]:
    """The same with a judge, by the keys of the environment.

    Args:
        found: the mutants.
        model: the judge.
        max_usd: no more dollars than these.
        read: see `outcome`.
    """
    settings = Settings.from_environ()
    factory = Factory(keys_of(settings), settings.cache_dir, AT_ONCE, lambda path: Path(path).read_text("utf-8"))
    policy = CallPolicy(AT_ONCE, budget=Budget(max_usd=max_usd))
    caller = Caller(factory.provider, policy, random.Random(0), factory.price)
    try:
        return await outcomes(found, Asker(caller, model, Params(max_output_tokens=2_000)), read=read)
    finally:
        await factory.close()


def table(found: Sequence[Outcome], by: str) -> Table:
    """What was said, kind by kind, with 95 % Wilson intervals.

    Args:
        found: of all mutants.
        by: who compared.
    """
    out = Table(title=f"Comparison by {by}", title_justify="left")
    for name in HEAD:
        out.add_column(name, justify="left" if name == HEAD[0] else "right")
    for row in rows(found):
        out.add_row(*row)
    return out


def rows(found: Sequence[Outcome]) -> Iterator[tuple[str, ...]]:
    """The cells under `HEAD`."""
    for kind in KINDS:
        own = [one for one in found if one.mutant.kind == kind]
        right, wrong = sum(one.right for one in own), sum(one.wrong for one in own)
        alarms = "–" if kind in HARMLESS else _rate(sum(one.alarm for one in own), len(own))
        unknown = str(len(own) - right - wrong)
        yield kind, str(len(own)), _rate(right, len(own)), unknown, _rate(wrong, len(own)), alarms


def main(arguments: Sequence[str]) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.add_argument("--seed", type=int, default=9, help="of what code draws")
    parser.add_argument("--list", action="store_true", help="name each mutant that was not named rightly")
    parser.add_argument("--model", type=parse_model, help="a judge, as provider:name; keys are those of the gate")
    parser.add_argument("--read", action="store_true", help="the model reads changed sentences, too")
    parser.add_argument("--each", type=int, help="no more mutants of each kind than these, drawn by the seed")
    parser.add_argument("--max-usd", type=float, default=1.0, help="no more dollars than these")
    wanted = parser.parse_args(arguments)
    if wanted.read and not wanted.model:
        parser.error("--read needs --model")
    console = Console(width=140 if not sys.stdout.isatty() else None)
    tried = drawn(wanted.seed, wanted.each)
    asked = judged(tried, wanted.model, wanted.max_usd, read=wanted.read) if wanted.model else outcomes(tried)
    found = asyncio.run(asked)
    job = ", which reads as well" if wanted.read else ", which judges"
    console.print(table(found, f"code and {wanted.model}{job}" if wanted.model else "code alone"))
    if failed := [note for one in found for note in one.notes]:
        console.print(f"{len(failed)} notes, such as: {failed[0]}", highlight=False, markup=False)
    for one in found if wanted.list else ():
        if not one.right or one.alarm:
            about = f"{one.mutant.subject.name}, {one.mutant.kind} {sorted(one.mutant.rules)}: {dict(one.states)}"
            console.print(about, highlight=False, markup=False)
    return int(not wanted.model and any(one.wrong or one.alarm for one in found))


def _states(diff: SpecDiff) -> dict[str, str]:
    return {(one.base or one.rule).id: one.state for one in diff.rules if one.state not in QUIET}


def _rate(count: int, n: int) -> str:
    found = wilson(count, n)
    return f"{count}/{n} [{found.lower:.0%}, {found.upper:.0%}]" if n else "–"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
