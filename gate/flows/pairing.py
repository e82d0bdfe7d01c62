"""Which suite of the head belongs to which suite of the base, and what the head would leave without an exam."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gate.errors import GateError
from gate.inputs.config import Config
from gate.inputs.paths import is_glob
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
        is_new: the base does not know the suite.
        left_out: the head no longer has a suite for this prompt.
    """

    current: SuiteConfig
    exam: SuiteConfig
    source: FileSource
    is_new: bool = False
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
    """
    heads = _by_name(head, sides.head)
    bases = _by_name(base, sides.base) if base else {}
    known = {**bases, **heads}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise GateError(f"there is no suite named {', '.join(unknown)}", f"known suites: {', '.join(known)}")
    pairs = [
        Pair(current, bases[name], sides.base) if name in bases else Pair(current, current, sides.head, is_new=True)
        for name, current in heads.items()
    ]
    pairs += _left_out(heads, bases, sides)
    return [found for found in pairs if not names or found.current.name in names]


def _by_name(config: Config, source: FileSource) -> dict[str, SuiteConfig]:
    """The suites of one side, one for each file that a pattern stands for."""
    found = (expand(entry, source.glob(entry.prompt) if is_glob(entry.prompt) else ()) for entry in config.suites)
    return {suite.name: suite for suites in found for suite in suites}


def _left_out(heads: Mapping[str, SuiteConfig], bases: Mapping[str, SuiteConfig], sides: Sides) -> list[Pair]:
    examined = {(suite.prompt, name) for name, suite in heads.items()}
    pairs = []
    for name, old in bases.items():
        if (old.prompt, name) in examined or sides.head.read(old.prompt) is None:
            continue
        kept = replace(old, name=f"{name} at {old.prompt}") if name in heads else old
        pairs.append(Pair(kept, old, sides.base, left_out=True))
    return pairs
