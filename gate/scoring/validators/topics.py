"""Other words for what an answer may ask about."""

from collections.abc import Mapping

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
"""What `asks: {about: [name]}` looks for. A topic that is not here stands for itself, in its English forms."""

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
