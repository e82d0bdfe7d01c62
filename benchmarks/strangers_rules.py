"""Test set of rule wordings for the compiler: rules that a check of the whole output can decide.

By a second author who had not seen the compiler, 2026-11-22. The turns of phrase are those of public prompts; the
sentences and outputs are the author's own. Each wording has outputs that keep it and outputs that break it, the
breaking ones near the boundary. `strangers_unfit` has the wordings that no such check should be made of.
"""

from benchmarks.strangers_kit import Wording, same, sentences
from benchmarks.strangers_shapes import SHAPES
from benchmarks.strangers_sizes import SIZES

_CHOICES = (
    *same(
        "choice",
        ("ALLOW", "BLOCK"),
        ("REVIEW", "ALLOW because it is safe"),
        "Output exactly one word: ALLOW or BLOCK.",
        "Respond ONLY with 'ALLOW' or 'BLOCK'.",
        "The output must be either ALLOW or BLOCK",
        "Your response is one of ALLOW, BLOCK.",
    ),
    *same(
        "choice",
        ("bug", "question"),
        ("docs", "bug, feature", "It is a bug"),
        "The output must be one of: bug, feature, question.",
        "Return one of the following labels and nothing else: bug | feature | question",
        "Allowed outputs are `bug`, `feature` and `question`.",
        "Print only the label, which is bug, feature or question.",
    ),
    *same(
        "choice",
        ("yes", "no"),
        ("maybe", "yes, but only today"),
        "Answer only with yes or no.",
        "Reply strictly 'yes' or 'no', without explanation.",
    ),
    *same(
        "choice",
        ("A", "D"),
        ("E", "AB", "Option B"),
        "Answer with a single letter: A, B, C or D.",
        "Only the letter of the right option (A, B, C, D) may be returned.",
    ),
    *same(
        "choice",
        ("POSITIVE", "MIXED"),
        ("HAPPY", "VERY POSITIVE"),
        "Your answer should be one of these: POSITIVE, NEUTRAL, NEGATIVE, MIXED.",
        "Choose exactly one label from POSITIVE / NEUTRAL / NEGATIVE / MIXED and output it alone.",
    ),
    *same(
        "choice",
        ("true", "false"),
        ("unknown", "true or false"),
        "Return true or false, nothing else.",
    ),
)

_JSON = (
    *same(
        "json",
        ('{"ok": true}', '[\n  {"id": 1}\n]'),
        ("{'ok': True}", '{"ok": true,}', 'Here is the JSON: {"ok": true}'),
        "Respond only with valid JSON.",
        "The output must be valid JSON.",
        "Output must parse as JSON",
        "Return JSON only, no prose before or after it.",
    ),
    *same(
        "json",
        ('{"name": "Ann"}', '{"age": 31, "tags": []}'),
        ('[{"name": "Ann"}]', '"Ann"'),
        "Return a single JSON object.",
        "The response must be a JSON object.",
    ),
    *same(
        "json",
        ('["tea", "milk"]', '[{"id": 1}, {"id": 2}]'),
        ('{"items": ["tea"]}', "tea, milk"),
        "Output a JSON array.",
        "The output is a JSON array and nothing else",
    ),
    *same(
        "json",
        ('{"title": "Tea", "summary": "It rose."}', '{"summary": "", "title": "Milk"}'),
        ('{"title": "Tea"}', '{"title": "Tea", "sumary": "It rose."}'),
        'Return a JSON object with the keys "title" and "summary".',
        "The output must be a JSON object that has title and summary fields.",
        "respond with json, keys: `title`, `summary`",
    ),
    *same(
        "json",
        ('{"id": 7, "status": "open"}', '{"status": "done", "id": 8}'),
        ('{"id": 7}', '{"id": 7, "status": "open", "note": ""}'),
        'The output is a JSON object containing exactly the keys "id" and "status".',
        "Return a JSON object with `id` and `status` and no other keys.",
    ),
    *same(
        "json",
        ('["tea"]', '["tea", "milk"]'),
        ('["tea", 1]', '"tea"'),
        "Return a JSON array of strings.",
        "The output must be a JSON list whose elements are all strings.",
    ),
    *same(
        "json",
        ("[1, 2, 3]", '["a", "b", "c"]'),
        ("[1, 2]", "[1, 2, 3, 4]"),
        "The output must be a JSON array with exactly 3 elements.",
        "Return a JSON array of three items.",
    ),
    *same(
        "json",
        ('{"sentiment": "positive"}', '{"sentiment": "neutral"}'),
        ('{"sentiment": "mixed"}', '{"mood": "positive"}'),
        'Return a JSON object whose "sentiment" is one of "positive", "neutral" or "negative".',
        "Reply with a JSON object that has a `sentiment` key set to positive, neutral or negative.",
    ),
    *same(
        "json",
        ('{"score": 0.5}', '{"score": 1}'),
        ('{"score": 1.2}', '{"score": "high"}'),
        'Return a JSON object with a numeric "score" between 0 and 1.',
    ),
    *same(
        "json",
        ('{"id": 1}\n{"id": 2}', '{"id": 1}'),
        ('{"id": 1}, {"id": 2}', '{"id": 1}\nand {"id": 2}'),
        "Return JSON Lines: one JSON object per line.",
    ),
)

