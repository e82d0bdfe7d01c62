"""Holds an answer's length against a range."""

from gate.scoring.subject import Subject
from gate.scoring.validators.port import Finding, Options, number_of
from gate.scoring.validators.sentences import sentences as sentences_of
from gate.scoring.validators.words import word_count


def words(options: Options, subject: Subject) -> Finding:
    """From `min` to `max` words."""
    return _within(word_count(subject.text), options, "word")


def sentences(options: Options, subject: Subject) -> Finding:
    """From `min` to `max` sentences."""
    return _within(len(sentences_of(subject.text)), options, "sentence")


def characters(options: Options, subject: Subject) -> Finding:
    """From `min` to `max` Unicode code points, blanks around the answer left out."""
    return _within(len(subject.text.strip()), options, "character")


def _within(count: int, options: Options, unit: str) -> Finding:
    low, high = number_of(options, "min"), number_of(options, "max")
    has = f"has {count:,} {unit}{'' if count == 1 else 's'}"
    if low is not None and count < low:
        return 0.0, f"{has}, fewer than {low:,.0f}"
    if high is not None and count > high:
        return 0.0, f"{has}, more than {high:,.0f}"
    return 1.0, has
