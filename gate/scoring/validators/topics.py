"""Other words for what an answer may ask about."""

from collections.abc import Mapping

TOPICS: Mapping[str, tuple[str, ...]] = {
    "name": (
        *("name", "names", "surname", "who am i speaking", "who i am speaking", "who i'm speaking", "who is calling"),
        *("who's calling", "who is this", "who are you", "who am i talking", "call you", "nombre", "nom", "nome"),
        *("nachname", "vorname", "heißen", "se llama", "appelez"),
    ),
    "zip": ("zip", "zip code", "zipcode", "postcode", "post code", "postal code", "plz", "postleitzahl", "code postal"),
    "address": (
        *("address", "addresses", "street", "where do you live", "where are you located", "where is the property"),
        *("location", "located", "adresse", "anschrift", "straße", "dirección", "indirizzo"),
    ),
    "phone": (
        *("phone", "phones", "telephone", "phone number", "mobile", "cell", "callback number", "call you back"),
        *("reach you", "telefon", "telefonnummer", "rufnummer", "teléfono", "téléphone"),
    ),
    "email": ("email", "e-mail", "emails", "mail address", "e-mail-adresse", "correo", "courriel"),
    "date": (
        *("date", "dates", "day", "days", "when", "which day", "datum", "tag", "wann", "fecha", "día", "cuándo"),
        *("jour", "quand", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        *("today", "tomorrow"),
    ),
    "time": (
        *("time", "times", "what time", "when", "hour", "hours", "o'clock", "morning", "afternoon", "evening"),
        *("uhrzeit", "uhr", "wann", "hora", "cuándo", "heure", "quand"),
    ),
    "problem": (
        *("problem", "problems", "issue", "issues", "trouble", "wrong", "going on", "happening", "happened", "help"),
        *("symptom", "symptoms", "not working", "matter", "seems to be", "seeing", "noticing", "anliegen", "los"),
        *("problema", "problème", "passe"),
    ),
    "order": ("order", "orders", "order number", "order id", "bestellung", "bestellnummer", "pedido", "commande"),
    "budget": ("budget", "budgets", "spend", "price range", "how much", "presupuesto"),
    "age": ("age", "old", "how old", "born", "date of birth", "birthday", "alter", "geboren", "edad", "âge"),
}
"""What `asks: {about: [name]}` looks for. A topic that is not here stands for itself, in its English forms."""

ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("names", "caller name", "full name", "first name", "last name"), "name"),
    **dict.fromkeys(("zip code", "zipcode", "zip_code", "postcode", "postal code", "postal_code"), "zip"),
    **dict.fromkeys(("location", "street"), "address"),
    **dict.fromkeys(("phone number", "phone_number", "telephone", "callback", "callback number"), "phone"),
    **dict.fromkeys(("e-mail", "email address", "email_address"), "email"),
    **dict.fromkeys(("day",), "date"),
    **dict.fromkeys(("issue", "trouble", "symptoms"), "problem"),
    **dict.fromkeys(("order number", "order_number", "order id", "order_id"), "order"),
}
"""Other names of these topics."""
