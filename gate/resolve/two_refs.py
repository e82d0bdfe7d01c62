"""Turns two refs into suites: each arm from its own ref; cases, scorers and policy from the baseline's."""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from gate.config.gatefile import Config
from gate.config.targets import runs_code
from gate.config.values import is_store
from gate.errors import GateError
from gate.record.findings.finding import Finding, distinct
from gate.record.findings.notes import (
    ConfigurationNew,
    PromptNew,
    PromptRenamed,
    SuiteNew,
    SuiteRemoved,
    SuiteUnfilled,
)
from gate.record.run import SettingEdit
from gate.resolve import trust
from gate.resolve.code import build_notes
from gate.resolve.coverage import coverage_of
from gate.resolve.exam import differing, exam_notes
from gate.resolve.missing_files import unmatched_entries
from gate.resolve.own_settings import settings_notes
from gate.resolve.pairing import Pair, Sides, check_stranger, pair, part_notes
from gate.resolve.reading import Reader
from gate.resolve.resolved import Resolved, with_servers
from gate.resolve.trust import check_links, new_addresses
from gate.suite import Suite

UNFILLED_SHOWN = 3
"""Suites without cases that the notes name."""


def _notes(sides: Sides, base: Config | None, pairs: Sequence[Pair], touched: Mapping[str, Suite]) -> list[Finding]:
    """The notes on a comparison of two refs, the most important first."""
    addresses = (new_addresses(suite.name, suite.candidate.target, base) for suite in touched.values())
    return [
        *(note for note in addresses if note),
        *_new_prompts(sides, pairs),
        *(_suite_changes(pairs, touched) if base else ()),
        *part_notes(touched.values()),
        *build_notes(touched.values()),
        *(note for suite in touched.values() for note in exam_notes(suite)),
    ]


def _new_prompts(sides: Sides, pairs: Sequence[Pair]) -> Iterator[PromptNew]:
    """A note for each prompt with one arm, about the origin of its cases and scorers."""
    for one in (one for one in pairs if one.new_prompt):
        exam = "" if one.own_exam else f"{one.exam.pattern} at {one.source.label}"
        yield PromptNew(prompt=one.current.prompt, base=sides.base.label, exam=exam)


def _suite_changes(pairs: Sequence[Pair], touched: Container[str]) -> list[Finding]:
    renamed = [PromptRenamed(old=one.exam.prompt, new=one.current.prompt) for one in pairs if one.moved]
    counts = all(one.own_exam for one in pairs)
    own = [one.current.name for one in pairs if one.own_exam and not one.new_prompt]
    removed = [
        SuiteRemoved(prompt=one.exam.prompt)
        for one in pairs
        # If its prompt is the same, the edits of the exam are the whole report.
        if one.left_out and not one.new_prompt and one.current.name in touched
    ]
    return [*distinct(renamed), *(SuiteNew(suite=name, counts=counts) for name in own), *removed]


