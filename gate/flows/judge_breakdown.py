"""What judgements and labels say in parts: by slice, and by each judge of a jury."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from gate.domain.judge_calibration import JuryRecord, MemberRecord, ShareRecord, SliceRecord
from gate.domain.sample import Part
from gate.flows.judge_figures import VERDICTS, Figures, figure, passes, rate_record, table_of
from gate.flows.judging import Judged
from gate.stats.agreement import crossed, share_of_agreement
from gate.stats.krippendorff import alpha


def jury(found: Figures, judged: Sequence[Judged]) -> JuryRecord | None:
    """Each judge of a jury against people and all of them among themselves; None where one judge stands alone.

    Args:
        found: figures of the answers.
        judged: of the same answers.
    """
    names = list(dict.fromkeys(part.name for one in judged for part in _opinions(one)))
    if len(names) < 2:
        return None
    drawn = list(_each_judgement(judged))
    among = table_of([[opinions.get(name) for name in names] for _, opinions in drawn])
    units = np.asarray(found.drawing.clusters)[[position for position, _ in drawn]]
    return JuryRecord(
        members=[MemberRecord(name=name, share=_member(name, found, judged)) for name in names],
        alpha=figure(alpha(among, replace(found.drawing, clusters=units), level="interval")),
    )


def slices(found: Figures) -> list[SliceRecord]:
    """The share of agreement within each slice, the largest slices first.

    Args:
        found: figures of the answers.
    """
    members: dict[str, list[int]] = {}
    for place, row in enumerate(found.rows):
        for dimension, value in row.case.slices.items():
            members.setdefault(f"{dimension}={value}", []).append(place)
    largest = sorted(members.items(), key=lambda one: (-len(one[1]), one[0]))
    tables = crossed(found.labels, found.verdicts, VERDICTS)
    units = np.asarray(found.drawing.clusters)
    return [
        SliceRecord(
            name=name,
            answers=len(places),
            units=len(np.unique(units[places])),
            share=rate_record(share_of_agreement(tables[places], replace(found.drawing, clusters=units[places]))),
        )
        for name, places in largest
    ]


def _member(name: str, found: Figures, judged: Sequence[Judged]) -> ShareRecord:
    own = table_of([[part.value for part in _opinions(one) if part.name == name] for one in judged])
    places = np.flatnonzero(own.counts > 0)
    tables = crossed(found.labels, passes(own, found.mark), VERDICTS)
    return rate_record(
        share_of_agreement(tables, replace(found.drawing, clusters=np.asarray(found.drawing.clusters)[places]))
    )


def _opinions(one: Judged) -> list[Part]:
    return [part for score in one.scores.values() for part in score.parts if part.kind == "judge"]


def _each_judgement(judged: Sequence[Judged]) -> Iterator[tuple[int, dict[str, float]]]:
    for position, one in enumerate(judged):
        for score in one.scores.values():
            yield position, {part.name: part.value for part in score.parts if part.kind == "judge"}
