"""Asks a model for a verdict: once, and once more where the reply is none."""

from collections.abc import Callable
from dataclasses import dataclass

from gate.calls.port import Calls
from gate.domain.absence import Failed, Unscored
from gate.domain.sample import Reply
from gate.domain.usage import Cost, added
from gate.providers.base import Request
from gate.scoring.parsing import Malformed
from gate.scoring.verdict import Verdict, wordless

WORDLESS = "a reason in the judge's reply holds no word of its own"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What asking came to.

    Args:
        verdict: or why there is none.
        calls, retries: requests that were answered, and those that were sent again.
        reused: replies that were known.
        cost: of the calls; None when there were none.
    """

    verdict: Verdict | Unscored
    calls: int = 0
    retries: int = 0
    reused: int = 0
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question to a judge.

    Args:
        request: asks it.
        repair: the request that is sent after a reply which is no verdict, made from what was wrong with that.
        read: raises `Malformed` for a reply that is no verdict.
        repeats: why the verdict does not count, if it repeats what was to be judged.
        fences: marks around what is judged; handed back they are no reason.
    """

    request: Request
    repair: Callable[[str], Request]
    read: Callable[[Reply], Verdict]
    repeats: Callable[[Verdict], Unscored | None]
    fences: tuple[str, ...]


async def ask(calls: Calls, inquiry: Inquiry) -> Opinion:
    """Ask, and if need be once more.

    A reply that is known and is no verdict stays one, so only what was wrong the second time is asked for anew.

    Args:
        calls: sends requests.
        inquiry: what to ask.
    """
    asker = _Asker(calls, inquiry)
    try:
        return asker.opinion(await asker.verdict())
    except Malformed as problem:
        return asker.opinion(Unscored(problem.reason))


@dataclass(slots=True)
class _Asker:
    calls: Calls
    inquiry: Inquiry
    made: int = 0
    again: int = 0
    reused: int = 0
    spent: Cost | None = None

    async def verdict(self) -> Verdict | Unscored:
        """Raises `Malformed` where the repair is none either."""
        reply = await self._send(self.inquiry.request)
        try:
            return self._read(reply)
        except Malformed as problem:
            repair = self.inquiry.repair(problem.reason)
        reply = await self._send(repair)
        if isinstance(reply, Reply) and reply.origin.reused:
            try:
                return self._read(reply)
            except Malformed:
                reply = await self._send(repair, fresh=True)
        return self._read(reply)

    def opinion(self, verdict: Verdict | Unscored) -> Opinion:
        return Opinion(verdict, self.made, self.again, self.reused, self.spent)

    def _read(self, reply: Reply | Failed) -> Verdict | Unscored:
        if isinstance(reply, Failed):
            return Unscored(f"the judge gave no answer: {reply.reason}")
        verdict = self.inquiry.read(reply)
        if wordless(verdict, self.inquiry.fences):
            raise Malformed(WORDLESS)
        return self.inquiry.repeats(verdict) or verdict

    async def _send(self, request: Request, *, fresh: bool = False) -> Reply | Failed:
        reply = await self.calls.call(request, fresh=fresh)
        if isinstance(reply, Failed):
            self.again += max(0, reply.attempts - 1)
        elif reply.origin.reused:
            self.reused += 1
        else:
            self.made += 1
            self.again += reply.attempts - 1
            self.spent = added(self.spent, reply.cost)
        return reply