def is_advisory(sides: Sides, config: str) -> bool:
    """Does the configuration that counts say that nothing fails yet? One that cannot be read does not.

    The head's configuration counts only where the base has none.
    """
    reader = Reader(sides, config, [])
    with suppress(GateError):
        head, base = reader.configs()
        # A first configuration that comes from a fork does not decide whether the run may fail.
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
        config: path of `gate.yaml` in the repository.
        names: suites to read; empty for all.
        everything: keep suites that the change does not touch.

    Raises:
        InputErrors: errors in the files, all of them at once.
        GateError: no configuration, an unknown suite, or a change from a fork with a setting that it may not have.
    """
    reader = Reader(sides, config, [])
    head, base = _configs(reader, config)
    reader.problems.extend(unmatched_entries(sides, config, head, base))
    reader.raise_problems()
    check_links(sides, (base, head))
    pairing = pair(sides, head, base, names)
    deleted = reader.deletions(pairing.gone)
    # What a change does not touch is read as well: a prompt or an exam that cannot be read is not the same.
    filled_in = [(one, _with_exam(reader, one)) for one in pairing.pairs]
    pairs = [one for _, one in filled_in if one is not None]
    blank = [one.current for one, known in filled_in if known is None]
    suites = reader.suites([one for one in pairs if everything or not _is_same_stored(reader, one)], base)
    reader.raise_problems()
    touched = {one.suite.name: one.suite for one in suites if everything or one.compared}
    edits = reader.edits(suites, {one.current.name for one in pairs}, base) if base else ()
    changed = {*touched, *(edit.suite for edit in edits)}
    _check_stranger(sides, [*touched.values(), *(trial.suite for edit in edits for trial in edit.trials)], base)
    run = base or head
    looked_at, untested = (
        (None, []) if everything or names else coverage_of(sides, config, pairing.pairs, suites, changed)
    )
    found = Resolved(
        suites=_with_trials(pairs, touched) if base else tuple(touched.values()),
        changes={one.suite.name: one.changes for one in suites},
        untouched=tuple(one.current.name for one in pairs if one.current.name not in changed),
        notes=(
            *_adoption(sides, config, base),
            *untested,
            *(SuiteUnfilled(cases=one.cases, prompt=one.prompt) for one in blank[:UNFILLED_SHOWN]),
            *settings_notes(touched.values()),
            *_notes(sides, base, pairs, touched),
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
        base_models=trust.models(base) if base else frozenset(),
        coverage=looked_at,
        sides=(sides.base, sides.head),
    )
    return with_servers(found, base, head, sides.base.label)


def _configs(reader: Reader, config: str) -> tuple[Config, Config | None]:
    """The head's and the base's, with the contents of the files that their scorers name."""
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


def _with_exam(reader: Reader, pair: Pair) -> Pair | None:
    """The pair with the change's own exam if the base's cases are not filled in yet.

    None if the change's are not filled in either, and its prompt is as before: there is nothing to test. A changed
    prompt stays, and its empty case file is an error.
    """
    sides = reader.sides
    if pair.left_out or is_store(pair.exam.cases) or not reader.is_blank(pair.source, pair.exam.cases):
        return pair
    if not reader.is_blank(sides.head, pair.current.cases):
        return replace(pair, exam=replace(pair.current, prompt=pair.exam.prompt), source=sides.head, own_exam=True)
    same = not pair.new_prompt and pair.exam.prompt == pair.current.prompt and reader.is_same_prompt(pair)
    return None if same else pair


def _is_same_stored(reader: Reader, pair: Pair) -> bool:
    """Are configuration and prompt of a suite with cases in a store the same? The store need not be there then."""
    if not is_store(pair.exam.cases) or pair.own_exam or pair.new_prompt or pair.left_out:
        return False
    current, exam = (replace(config, name="", line=0) for config in (pair.current, pair.exam))
    return current == exam and not runs_code(current.target) and reader.is_same_prompt(pair)


def _adoption(sides: Sides, config: str, base: Config | None) -> tuple[Finding, ...]:
    return () if base else (ConfigurationNew(path=config, base=sides.base.label),)


def _check_stranger(sides: Sides, suites: Sequence[Suite], base: Config | None) -> None:
    """Raises GateError if a change from a fork has a setting that it may not have."""
    if sides.stranger and (found := trust.refused_changes(suites, base)):
        hint = "a change from a fork may use another model of the same service, but no other server and no file"
        raise GateError("; ".join(found), hint)


def _run_edits(base: Config, head: Config) -> tuple[SettingEdit, ...]:
    found = (*differing(base.policy, head.policy, "policy"), *differing(base.budget, head.budget, "budget"))
    servers = ((name, old, head.providers.get(name)) for name, old in base.providers.items())
    moved = [one for name, old, new in servers if new for one in differing(old, new, "providers", f"{name}.")]
    return (*found, *differing(base.cache, head.cache, "cache"), *moved)


def _no_config(sides: Sides, config: str, *, deleted: bool) -> GateError:
    if deleted:
        return GateError(f"the change deletes {config}, which {sides.base.label} has", "restore it")
    hint = "write one with prompts, cases and a model, or compare two files: gate diff OLD NEW --cases FILE"
    return GateError(f"there is no {config}, neither at {sides.base.label} nor at {sides.head.label}", hint)


def _with_trials(pairs: Sequence[Pair], touched: dict[str, Suite]) -> tuple[Suite, ...]:
    """If the base has suites, those that the change adds have no part in the verdict.

    In the joint test they would widen the intervals of the others. New prompts are outside of it.
    """
    new = {one.current.name for one in pairs if one.own_exam and not one.new_prompt}
    if new.issuperset(name for name, suite in touched.items() if suite.baseline is not None):
        return tuple(touched.values())
    return tuple(replace(suite, trial=True) if name in new else suite for name, suite in touched.items())
