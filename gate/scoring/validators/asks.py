"""Does an answer ask for something?"""

import re
from collections.abc import Mapping

from gate.domain.jsonvalue import JsonValue
from gate.scoring.subject import Subject
from gate.scoring.validators.phrases import Phrases
from gate.scoring.validators.port import Finding, Options, as_text, listed, number_of, texts_of
from gate.scoring.validators.sentences import sentences
from gate.scoring.validators.topics import ALIASES, TOPICS

_MARKS = ("?", "？", "؟", "\u037e")
_BEHIND = " \t\r\n\"'”’»)]}*_`!"
_CLAUSE = re.compile(r"\s[–—-]\s|—|;|:\s")
_TELL = r"tell|give|share|provide|confirm|send|spell|repeat|state|verify|let me know|enter|leave|describe|specify|say"
_REQUEST = re.compile(
    r"(?:(?:^|,|\band|\bso|\bbut|\bplease)\s*(?:could|can|would|will|may) (?:you|i|we) \w|\b(?:may i|may we) \w)|\b(?:"
    r"(?:would|do) you mind|"
    rf"(?:please|kindly)(?: just| also)? (?:{_TELL})|(?:{_TELL})(?: \S+){{1,8}}? please|"
    r"(?:tell|give|send) (?:me|us)(?! (?:a|one|just|some) )|let (?:me|us) (?:know|have|get) |"
    r"(?:i|we)(?:'ll|’ll| will| just| also| still|'d|’d| would| do)* (?:need|require|like to (?:know|have|get)|"
    r"love to (?:know|have|get)|have to (?:know|ask)|must ask|want to (?:know|ask)|wonder)|"
    r"i(?: was|'m|’m| am) wondering|i(?:'ll|’ll| will) (?:just )?(?:ask|need)|"
    r"(?:sagen|nennen|geben|teilen|verraten|schicken|bestätigen) sie|(?:ich|wir) (?:brauche|brauchen|benötige|"
    r"benötigen)|"
    r"(?:dígame|díganos|deme|necesito|indíqueme)|(?:dites-moi|donnez-moi|indiquez|j['’]ai besoin)"
    r")\b",
    re.IGNORECASE,
)
_STARTS_ASKING = re.compile(
    r"(?:(?:and|so|ok|okay|great|thanks|sure|alright|now|first|also)[\s,]+){0,3}(?:what(?:'s|’s|s)|what (?:is|are|was)|"
    r"who(?:'s|’s| is| am)|where(?:'s|’s| is| are)|which|when (?:is|are|did|would|can|do))\b",
    re.IGNORECASE,
)
_NO_NEED = re.compile(
    r"\b(?:no need|(?:do not|don't|don’t|doesn't|won't|needn't|need not|never)(?: have to| need)?|not necessary|"
    r"not need|without (?:asking|needing)|thank(?:s| you) for|already (?:have|know|got))\b",
    re.IGNORECASE,
)
_SENTENCE = 1_000
"""Characters of one sentence that are looked at, from its end."""
_SENTENCES = 2_000


def asks(options: Options, subject: Subject) -> Finding:
    """A question, or a request, about each thing in `about`; `max_questions` bounds how many there are in all."""
    questions = [asked for text in sentences(subject.text)[:_SENTENCES] if (asked := question(text))]
    most = number_of(options, "max_questions")
    if most is not None and len(questions) > most:
        return 0.0, f"asks {len(questions):,} questions, more than {most:,.0f}"
    about = texts_of(options, "about")
    together = "\n".join(questions)
    missing = [topic for topic in about if not words_for(topic, options.get("words")).within(together)]
    if missing:
        return 0.0, f"does not ask about {listed(missing)}" + ("" if questions else ": it asks nothing")
    return 1.0, f"asks about {listed(about)}"


def question(sentence: str) -> str:
    """The part of a sentence that asks; empty where it does not.

    Args:
        sentence: one that ends in a question mark, or has the form of a request (`could you tell me …`, `I need your
            …`, `please give me …`, `what's …`); one that says that there is no need is none.
    """
    text = sentence[-_SENTENCE:]
    if text.rstrip(_BEHIND).endswith(_MARKS):
        clauses = _CLAUSE.split(text)
        if len(clauses) == 1:
            return text
        return "\n".join([clause for clause in clauses[:-1] if _asking(clause)] + clauses[-1:])
    return "\n".join(clause for clause in _CLAUSE.split(text) if _asking(clause))


def words_for(topic: str, given: JsonValue) -> Phrases:
    """What a question about a topic holds: words of the scorer, or the table's, or the topic itself.

    Args:
        topic: `name`.
        given: the scorer's own lists by topic, which stand beside the table's.
    """
    own = given.get(topic) if isinstance(given, Mapping) else None
    key = topic.strip().lower()
    known = TOPICS.get(ALIASES.get(key, key), ())
    more = [as_text(word) for word in own] if isinstance(own, list) else []
    return Phrases.of(dict.fromkeys((topic, *known, *more)), inflections=not known)


def _asking(clause: str) -> bool:
    if _NO_NEED.search(clause):
        return False
    return bool(_REQUEST.search(clause) or _STARTS_ASKING.match(clause.strip()))