_FRENCH = "Votre colis est parti ce matin. Il arrivera chez vous dans deux jours ouvrables."
_ENGLISH = "Your parcel left this morning. It will reach you within two working days."
_SPANISH = "Su paquete salió esta mañana. Llegará a su casa dentro de dos días laborables."
_ITALIAN = "Il suo pacco è partito questa mattina. Arriverà da lei entro due giorni lavorativi."
_PORTUGUESE = "A sua encomenda saiu esta manhã. Ela chegará à sua casa dentro de dois dias úteis."
_GERMAN = "Ihr Paket ist heute Morgen verschickt worden. Es kommt in zwei Werktagen bei Ihnen an."
_DUTCH = "Uw pakket is vanochtend verzonden. Het komt binnen twee werkdagen bij u aan."
_JAPANESE = "お荷物は今朝発送されました。二営業日以内にお届けします。"
_CHINESE = "您的包裹今天早上已经寄出。它将在两个工作日内送达。"

_LANGUAGES = (
    *same(
        "language",
        (_FRENCH, "Nous sommes ouverts de neuf heures à dix-huit heures, sauf le dimanche."),
        (_ENGLISH, _ITALIAN),
        "Answer in French.",
        "The output must be written in French.",
        "All responses are in French, whatever the language of the question.",
    ),
    *same(
        "language",
        (_ENGLISH, "We are open from nine in the morning until six in the evening."),
        (_GERMAN, _DUTCH),
        "Always respond in English.",
        "Output language: English",
        "Replies must be in English only.",
    ),
    *same(
        "language",
        (_SPANISH, "Abrimos a las nueve de la mañana y cerramos a las seis de la tarde."),
        (_PORTUGUESE, _ITALIAN),
        "Write the reply in Spanish.",
        "responses must be in spanish",
    ),
    *same(
        "language",
        (_GERMAN, "Wir haben von neun bis achtzehn Uhr geöffnet, außer am Sonntag."),
        (_DUTCH, _ENGLISH),
        "Please reply in German.",
        "German is the language of every response.",
    ),
    *same(
        "language",
        (_JAPANESE, "営業時間は午前九時から午後六時までです。"),
        (_CHINESE, _ENGLISH),
        "The output is in Japanese.",
        "Use Japanese for the whole reply.",
    ),
)

_FORBIDDEN_WORDS = (
    *same(
        "forbidden",
        ("We are confident that it arrives today.", "We promise to look into it."),
        ("We guarantee it.", "Guarantee included."),
        'Never use the word "guarantee".',
        "The word 'guarantee' must not appear in the output.",
        'Avoid the word "guarantee", for legal reasons.',
        'Do not say "guarantee".',
    ),
    *same(
        "forbidden",
        ("Our low price includes freedom to cancel.", "Tea at two euros."),
        ("A cheap tea.", "Shipping is free."),
        'Do not use the words "cheap" or "free".',
        "The words cheap and free are banned.",
        'Neither "cheap" nor "free" may appear in the output.',
    ),
    *same(
        "forbidden",
        ("I have no view on that.", "As an airline, we must ask for a passport."),
        ("As an AI, I have no view.", "Well, as an AI model I cannot say."),
        'Never write "as an AI".',
        "The phrase 'as an AI' must not appear",
    ),
    *same(
        "forbidden",
        ("It is on its way.", "In our view, it is ready."),
        ("I sent it today.", "Yes, I did."),
        'Do not use the word "I" anywhere.',
    ),
)

_FORBIDDEN_CHARACTERS = (
    *same(
        "forbidden",
        (sentences(2), "Price: 5 € (incl. tax) & shipping."),
        ("Your order shipped 🚚", "✅ Done."),
        "Do not use emojis.",
        "No emoji.",
        "Emojis are not allowed in responses, since some phones cannot show them.",
        "The output must be free of emojis",
    ),
    *same(
        "forbidden",
        ("Welcome back.", "Is it ready?"),
        ("Welcome back!", "Hi! Is it ready?"),
        "Do not use exclamation marks.",
        "Exclamation marks must never be used.",
    ),
    *same(
        "forbidden",
        ("We open at nine.", "Two or three days."),
        ("We open at 9.", "Room B2 is free."),
        "The output must not contain digits.",
        "No digits (0-9) anywhere.",
    ),
    *same(
        "forbidden",
        ("See our help page.", "Ask the team, or write to us."),
        ("See https://example.org/help.", "Go to http://example.org"),
        "Do not include URLs.",
        "URLs must not be part of the response.",
    ),
    *same(
        "forbidden",
        ("Tea, milk and bread - all fresh.", "A well-known brand."),
        ("Tea — the best of drinks.", "It is ready—come and see."),
        "Never use em dashes.",
        "Em dashes (—) are forbidden",
    ),
    *same(
        "forbidden",
        ("Tea, milk: both are fresh.", "Come in, we are open."),
        ("Tea; milk.", "Come in; we are open."),
        "Semicolons are not allowed.",
        "Do not use the character ';'.",
    ),
    *same(
        "forbidden",
        ("Cafe, 5 dollars.", "Open: 9-17 (daily)"),
        ("Café, 5 dollars.", "Tea for 5 €"),
        "Use ASCII characters only.",
        "The output must not contain non-ASCII characters.",
    ),
)

_REQUIRED = (
    *same(
        "required",
        ("This is not financial advice. Rates may rise.", "Rates may rise, but that is not financial advice."),
        ("Rates may rise.", "This is not legal advice."),
        'Always include the phrase "not financial advice".',
        "The output must contain the text 'not financial advice'.",
    ),
    *same(
        "required",
        ("Hello {name}, your order is ready.", "Your order is ready, {name}."),
        ("Hello Ann, your order is ready.", "Hello name, your order is ready."),
        "The output must contain the placeholder {name}.",
        "Keep the literal placeholder `{name}` in your reply.",
    ),
)

RULES: tuple[Wording, ...] = (
    SIZES + SHAPES + _CHOICES + _JSON + _LANGUAGES + _FORBIDDEN_WORDS + _FORBIDDEN_CHARACTERS + _REQUIRED
)
