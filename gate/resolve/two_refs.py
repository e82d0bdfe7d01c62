"""Turns two refs into suites: each arm from its own ref; cases, scorers and policy from the baseline's."""

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from gate.config.gatefile import Config
from gate.config.scorer import ScorerSpec
from gate.config.scorer_options import KINDS
from gate.config.targets import runs_code
from gate.config.values import is_store
from gate.errors import GateError
from gate.prompts.version import Prompt
from gate.record.parts import Deletion
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
from gate.resolve.trust import check_links
from gate.suite import Exam, Suite
from gate.values import UNREAD, counted

if TYPE_CHECKING:
    from gate.testgen.rules.prompt_scorers import Instruction

SHOWN = 3
"""Instructions that a sentence quotes."""
ALIKE = 0.5
"""Similarity, from 0 to 1, of an instruction and the one that replaces it."""
QUOTED = 60
"""Characters of one of them."""


def on_exam(suite: Suite) -> str:
    """A sentence for the author of a configuration, about the candidate's prompt; empty where there is none."""
    orders = _orders(suite.candidate.version.prompt) if _reads_form(suite.exam) else ()
    left = _unread(orders, suite.exam)
    if not left:
        return ""
    them = "it" if len(left) == 1 else "them"
    which = "its only instruction" if len(orders) == 1 else f"{len(left):,} of its {len(orders):,} instructions"
    return (
        f"{suite.candidate.version.path}: no scorer checks {which}, so an answer that breaks {them} does not score "
        f"lower: {_quoted(left)}. A judge would check {them}."
    )


def on_change(suite: Suite) -> str:
    """A sentence for the reader of a verdict: the changed instructions that no scorer checks."""
    if suite.baseline is None or not _reads_form(suite.exam):
        return ""
    old, new = _orders(suite.baseline.version.prompt), _orders(suite.candidate.version.prompt)
    before, after = {one.text for one in old}, {one.text for one in new}
    left = [one for one in old if one.text not in after]
    gone = _unread(left, suite.exam)
    read = [one.text for one in left if one.text not in gone]
    come = _unread([one for one in new if one.text not in before], suite.exam)
    # An instruction that replaces a checked one counts as checked.
    come = [text for text in come if not get_close_matches(text, read, n=1, cutoff=ALIKE)]
    many = len(gone) + len(come)
    if not many:
        return ""
    told = "; ".join(f"{word} {_quoted(found)}" for word, found in (("gone", gone), ("new", come)) if found)
    return (
        f"{suite.candidate.version.path}: {UNREAD} {counted(many, 'instruction')} that changed, so the verdict says "
        f"nothing about {'it' if many == 1 else 'them'} (a judge would): {told}."
    )


def _orders(prompt: Prompt) -> "tuple[Instruction, ...]":
    """The instructions that the author gives the model; user and assistant messages of a chat file give none."""
    texts = [one.content for one in prompt.messages if not prompt.chat or one.role == "system"]
    texts += [part.text for part in prompt.parts.files]
    # The grammar of orders is large, and most suites have a scorer that may read any of them.
    from gate.testgen.rules.prompt_scorers import CHARS, SENTENCES, orders_of

    found: list[Instruction] = []
    left = CHARS
    for text in texts:
        # A prompt may pull in a hundred parts, and each order is compared with those that went.
        found += orders_of(text[:left])
        left -= len(text)
        if left <= 0 or len(found) >= SENTENCES:
            break
    return tuple(found[:SENTENCES])


def _reads_form(exam: Exam) -> bool:
    """Does each scorer look for one thing only? Any other, such as a judge, may check any order."""
    scorers = tuple(exam.all_scorers())
    return bool(scorers) and all(map(_of_form, scorers))


def _unread(orders: "Iterable[Instruction]", exam: Exam) -> list[str]:
    """Instructions that no scorer checks."""
    scorers = tuple(exam.all_scorers())
    labelled = any(one.name == "label" for one in scorers)
    return [one.text for one in orders if not _is_read(one, scorers) and not (labelled and one.labels)]


def _of_form(spec: ScorerSpec) -> bool:
    return KINDS[spec.kind].of_form and "{{" not in json.dumps(dict(spec.options), default=str)


