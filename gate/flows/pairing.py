"""Which suite of the head belongs to which suite of the base, and what the head would leave without an exam."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gate.errors import CannotEvaluate, GateError
from gate.inputs.config import Config
from gate.inputs.names import name_complaint
from gate.inputs.paths import is_glob
from gate.inputs.problems import quoted
from gate.inputs.source import FileSource
from gate.inputs.suites import SuiteConfig, expand


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides of a comparison in one repository.

    Args:
        base: the merge target.
        head: the change as it would be merged.
    """

    base: FileSource
    head: FileSource


@dataclass(frozen=True, slots=True)
class Pair:
    """One suite as the head has it, with the configuration that its exam comes from.

    Args:
        current: the head's configuration of the suite; the base's own where the head has left the suite out.
        exam: the configuration of the exam.
        source: where the exam is read.
        own_exam: the base does not know the suite, so the exam is the change's own.
        new_prompt: the base has no such file and no suite for it: there is nothing to compare it with.
        left_out: the head no longer has a suite for this prompt.
    """

    current: SuiteConfig
    exam: SuiteConfig
    source: FileSource
    own_exam: bool = False
    new_prompt: bool = False
    left_out: bool = False


def pair(sides: Sides, head: Config, base: Config | None, names: Sequence[str]) -> list[Pair]:
    """Find the partner of each suite.

    A prompt that the base examines is examined, even if the head drops its suite or points the suite at another file:
    otherwise a change could take its own exam away.

    Args:
        sides: where patterns are looked up.
        head, base: both configurations; None where the base has none.
        names: suites to look at; empty for all.

    Raises:
        GateError: a name that neither side knows.
        CannotEvaluate: a prompt that the base examines is gone.
    """
    heads = _by_name(head, sides.head)
    bases = _by_name(base, sides.base) if base else {}
    known = {**bases, **heads}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise GateError(f"there is no suite named {', '.join(unknown)}", f"known suites: {', '.join(known)}")
    expected = _expected(base, bases, sides) if base else {}
    partners = _partners(heads, bases)
    free = list(expected.values())
    pairs = []
    for name, current in heads.items():
        if old := partners.get(name):
            pairs.append(Pair(current, old, sides.base))
        elif exam := _exam_for(current, free):
            free.remove(exam)
            pairs.append(Pair(current, exam, sides.base, new_prompt=True))
        else:
            pairs.append(_unknown(sides, current))
    pairs += _left_out(pairs, bases, sides, new_prompt=False)
    pairs += _left_out(pairs, expected, sides, new_prompt=True)
    return [found for found in pairs if not names or found.current.name in names]


def _partners(heads: Mapping[str, SuiteConfig], bases: Mapping[str, SuiteConfig]) -> dict[str, SuiteConfig]:
    """The base's suite for each suite of the head that has one; no suite of the base serves twice.

    The prompt counts before the name: a suite that only got another name keeps its exam, and a name that now belongs to
    another prompt does not take the exam away from the one that had it.
    """
    free = dict(bases)
    found: dict[str, SuiteConfig] = {}
    for same_prompt, same_name in ((True, True), (True, False), (False, True)):
        for name, current in heads.items():
            fitting = (
                old
                for old in free.values()
                if (old.prompt == current.prompt or not same_prompt) and (old.name == name or not same_name)
            )
            if name not in found and (old := next(fitting, None)) is not None:
                found[name] = free.pop(old.name)
    return found


def _expected(base: Config, bases: Mapping[str, SuiteConfig], sides: Sides) -> dict[str, SuiteConfig]:
    """The base's exams that wait for new files: those of its patterns that match one, whatever the change's say."""
    out: dict[str, SuiteConfig] = {}
    for entry in (entry for entry in base.suites if is_glob(entry.prompt)):
        for suite in expand(entry, sides.head.glob(entry.prompt)):
            if sides.base.fingerprint(suite.prompt) is None:
                taken = suite.name in bases or suite.name in out
                name = f"{suite.name} at {suite.prompt}" if taken else suite.name
                out[name] = replace(suite, name=name)
    return out


def _exam_for(current: SuiteConfig, waiting: Sequence[SuiteConfig]) -> SuiteConfig | None:
    fitting = [exam for exam in waiting if exam.prompt == current.prompt]
    return next((exam for exam in fitting if exam.name == current.name), fitting[0] if fitting else None)


def _unknown(sides: Sides, current: SuiteConfig) -> Pair:
    """A suite that the base does not have: its prompt is new, or has had no exam so far."""
    found = [source.fingerprint(current.prompt) is not None for source in (sides.base, sides.head)]
    return Pair(current, current, sides.head, own_exam=True, new_prompt=found == [False, True])


def _by_name(config: Config, source: FileSource) -> dict[str, SuiteConfig]:
    """The suites of one side, one for each file that a pattern stands for.

    Raises:
        GateError: a file whose name cannot name a suite, or two with the same one, of which one would go unexamined.
    """
    out: dict[str, SuiteConfig] = {}
    for entry in config.suites:
        for suite in expand(entry, source.glob(entry.prompt) if is_glob(entry.prompt) else ()):
            if reason := name_complaint(suite.name):
                hint = "rename the file, or give it a suite of its own"
                raise GateError(f"{source.label}: {quoted(suite.prompt)} cannot name a suite, it {reason}", hint)
            if suite.name in out:
                both = f"{quoted(out[suite.name].prompt)} and {quoted(suite.prompt)}"
                hint = "rename one of them, or give it a suite of its own"
                raise GateError(f"{source.label}: {both} would both be the suite {suite.name}", hint)
            out[suite.name] = suite
    return out


def _left_out(found: Sequence[Pair], bases: Mapping[str, SuiteConfig], sides: Sides, *, new_prompt: bool) -> list[Pair]:
    """Base suites whose prompt no suite of the head examines any more, or does not examine though it is new.

    Raises:
        CannotEvaluate: such a prompt is gone; whether it moved or was deleted, nobody can say what became of it.
    """
    names = {one.current.name for one in found}
    pairs, gone = [], []
    for name, old in bases.items():
        partner = next((one for one in found if one.exam is old), None)
        if partner is not None and partner.current.prompt == old.prompt:
            continue
        if sides.head.read(old.prompt) is not None:
            kept = replace(old, name=f"{name} at {old.prompt}") if name in names else old
            pairs.append(Pair(kept, old, sides.base, new_prompt=new_prompt, left_out=True))
        elif partner is None:
            gone.append(old.prompt)
    if gone:
        raise CannotEvaluate(
            f"{', '.join(gone)}: {sides.base.label} examines this prompt, and at {sides.head.label} it is gone",
            "if it moved, keep its suite and name the new path there; a deletion that people agree to passes "
            "a pull request by the override label",
        )
    return pairs
