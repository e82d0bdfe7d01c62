"""Two versions of a prompt in, the difference of their promises out."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from os.path import commonprefix

from gate.domain.prompt import Prompt
from gate.domain.promptspec import Specification
from gate.domain.specdiff import SpecDiff
from gate.domain.words import counted
from gate.errors import CannotEvaluate
from gate.testgen.asking import Asker
from gate.testgen.compile.compile import compile_rule
from gate.testgen.effort import EffortSettings
from gate.testgen.input_spec import find_components
from gate.testgen.output_rules import NoRules, find_rules
from gate.testgen.specdiff.carry import Carried, carry_over, joined, of_new
from gate.testgen.specdiff.diff import Means, Version, identical, spec_diff
from gate.testgen.specify import OTHER_VERSION, Askers, specify
from gate.testgen.subject import PromptSubject


@dataclass(frozen=True, slots=True)
class Versions:
    """A prompt before and after.

    Args:
        base, head: both versions.
        given: the specification of the baseline's, where there is one.
    """

    base: PromptSubject
    head: PromptSubject
    given: Specification | None = None


@dataclass(frozen=True, slots=True)
class Readers:
    """Who reads them.

    Args:
        generator: extracts rules.
        judge: compares wordings that code cannot compare.
        settings: how much work goes into it.
        tell: tells the user what is being done.
    """

    generator: Asker
    judge: Asker
    settings: EffortSettings
    tell: Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Compared:
    """What came of it.

    Args:
        diff: what differs.
        base, head: the specifications; None where the prompts are the same, so that nobody read them.
        notes: what did not go as it should.
    """

    diff: SpecDiff
    base: Specification | None = None
    head: Specification | None = None
    notes: tuple[str, ...] = ()


_QUOTED = 80
"""Characters of a setting that a note quotes."""
MAYBE_REWORDED = "What is shown as dropped may live on in other words."
NONE_BEFORE = "No rule was found in the old version of the prompt."
NONE_NOW = f"No rule was found in what is new in the prompt. {MAYBE_REWORDED}"


async def compare_promises(versions: Versions, readers: Readers) -> Compared:
    """Which promises a change adds, drops, loosens and tightens.

    Prompts that are the same need no reading. A version without rules promises nothing. Of the baseline's specification
    everything whose words still stand is carried over, so that a model reads only what is new, and the same sentence is
    never worded twice.

    Args:
        versions: of the prompt.
        readers: who reads them.

    Raises:
        CannotEvaluate: the baseline's prompt could not be read.
    """
    if identical(versions.base, versions.head):
        return Compared(SpecDiff())
    base = versions.given
    notes: tuple[str, ...] = ()
    if base is not None and base.prompt not in (versions.base.digest, ""):
        notes = (OTHER_VERSION,)
    if base is None:
        base, notes = await _read_old(versions.base, readers)
    carried = carry_over(base, versions.base, versions.head)
    found, more = await _read_new(versions.head, carried, readers)
    head = joined(base, carried, found)
    sides = Version(base, versions.base), Version(head, versions.head)
    diff = await spec_diff(*sides, Means(readers.judge, compile_rule, lineage=True))
    return Compared(diff, base, head, (*diff.notes, *notes, *more))


def unheard(base: Prompt, head: Prompt) -> tuple[str, ...]:
    """What the file says differently beside its words, such as a schema of the answer, where no promise is read.

    Args:
        base, head: before and after.
    """
    old, new = dict(base.unused), dict(head.unused)
    differing = [key for key in sorted(old.keys() | new.keys()) if old.get(key) != new.get(key)]
    return tuple(
        f"The file says something else of {key} now, where no promise is read: {_apart(old.get(key), new.get(key))}."
        for key in differing
    )


def _apart(old: str | None, new: str | None) -> str:
    """Two values from shortly before the place where they part."""
    start = max(0, len(commonprefix([old or "", new or ""])) - _QUOTED // 4)
    return " → ".join(_from(value, start) for value in (old, new))


def _from(value: str | None, start: int) -> str:
    if value is None:
        return "nothing"
    return f"{'…' * bool(start)}{value[start : start + _QUOTED]}{'…' * (len(value) > start + _QUOTED)}"


async def _read_old(base: PromptSubject, readers: Readers) -> tuple[Specification, tuple[str, ...]]:
    settings = _plain(readers.settings)
    try:
        read = await specify(base, Askers(readers.generator, readers.judge), settings, None, readers.tell)
    except NoRules:
        return Specification(base.digest, ""), (NONE_BEFORE,)
    return read.specification, read.notes


def _plain(settings: EffortSettings) -> EffortSettings:
    """What is compared needs neither a review nor a judge of its grounds."""
    return replace(settings, review=False, ground=False)


async def _read_new(head: PromptSubject, carried: Carried, readers: Readers) -> tuple[Specification, tuple[str, ...]]:
    """What the new version says that the old one did not; nobody is asked where it says nothing new.

    A version that cannot be read hides nothing: what the old one promised is looked for in its words all the same.
    """
    blank = Specification(head.digest, "")
    if not carried.new:
        return blank, ()
    readers.tell(f"reading what is new: {counted(len(carried.new), 'passage')}")
    try:
        rules = await find_rules(head, readers.generator, readers.settings)
    except NoRules:
        return blank, (NONE_NOW,)
    except CannotEvaluate as error:
        return blank, (f"What is new in the prompt was not read: {error.message}. {MAYBE_REWORDED}",)
    inputs = await find_components(head, readers.generator, readers.settings.instructions.get("inputs", ""))
    found = of_new(replace(blank, rules=rules.value, components=inputs.value), carried, head)
    return found, (*rules.notes, *inputs.notes)
