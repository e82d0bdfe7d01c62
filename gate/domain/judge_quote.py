"""What a report says about how far a judge agrees with people."""

from typing import Literal, TypeAlias

from gate.domain.jsonvalue import JsonValue
from gate.domain.ranges import Amount, Count, RecordPart, Share

Standing: TypeAlias = Literal["calibrated", "another judge", "another threshold", "unreadable", "not calibrated"]


class AskedModel(RecordPart):
    """A model that was asked to judge.

    Args:
        model: as `provider:name`.
        temperature: null where its interface takes none.
        params: the others that are not the default.
    """

    model: str
    temperature: Amount | None
    params: dict[str, JsonValue] = {}


class JudgeQuote(RecordPart):
    """One judge, and how far it agrees with people.

    Args:
        scorer: its name.
        standing: `calibrated` where the file is about this very judge; `another judge` where something has changed
            since that can change a judgement.
        agreement: share of agreement with its bounds; null unless calibrated.
        answers: that it was calibrated with; 0 unless calibrated.
        units: independent ones among them, for answers to one question say the same thing several times.
        created: the day, `2026-11-22`; empty where no calibration was read.
        reason: why the file could not be read; empty otherwise.
        kind: of the scorer.
        combine: how the opinions of several models become one; empty where one judges.
        asked: its models.
    """

    scorer: str
    standing: Standing
    agreement: tuple[Share, Share, Share] | None = None
    answers: Count = 0
    units: Count = 0
    created: str = ""
    reason: str = ""
    kind: str = ""
    combine: str = ""
    asked: list[AskedModel] = []
