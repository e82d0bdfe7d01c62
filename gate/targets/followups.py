"""Finds out whether an agent asks back instead of answering, and answers for the person."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from gate.domain.case import Case
from gate.targets.listening import Form, Listener
from gate.targets.port import Said

FORM = Form("followup_system", "asks", True, "answer")

_ASKING = re.compile(
    r"[?]|\b("
    r"please|kindly|could|can you|would|let me|tell|which|what|where|whose|who\b|how many|how much"
    r"|clarif|specif|provide|supply|share|confirm|need|require|missing|lack|know\b|unclear|unsure|not sure|not certain"
    r"|ambiguous|more than one|depends|details|information|unless|without|before i\b|once you|as soon as|if you"
    r"|name\b|mean\b|meant|choose|select|pick\b|give\b|send|enter\b|say\b|reply|prefer|wonder|curious|like to|you want"
    r"|bitte|welch|nenn|angeb|angab|gib\b|geben sie|teil|brauch|benoetig|fehl|wissen|sag|wann|unklar|mein(en|st|ten)"
    r"|schick|waehl|muss|um welch|moecht"
    r"|veuillez|precis|quel|lequel|laquelle|merci de|besoin|manque|dites|dis-moi|indi[cq]|fourni|donne|pourri|pouvez"
    r"|s'il|faut|choisi|savoir"
    r"|por favor|favor|cual|necesit|falta|dime|dinos|digame|diga|proporcion|especifi|podr|aclar|saber|elij|elig|quier"
    r"|prego|qual|bisogno|serv(e|ono)\b|manca|dimmi|mi dica|potrebbe|puoi|conferm|scegli|occorr|sapere"
    r"|precis[ao]|informe|poderia|pode\b|escolh"
    r"|welk|graag|kunt u|kun je|geef|nodig|ontbreek|weten|noem|vertel|bedoel"
    r"|prosz|podaj|potrzeb|vilke|hvilke|mangler|hangi|mohon|tolong|perlu|yang mana)",
    re.IGNORECASE,
)
"""Marks and beginnings of words, in languages that are often written in ASCII alone."""


def may_ask(answer: str) -> bool:
    """Could a reply ask for something? One in ASCII alone without a mark or a word of asking is not looked at further.

    A reply that is let pass costs a call of the detector; one that is not leaves the agent's question without answer.

    Args:
        answer: of the agent.
    """
    return not answer.isascii() or _ASKING.search(answer) is not None


@dataclass(frozen=True, slots=True)
class FollowUps:
    """See `gate.targets.port.Reader`.

    Args:
        listener: the model that is asked.
    """

    listener: Listener

    async def reply(self, said: Sequence[tuple[str, str]], case: Case, index: int) -> Said:
        """The person's answer; empty where the agent has asked for nothing."""
        if not said or not said[-1][1].strip() or not may_ask(said[-1][1]):
            return Said()
        return await self.listener.ask(FORM, said, {"facts": case.facts}, (f"follow-up {case.id}", index))
