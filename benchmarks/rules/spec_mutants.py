"""Changes prompts with known rules, and counts the dropped, loosened and tightened rules that a comparison finds, and
its false alarms on harmless changes.

Code carries over the rules of unchanged sentences. The rules of a changed sentence were found by a person (`reads` in
the data) or, in mutants made by code, are the old rules whose words are still there. With `--read`, the model of
`--model` finds them instead. Without `--model`, no model is called, and what code cannot decide is "not known". The
exit code is 1 if code without a model reports something wrong.
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

from benchmarks.rules.prompt_mutants import KINDS, Mutant, mutants, subjects
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
"""Concurrent requests."""
STATES = {"sentence dropped": "removed", "words dropped": "removed"}
"""The expected state of a kind of change, if it differs from the kind's name."""
HEAD = ("change", "mutants", "right", "not known", "wrong", "false alarms on other rules")
HARMLESS = ("paraphrased", "order", "white space", "markup")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a comparison.

    Args:
        mutant: the mutant.
        states: state by rule id, without quiet rules.
        notes: what could not be compared, and text that no rule covers.
    """

    mutant: Mutant
    states: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether every affected rule has the right state; for a harmless change, whether nothing is reported."""
        if self.mutant.kind in HARMLESS:
            return not self.states
        wanted = STATES.get(self.mutant.kind, self.mutant.kind)
        return all(self.states.get(name) == wanted for name in self.mutant.rules)

    @property
    def wrong(self) -> bool:
        """Whether an affected rule is missed or has a wrong state; for a harmless one, whether a rule is reported."""
        said = self.states.values() if self.mutant.kind in HARMLESS else map(self._said, self.mutant.rules)
        return not self.right and any(state != "unknown" for state in said)

    @property
    def alarm(self) -> bool:
        """Whether another rule is reported."""
        return any(state != "unknown" for name, state in self.states.items() if name not in self.mutant.rules)

    def _said(self, name: str) -> str:
        wanted = STATES.get(self.mutant.kind, self.mutant.kind)
        found = self.states.get(name, "missed")
        return "unknown" if found in (wanted, "unknown") else found


async def outcome(mutant: Mutant, judge: Asker | None = None, *, read: bool = False) -> Outcome:
    """Compare one mutant with its prompt.

    Args:
        mutant: the change.
        judge: decides what code cannot decide; None for code only.
        read: the judge also finds the rules of changed sentences.
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
    """The rules that a model finds in the changed sentences; empty if it fails."""
    try:
        rules = await find_rules(subject_of(Prompt((Message("system", mutant.text),))), reader, LEVELS["medium"])
    except CannotEvaluate:
        return Specification("", "")
    return without_carried(Specification("", "", rules=rules.value), carried, mutant.text)


def drawn(seed: int, each: int | None = None) -> list[Mutant]:
    """Mutants of all prompts.

    Args:
        seed: seed of the random choices.
        each: the most mutants of each kind.
    """
    found = [one for subject in subjects() for one in mutants(subject, random.Random(f"{seed}{subject.name}"))]
    if each is None:
        return found
    mixed = random.Random(seed).sample(found, len(found))
    return [one for kind in KINDS for one in [one for one in mixed if one.kind == kind][:each]]


async def outcomes(found: Sequence[Mutant], judge: Asker | None = None, *, read: bool = False) -> list[Outcome]:
    """Compare each mutant.

    Args:
        found: the mutants.
        judge, read: see `outcome`.
    """
    return list(await asyncio.gather(*(outcome(one, judge, read=read) for one in found)))


async def judged(found: Sequence[Mutant], model: ModelRef, max_usd: float, *, read: bool) -> list[Outcome]:
    """The same with a judge, with API keys from the environment.

    Args:
        found: the mutants.
        model: the judge.
        max_usd: limit in dollars.
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
    """The results by kind, with 95 % Wilson intervals.

    Args:
        found: results of all mutants.
        by: what made the comparison.
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
    parser.add_argument("--seed", type=int, default=9, help="seed of the random choices")
    parser.add_argument("--list", action="store_true", help="list each mutant with a wrong or unknown result")
    parser.add_argument(
        "--model", type=parse_model, help="a judge, as provider:name; set the same API keys as for the gate"
    )
    parser.add_argument("--read", action="store_true", help="the model also finds the rules of changed sentences")
    parser.add_argument("--each", type=int, help="limit of mutants per kind, drawn with the seed")
    parser.add_argument("--max-usd", type=float, default=1.0, help="limit in dollars")
    wanted = parser.parse_args(arguments)
    if wanted.read and not wanted.model:
        parser.error("--read needs --model")
    console = Console(width=140 if not sys.stdout.isatty() else None)
    tried = drawn(wanted.seed, wanted.each)
    asked = judged(tried, wanted.model, wanted.max_usd, read=wanted.read) if wanted.model else outcomes(tried)
    found = asyncio.run(asked)
    job = ", which also finds the rules" if wanted.read else ""
    console.print(table(found, f"code and {wanted.model}{job}" if wanted.model else "code only"))
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
