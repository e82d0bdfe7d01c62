"""Validator `asks`: does an answer ask for something?"""

import re
from collections.abc import Mapping

from gate.scoring.interface import (
    Finding,
    OptionCheck,
    Options,
    Subject,
    Validator,
    as_text,
    empty_words,
    listed_texts,
    number_of,
    texts_of,
)
from gate.scoring.validators.language import Phrases, sentences
from gate.values import JsonValue

TOPICS: Mapping[str, tuple[str, ...]] = {
    "name": (
        *("name", "names", "surname", "who am i speaking", "who i am speaking", "who i'm speaking", "who is calling"),
        *("who's calling", "who is this", "who are you", "who am i talking", "call you", "nombre", "nom", "nome"),
        *("nachname", "vorname", "heißen", "se llama", "appelez"),
        *("and you are?", "and this is?", "you go by", "who's this", "who do i have", "who have i got", "whom am i"),
        *("whom do i have", "who am i chatting", "who's on the line", "who is on the line", "who i have on the line"),
        *("who should i ask for", "who should we ask for", "mit wem", "con quién", "avec qui"),
    ),
    "zip": ("zip", "zip code", "zipcode", "postcode", "post code", "postal code", "plz", "postleitzahl", "code postal"),
    "address": (
        *("address", "addresses", "street", "where do you live", "where are you located", "where is the property"),
        *("location", "located", "adresse", "anschrift", "straße", "dirección", "indirizzo"),
        *("where are you?", "where are you at", "where are you calling from", "where you're at", "wohin", "wo wohnen"),
        *("where's the property", "where is the house", "where's the house", "where is the unit", "where's the unit"),
        *("where is the place", "where's the place", "where should i send", "where should we send", "where do i send"),
        *("where do we send", "where should we head", "where should we go", "where should we come", "where do we go"),
        *("where are we headed", "where are we going", "where are we sending", "tell me where you are"),
    ),
    "phone": (
        *("phone", "phones", "telephone", "phone number", "mobile", "cell", "callback number", "call you back"),
        *("reach you", "telefon", "telefonnummer", "rufnummer", "teléfono", "téléphone"),
        *("call back number", "contact number", "best number", "good number", "number to reach", "number to call"),
        *("your number", "call you at", "call you on", "text you", "landline", "handynummer", "rückrufnummer"),
    ),
    "email": ("email", "e-mail", "emails", "mail address", "e-mail-adresse", "correo", "courriel"),
    "date": (
        *("date", "dates", "day", "days", "when", "which day", "datum", "tag", "wann", "fecha", "día", "cuándo"),
        *("jour", "quand", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        *("today", "tomorrow", "weekday", "weekend", "how soon", "how long ago"),
    ),
    "time": (
        *("time", "times", "what time", "when", "hour", "hours", "o'clock", "morning", "afternoon", "evening"),
        *("uhrzeit", "uhr", "wann", "hora", "cuándo", "heure", "quand", "noon", "how early", "how late", "how soon"),
    ),
    "problem": (
        *("problem", "problems", "issue", "issues", "trouble", "wrong", "going on", "happening", "happened", "help"),
        *("symptom", "symptoms", "not working", "matter", "seems to be", "seeing", "noticing", "anliegen", "los"),
        *("problema", "problème", "passe", "ocurre", "pasa", "helfen", "worum geht", "ayudar", "ayudarle"),
        *("it doing", "that doing", "it acting", "acting up", "behaving", "noise", "noises", "what are you hearing"),
        *("what are you getting", "what happens", "calling about", "reason for your call", "brings you", "do for you"),
        *("what do you need", "what's up", "complaint", "concern", "tell me more"),
    ),
    "order": (
        *("order", "orders", "order number", "order id", "bestellung", "bestellnummer", "pedido", "commande"),
        *("ordered", "purchase", "confirmation number"),
    ),
    "budget": ("budget", "budgets", "spend", "price range", "how much", "presupuesto", "afford", "price point"),
    "age": (
        *("age", "old", "how old", "born", "date of birth", "birthday", "alter", "geboren", "edad", "âge"),
        *("birth date", "birthdate", "year of birth", "geburtsdatum", "wie alt"),
    ),
}
"""Words for `asks: {about: [name]}`. A topic that is not listed is its own word, in its English forms."""

ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("names", "caller name", "full name", "first name", "last name"), "name"),
    **dict.fromkeys(("zip code", "zipcode", "zip_code", "postcode", "postal code", "postal_code"), "zip"),
    **dict.fromkeys(("location", "street"), "address"),
    **dict.fromkeys(("phone number", "phone_number", "telephone", "callback", "callback number"), "phone"),
    **dict.fromkeys(("e-mail", "email address", "email_address"), "email"),
    **dict.fromkeys(("day",), "date"),
    **dict.fromkeys(("issue", "trouble", "symptom", "symptoms", "what happened"), "problem"),
    **dict.fromkeys(("order number", "order_number", "order id", "order_id"), "order"),
}
"""Other names of these topics."""


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
"""Characters of one sentence that are read, from its end."""
_SENTENCES = 2_000


def asks(options: Options, subject: Subject) -> Finding:
    """A question or request about each thing in `about`; `max_questions` limits their total number."""
    questions = [asked for text in sentences(subject.text)[:_SENTENCES] if (asked := question(text))]
    most = number_of(options, "max_questions")
    if most is not None and len(questions) > most:
        return 0.0, f"asks {len(questions):,} questions, more than {most:,.0f}"
    about = texts_of(options, "about")
    together = "\n".join(questions)
    missing = [topic for topic in about if not words_for(topic, options.get("words")).within(together)]
    if missing:
        return 0.0, f"does not ask about {listed_texts(missing)}" + ("" if questions else ": it asks nothing")
    return 1.0, f"asks about {listed_texts(about)}"


def question(sentence: str) -> str:
    """The part of a sentence that asks, by a question mark or in the form of a request; empty if it does not ask, or
    states that there is no need."""
    text = sentence[-_SENTENCE:]
    if text.rstrip(_BEHIND).endswith(_MARKS):
        clauses = _CLAUSE.split(text)
        if len(clauses) == 1:
            return text
        return "\n".join([clause for clause in clauses[:-1] if _asking(clause)] + clauses[-1:])
    return "\n".join(clause for clause in _CLAUSE.split(text) if _asking(clause))


def words_for(topic: str, given: JsonValue) -> Phrases:
    """The words of a question about a topic: the scorer's own and the table's, or the topic itself."""
    own = given.get(topic) if isinstance(given, Mapping) else None
    key = topic.strip().lower()
    known = TOPICS.get(ALIASES.get(key, key), ())
    more = [as_text(word) for word in own] if isinstance(own, list) else []
    return Phrases.of(dict.fromkeys((topic, *known, *more)), inflections=not known)


def _asking(clause: str) -> bool:
    if _NO_NEED.search(clause):
        return False
    return bool(_REQUEST.search(clause) or _STARTS_ASKING.match(clause.strip()))


VALIDATORS: Mapping[str, Validator] = {"asks": asks}
CHECKS: Mapping[str, OptionCheck] = {"asks": empty_words("about")}
