"""Two refs of a repository become suites: arms each from its own ref, the exam from the baseline's."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial

from gate.config.functions import is_python
from gate.config.gatefile import Config
from gate.config.targets import runs_code
from gate.domain.suite import Suite
from gate.errors import GateError
from gate.flows import strangers
from gate.flows.answers import of_config, replaced
from gate.flows.built import same_code
from gate.flows.edited_values import Edit, differing
from gate.flows.exam_edits import Edited
from gate.flows.links import check_links
from gate.flows.own_settings import settings_notes
from gate.flows.pairing import Pair, Sides, pair
from gate.flows.parts import same_parts
from gate.flows.providers import with_servers
from gate.flows.reading import Reader
from gate.flows.remarks import remarks
from gate.flows.resolved import Resolved
from gate.flows.shelf import check_stranger
from gate.inputs.storenames import is_store


def is_advisory(sides: Sides, config: str) -> bool:
    """Does the configuration that counts say that nothing fails yet? One that cannot be read does not.

    Args:
        sides: where to read; the head's counts only where the base has none.
        config: path of `gate.yaml`.
    """
    reader = Reader(sides, config, [])
    with suppress(GateError):
        head, base = reader.configs()
        # Whoever brings the first configuration from outside does not say whether it may fail.
        run = base or (None if reader.problems or sides.stranger else head)
        return run is not None and run.policy.mode == "advisory"
    return False


def resolve(
    sides: Sides,
    config: str = "gate.yaml",
    names: Sequence[str] = (),
    *,
    everything: bool = False,
) -> Resolved:
    """Read both sides.

    Args:
        sides: where to read.
        config: path of `gate.yaml` in the repository.
        names: suites to look at; empty for all.
        everything: keep suites that the change does not touch.

    Raises:
        InputErrors: mistakes in the files, all of them at once.
        GateError: no configuration, an unknown suite, or a change from outside that asks for what it may not have.
    """
    reader = Reader(sides, config, [])
    head, base = _configs(reader, config)
    check_links(sides, (base, head))
    pairing = pair(sides, head, base, names)
    pairs, deleted = pairing.pairs, reader.deletions(pairing.deleted)
    suites = _read(reader, pairs, base, everything=everything)
    touched = {one.suite.name: one.suite for one in suites if everything or one.compared}
    edits = reader.edits(suites, {one.current.name for one in pairs}, base) if base else ()
    _check_stranger(sides, [*touched.values(), *(trial.suite for edit in edits for trial in edit.trials)], base)
    run = base or head
    found = Resolved(
        suites=_with_trials(pairs, touched) if base else tuple(touched.values()),
        changes={one.suite.name: one.changes for one in suites},
        untouched=_untouched(pairs, {*touched, *(edit.suite for edit in edits)}),
        notes=(
            *_adoption(sides, config, base),
            *settings_notes(one.suite for one in suites),
            *remarks(sides, base, pairs, touched, deleted),
        ),
        policy=run.policy,
        budget=run.budget,
        cache=run.cache,
        commit=sides.head.sha,
        config=config,
        deleted=deleted,
        edits=edits,
        run_edits=_run_edits(base, head) if base else (),
        adoption=base is None,
        base_models=strangers.models(base) if base else frozenset(),
    )
    return with_servers(found, base, head, sides.base.label)


def _configs(reader: Reader, config: str) -> tuple[Config, Config | None]:
    """The head's and the base's, with what the files say that their scorers name."""
    sides = reader.sides
    head, base = reader.configs()
    reader.raise_problems()
    if head is None:
        raise _no_config(sides, config, deleted=base is not None)
    if sides.stranger:
        check_stranger(head, base)
    head, base = reader.completed(head, sides.head) or head, reader.completed(base, sides.base)
    reader.raise_problems()
    return head, base


def _read(reader: Reader, pairs: Sequence[Pair], base: Config | None, *, everything: bool) -> list[Edited]:
    """What is the same on both sides down to the byte is not even parsed: most changes touch no suite."""
    same = cache(partial(same_code, reader.sides))
    found = reader.suites([one for one in pairs if everything or not _same_files(reader.sides, one, same)], base)
    reader.raise_problems()
    return found


def _untouched(pairs: Sequence[Pair], named: set[str]) -> tuple[str, ...]:
    return tuple(one.current.name for one in pairs if one.current.name not in named)


def _adoption(sides: Sides, config: str, base: Config | None) -> tuple[str, ...]:
    return () if base else (f"{config} is new: {sides.base.label} has none, so the exam is the change's own.",)


def _check_stranger(sides: Sides, suites: Sequence[Suite], base: Config | None) -> None:
    """Raises GateError where a change from outside asks for what it may not have."""
    if sides.stranger and (found := strangers.refused(suites, base)):
        hint = "a change from outside may name another model of a service, and no other server and no file"
        raise GateError("; ".join(found), hint)


def _run_edits(base: Config, head: Config) -> tuple[Edit, ...]:
    kinds = (("policy.", base.policy, head.policy), ("budget.", base.budget, head.budget))
    found = [one for prefix, old, new in kinds for one in differing(old, new, prefix)]
    return (*found, *differing(base.cache, head.cache, "cache."))


def _no_config(sides: Sides, config: str, *, deleted: bool) -> GateError:
    if deleted:
        return GateError(f"the change deletes {config}, which {sides.base.label} has", "put it back")
    hint = "write one that names prompts, cases and a model, or compare two files: gate diff OLD NEW --cases FILE"
    return GateError(f"there is no {config}, neither at {sides.base.label} nor at {sides.head.label}", hint)


def _with_trials(pairs: Sequence[Pair], touched: dict[str, Suite]) -> tuple[Suite, ...]:
    """Beside suites that the base examines, those that the change brings have no part in the verdict.

    Their exam is the change's own, and in the joint test they would widen the intervals of the others. New prompts
    stand outside of that test and can make no verdict better, so what their author asks of them counts.
    """
    new = {one.current.name for one in pairs if one.own_exam and not one.new_prompt}
    if new.issuperset(name for name, suite in touched.items() if suite.baseline is not None):
        return tuple(touched.values())
    return tuple(replace(suite, trial=True) if name in new else suite for name, suite in touched.items())


def _same_files(sides: Sides, pair: Pair, code: Callable[[], bool]) -> bool:
    """Configuration, prompt, cases and model files are the same on both sides; a missing file is never the same.

    A store is no part of a change: both sides see one version of what they call alike.

    Args:
        sides: where to look.
        pair: the suite.
        code: is all that a function may read the same, too?
    """
    current, exam = (replace(config, name="", line=0) for config in (pair.current, pair.exam))
    if pair.own_exam or pair.new_prompt or pair.left_out or current != exam or replaced(sides, of_config(pair)):
        return False
    named = ((current.prompt, is_python), (current.cases, is_store))
    files = [path for path, elsewhere in named if not elsewhere(path)]
    fingerprints = [(sides.base.fingerprint(path), sides.head.fingerprint(path)) for path in files]
    if not all(old is not None and old == new for old, new in fingerprints):
        return False
    same = code() if is_python(current.prompt) else same_parts(sides, current)
    return same and (code() if runs_code(current.target) else True)
