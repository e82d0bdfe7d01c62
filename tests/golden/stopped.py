"""Finished runs that ended for a reason of their own, or found nothing to move."""

from gate.record.comparison import State, Verdict
from gate.record.findings.quality import TooFewCases
from gate.record.findings.unfinished import RunInterrupted
from gate.record.run import CaseRecord, MissingReason, MissingRecord, RunRecord
from tests.golden.builders import arm, case, comparison, latency, output, run, suite

_REWORDED = (
    (
        "Wann kommt mein Paket, wenn ich heute bestelle?",
        "in 3 Werktagen",
        "Vielen Dank für Ihre Bestellung. Ihr Paket kommt in 3 Werktagen bei Ihnen an. Sie erhalten eine E-Mail, "
        "sobald es unterwegs ist.",
        "Vielen Dank für Ihre Bestellung. Ihr Paket kommt in 5 bis 7 Werktagen bei Ihnen an. Sie erhalten eine E-Mail, "
        "sobald es unterwegs ist.",
        'contains: does not have "in 3 Werktagen"',
    ),
    (
        "Was kostet der Versand in die Schweiz?",
        "8,90 €",
        "Der Versand in die Schweiz kostet 8,90 €.",
        "Der Versand in die Schweiz kostet 9 Franken.",
        'contains: does not have "8,90 €"',
    ),
    (
        "Kann ich die Lieferadresse noch ändern?",
        "bis 18 Uhr",
        "Ja, bis 18 Uhr am Tag der Bestellung:\n\n1. Konto öffnen\n2. Bestellung wählen\n3. Adresse ändern",
        "Ja:\n\n1. Konto öffnen\n2. Bestellung wählen\n3. Adresse ändern",
        'contains: does not have "bis 18 Uhr"',
    ),
)


def fallen() -> list[CaseRecord]:
    """Eleven cases that fell, most of which the record keeps without their answers, and variants of one source."""
    tiers = ("free", "pro", "enterprise")
    found = []
    for place, (question, expected, before, after, why) in enumerate(_REWORDED):
        good = [output(n, before, 1.0, f'contains: has "{expected}"') for n in range(3)]
        bad = [output(n, after, 0.0, why) for n in range(3)]
        slices = {"lang": "de", "tier": tiers[place]}
        found.append(case(f"de-{place + 21:03}", slices, question, expected, (good, bad)))
    again = found[0].model_copy(update={"id": "de-020", "cluster": "parcel"})
    found[0] = found[0].model_copy(update={"cluster": "parcel"})
    plain: dict[str, object] = {"input": None, "expected": None, "baseline_outputs": [], "candidate_outputs": []}
    rest = [found[1].model_copy(update={"id": f"de-{n:03}", **plain}) for n in range(30, 37)]
    return [*rest, *found, again]


def stopped() -> RunRecord:
    """The runner ended the job."""
    overall = comparison("overall", State.NOISE, 40, 0.842, (-0.030, -0.131, 0.071), cases_needed=600)
    missing = MissingRecord(
        samples=480,
        total=720,
        best=Verdict.INCONCLUSIVE,
        worst=Verdict.INCONCLUSIVE,
        reasons=[MissingReason(reason="never taken", samples=480)],
    )
    ended = RunInterrupted(signal="SIGTERM")
    return run(Verdict.INCONCLUSIVE, [suite(overall, [], [])], [ended], missing=missing)


def required() -> RunRecord:
    """A slice that has to be looked at has too few cases."""
    overall = comparison("overall", State.NOISE, 120, 0.842, (0.003, -0.052, 0.058), mde=0.074)
    slices = [
        comparison("tier=free", State.NOISE, 113, 0.831, (0.002, -0.060, 0.064), mde=0.08),
        comparison("tier=enterprise", State.TOO_FEW, 7, 0.857, (0.0, None, None), mde=None),
    ]
    few = TooFewCases(severity="undecided", suite="support", slice="tier=enterprise", n=7, units=7, required=True)
    return run(Verdict.INCONCLUSIVE, [suite(overall, slices, [])], [few])


def slower() -> RunRecord:
    """No worse, and slower than allowed, in one suite of two."""
    quiet = comparison("support/overall", State.NOISE, 120, 0.842, (0.003, -0.052, 0.058), mde=0.074)
    other = comparison("triage/overall", State.NOISE, 60, 0.917, (0.004, -0.061, 0.069), mde=0.09)
    slow = latency((0.48, 0.39, 0.57), exceeded=True)
    made = suite(other, [], [], name="triage", baseline=arm(path="prompts/triage.j2"), latency=slow)
    return run(Verdict.HOLD, [suite(quiet, [], []), made])


def unmoved() -> RunRecord:
    """A rewording after which every answer scores as before."""
    names = ("overall", "lang=de", "lang=en", "topic=film", "topic=hotel")
    rows = [comparison(name, State.NOISE, 48, 1.0, (0.0, None, None), mde=None, moved=0) for name in names]
    return run(Verdict.PASS, [suite(rows[0], rows[1:], [])])


def lower() -> RunRecord:
    """Nothing is shown, and a slice is so much lower that a few more cases are worth their price."""
    overall = comparison("overall", State.NOISE, 120, 0.842, (-0.021, -0.073, 0.031), mde=0.074)
    slices = [
        comparison("lang=en", State.NOISE, 84, 0.857, (0.0, -0.055, 0.055)),
        comparison("lang=de", State.NOISE, 36, 0.806, (-0.072, -0.185, 0.041), cases_needed=73),
    ]
    return run(Verdict.PASS, [suite(overall, slices, fallen()[7:9])])
