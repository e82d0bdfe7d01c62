"""What the reader of a report is told, in sentences, about how prompts and exams were found."""

from collections.abc import Container, Mapping, Sequence

from gate.config.gatefile import Config
from gate.domain.deletion import Deletion
from gate.domain.suite import Suite
from gate.flows import agents, unread
from gate.flows.built import build_notes
from gate.flows.exam import exam_notes
from gate.flows.pairing import Pair, Sides
from gate.flows.parts import part_notes


def remarks(
    sides: Sides, base: Config | None, pairs: Sequence[Pair], touched: Mapping[str, Suite], deleted: Sequence[Deletion]
) -> tuple[str, ...]:
    """All of them, what matters most first.

    Args:
        sides: where the files were read.
        base: the base's configuration; None where it has none.
        pairs: every suite.
        touched: those that are evaluated, by name.
        deleted: prompts that are gone.
    """
    notes = list(map(str, deleted))
    talks = (agents.elsewhere(suite.name, suite.candidate.target, base) for suite in touched.values())
    notes += [note for note in talks if note]
    notes += _new_prompts(sides, pairs)
    notes += _notes(pairs, touched) if base else []
    notes += [note for suite in touched.values() if (note := unread.on_change(suite))]
    notes += [*part_notes(touched.values()), *build_notes(touched.values())]
    return (*notes, *(note for suite in touched.values() for note in exam_notes(suite)))


def _new_prompts(sides: Sides, pairs: Sequence[Pair]) -> list[str]:
    """A sentence for each prompt that stands alone, with whose exam it sits."""
    told = []
    for one in (one for one in pairs if one.new_prompt):
        exam = "the change's own exam" if one.own_exam else f"{one.source.label}'s exam of {one.exam.pattern}"
        told.append(
            f"{one.current.prompt} is a new prompt: {sides.base.label} has nothing to compare it with, so it is judged "
            f"by the share of its answers that pass {exam}."
        )
    return told


def _notes(pairs: Sequence[Pair], touched: Container[str]) -> list[str]:
    trial = any(not one.own_exam for one in pairs)
    aside = "; beside suites that the base examines it is shown and does not decide" if trial else ""
    own = [one.current.name for one in pairs if one.own_exam and not one.new_prompt]
    new = [f"{name} is a new suite, so its exam is the change's own{aside}." for name in own]
    left = [
        f"The change has no suite for {one.exam.prompt} any more; the base's stays until the merge, and examines it."
        for one in pairs
        # Where its prompt is the same, the edits of the exam say all there is to say.
        if one.left_out and not one.new_prompt and not one.other and one.current.name in touched
    ]
    moved = [_moved(one) for one in pairs if one.moved]
    return list(dict.fromkeys(moved)) + new + left


def _moved(pair: Pair) -> str:
    old, now = pair.exam.prompt, pair.current.prompt
    if pair.other:
        return f"{old} may as well be {now}, which keeps half of it and has no suite; it is compared, too."
    return f"{old} is now {now}; it is compared with what it was."
