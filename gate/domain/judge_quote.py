"""What a report says about how far a judge agrees with people."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Standing: TypeAlias = Literal["calibrated", "another judge", "another threshold", "unreadable", "not calibrated"]


@dataclass(frozen=True, slots=True)
class JudgeQuote:
    """One judge and its calibration.

    Args:
        scorer: its name.
        standing: `calibrated` where the file is about this very judge; `another judge` where something has changed
            since that can change a judgement.
        agreement: share of agreement with its bounds; None unless calibrated.
        answers: that it was calibrated with; 0 unless calibrated.
        units: independent ones among them, for answers to one question say the same thing several times; 0 where the
            calibration does not tell.
        created: the day, `2026-11-22`; empty where no calibration was read.
        reason: why the file could not be read; empty otherwise.
    """

    scorer: str
    standing: Standing
    agreement: tuple[float, float, float] | None = None
    answers: int = 0
    units: int = 0
    created: str = ""
    reason: str = ""
