"""Simple fakes of the engine's interfaces."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gate.calls.interface import Request, WorthKeeping, any_reply
from gate.engine.samples import SampleTable
from gate.record.run import RunRecord
from gate.record.transcript import Dollars, Failed, Reply, Sample, Usage


def reply(text: str, *, stop_reason: str = "stop", cost: float = 0.001, latency_s: float | None = 0.1) -> Reply:
    """A reply with unremarkable figures."""
    return Reply(text, "fake-1", Usage(10, 0, 0, 2), Dollars(cost), latency_s, 1, stop_reason)


@dataclass
class ScriptedCalls:
    """Answers requests from a script, and remembers them."""

    script: Sequence[Reply | Failed]
    requests: list[Request] = field(default_factory=list)

    async def call(self, request: Request, *, fresh: bool = False, worth: WorthKeeping = any_reply) -> Reply | Failed:
        self.requests.append(request)
        return self.script[len(self.requests) - 1]


@dataclass
class Memory:
    """A sink and a progress display that only remember."""

    samples: list[Sample] = field(default_factory=list)
    runs: list[RunRecord] = field(default_factory=list)
    total: int = 0
    finished: bool = False

    def sample(self, sample: Sample) -> int:
        self.samples.append(sample)
        return len(self.samples) - 1

    def read(self, place: int) -> Sample:
        return self.samples[place]

    def run(self, run: RunRecord, samples: SampleTable | None = None) -> None:
        self.runs.append(run)

    def start(self, total: int) -> None:
        self.total = total

    def advance(self, sample: Sample, spent_usd: float | None) -> None:
        return

    def finish(self) -> None:
        self.finished = True
