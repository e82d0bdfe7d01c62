"""What an answer took: its time and its price."""

from gate.domain.absence import Unscored
from gate.domain.usage import Dollars, Unpriced
from gate.domain.words import about_dollars, exact_dollars
from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding, Options, finding, number_of


def latency(options: Options, subject: Subject) -> Finding:
    """The request that gave the answer took `max_s` seconds at most; an answer that is reused keeps its old time."""
    most = number_of(options, "max_s") or 0.0
    if subject.latency_s is None:
        return Unscored("the time that the answer took is not known"), f"at most {most:g} s"
    took = f"took {subject.latency_s:.3g} s"
    return finding(subject.latency_s <= most, f"{took}, at most {most:g} s", f"{took}, more than {most:g} s")


def cost(options: Options, subject: Subject) -> Finding:
    """The answer cost `max_usd` dollars at most; what has no price, such as a local model's answer, is not scored."""
    most = number_of(options, "max_usd") or 0.0
    limit = exact_dollars(most)
    if not isinstance(subject.cost, Dollars):
        has = "has no price" if subject.cost == Unpriced("n/a") else "has a price that is not known"
        return Unscored(f"the answer {has}"), f"at most {limit}"
    price = f"cost {about_dollars(subject.cost.amount)}"
    return finding(subject.cost.amount <= most, f"{price}, at most {limit}", f"{price}, more than {limit}")
