"""Starter cases speak the language of the prompt, where there are some in it."""

import pytest

from gate.scaffold.discovery import FoundPrompt, read_prompt_file
from gate.scaffold.starter_cases import STARTERS, has_made_up_heads, language_of, starter_cases, works_on_text

TALKING = {
    "en": "You help the customers of a shop. Answer in two sentences.",
    "de": "Du hilfst den Kunden eines Ladens. Antworte in zwei Sätzen.",
    "fr": "Tu aides les clients d'une boutique. Réponds en deux phrases.",
    "es": "Ayudas a los clientes de una tienda. Responde en dos frases.",
    "ja": "あなたはお店のお客様を手伝います。二文で答えてください。",
}
WORKING = {
    "en": "Summarise the text below in one sentence.",
    "de": "Fasse den folgenden Text in einem Satz zusammen.",
    "fr": "Résume le texte suivant en une seule phrase.",
    "es": "Resume el siguiente texto en una sola frase.",
    "ja": "次の文章を一文で要約してください。",
}


def prompt(text: str, path: str = "prompts/a.md") -> FoundPrompt:
    found = read_prompt_file(path, lambda name: text.encode())
    assert isinstance(found, FoundPrompt)
    return found


@pytest.mark.parametrize("language", STARTERS)
def test_cases_are_in_the_language_of_the_prompt(language: str) -> None:
    for texts, talks in ((TALKING, True), (WORKING, False)):
        one = prompt(texts[language])
        assert language_of([one]) == language
        assert works_on_text([one]) is not talks
        entries = starter_cases([one], continues=True)
        assert len(entries) == 20
        assert has_made_up_heads(entries)
        assert language_of([prompt(" ".join(str(entry["input"]) for entry in entries))]) == language


def test_values_of_variables_are_in_it_too_and_those_without_a_translation_stay() -> None:
    text = "Schreibe den Kunden von {{ company }} einen Brief auf {{ language }}."
    (first, *_) = starter_cases([prompt(text, "a.j2")])
    assert first["vars"] == {"company": "Example Ltd", "language": "Deutsch"}


def test_another_language_is_told_and_gets_english_cases() -> None:
    text = "Ты помощник интернет-магазина. Отвечай кратко."
    code = "ru"
    assert language_of([prompt(text)]) == code
    assert starter_cases([prompt(text)])[0]["input"] == "What can you help me with?"


@pytest.mark.parametrize(
    "text",
    [
        "You are 17.",
        "Summarise {{ text }}.",
        "You are an assistant. Always answer in German: „Guten Tag“, „Danke“, „Auf Wiedersehen“ are what you say.",
    ],
)
def test_what_may_be_english_is_taken_for_english(text: str) -> None:
    assert language_of([prompt(text)]) == "en"


def test_a_group_has_the_language_of_most_of_it() -> None:
    assert language_of([prompt(TALKING["fr"]), prompt(TALKING["de"]), prompt(WORKING["de"])]) == "de"
    assert language_of([]) == "en"
