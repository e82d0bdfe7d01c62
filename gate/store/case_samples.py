"""The samples of one case, from the `samples.jsonl` that lies beside a record."""

import json
from dataclasses import dataclass
from pathlib import Path

from gate.domain.sample import ArmName, Sample
from gate.store.samples import BadSample, lines, parse_sample

FILE = "samples.jsonl"


@dataclass(frozen=True, slots=True)
class CaseSamples:
    """What was found.

    Args:
        samples: in the order of arm and index; empty where the file is not there, or has none of this case.
        trouble: why some may be missing, in one sentence; empty where nothing is wrong.
    """

    samples: tuple[Sample, ...] = ()
    trouble: str = ""


def samples_beside(run: Path, suite: str, case: str) -> CaseSamples:
    """Read them; lines of other cases are passed over without being understood.

    Args:
        run: a `run.json`, or its folder.
        suite, case: the names.
    """
    file = (run if run.is_dir() else run.parent) / FILE
    # As the run wrote it: as it is, or with escapes.
    wanted = {json.dumps(case, ensure_ascii=flag).encode(errors="backslashreplace") for flag in (False, True)}
    found: dict[tuple[ArmName, int], Sample] = {}
    bad = 0
    try:
        if not file.is_file():
            return CaseSamples()
        for line in lines(file):
            if not any(name in line.data for name in wanted):
                continue
            try:
                sample = parse_sample(line.data)
            except BadSample:
                # The last line of a run that was killed has no end.
                bad += not line.torn
                continue
            if (sample.suite, sample.case_id) == (suite, case):
                found[sample.arm, sample.index] = sample
    except (BadSample, OSError) as error:
        why = str(error) if isinstance(error, BadSample) else error.strerror or "unknown reason"
        return CaseSamples(_ordered(found), f"{file} cannot be read to its end: {why}.")
    trouble = f"{bad:,} of the lines of {file} that name this case are no samples." if bad else ""
    return CaseSamples(_ordered(found), trouble)


def _ordered(found: dict[tuple[ArmName, int], Sample]) -> tuple[Sample, ...]:
    arms = list(ArmName)
    return tuple(found[key] for key in sorted(found, key=lambda key: (key[1], arms.index(key[0]))))