def _is_read(order: "Instruction", scorers: Sequence[ScorerSpec]) -> bool:
    return bool(order.scorers) and all(any(_same(wanted, one) for one in scorers) for wanted in order.scorers)


def _same(wanted: ScorerSpec, one: ScorerSpec) -> bool:
    if one.kind != wanted.kind or one.negate is not wanted.negate:
        return False
    return KINDS[wanted.kind].any_bound or all(one.options.get(key) == value for key, value in wanted.options.items())


def _quoted(texts: Sequence[str]) -> str:
    shown = ", ".join(f"“{_cut(text)}”" for text in texts[:SHOWN])
    rest = len(texts) - SHOWN
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def _cut(text: str) -> str:
    """Its first words: half of a word might be half of a secret, which no report would mask."""
    return text if len(text) <= QUOTED else f"{text[:QUOTED].rpartition(' ')[0]}…"


def remarks(
    sides: Sides, base: Config | None, pairs: Sequence[Pair], touched: Mapping[str, Suite], deleted: Sequence[Deletion]
) -> tuple[str, ...]:
    """All remarks, the most important first."""
    notes = list(map(str, deleted))
    talks = (trust.foreign_addresses(suite.name, suite.candidate.target, base) for suite in touched.values())
    notes += [note for note in talks if note]
    notes += _new_prompts(sides, pairs)
    notes += _notes(pairs, touched) if base else []
    notes += [note for suite in touched.values() if (note := on_change(suite))]
    notes += [*part_notes(touched.values()), *build_notes(touched.values())]
    return (*notes, *(note for suite in touched.values() for note in exam_notes(suite)))


def _new_prompts(sides: Sides, pairs: Sequence[Pair]) -> list[str]:
    """A sentence for each prompt with one arm, about the origin of its cases and scorers."""
    told = []
    for one in (one for one in pairs if one.new_prompt):
        exam = (
            "the change's own cases and scorers"
            if one.own_exam
            else f"the cases and scorers of {one.exam.pattern} at {one.source.label}"
        )
        told.append(
            f"{one.current.prompt} is a new prompt: {sides.base.label} has nothing to compare it with, so the share of "
            f"its answers that pass {exam} decides."
        )
    return told


def _notes(pairs: Sequence[Pair], touched: Container[str]) -> list[str]:
    trial = any(not one.own_exam for one in pairs)
    aside = "; because the base has suites, it is shown and does not decide" if trial else ""
    own = [one.current.name for one in pairs if one.own_exam and not one.new_prompt]
    new = [f"{name} is a new suite, so its cases and scorers are the change's own{aside}." for name in own]
    left = [
        f"The change removes the suite for {one.exam.prompt}; until the merge, the base's suite still tests it."
        for one in pairs
        # If its prompt is the same, the edits of the exam are the whole report.
        if one.left_out and not one.new_prompt and one.current.name in touched
    ]
    moved = [
        f"{one.exam.prompt} was renamed to {one.current.prompt}; the two are compared." for one in pairs if one.moved
    ]
    return list(dict.fromkeys(moved)) + new + left


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
    coverage: bool = True,
) -> Resolved:
    """Read both sides.

    Args:
        config: path of `gate.yaml` in the repository.
        names: suites to read; empty for all.
        everything: keep suites that the change does not touch.
        coverage: look for changed texts that no suite tests.

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
    found = Resolved(
        suites=_with_trials(pairs, touched) if base else tuple(touched.values()),
        changes={one.suite.name: one.changes for one in suites},
        untouched=tuple(one.current.name for one in pairs if one.current.name not in changed),
        notes=(
            *_adoption(sides, config, base),
            *(f"{one.cases} is not filled in yet, so nothing tests {one.prompt}." for one in blank[:SHOWN]),
            *settings_notes(touched.values()),
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
        base_models=trust.models(base) if base else frozenset(),
        coverage=None
        if everything or names or not coverage
        else coverage_of(sides, config, pairing.pairs, suites, changed),
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


def _adoption(sides: Sides, config: str, base: Config | None) -> tuple[str, ...]:
    return (
        ()
        if base
        else (f"{config} is new: {sides.base.label} has none, so cases, scorers and policy are the change's own.",)
    )


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
