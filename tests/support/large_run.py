"""A finished run of realistic size: prompts, answers, reasons, prices and times of every sample."""

import random
from dataclasses import replace
from functools import cache

from gate.cases.case import Case
from gate.messages import Message
from gate.prompts.version import Prompt
from gate.record.run import RunRecord
from gate.record.transcript import ArmName, Dollars, Reply, Sample, Score, Usage
from gate.suite import Suite
from tests.support.run_records import record_of
from tests.support.runs import suite, table_of

K = 3
BEFORE = """You answer questions of customers of a web shop.

Answer in the language of the question.
Name the menu that the customer has to open.
Keep to two sentences.
Never promise a date.

The shop ships to Europe, and takes back what is returned within 30 days.
"""
AFTER = BEFORE.replace("Keep to two sentences.", "Keep to one short sentence.").replace(
    "Answer in the language of the question.\n", ""
)
WORDS = "open account invoices choose download return parcel thirty days menu order label refund send again".split()


def asked(cases: int, slices: int) -> Suite:
    """A suite with this many cases in at least this many slices."""
    dealt = random.Random(1)
    made = suite(
        [
            {
                "lang": dealt.choice(("en", "en", "en", "de", "fr")),
                "tier": dealt.choice(("free", "pro", "enterprise")),
                "topic": f"t{dealt.randrange(max(1, slices - 8)):03}",
            }
            for _ in range(cases)
        ],
        samples=K,
    )
    arms = [
        replace(arm, version=replace(arm.version, prompt=Prompt((Message("system", text),))))
        for arm, text in ((made.arm(ArmName.BASELINE), BEFORE), (made.candidate, AFTER))
    ]
    return replace(made, baseline=arms[0], candidate=arms[1])


def answers(made: Suite) -> list[Sample]:
    """Answers of a few dozen words; the candidate's German answers are worse."""
    dealt = random.Random(2)
    return [_sample(made, case, arm, index, dealt) for case in made.exam.cases for arm in ArmName for index in range(K)]


def _sample(made: Suite, case: Case, arm: ArmName, index: int, dealt: random.Random) -> Sample:
    new = arm is ArmName.CANDIDATE
    good = dealt.random() < (0.86 if not new else 0.45 if case.slices["lang"] == "de" else 0.87)
    fresh = random.Random(f"{case.id}/{index if dealt.random() < 0.6 else arm}")
    text = " ".join(fresh.choice(WORDS) for _ in range(fresh.randrange(25, 45 if new else 60))).capitalize() + "."
    seconds = dealt.lognormvariate(-0.5 + 0.1 * new + 0.2 * (case.slices["lang"] == "fr"), 0.4)
    usage = Usage(180, 0, 0, len(text) // 4)
    price = 1.5e-7 * usage.input_tokens + 6e-7 * usage.output_tokens
    score = float(good)
    reason = "Names the menu." if good else "The answer is not in the language of the question."
    reply = Reply(text, "m-1", usage, Dollars(price), seconds, 1, "stop")
    return Sample(made.name, case.id, arm, index, reply, (Score("judge", score, reason),), score)


@cache
def answered_run(cases: int, slices: int) -> tuple[RunRecord, list[Sample]]:
    """A finished run and its samples."""
    found = asked(cases, slices)
    samples = answers(found)
    return record_of([found], table_of(samples)), samples
