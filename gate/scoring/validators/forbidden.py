"""Words that an answer must not hold."""

from gate.scoring.subject import Subject
from gate.scoring.validators.phrases import Phrases
from gate.scoring.validators.port import Finding, Options, listed, texts_of


def forbidden_words(options: Options, subject: Subject) -> Finding:
    """None of `words` occurs as a whole word, in capitals or not; with `inflections` in no English form either."""
    words = texts_of(options, "words")
    found = Phrases.of(words, inflections=bool(options.get("inflections", False))).within(subject.text)
    return (0.0, f"holds {listed(found)}") if found else (1.0, f"holds none of {listed(words)}")
